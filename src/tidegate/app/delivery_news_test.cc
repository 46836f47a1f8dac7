#include "tidegate/app/delivery_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::app {
namespace {

using contract::Delivery;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Delivery D(const std::string& text) { return *contract::ParseDelivery(text); }

ingest::TableResult Applied(const std::string& table, ingest::Action action, std::vector<std::string> folders,
                            std::vector<int64_t> rows) {
  ingest::TableResult out;
  out.table = table;
  out.action = action;
  out.folders = std::move(folders);
  out.folder_rows = std::move(rows);
  return out;
}

std::vector<std::string> Lines(const News& news) {
  std::vector<std::string> out;
  for (const DeliveryNews& delivery : news.deliveries) out.push_back(Describe(delivery));
  return out;
}

TEST(DeliveryNews, EachDeliveryHasALineWithItsOwnTablesAndRows) {
  ingest::IngestReport report;
  report.tables = {
      Applied("shop.orders", ingest::Action::kAppend,
              {"v2/shop/orders/etl_date=2026-11-03/etl_hour=03", "v2/shop/orders/etl_date=2026-11-03/etl_hour=04"},
              {1000, 204}),
      Applied("shop.products", ingest::Action::kReplace, {"v2/shop/products/snapshot_date=2026-11-03/snapshot_hour=04"},
              {60}),
      Applied("shop.stock", ingest::Action::kNothing, {}, {})};
  EXPECT_THAT(Lines(NewsDesk().Take(report)),
              ElementsAre("v2/2026-11-03/03: 1 table, 1,000 rows", "v2/2026-11-03/04: 2 tables, 264 rows"));
}

TEST(DeliveryNews, ARebuildIsToldWithItsNewestFolder) {
  ingest::IngestReport report;
  report.tables = {Applied("shop.orders", ingest::Action::kRebuild,
                           {"v1/shop/orders/etl_date=__initial__", "v1/shop/orders/etl_date=2026-11-01"}, {7, 5})};
  EXPECT_THAT(Lines(NewsDesk().Take(report)), ElementsAre("v1/2026-11-01: 1 table, 12 rows"));
}

TEST(DeliveryNews, WhatIsStillSoIsToldOnce) {
  ingest::IngestReport report;
  report.warnings = {{"stray_key", "", "x", "not a Parquet file", 0, ""}};
  report.problems = {{"broken", "shop.orders", "v2/shop/orders/etl_date=2026-11-03/etl_hour=05", "cut off"},
                     {"table", "shop.stock", "", "the lake was moved"}};
  report.waiting = {{"shop.clicks", D("v2/2026-11-03/05"), "late", true}, {"shop.a", D("v2/2026-11-03/06"), "", false}};
  report.held = {{"shop.b", "v2/shop/b/snapshot_date=2026-11-03/snapshot_hour=06", 5'000, 0}};
  NewsDesk desk;
  const News first = desk.Take(report);
  EXPECT_THAT(Lines(first), ElementsAre("v2/2026-11-03/05: nothing applied; gap: shop.orders; pending: shop.clicks",
                                        "v2/2026-11-03/06: nothing applied; missing: shop.a; held: shop.b"));
  EXPECT_THAT(first.warnings, SizeIs(1));
  EXPECT_THAT(first.problems, SizeIs(2)) << "those of whole tables, too";

  const News second = desk.Take(report);
  EXPECT_THAT(second.deliveries, IsEmpty());
  EXPECT_THAT(second.warnings, IsEmpty());
  EXPECT_THAT(second.problems, IsEmpty());

  desk.Take({});
  EXPECT_THAT(desk.Take(report).problems, SizeIs(2)) << "what went away and came again is new";
}

TEST(DeliveryNews, WhatWaitsForColdStorageIsToldOnceWhateverItsAmount) {  // C-43
  ingest::IngestReport report;
  ingest::Cold cold{.table = "shop.orders", .scope = ingest::ColdScope::kFirstBuild};
  cold.folders.push_back(
      {.folder = *contract::ParseFolder("v2/shop/orders/etl_date=2026-11-03/etl_hour=05"), .objects = 2});
  report.cold = {cold};
  NewsDesk desk;
  EXPECT_THAT(desk.Take(report).cold, SizeIs(1));
  report.cold[0].folders[0].objects = 1;
  EXPECT_THAT(desk.Take(report).cold, IsEmpty());
  report.cold[0].folders[0].thawing = true;
  EXPECT_THAT(desk.Take(report).cold, SizeIs(1)) << "a restore was asked for: that is news";
}

}  // namespace
}  // namespace tidegate::app
