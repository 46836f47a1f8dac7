#include "tidegate/contract/table_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

namespace tidegate::contract {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TableCatalog Parse(std::string_view toml) {
  auto catalog = ParseCatalog(toml, "t.toml");
  EXPECT_TRUE(catalog.ok()) << catalog.status().ToString() << "\n" << toml;
  return catalog.ok() ? std::move(catalog).value() : TableCatalog();
}

std::string ErrorOf(std::string_view toml) {
  const auto catalog = ParseCatalog(toml, "t.toml");
  EXPECT_FALSE(catalog.ok()) << toml;
  if (catalog.ok()) return "";
  EXPECT_EQ(catalog.status().code(), Code::kInvalidArgument);
  return catalog.status().message();
}

/// The error of one parts table with more fields, in line 4 on.
std::string ErrorOfField(const std::string& fields, const char* mode = "parts") {
  return ErrorOf("[[table]]\nname = \"shop.orders\"\nmode = \"" + std::string(mode) + "\"\n" + fields);
}

// ---- The built-in catalog

TEST(CloudhumansCatalogTest, HoldsThe19TablesOfTheFirstVendor) {
  std::vector<std::string> full;
  std::vector<std::string> parts;
  for (const TableEntry& entry : CloudhumansCatalog().entries()) {
    (entry.mode == TableMode::kFull ? full : parts).push_back(entry.name.ToString());
  }
  EXPECT_THAT(
      full,
      ElementsAre("datamart_claudia.claudia_contents", "datamart_claudia.claudia_conversation",
                  "datamart_claudia.claudia_conversation_feedback", "datamart_claudia.claudia_csat",
                  "datamart_claudia.eddie_result_outcomes",
                  "datamart_cloudchat_saas.cloud_chat_account_user_availability_histories",
                  "datamart_cloudchat_saas.cloud_chat_agent_metrics", "datamart_cloudchat_saas.cloud_chat_contacts",
                  "datamart_cloudchat_saas.cloud_chat_conversations",
                  "datamart_cloudchat_saas.cloud_chat_conversations_custom_fields",
                  "datamart_cloudchat_saas.cloud_chat_conversations_first_reply_metrics",
                  "datamart_cloudchat_saas.cloud_chat_conversations_tags", "datamart_cloudchat_saas.cloud_chat_csat",
                  "datamart_cloudchat_saas.cloud_chat_outbound_events", "datamart_cloudchat_saas.cloud_chat_tags",
                  "datamart_cloudchat_saas.cloud_chat_team_metrics"));
  EXPECT_THAT(parts, ElementsAre("datamart_claudia.claudia_messages", "datamart_claudia.claudia_prompt_revision",
                                 "datamart_cloudchat_saas.cloud_chat_messages"));
}

TEST(CloudhumansCatalogTest, PartsTablesKnowKeyAndEventTime) {
  const TableEntry* messages = CloudhumansCatalog().Find({"datamart_claudia", "claudia_messages"});
  ASSERT_NE(messages, nullptr);
  EXPECT_THAT(messages->key, ElementsAre("message_id"));
  EXPECT_EQ(messages->event_time, "send_at");
  EXPECT_FALSE(messages->append_only);
  const TableEntry* revisions = CloudhumansCatalog().Find({"datamart_claudia", "claudia_prompt_revision"});
  ASSERT_NE(revisions, nullptr);
  EXPECT_THAT(revisions->key, ElementsAre("prompt_revision_id"));
  EXPECT_EQ(revisions->event_time, "created_at");
  const TableEntry* chat = CloudhumansCatalog().Find({"datamart_cloudchat_saas", "cloud_chat_messages"});
  ASSERT_NE(chat, nullptr);
  EXPECT_THAT(chat->key, IsEmpty());
  EXPECT_TRUE(chat->append_only);
  EXPECT_EQ(chat->event_time, "created_at");
}

TEST(TableCatalogTest, FindsBySchemaAndTable) {
  const TableCatalog& catalog = CloudhumansCatalog();
  for (const TableEntry& entry : catalog.entries()) EXPECT_EQ(catalog.Find(entry.name), &entry);
  EXPECT_EQ(catalog.Find({"datamart_claudia", "cloud_chat_messages"}), nullptr);
  EXPECT_EQ(catalog.Find({"", ""}), nullptr);
  EXPECT_EQ(catalog.Find({"zzz", "zzz"}), nullptr);
  EXPECT_EQ(TableCatalog().Find({"a", "b"}), nullptr);
}

// ---- Reading

TEST(ParseCatalogTest, ReadsEveryField) {
  const TableCatalog catalog = Parse(R"(
[[table]]
name = "shop.orders"
mode = "parts"
key = ["tenant_id", "id"]
event_time = "at"
version_column = "version"
append_only = false
changed_at = "updated_at"
query = "select * from o"

[[table]]
name = "shop.customers"
mode = "full"
event_time = "born"
query = '''
select *
from c'''
)");
  TableEntry orders;
  orders.name = {"shop", "orders"};
  orders.mode = TableMode::kParts;
  orders.key = {"tenant_id", "id"};
  orders.event_time = "at";
  orders.version_column = "version";
  orders.changed_at = "updated_at";
  orders.source_query = "select * from o";
  TableEntry customers;
  customers.name = {"shop", "customers"};
  customers.event_time = "born";
  customers.source_query = "select *\nfrom c";
  EXPECT_THAT(catalog.entries(), ElementsAre(customers, orders));
}

TEST(ParseCatalogTest, AnEmptyTextIsAnEmptyCatalog) {
  EXPECT_THAT(Parse("").entries(), IsEmpty());
  EXPECT_THAT(Parse("# nothing\ntable = []\n").entries(), IsEmpty());
}

TEST(ParseCatalogTest, StartsFromTheBuiltInCatalogAndAddsOrReplaces) {
  EXPECT_EQ(Parse("catalog = \"cloudhumans\"").entries(), CloudhumansCatalog().entries());
  const TableCatalog catalog = Parse(R"(
catalog = "cloudhumans"
[[table]]
name = "datamart_claudia.claudia_messages"
mode = "parts"
key = ["tenant_id", "message_id"]
[[table]]
name = "shop.orders"
mode = "full"
)");
  EXPECT_THAT(catalog.entries(), SizeIs(20));
  const TableEntry* messages = catalog.Find({"datamart_claudia", "claudia_messages"});
  EXPECT_THAT(messages->key, ElementsAre("tenant_id", "message_id"));
  EXPECT_EQ(messages->event_time, std::nullopt);  // replaced as a whole, not field by field
  EXPECT_NE(catalog.Find({"shop", "orders"}), nullptr);
}

TEST(ParseCatalogTest, PassesOverTheSectionsOfASettingsFile) {
  EXPECT_THAT(Parse("[ingest]\nx = 1\n[deliver.y]\nz = 2\n[query]\n[lake]\npath = \"l\"\n").entries(), IsEmpty());
}

TEST(ParseCatalogTest, AppendOnlyMayHaveAKey) {  // C-24
  const TableCatalog catalog = Parse("[[table]]\nname=\"a.b\"\nmode=\"parts\"\nkey=[\"id\"]\nappend_only=true\n");
  EXPECT_TRUE(catalog.entries()[0].append_only);
  EXPECT_THAT(catalog.entries()[0].key, ElementsAre("id"));
  EXPECT_THAT(Parse("[[table]]\nname=\"a.b\"\nmode=\"parts\"\nkey=[]\n").entries()[0].key, IsEmpty());
  EXPECT_FALSE(Parse("[[table]]\nname=\"a.b\"\nmode=\"full\"\nkey=[]\nappend_only=false\n").entries()[0].append_only);
}

TEST(ParseCatalogTest, ATypoIsNamedWithItsLineAndTheNearestWord) {
  EXPECT_EQ(ErrorOf("\n\n[[tabel]]\nname = \"a.b\"\n"), "t.toml:3: unknown setting 'tabel'; did you mean table?");
  EXPECT_THAT(ErrorOf("whatever = 1"), HasSubstr("t.toml:1: unknown setting 'whatever'; known are catalog, table"));
  EXPECT_EQ(ErrorOfField("evnt_time = \"at\"\n"),
            "t.toml:4: table 'shop.orders': unknown field 'evnt_time'; did you mean event_time?");
  EXPECT_THAT(ErrorOfField("\nfoo = \"at\"\n"), HasSubstr("t.toml:5: table 'shop.orders': unknown field 'foo'; known"));
  EXPECT_THAT(
      ErrorOf("[[table]]\nname=\"a.b\"\nmode=\"part\"\n"),
      HasSubstr(
          "t.toml:3: table 'a.b': mode is \"full\" (whole copies) or \"parts\", not 'part', did you mean \"parts\"?"));
}

TEST(ParseCatalogTest, ForeignNamesInErrorsAreQuoted) {
  EXPECT_THAT(ErrorOf("\"\\u001b[31m\" = 1"), AllOf(HasSubstr("'\\x1B[31m'"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(ErrorOf("[a]\n[\"\\u001b[31m\"]\n[\"\\u001b[31m\"]\n"), Not(HasSubstr("\x1b")));
  EXPECT_THAT(ErrorOf("catalog = \"\\u0007\""), HasSubstr("'\\x07'"));
}

TEST(ParseCatalogTest, NamesAreRequiredAndGood) {  // C-5
  EXPECT_THAT(ErrorOf("\n[[table]]\nmode = \"full\"\n"),
              HasSubstr("t.toml:2: a [[table]]: it needs name = \"schema.table\""));
  EXPECT_THAT(ErrorOf("[[table]]\nname = 7\n"), HasSubstr("t.toml:2: a [[table]]: name is a text"));
  EXPECT_THAT(ErrorOf("[[table]]\nname = \"orders\"\n"),
              HasSubstr("t.toml:2: a [[table]]: a table is written schema.table"));
  EXPECT_THAT(ErrorOf("[[table]]\nname = \"shop.or ders\"\n"), HasSubstr("'or ders' in the table name"));
}

TEST(ParseCatalogTest, ModeIsRequiredAndOneOfTwo) {
  EXPECT_THAT(ErrorOf("[[table]]\nname = \"a.b\"\n"), HasSubstr("t.toml:1: table 'a.b': it needs mode"));
  EXPECT_THAT(ErrorOf("[[table]]\nname = \"a.b\"\nmode = 7\n"), HasSubstr("not ''"));
  EXPECT_THAT(ErrorOf("[[table]]\nname = \"a.b\"\nmode = \"incremental_append\"\n"),
              AllOf(HasSubstr("not 'incremental_append'"), Not(HasSubstr("did you mean"))));
}

TEST(ParseCatalogTest, KeysAreListsOfDistinctColumns) {
  EXPECT_THAT(ErrorOfField("key = \"id\"\n"),
              HasSubstr("t.toml:4: table 'shop.orders': key is a list of columns, as in key = [\"id\"]"));
  EXPECT_THAT(ErrorOfField("key = [7]\n"), HasSubstr("key is a list of column names"));
  EXPECT_THAT(ErrorOfField("key = [\"\"]\n"), HasSubstr("key is a list of column names"));
  EXPECT_THAT(ErrorOfField("key = [\"id\", \"ID\"]\n"), HasSubstr("key names the column 'ID' twice"));  // C-25
}

TEST(ParseCatalogTest, FieldsHaveTheirTypes) {
  for (const char* field : {"event_time", "version_column", "changed_at", "query"}) {
    EXPECT_THAT(ErrorOfField(std::string(field) + " = 7\n"),
                HasSubstr(std::string(field) + " is a text that is not empty"));
    EXPECT_THAT(ErrorOfField(std::string(field) + " = \"\"\n"),
                HasSubstr(std::string(field) + " is a text that is not empty"));
  }
  EXPECT_THAT(ErrorOfField("append_only = \"true\"\n"),
              HasSubstr("t.toml:4: table 'shop.orders': append_only is true or false"));
}

TEST(ParseCatalogTest, FieldsOfPartsTablesAreRefusedOnFullTables) {
  for (const char* field : {"key = [\"id\"]", "append_only = true", "changed_at = \"at\""}) {
    EXPECT_THAT(ErrorOfField(field, "full"),
                AllOf(HasSubstr("t.toml:4: table 'shop.orders': "), HasSubstr("means nothing on a full table")))
        << field;
  }
  EXPECT_THAT(ErrorOfField("key = [\"id\"]\nversion_column = \"v\"", "full"),
              HasSubstr("key means nothing on a full table"));
  EXPECT_THAT(ErrorOfField("version_column = \"v\"", "full"),
              HasSubstr("version_column means nothing on a full table"));
}

TEST(ParseCatalogTest, AVersionColumnNeedsAKey) {  // C-22
  EXPECT_THAT(ErrorOfField("\nversion_column = \"v\"\n"),
              HasSubstr("t.toml:5: table 'shop.orders': a version column chooses"));
}

TEST(ParseCatalogTest, ATableTwiceIsAnErrorThatNamesBothLines) {
  EXPECT_EQ(ErrorOf("[[table]]\nname=\"a.b\"\nmode=\"full\"\n\n[[table]]\nname=\"a.b\"\nmode=\"full\"\n"),
            "t.toml:5: table 'a.b' is described twice, first in line 1");
}

TEST(ParseCatalogTest, ShapesThatAreNoTablesAreExplained) {
  EXPECT_THAT(ErrorOf("[table]\nname = \"a.b\"\n"),
              HasSubstr("t.toml:1: a table is written [[table]], with two brackets"));
  EXPECT_THAT(ErrorOf("table = [\"a.b\"]\n"),
              HasSubstr("t.toml:1: a table is written [[table]], with its fields below"));
  EXPECT_THAT(ErrorOf("\ncatalog = \"cloudhuman\"\n"),
              AllOf(HasSubstr("t.toml:2: "), HasSubstr("only built-in catalog")));
  EXPECT_THAT(ErrorOf("catalog = 7\n"), HasSubstr("only built-in catalog"));
}

// ---- Hostile text

TEST(ParseCatalogTest, WhatIsNoTomlNamesItsLine) {
  EXPECT_THAT(ErrorOf("\n\nname = \n"), HasSubstr("t.toml:3: not TOML: "));
}

TEST(ParseCatalogTest, ManglingACatalogNeverCrashes) {
  const unsigned seed = 99;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::string whole = WriteCatalog(CloudhumansCatalog());
  size_t refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string text = whole;
    for (size_t n = 1 + random() % 4; n > 0; --n) text[random() % text.size()] = static_cast<char>(random());
    if (!ParseCatalog(text, "t.toml").ok()) ++refused;
  }
  EXPECT_GT(refused, 0u);
}

// ---- Writing

TEST(WriteCatalogTest, TheBuiltInCatalogReadsBackTheSame) {
  const std::string text = WriteCatalog(CloudhumansCatalog());
  EXPECT_EQ(Parse(text).entries(), CloudhumansCatalog().entries());
  EXPECT_THAT(text, HasSubstr("# "));
}

TEST(WriteCatalogTest, AwkwardTextsReadBackTheSame) {
  std::vector<TableEntry> entries;
  const char* queries[] = {
      "select 1",       "select\n  '1'\nfrom t", "a\n'''\nb",  "tab\t\n\"q\"\n", "cr\r\nlf", "\nfirst line empty",
      "quote\nat end'", "back\\slash\n\\",       "del \x7f\n", "ünï\ncode",      "\n"};
  for (const char* query : queries) {
    TableEntry entry;
    entry.name = {"s", "t" + std::to_string(entries.size())};
    entry.mode = TableMode::kParts;
    entry.key = {"a \"b\"", "c\\d", "e\nf", "ü", "\x01"};
    entry.version_column = "v'v";
    entry.changed_at = "a.b";
    entry.event_time = "#";
    entry.append_only = entries.size() % 2 == 0;
    entry.source_query = query;
    entries.push_back(entry);
  }
  const TableCatalog catalog(entries);
  const std::string text = WriteCatalog(catalog);
  EXPECT_EQ(Parse(text).entries(), catalog.entries()) << text;
  EXPECT_THAT(text, HasSubstr("query = '''\nselect\n  '1'\nfrom t'''\n"));  // SQL stays readable
}

TEST(WriteCatalogTest, WritesTheGoldenBytes) {
  TableEntry orders;
  orders.name = {"shop", "orders"};
  orders.mode = TableMode::kParts;
  orders.key = {"tenant_id", "id"};
  orders.event_time = "at";
  orders.version_column = "version";
  orders.changed_at = "updated_at";
  orders.source_query = "SELECT *\nFROM orders\n";
  TableEntry log;
  log.name = {"lab", "log"};
  log.mode = TableMode::kParts;
  TableEntry clicks = log;
  clicks.name = {"lab", "clicks"};
  clicks.append_only = true;
  TableEntry customers;
  customers.name = {"shop", "customers"};
  std::ifstream file(std::string(TIDEGATE_CONTRACT_TESTDATA) + "/catalog.toml", std::ios::binary);
  std::ostringstream golden;
  golden << file.rdbuf();
  const TableCatalog catalog({orders, log, clicks, customers});
  EXPECT_EQ(WriteCatalog(catalog), golden.str());
  EXPECT_EQ(Parse(golden.str()).entries(), catalog.entries());
}

}  // namespace
}  // namespace tidegate::contract
