#include "tidegate/ingest/open_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/ingest_fixture.h"
#include "tidegate/ingest/lake_marks.h"

namespace tidegate::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const contract::TableName kOrders{"shop", "orders"};

UtcTime At(const std::string& time) { return *ParseRfc3339("2026-11-03T" + time + ":00Z"); }

OpenPoint Gap(const std::string& hour) {
  OpenPoint out;
  out.folder = *contract::ParseFolder(Hour("orders", hour));
  out.fingerprint = "0123456789abcdef";
  out.reason = "broken";
  out.message = "not a Parquet file: \"…\"";
  out.since = At("05:40");
  return out;
}

OpenPoint HeldCopy() {
  OpenPoint out;
  out.folder = *contract::ParseFolder(Copy("customers", "04"));
  out.fingerprint = "fedcba9876543210";
  out.held = true;
  out.rows_before = 5'000;
  out.rows_now = 12;
  out.since = At("04:41");
  return out;
}

TEST(OpenPointsTest, GoThroughTextUnchanged) {
  const OpenPoints points = {Gap("03"), HeldCopy()};
  const auto again = ParseOpenPoints(WriteOpenPoints(points));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(*again, points);
  EXPECT_EQ(OpenPointsKey(kOrders), "_tidegate/open/shop/orders.json");
}

TEST(OpenPointsTest, WhatCannotBeReadIsAnError) {
  const std::string good = WriteOpenPoints({Gap("03"), HeldCopy()});
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string out = good;
    out.replace(out.find(old), old.size(), now);
    return ParseOpenPoints(out).status().code();
  };
  EXPECT_EQ(ParseOpenPoints("[]").status().code(), Code::kCorruption);
  EXPECT_EQ(ParseOpenPoints(R"({"format": 1})").status().code(), Code::kCorruption);
  EXPECT_EQ(ParseOpenPoints(R"({"format": 1, "points": [7]})").status().code(), Code::kCorruption);
  EXPECT_EQ(with("\"format\":1", "\"format\":2"), Code::kUnsupported);
  EXPECT_EQ(with("\"gap\"", "\"other\""), Code::kCorruption);
  EXPECT_EQ(with("v2/shop/orders", "v2/../orders"), Code::kInvalidArgument);
  EXPECT_EQ(with("\"rows_now\":12", "\"rows_now\":\"x\""), Code::kCorruption);
  EXPECT_EQ(with("\"rows_now\":12", "\"rows_now\":18446744073709551615"), Code::kCorruption);
}

TEST(OpenPointsTest, APointIsOpenSinceItWasFirstFound) {
  OpenPoint now = Gap("03");
  now.since = At("09:40");
  EXPECT_THAT(KeepSince({now}, {Gap("03")}), ElementsAre(Gap("03")));
  now.fingerprint = "other";  // the folder holds something else by now
  EXPECT_EQ(KeepSince({now}, {Gap("03")})[0].since, At("09:40"));
  now = Gap("03");
  now.reason = "type";
  now.since = At("09:40");
  EXPECT_EQ(KeepSince({now}, {Gap("03")})[0].since, At("09:40"));
  EXPECT_THAT(KeepSince({Gap("05"), Gap("04")}, {}), ElementsAre(Gap("04"), Gap("05")));
}

class NotedPointsTest : public ::testing::Test {
 protected:
  OpenPoints Noted() {
    const auto points = LoadOpenPoints(lake_.store(), kOrders);
    EXPECT_TRUE(points.ok()) << points.status().ToString();
    return points.ok() ? *points : OpenPoints();
  }
  IngestReport Ingest() {
    const auto report = RunIngest(bucket_.store(), lake_.store(), TestOptions());
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? *report : IngestReport();
  }
  TestBucket bucket_;
  TestLake lake_;
};

TEST_F(NotedPointsTest, ARunNotesItsGapsAndForgetsThemOnceTheyAreApplied) {  // C-15
  bucket_.SwitchToV2();
  bucket_.Deliver(Hour("orders", "03"), R"([[1, "a", 1]])");
  bucket_.Put(Hour("orders", "04") + "/0000_part_00.parquet", "no Parquet");
  bucket_.Put(Hour("orders", "04") + "/_SUCCESS", "");
  Ingest();
  ASSERT_THAT(Noted(), SizeIs(1));
  EXPECT_EQ(Noted()[0].folder.Path(), Hour("orders", "04"));
  EXPECT_EQ(Noted()[0].reason, "broken");
  const auto before = ObjectsIn(lake_.store());
  Ingest();
  EXPECT_EQ(ObjectsIn(lake_.store()), before);  // nothing new: nothing is written
  ASSERT_TRUE(bucket_.store().Delete({Hour("orders", "04") + "/0000_part_00.parquet"}).ok());
  bucket_.Deliver(Hour("orders", "04"), R"([[2, "b", 1]])");
  Ingest();
  EXPECT_THAT(Noted(), IsEmpty());
  EXPECT_THAT(ListMarks(lake_.store())->with_open_points, IsEmpty());
}

TEST_F(NotedPointsTest, ANoteThatCannotBeReadIsWrittenAnew) {
  bucket_.SwitchToV2();
  bucket_.Put(Hour("orders", "04") + "/0000_part_00.parquet", "no Parquet");
  bucket_.Put(Hour("orders", "04") + "/_SUCCESS", "");
  ASSERT_TRUE(lake_.store().Put(OpenPointsKey(kOrders), "{", store::PutMode::kOverwrite).ok());
  EXPECT_THAT(LoadOpenPoints(lake_.store(), kOrders).status().message(), HasSubstr("_tidegate/open/shop/orders.json"));
  Ingest();
  EXPECT_THAT(Noted(), SizeIs(1));
}

}  // namespace
}  // namespace tidegate::ingest
