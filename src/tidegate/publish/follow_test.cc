#include "tidegate/publish/follow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::publish {
namespace {

using catalog::PartitionValues;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const catalog::HiveName kTable{"sales", "daily"};

FollowState State() {
  return {.table_uuid = "u1",
          .snapshot = 9'007'199'254'740'993,  // beyond what a double holds
          .definition = "abc",
          .pending = {{"2026-11-01", std::nullopt}, {"a \"b\"", "ü/%"}},
          .written = *ParseRfc3339("2026-11-03T04:05:06Z")};
}

TEST(FollowState, IsReadAsItWasWritten) {
  const auto read = ReadFollowState(WriteFollowState(State()));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->table_uuid, "u1");
  EXPECT_EQ(read->snapshot, State().snapshot);
  EXPECT_EQ(read->definition, "abc");
  EXPECT_EQ(read->pending, State().pending);
  EXPECT_EQ(read->written, State().written);
}

TEST(FollowState, OfAnotherShapeIsAnError) {
  const std::string good = WriteFollowState(State());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return ReadFollowState(text.replace(at, from.size(), to)).status().code();
  };
  EXPECT_EQ(with("\"format\":1", "\"format\":2"), Code::kUnsupported);
  EXPECT_EQ(with("\"u1\"", "1"), Code::kCorruption);
  EXPECT_EQ(with("\"pending\"", "\"other\""), Code::kCorruption);
  EXPECT_EQ(with("null", "7"), Code::kCorruption);
  EXPECT_EQ(ReadFollowState("[]").status().code(), Code::kCorruption);
  EXPECT_EQ(ReadFollowState("{").status().code(), Code::kCorruption);
}

TEST(FollowState, IsKeptBesideThePartitionsAndSwappedAgainstWhatWasSeen) {
  store::MemoryObjectStore root;
  ASSERT_TRUE(LoadFollowState(root, kTable).ok());
  EXPECT_FALSE(LoadFollowState(root, kTable)->has_value());
  ASSERT_TRUE(SaveFollowState(root, kTable, State(), "").ok());
  EXPECT_EQ(SaveFollowState(root, kTable, State(), "").code(), Code::kAlreadyExists);
  const auto seen = LoadFollowState(root, kTable);
  ASSERT_TRUE(seen.ok() && seen->has_value());
  EXPECT_EQ((*seen)->first.pending, State().pending);
  FollowState next = State();
  next.pending.clear();
  ASSERT_TRUE(SaveFollowState(root, kTable, next, (*seen)->second).ok());
  EXPECT_EQ(SaveFollowState(root, kTable, State(), (*seen)->second).code(), Code::kPreconditionFailed);
  EXPECT_THAT((*LoadFollowState(root, kTable))->first.pending, IsEmpty());
}

TEST(FollowState, ThatIsBrokenSaysWhatToRemove) {
  store::MemoryObjectStore root;
  ASSERT_TRUE(root.Put(FollowKey(kTable), "half a fi", store::PutMode::kCreateOnly).ok());
  const Status status = LoadFollowState(root, kTable).status();
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("_tidegate_follow/sales.daily.json"));
  EXPECT_THAT(status.message(), HasSubstr("remove it to publish all partitions"));
}

TEST(FollowKeys, BeginWithWhatReadersHide) {
  EXPECT_EQ(FollowKey({"a b", "c/d"}), "_tidegate_follow/a b.c%2Fd.json");
  EXPECT_EQ(FollowLeaseKey(kTable), "_tidegate_follow/sales.daily/_tidegate_lease.json");
}

TEST(WhyAll, IsEmptyOnlyWhereTheChangesSuffice) {
  const FollowedNow now{
      .table_uuid = "u1", .snapshot = 5, .definition = "abc", .knows_snapshot_of_state = true, .same_columns = true};
  EXPECT_EQ(WhyAll(State(), now), "");
  EXPECT_THAT(WhyAll(std::nullopt, now), HasSubstr("first time"));
  FollowedNow other = now;
  other.definition = "x";
  EXPECT_THAT(WhyAll(State(), other), HasSubstr("settings"));
  other = now;
  other.table_uuid = "u2";
  EXPECT_THAT(WhyAll(State(), other), HasSubstr("another table"));
  other = now;
  other.knows_snapshot_of_state = false;
  EXPECT_THAT(WhyAll(State(), other), HasSubstr("expired"));
  other = now;
  other.same_columns = false;
  EXPECT_THAT(WhyAll(State(), other), HasSubstr("columns"));
}

TEST(PendingAfter, HoldsWhatDidNotEndWell) {
  const std::vector<PartitionValues> partitions = {{"1"}, {"2"}, {"3"}, {"4"}, {"5"}, {"6"}, {"7"}};
  std::vector<PublishOutcome> outcomes;
  for (const PublishEnd end : {PublishEnd::kPublished, PublishEnd::kUnchanged, PublishEnd::kRejected,
                               PublishEnd::kAuditFailed, PublishEnd::kConflict, PublishEnd::kFailed}) {
    outcomes.push_back({.end = end});
  }
  EXPECT_THAT(PendingAfter(partitions, outcomes),
              ElementsAre(PartitionValues{"4"}, PartitionValues{"5"}, PartitionValues{"6"}, PartitionValues{"7"}));
}

TEST(FingerprintOf, ChangesWithWhatDecidesTheRows) {
  const Definition one{.table = kTable,
                       .partition_columns = {{"day", "string"}},
                       .lake = "lake",
                       .select = "SELECT 1",
                       .follow = "shop.orders",
                       .partition_of = {"day"}};
  const std::string print = FingerprintOf(one, "c");
  EXPECT_EQ(FingerprintOf(one, "c"), print);
  EXPECT_NE(FingerprintOf(one, "d"), print);
  Definition other = one;
  other.select = "SELECT 2";
  EXPECT_NE(FingerprintOf(other, "c"), print);
  other = one;
  other.partition_of = {"hour"};
  EXPECT_NE(FingerprintOf(other, "c"), print);
  other = one;
  other.partition_columns[0].type = "date";
  EXPECT_NE(FingerprintOf(other, "c"), print);
  other = one;
  other.audits.min_rows = 5;  // says what may be shown, not what it is
  EXPECT_EQ(FingerprintOf(other, "c"), print);
}

TEST(SelectOfFollowed, TakesTheRowsOfOnePartition) {
  const Definition one{.table = kTable,
                       .partition_columns = {{"day", "string"}, {"kind", "string"}},
                       .follow = "shop.or-ders",
                       .partition_of = {"CAST(at AS DATE)", "map{'a': {'b': c}}['a'].b"}};
  Definition with = one;
  with.select = SelectOfFollowed(one);
  const auto filled = SelectFor(with, {"2026-11-01", std::nullopt});
  ASSERT_TRUE(filled.ok()) << filled.status().ToString() << with.select;
  EXPECT_EQ(*filled,
            "SELECT * FROM \"shop\".\"or-ders\" WHERE (CAST(at AS DATE)) IS NOT DISTINCT FROM '2026-11-01' AND "
            "(map{'a': {'b': c}}['a'].b) IS NOT DISTINCT FROM NULL");
}

}  // namespace
}  // namespace tidegate::publish
