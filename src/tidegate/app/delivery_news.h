// What a watching ingest tells of each run: one entry a delivery, and of warnings and gaps only what it has not told
// yet. A run repeats every warning and gap that is still there; a log that did the same every quarter of an hour is not
// read.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tidegate/contract/folder.h"
#include "tidegate/ingest/ingest.h"

namespace tidegate::app {

/// What happened to one table by one delivery.
struct TableNews {
  std::string table;
  ingest::Action action = ingest::Action::kNothing;
  int64_t rows = 0;  // that the delivery brought; of a rebuild, all that were read
};

/// A delivery of which something was applied, or something is newly missing, pending, held or a gap.
struct DeliveryNews {
  contract::Delivery delivery;
  std::vector<TableNews> tables;
  std::vector<ingest::Waiting> waiting;
  std::vector<ingest::Problem> problems;
  std::vector<ingest::Held> held;
  int64_t rows() const;
};

struct News {
  std::vector<DeliveryNews> deliveries;   // in the order of C-20
  std::vector<ingest::Warning> warnings;  // new ones
  std::vector<ingest::Problem> problems;  // new ones, those of whole tables among them
  std::vector<ingest::Cold> cold;         // what newly waits for cold storage
};

class NewsDesk {
 public:
  /// What of a run's report is new. What went away and comes again is new again.
  News Take(const ingest::IngestReport& report);

 private:
  std::set<std::string> told_;  // of the last report
};

/// "v2/2026-11-03/05: 3 tables, 1,204 rows; gap: shop.orders; pending: shop.clicks".
std::string Describe(const DeliveryNews& news);

}  // namespace tidegate::app
