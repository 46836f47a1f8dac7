#include "tidegate/app/delivery_news.h"

#include <map>
#include <numeric>

#include "tidegate/base/text.h"

namespace tidegate::app {
namespace {

using contract::Delivery;
using ByDelivery = std::map<Delivery, DeliveryNews>;

DeliveryNews& At(ByDelivery& news, const Delivery& delivery) {
  DeliveryNews& entry = news[delivery];
  entry.delivery = delivery;
  return entry;
}

void AddTable(const ingest::TableResult& table, ByDelivery& news) {
  for (size_t i = 0; i < table.folders.size(); ++i) {
    // A rebuild reads every folder again; what it is about is the newest.
    const bool rebuild = table.action == ingest::Action::kRebuild;
    const auto folder = contract::ParseFolder(rebuild ? table.folders.back() : table.folders[i]);
    if (!folder.ok()) continue;  // cannot be: we wrote it
    std::vector<TableNews>& tables = At(news, folder->delivery).tables;
    if (tables.empty() || tables.back().table != table.table) tables.push_back({table.table, table.action, 0});
    tables.back().rows += table.folder_rows[i];
  }
}

std::string TextOf(const ingest::Warning& w) {
  return "w\n" + w.kind + "\n" + w.table + "\n" + w.folder + "\n" + w.message;
}
std::string TextOf(const ingest::Problem& p) {
  return "p\n" + p.reason + "\n" + p.table + "\n" + p.folder + "\n" + p.message;
}
std::string TextOf(const ingest::Waiting& w) {
  return "d\n" + w.table + "\n" + w.delivery.ToString() + "\n" + (w.pending ? "p" : "m") + w.reason;
}

std::string TextOf(const ingest::Held& h) { return "h\n" + h.table + "\n" + h.folder; }

/// Its amount may change from run to run: that is no news.
std::string TextOf(const ingest::Cold& c) {
  std::string out = "c\n" + c.table + "\n" + std::string(ingest::ColdScopeName(c.scope)) + std::string(c.state());
  if (c.whole()) return out;
  for (const ingest::ColdFolder& folder : c.folders) out += "\n" + folder.folder.Path();
  return out;
}

template <typename T>
std::vector<std::string> TablesOf(const std::vector<T>& entries) {
  std::vector<std::string> out;
  out.reserve(entries.size());
  for (const T& entry : entries) out.push_back(entry.table);
  return out;
}

/// "; pending: shop.clicks, shop.stock", or nothing.
std::string Clause(std::string_view what, const std::vector<std::string>& tables) {
  return tables.empty() ? "" : "; " + std::string(what) + ": " + Join(tables, ", ");
}

}  // namespace

int64_t DeliveryNews::rows() const {
  return std::accumulate(tables.begin(), tables.end(), int64_t{0},
                         [](int64_t sum, const TableNews& table) { return sum + table.rows; });
}

News NewsDesk::Take(const ingest::IngestReport& report) {
  News out;
  ByDelivery deliveries;
  std::set<std::string> telling;
  const auto is_new = [&](const auto& entry) {
    const std::string text = TextOf(entry);
    return telling.insert(text).second && !told_.contains(text);
  };
  for (const auto& table : report.tables) AddTable(table, deliveries);
  for (const auto& warning : report.warnings) {
    if (is_new(warning)) out.warnings.push_back(warning);
  }
  for (const auto& problem : report.problems) {
    if (!is_new(problem)) continue;
    out.problems.push_back(problem);
    if (const auto folder = contract::ParseFolder(problem.folder); folder.ok()) {
      At(deliveries, folder->delivery).problems.push_back(problem);
    }
  }
  for (const auto& waiting : report.waiting) {
    if (is_new(waiting)) At(deliveries, waiting.delivery).waiting.push_back(waiting);
  }
  for (const auto& cold : report.cold) {
    if (is_new(cold)) out.cold.push_back(cold);
  }
  for (const auto& held : report.held) {
    const auto folder = contract::ParseFolder(held.folder);
    if (is_new(held) && folder.ok()) At(deliveries, folder->delivery).held.push_back(held);
  }
  for (auto& [delivery, news] : deliveries) out.deliveries.push_back(std::move(news));
  told_ = std::move(telling);
  return out;
}

std::string Describe(const DeliveryNews& news) {
  std::string out = news.delivery.ToString() + ": ";
  out += news.tables.empty() ? "nothing applied"
                             : Plural(news.tables.size(), "table", "tables") + ", " + HumanCount(news.rows()) + " rows";
  std::vector<ingest::Waiting> missing, pending;
  for (const auto& waiting : news.waiting) (waiting.pending ? pending : missing).push_back(waiting);
  return out + Clause("gap", TablesOf(news.problems)) + Clause("missing", TablesOf(missing)) +
         Clause("pending", TablesOf(pending)) + Clause("held", TablesOf(news.held));
}

}  // namespace tidegate::app
