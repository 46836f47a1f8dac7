// Another engine commits to a table of the lake: it rolls back, compacts, expires snapshots, adds a column, removes
// orphan files. The next ingest goes on right, or says why it cannot: the checkpoint follows the snapshot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tidegate/base/json.h"
#include "tidegate/ingest/ingest_fixture.h"

namespace tidegate::ingest {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Another engine that commits as the lake wants it: the next vN.metadata.json.
class ForeignHand {
 public:
  ForeignHand(TestLake& lake, const std::string& table) : lake_(lake), folder_("shop/" + table) {
    const auto loaded = table::LakeTable::Load(lake_.store(), folder_);
    EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
    version_ = loaded->version();
    json = *ParseJson(*lake_.store().Read(Key(version_), 100'000'000));
  }

  void Commit() {
    const auto put = lake_.store().Put(Key(version_ + 1), json.dump(), store::PutMode::kCreateOnly);
    ASSERT_TRUE(put.ok()) << put.status().ToString();
  }

  int64_t Current() const { return json["current-snapshot-id"].get<int64_t>(); }
  Json& Snapshot(int64_t id) {
    for (Json& snapshot : json["snapshots"]) {
      if (snapshot["snapshot-id"] == id) return snapshot;
    }
    ADD_FAILURE() << "no snapshot " << id;
    return json["snapshots"][0];
  }
  int64_t Parent() { return Snapshot(Current())["parent-snapshot-id"].get<int64_t>(); }

  void RollBackTo(int64_t snapshot) {
    json["current-snapshot-id"] = snapshot;
    json["refs"]["main"] = {{"snapshot-id", snapshot}, {"type", "branch"}};
    Commit();
  }

  /// A snapshot on top that keeps every file and says nothing of ours.
  void ReplaceSnapshot() {
    Json snapshot = Snapshot(Current());
    snapshot["parent-snapshot-id"] = Current();
    snapshot["snapshot-id"] = 4711;
    snapshot["sequence-number"] = json["last-sequence-number"].get<int64_t>() + 1;
    snapshot["timestamp-ms"] = snapshot["timestamp-ms"].get<int64_t>() + 5;
    snapshot["summary"] = {{"operation", "replace"}, {"engine-name", "spark"}};
    json["last-sequence-number"] = snapshot["sequence-number"];
    json["last-updated-ms"] = snapshot["timestamp-ms"];
    json["snapshot-log"].push_back({{"snapshot-id", 4711}, {"timestamp-ms", snapshot["timestamp-ms"]}});
    json["snapshots"].push_back(snapshot);
    json["current-snapshot-id"] = 4711;
    json["refs"]["main"] = {{"snapshot-id", 4711}, {"type", "branch"}};
  }

  void ExpireAllButCurrent() {
    const int64_t keep = Current();
    const auto other = [&](const Json& entry) { return entry["snapshot-id"] != keep; };
    for (const char* list : {"snapshots", "snapshot-log"}) {
      Json kept = Json::array();
      for (const Json& entry : json[list]) {
        if (!other(entry)) kept.push_back(entry);
      }
      json[list] = kept;
    }
  }

  int AddColumn(const std::string& name, const std::string& type) {
    Json schema = json["schemas"].back();
    for (const Json& known : json["schemas"]) {
      if (known["schema-id"] == json["current-schema-id"]) schema = known;
    }
    const int id = json["last-column-id"].get<int>() + 1;
    schema["fields"].push_back({{"id", id}, {"name", name}, {"required", false}, {"type", type}});
    schema["schema-id"] = json["schemas"].size();
    json["last-column-id"] = id;
    json["current-schema-id"] = schema["schema-id"];
    json["schemas"].push_back(schema);
    return id;
  }

  Json json;

 private:
  std::string Key(int64_t version) const {
    return folder_ + "/metadata/v" + std::to_string(version) + ".metadata.json";
  }

  TestLake& lake_;
  std::string folder_;
  int64_t version_ = 0;
};

class ForeignCommitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    bucket_.SwitchToV2();
    DeliverHour("03", R"([[1, "3", 1], [2, "3", 1], [3, "3", 1]])");
    DeliverHour("04", R"([[1, "4", 1], [4, "4", 1]])");
  }
  void DeliverHour(const std::string& hour, const std::string& rows) {
    for (const std::string table : {"orders", "log"}) bucket_.Deliver(Hour(table, hour), rows);
    bucket_.Deliver(Copy("customers", hour), rows);
    IngestWell(bucket_.store(), lake_.store());
  }
  IngestReport Ingest() { return IngestWell(bucket_.store(), lake_.store()); }

  const Rows kOrders = {"1|4|1", "2|3|1", "3|3|1", "4|4|1"};
  const Rows kLog = {"1|3|1", "1|4|1", "2|3|1", "3|3|1", "4|4|1"};
  TestBucket bucket_;
  TestLake lake_;
};

TEST_F(ForeignCommitsTest, ARollbackIsAppliedAgainByTheNextRun) {  // C-27
  for (const std::string table : {"orders", "log", "customers"}) {
    ForeignHand hand(lake_, table);
    hand.RollBackTo(hand.Parent());
  }
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|3|1", "2|3|1", "3|3|1"));
  EXPECT_THAT(ResultOf(Ingest(), "shop.orders").folders, ElementsAre(Hour("orders", "04")));
  EXPECT_EQ(lake_.Table("orders"), kOrders);
  EXPECT_EQ(lake_.Table("log"), kLog);
  EXPECT_THAT(lake_.Table("customers"), ElementsAre("1|4|1", "4|4|1"));
  EXPECT_FALSE(Ingest().applied_anything());
}

TEST_F(ForeignCommitsTest, ARollbackToNothingIsAppliedAgainFromTheStart) {
  ForeignHand hand(lake_, "orders");
  hand.json["current-snapshot-id"] = -1;
  hand.json.erase("refs");
  hand.Commit();
  EXPECT_THAT(lake_.Table("orders"), IsEmpty());
  Ingest();
  EXPECT_EQ(lake_.Table("orders"), kOrders);
}

TEST_F(ForeignCommitsTest, ARollbackOverAReseedTakesTheReseedAgain) {  // C-35
  bucket_.Put(
      "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=05/manifest.json",
      R"({"tables_delivered": [{"schema": "shop", "table": "log", "mode": "incremental_append", "reseed": true}]})");
  DeliverHour("05", R"([[9, "5", 1]])");
  EXPECT_THAT(lake_.Table("log"), ElementsAre("9|5|1"));
  ForeignHand hand(lake_, "log");
  hand.RollBackTo(hand.Parent());
  EXPECT_EQ(lake_.Table("log"), kLog);
  EXPECT_EQ(ResultOf(Ingest(), "shop.log").action, Action::kReseed);
  EXPECT_THAT(lake_.Table("log"), ElementsAre("9|5|1"));
}

TEST_F(ForeignCommitsTest, ACommitOnTopOfOursKeepsProgress) {
  for (const std::string table : {"orders", "log", "customers"}) {
    ForeignHand hand(lake_, table);
    hand.ReplaceSnapshot();
    hand.Commit();
  }
  EXPECT_FALSE(Ingest().applied_anything());
  DeliverHour("05", R"([[2, "5", 1]])");
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|4|1", "2|5|1", "3|3|1", "4|4|1"));
  EXPECT_EQ(lake_.Table("log").size(), kLog.size() + 1);
}

TEST_F(ForeignCommitsTest, ExpiredSnapshotsChangeNothing) {
  for (const std::string table : {"orders", "log", "customers"}) {
    ForeignHand hand(lake_, table);
    hand.ExpireAllButCurrent();
    hand.Commit();
  }
  EXPECT_FALSE(Ingest().applied_anything());
  DeliverHour("05", R"([[2, "5", 1]])");
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|4|1", "2|5|1", "3|3|1", "4|4|1"));
}

TEST_F(ForeignCommitsTest, WhereTheCheckpointWasExpiredTheTableIsLeftAloneAndThatIsSaid) {  // C-27
  ForeignHand hand(lake_, "orders");
  hand.ReplaceSnapshot();
  hand.ExpireAllButCurrent();
  hand.Commit();
  const auto report = RunIngest(bucket_.store(), lake_.store(), TestOptions());
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_EQ(report->problems[0].table, "shop.orders");
  EXPECT_THAT(report->problems[0].message, HasSubstr("snapshots expired"));
  EXPECT_THAT(report->problems[0].message, HasSubstr("another lake"));
  EXPECT_EQ(lake_.Table("orders"), kOrders);
}

TEST_F(ForeignCommitsTest, AColumnThatAnotherEngineAddedStaysAndFillsWhenItIsDelivered) {  // C-25
  ForeignHand hand(lake_, "orders");
  const int id = hand.AddColumn("note", "string");
  hand.Commit();
  EXPECT_FALSE(Ingest().applied_anything());
  bucket_.Put(Hour("orders", "05") + "/0000_part_00.parquet",
              parquet::MakeRows({{"id", arrow::int64()}, {"note", arrow::utf8()}}, R"([[2, "n"]])"));
  bucket_.Seal(Hour("orders", "05"));
  Ingest();
  EXPECT_THAT(lake_.Table("orders", {"id", "value", "note"}),
              ElementsAre("1|4|null", "2|null|n", "3|3|null", "4|4|null"));
  const auto table = table::LakeTable::Load(lake_.store(), "shop/orders");
  ASSERT_NE(table->metadata().current_schema().Find("note"), nullptr);
  EXPECT_EQ(table->metadata().current_schema().Find("note")->id, id);
  const auto mapping = table::ParseNameMapping(table->metadata().properties.at("schema.name-mapping.default"));
  ASSERT_TRUE(mapping.ok());
  int mapped = 0;
  for (const table::NameMapping& entry : *mapping) {
    if (entry.names == Rows{"note"}) mapped = entry.field_id;
  }
  EXPECT_EQ(mapped, id);
}

TEST_F(ForeignCommitsTest, AColumnOfAnotherTypeThanIsDeliveredIsAGapThatNamesIt) {  // C-25
  ForeignHand hand(lake_, "orders");
  hand.AddColumn("note", "long");
  hand.Commit();
  bucket_.Put(Hour("orders", "05") + "/0000_part_00.parquet",
              parquet::MakeRows({{"id", arrow::int64()}, {"note", arrow::utf8()}}, R"([[2, "n"]])"));
  bucket_.Seal(Hour("orders", "05"));
  const auto report = RunIngest(bucket_.store(), lake_.store(), TestOptions());
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_EQ(report->problems[0].reason, "type");
  EXPECT_THAT(report->problems[0].message, HasSubstr("note"));
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

/// As Spark's rewrite_data_files does it: the files of a partition become one, without their deleted rows.
void CompactHour(TestLake& lake, const std::string& hour, const std::string& rows) {
  auto table = table::LakeTable::Load(lake.store(), "shop/orders");
  ASSERT_TRUE(table.ok());
  const std::string bytes = OrderRows(rows);
  const std::string key = "shop/orders/data/contract_version=v2/etl_hour=" + hour + "/00001-compacted.parquet";
  ASSERT_TRUE(lake.store().Put(key, bytes, store::PutMode::kCreateOnly).ok());
  table::Change change;
  change.operation = "replace";
  table::DataFile file;
  const table::LiveFiles live = lake.Live("orders");
  for (const auto* list : {&live.data, &live.position_deletes}) {
    for (const table::LiveFile& old : *list) {
      if (old.file.partition[2] != hour) continue;
      change.remove.push_back(old.file.location);
      file.partition = old.file.partition;
      file.spec_id = old.file.spec_id;
    }
  }
  file.location = lake.store().Location(key);
  file.record_count = static_cast<int64_t>(parquet::RowsAsText(bytes, {"id"}).size());
  file.file_size_bytes = static_cast<int64_t>(bytes.size());
  change.add = {file};
  ASSERT_TRUE(table->Commit(change, *ParseRfc3339("2026-11-03T12:00:00Z")).ok());
}

TEST_F(ForeignCommitsTest, AfterACompactionRowsAreStillReplacedAndLateOnesStillLose) {  // C-20, C-21
  bucket_.Deliver(Hour("orders", "06"), R"([[3, "6", 1]])");
  Ingest();
  CompactHour(lake_, "03", R"([[2, "3", 1]])");  // 1 and 3 were superseded
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|4|1", "2|3|1", "3|6|1", "4|4|1"));
  EXPECT_FALSE(Ingest().applied_anything());
  bucket_.Deliver(Hour("orders", "05"), R"([[2, "5", 1], [3, "5", 1], [5, "5", 1]])");  // late: 3 is newer
  Ingest();
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|4|1", "2|5|1", "3|6|1", "4|4|1", "5|5|1"));
}

TEST_F(ForeignCommitsTest, ARollbackBehindACompactionIsAppliedAgain) {  // C-27
  CompactHour(lake_, "03", R"([[2, "3", 1], [3, "3", 1]])");
  ForeignHand hand(lake_, "orders");
  const int64_t ours = hand.Parent();
  const int64_t first = hand.Snapshot(ours)["parent-snapshot-id"].get<int64_t>();
  hand.RollBackTo(first);
  Ingest();
  EXPECT_EQ(lake_.Table("orders"), kOrders);
}

TEST_F(ForeignCommitsTest, ACompactionThatLosesTheDeliveriesIsSaidForAKeyedTable) {  // C-20
  auto table = table::LakeTable::Load(lake_.store(), "shop/orders");
  ASSERT_TRUE(table.ok());
  table::PartitionSpec spec;
  spec.spec_id = 1;
  const std::string bytes = OrderRows(R"([[1, "4", 1], [2, "3", 1], [3, "3", 1], [4, "4", 1]])");
  const std::string key = "shop/orders/data/00001-compacted.parquet";
  ASSERT_TRUE(lake_.store().Put(key, bytes, store::PutMode::kCreateOnly).ok());
  table::Change change;
  change.operation = "replace";
  change.remove_all = true;
  change.spec = spec;
  table::DataFile file;
  file.location = lake_.store().Location(key);
  file.spec_id = 1;
  file.record_count = 4;
  file.file_size_bytes = static_cast<int64_t>(bytes.size());
  change.add = {file};
  ASSERT_TRUE(table->Commit(change, *ParseRfc3339("2026-11-03T12:00:00Z")).ok());
  bucket_.Deliver(Hour("orders", "05"), R"([[2, "5", 1]])");
  const auto report = RunIngest(bucket_.store(), lake_.store(), TestOptions());
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_EQ(report->problems[0].table, "shop.orders");
  EXPECT_THAT(report->problems[0].message, HasSubstr("in no delivery partition"));
  EXPECT_EQ(lake_.Table("orders"), kOrders);
}

TEST_F(ForeignCommitsTest, FilesThatNoTableNamesMayGo) {
  bucket_.Deliver(Hour("orders", "05"), R"([[null, "lost", 1], [2, "5", 1]])");  // has a reject file
  Ingest();
  std::set<std::string> named;
  for (const std::string table : {"orders", "log", "customers"}) {
    ForeignHand hand(lake_, table);
    for (const Json& snapshot : hand.json["snapshots"]) {
      const table::LiveFiles live = *table::LakeTable::Load(lake_.store(), "shop/" + table)
                                         ->ReadLiveFiles(snapshot["snapshot-id"].get<int64_t>());
      for (const auto* list : {&live.data, &live.position_deletes}) {
        for (const table::LiveFile& file : *list) named.insert(TestLake::KeyOf(file.file.location));
      }
    }
  }
  std::vector<std::string> orphans;
  for (const store::ObjectInfo& object : ObjectsIn(lake_.store())) {
    const bool avro = object.key.ends_with(".avro");  // here all are in use
    const bool older = object.key.ends_with("/v1.metadata.json") || object.key.ends_with("version-hint.text");
    if ((!avro && !object.key.ends_with(".metadata.json") && !named.contains(object.key)) || older) {
      orphans.push_back(object.key);
    }
  }
  EXPECT_THAT(orphans, Contains("shop/orders/rejects/v2/2026-11-03/05.parquet"));
  ASSERT_TRUE(lake_.store().Delete(orphans).ok());
  EXPECT_FALSE(Ingest().applied_anything());
  DeliverHour("06", R"([[4, "6", 1]])");
  EXPECT_THAT(lake_.Table("orders"), ElementsAre("1|4|1", "2|5|1", "3|3|1", "4|6|1"));
}

}  // namespace
}  // namespace tidegate::ingest
