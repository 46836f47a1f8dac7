#include "tidegate/contract/table_catalog.h"

#include <algorithm>
#include <cassert>

namespace tidegate::contract {
namespace {

constexpr std::string_view kClaudia = "datamart_claudia";
constexpr std::string_view kCloudchat = "datamart_cloudchat_saas";

TableEntry FullTable(std::string_view schema, std::string_view table) {
  TableEntry entry;
  entry.name = {std::string(schema), std::string(table)};
  return entry;
}

TableEntry PartsTable(std::string_view schema, std::string_view table, std::vector<std::string> key,
                      std::string event_time) {
  TableEntry entry = FullTable(schema, table);
  entry.mode = TableMode::kParts;
  entry.append_only = key.empty();
  entry.key = std::move(key);
  entry.event_time = std::move(event_time);
  return entry;
}

std::vector<TableEntry> CloudhumansTables() {
  std::vector<TableEntry> tables;
  for (const char* table : {"claudia_contents", "claudia_conversation", "claudia_conversation_feedback", "claudia_csat",
                            "eddie_result_outcomes"}) {
    tables.push_back(FullTable(kClaudia, table));
  }
  for (const char* table :
       {"cloud_chat_account_user_availability_histories", "cloud_chat_agent_metrics", "cloud_chat_contacts",
        "cloud_chat_conversations", "cloud_chat_conversations_custom_fields",
        "cloud_chat_conversations_first_reply_metrics", "cloud_chat_conversations_tags", "cloud_chat_csat",
        "cloud_chat_outbound_events", "cloud_chat_tags", "cloud_chat_team_metrics"}) {
    tables.push_back(FullTable(kCloudchat, table));
  }
  tables.push_back(PartsTable(kClaudia, "claudia_messages", {"message_id"}, "send_at"));
  tables.push_back(PartsTable(kClaudia, "claudia_prompt_revision", {"prompt_revision_id"}, "created_at"));
  tables.push_back(PartsTable(kCloudchat, "cloud_chat_messages", {}, "created_at"));  // sends each message once
  return tables;
}

}  // namespace

TableCatalog::TableCatalog(std::vector<TableEntry> entries) : entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(), [](const TableEntry& a, const TableEntry& b) { return a.name < b.name; });
  assert(std::adjacent_find(entries_.begin(), entries_.end(), [](const TableEntry& a, const TableEntry& b) {
           return a.name == b.name;
         }) == entries_.end());
}

const TableEntry* TableCatalog::Find(const TableName& name) const {
  const auto at =
      std::lower_bound(entries_.begin(), entries_.end(), name,
                       [](const TableEntry& entry, const TableName& wanted) { return entry.name < wanted; });
  return at == entries_.end() || at->name != name ? nullptr : &*at;
}

const TableCatalog& CloudhumansCatalog() {
  static const TableCatalog catalog(CloudhumansTables());
  return catalog;
}

}  // namespace tidegate::contract
