#include "tidegate/table/lake_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tidegate/store/fault/fault_object_store.h"
#include "tidegate/store/memory/memory_object_store.h"
#include "tidegate/table/avro.h"
#include "tidegate/table/manifest.h"
#include "tidegate/table/metadata_files.h"
#include "tidegate/table/test_table.h"

namespace tidegate::table {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kFolder[] = "shop/orders";

class LakeTableTest : public testing::Test {
 protected:
  LakeTable Load() {
    Result<LakeTable> table = LakeTable::Load(lake_, kFolder);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return table.ok() ? *std::move(table) : NewTestTable(lake_);
  }
  void Commit(LakeTable& table, const Change& change, UtcTime now = kTestNow) {
    const Status status = table.Commit(change, now);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  std::vector<ManifestFile> Manifests(const LakeTable& table) {
    return *MetadataFiles(lake_, kFolder).ReadList(*table.metadata().current_snapshot());
  }
  std::vector<ManifestEntry> Entries(const LakeTable& table, const ManifestFile& manifest) {
    return *MetadataFiles(lake_, kFolder).ReadEntries(manifest, table.metadata());
  }
  const Summary& SummaryOf(const LakeTable& table) { return table.metadata().current_snapshot()->summary; }
  size_t Objects(const std::string& suffix) {
    store::ListRequest all;
    const auto listing = lake_.List(all);
    return static_cast<size_t>(std::count_if(listing->objects.begin(), listing->objects.end(),
                                             [&](const auto& object) { return object.key.ends_with(suffix); }));
  }
  void Put(const std::string& key, const std::string& bytes) {
    ASSERT_TRUE(lake_.Put(key, bytes, store::PutMode::kOverwrite).ok());
  }

  store::MemoryObjectStore lake_;
};

TEST_F(LakeTableTest, NothingIsWrittenBeforeTheFirstCommit) {
  const LakeTable table = NewTestTable(lake_);
  EXPECT_EQ(table.version(), 0);
  EXPECT_EQ(Objects(""), 0u);
  EXPECT_THAT(LiveNames(table), IsEmpty());
  EXPECT_EQ(LakeTable::Load(lake_, kFolder).status().code(), Code::kNotFound);
}

TEST_F(LakeTableTest, ACommitIsThereAfterLoading) {
  LakeTable table = NewTestTable(lake_, {{"owner", "we"}});
  Change change = Adding({TestFile("a"), TestFile("b")});
  change.summary = {{"tidegate.applied", "v2/2026-11-03/03"}, {"total-records", "a lie"}};
  change.set_properties = {{"k", "v"}};
  Commit(table, change);
  const LakeTable loaded = Load();
  EXPECT_EQ(loaded.version(), 1);
  EXPECT_EQ(loaded.MetadataLocation(), "memory:/shop/orders/metadata/v1.metadata.json");
  EXPECT_THAT(LiveNames(loaded), ElementsAre("a", "b"));
  EXPECT_EQ(loaded.metadata().properties, (std::map<std::string, std::string>{{"k", "v"}, {"owner", "we"}}));
  EXPECT_EQ(SummaryOf(loaded).at("tidegate.applied"), "v2/2026-11-03/03");
  EXPECT_EQ(SummaryOf(loaded).at("total-records"), "20");
  EXPECT_EQ(SummaryOf(loaded).at("operation"), "append");
  EXPECT_EQ(*lake_.Read("shop/orders/metadata/version-hint.text", 100), "1");
  EXPECT_EQ(loaded.metadata().snapshots[0].timestamp_ms, 1'793'700'000'000);
}

TEST_F(LakeTableTest, SequenceNumbersRiseAndFilesKeepTheirs) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({TestFile("a"), TestFile("b")}));
  const int64_t first = *table.metadata().current_snapshot_id;
  Commit(table, Adding({TestFile("c")}));
  Commit(table, Removing({"b"}));
  const auto live = Load().ReadLiveFiles();
  ASSERT_TRUE(live.ok()) << live.status().ToString();
  std::map<std::string, int64_t> sequence;
  for (const LiveFile& file : live->data) sequence[file.file.location] = file.sequence_number;
  EXPECT_EQ(sequence[TestFile("a").location], 1);
  EXPECT_EQ(sequence[TestFile("c").location], 2);
  EXPECT_EQ(table.metadata().last_sequence_number, 3);
  for (const LiveFile& file : live->data) {
    if (file.file.location == TestFile("a").location) {
      EXPECT_EQ(file.added_snapshot_id, first);
    }
  }
}

TEST_F(LakeTableTest, ADeletedEntryStandsOnceInTheSnapshotThatDeletesIt) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({TestFile("a"), TestFile("b")}));
  Commit(table, Removing({"a"}));
  const auto manifests = Manifests(table);
  ASSERT_EQ(manifests.size(), 1u);
  EXPECT_EQ(manifests[0].existing_files, 1);
  EXPECT_EQ(manifests[0].deleted_files, 1);
  EXPECT_EQ(manifests[0].added_files, 0);
  EXPECT_EQ(manifests[0].min_sequence_number, 1);
  for (const ManifestEntry& entry : Entries(table, manifests[0])) {
    const bool deleted = entry.status == EntryStatus::kDeleted;
    EXPECT_EQ(entry.file.location == TestFile("a").location, deleted);
    EXPECT_EQ(entry.sequence_number, 1);
    EXPECT_EQ(entry.file_sequence_number, 1);
    EXPECT_EQ(*entry.snapshot_id == *table.metadata().current_snapshot_id, deleted);
  }
  Commit(table, Removing({"b"}));
  ASSERT_EQ(Manifests(table).size(), 1u);
  EXPECT_EQ(Entries(table, Manifests(table)[0]).size(), 1u);  // a's entry is gone
  Commit(table, Adding({}));
  EXPECT_THAT(Manifests(table), IsEmpty());
  EXPECT_THAT(LiveNames(Load()), IsEmpty());
}

TEST_F(LakeTableTest, AManifestThatLosesNothingIsCarriedOverUnread) {
  auto inner = std::make_shared<store::MemoryObjectStore>();
  store::FaultObjectStore lake(inner);
  LakeTable table = NewTestTable(lake);
  Commit(table, Adding({TestFile("a")}));
  Commit(table, Adding({TestFile("d1"), TestDeletes("del1", "a")}));
  const size_t before = lake.calls().size();
  Change change = Removing({"del1"});
  change.add = {TestDeletes("del2", "a")};
  Commit(table, change);
  size_t manifests_read = 0;
  const std::vector<store::StoreCall> calls = lake.calls();
  for (size_t i = before; i < calls.size(); ++i) {
    const store::StoreCall& call = calls[i];
    if (call.kind == store::CallKind::kRead && call.key.find("-m") != std::string::npos) ++manifests_read;
  }
  EXPECT_EQ(manifests_read, 1u);  // the delete manifest alone: data manifests stay closed
  EXPECT_THAT(LiveNames(table), ElementsAre("a", "d1", "del2"));
}

TEST_F(LakeTableTest, RemoveAllLeavesOnlyWhatIsAdded) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({TestFile("a"), TestFile("b")}));
  Commit(table, Adding({TestDeletes("del", "a")}));
  Change change = Adding({TestFile("c")});
  change.operation = "overwrite";
  change.remove_all = true;
  Commit(table, change);
  EXPECT_THAT(LiveNames(Load()), ElementsAre("c"));
  const Summary& summary = SummaryOf(table);
  EXPECT_EQ(summary.at("deleted-data-files"), "2");
  EXPECT_EQ(summary.at("deleted-records"), "20");
  EXPECT_EQ(summary.at("removed-delete-files"), "1");
  EXPECT_EQ(summary.at("removed-position-deletes"), "2");
  EXPECT_EQ(summary.at("removed-files-size"), "207");
  EXPECT_EQ(summary.at("total-data-files"), "1");
  EXPECT_EQ(summary.at("total-delete-files"), "0");
  EXPECT_EQ(summary.at("total-position-deletes"), "0");
  EXPECT_EQ(summary.at("total-files-size"), "100");
}

TEST_F(LakeTableTest, TheSummaryCountsAsIcebergDoes) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({TestFile("a"), TestFile("b")}));
  Commit(table, Adding({TestDeletes("del", "a"), TestFile("c")}));
  const Summary expected = {
      {"operation", "append"},         {"added-data-files", "1"},   {"added-records", "10"},
      {"added-files-size", "107"},     {"added-delete-files", "1"}, {"added-position-delete-files", "1"},
      {"added-position-deletes", "2"}, {"total-data-files", "3"},   {"total-records", "30"},
      {"total-files-size", "307"},     {"total-delete-files", "1"}, {"total-position-deletes", "2"},
      {"total-equality-deletes", "0"}};
  EXPECT_EQ(SummaryOf(table), expected);
}

TEST_F(LakeTableTest, FilesGoIntoAManifestPerSpecAndContent) {
  PartitionSpec spec{1, {{2, 1000, "name", "identity"}}};
  LakeTable table = LakeTable::New(lake_, kFolder, TestSchema(), spec, {});
  EXPECT_EQ(table.metadata().last_partition_id, 1000);
  DataFile partitioned = TestFile("p");
  partitioned.spec_id = 1;
  partitioned.partition = {"x"};
  Change change = Adding({partitioned, TestFile("plain"), TestDeletes("del", "plain")});
  change.spec = PartitionSpec{};
  Commit(table, change);
  EXPECT_EQ(table.metadata().default_spec_id, 0);
  const auto manifests = Manifests(table);
  ASSERT_EQ(manifests.size(), 3u);
  std::set<std::pair<bool, int>> kinds;
  for (const ManifestFile& manifest : manifests) kinds.emplace(manifest.deletes, manifest.spec_id);
  EXPECT_EQ(kinds, (std::set<std::pair<bool, int>>{{false, 0}, {false, 1}, {true, 0}}));
  EXPECT_THAT(LiveNames(Load()), ElementsAre("del", "p", "plain"));
}

TEST_F(LakeTableTest, SmallManifestsAreMergedOnceThereAreMoreThanTheLimit) {
  LakeTable table = NewTestTable(lake_, {{"commit.manifest.min-count-to-merge", "3"}});
  std::vector<std::string> names;
  for (int i = 0; i < 3; ++i) Commit(table, Adding({TestFile(names.emplace_back("f" + std::to_string(i)))}));
  EXPECT_EQ(Manifests(table).size(), 3u);
  const auto before = table.ReadLiveFiles();
  Change change = Removing({"f1"});
  change.add = {TestFile("f3")};
  Commit(table, change);
  ASSERT_EQ(Manifests(table).size(), 1u);
  const ManifestFile merged = Manifests(table)[0];
  EXPECT_EQ(merged.added_files, 1);
  EXPECT_EQ(merged.existing_files, 2);
  EXPECT_EQ(merged.deleted_files, 1);
  EXPECT_EQ(merged.min_sequence_number, 1);
  EXPECT_THAT(LiveNames(Load()), ElementsAre("f0", "f2", "f3"));
  const auto live = table.ReadLiveFiles();
  for (const LiveFile& file : live->data) {
    for (const LiveFile& old : before->data) {
      if (old.file.location != file.file.location) continue;
      EXPECT_EQ(old.sequence_number, file.sequence_number);
      EXPECT_EQ(old.added_snapshot_id, file.added_snapshot_id);
    }
  }
}

TEST_F(LakeTableTest, MergedManifestsStopAtTheTargetSize) {
  LakeTable table =
      NewTestTable(lake_, {{"commit.manifest.min-count-to-merge", "4"}, {"commit.manifest.target-size-bytes", "9000"}});
  std::vector<std::string> names;
  for (int i = 0; i < 13; ++i) Commit(table, Adding({TestFile(names.emplace_back("f" + std::to_string(i)))}));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(LiveNames(Load()), names);
  EXPECT_GT(Manifests(table).size(), 1u);
  EXPECT_LT(Manifests(table).size(), 10u);
}

TEST_F(LakeTableTest, ManyFilesAreSplitOverManifests) {
  LakeTable table = NewTestTable(lake_);
  std::vector<DataFile> files;
  for (int i = 0; i < 10'001; ++i) files.push_back(TestFile(std::to_string(i)));
  Commit(table, Adding(files));
  EXPECT_EQ(Manifests(table).size(), 2u);
  EXPECT_EQ(LiveNames(Load()).size(), 10'001u);
}

TEST_F(LakeTableTest, ANewSchemaGetsTheNextIdAndAnOldOneComesBack) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({}));
  schema::Schema wider = TestSchema();
  wider.fields.push_back(TestField(7, "more", schema::Kind::kDate));
  Change change;
  change.schema = wider;
  Commit(table, change);
  EXPECT_EQ(table.metadata().current_schema_id, 1);
  EXPECT_EQ(table.metadata().last_column_id, 7);
  EXPECT_EQ(table.metadata().current_snapshot()->schema_id, 1);
  change.schema = TestSchema();
  Commit(table, change);
  EXPECT_EQ(table.metadata().current_schema_id, 0);
  EXPECT_EQ(table.metadata().schemas.size(), 2u);
  EXPECT_EQ(Load().metadata().last_column_id, 7);
}

TEST_F(LakeTableTest, IdsOfTheNameMappingAreNeverGivenOutAgain) {
  LakeTable table = NewTestTable(lake_);
  Change change;
  change.set_properties = {
      {"schema.name-mapping.default", WriteNameMapping({{1, {"id"}, {}}, {2, {"n"}, {{9, {"deep"}, {}}}}})}};
  Commit(table, change);
  EXPECT_EQ(table.metadata().last_column_id, 9);
  change.set_properties = {{"schema.name-mapping.default", "nonsense"}};
  EXPECT_EQ(table.Commit(change, kTestNow).code(), Code::kInvalidArgument);
}

TEST_F(LakeTableTest, TimesRiseEvenIfTheClockDoesNot) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({}));
  Commit(table, Adding({}), kTestNow - std::chrono::hours(5));
  Commit(table, Adding({}), kTestNow);
  const auto& log = table.metadata().snapshot_log;
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(log[1].timestamp_ms, log[0].timestamp_ms + 1);
  EXPECT_EQ(log[2].timestamp_ms, log[1].timestamp_ms + 1);
}

TEST_F(LakeTableTest, TheMetadataLogIsBounded) {
  LakeTable table = NewTestTable(lake_, {{"write.metadata.previous-versions-max", "3"}});
  for (int i = 0; i < 6; ++i) Commit(table, Adding({}));
  const auto& log = table.metadata().metadata_log;
  ASSERT_EQ(log.size(), 3u);
  EXPECT_THAT(log.back().metadata_file, HasSubstr("/v5.metadata.json"));
  EXPECT_THAT(log.front().metadata_file, HasSubstr("/v3.metadata.json"));
  EXPECT_EQ(Objects(".metadata.json"), 6u);  // nothing is deleted
}

TEST_F(LakeTableTest, OldSnapshotsStayReadable) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({TestFile("a")}));
  const int64_t first = *table.metadata().current_snapshot_id;
  Commit(table, Removing({"a"}));
  EXPECT_EQ(table.ReadLiveFiles(first)->data.size(), 1u);
  EXPECT_EQ(table.ReadLiveFiles()->data.size(), 0u);
  EXPECT_EQ(table.ReadLiveFiles(12345).status().code(), Code::kNotFound);
}

TEST_F(LakeTableTest, AChangeThatDoesNotHoldTogetherIsRefusedAndWritesNothing) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({TestFile("a")}));
  const size_t before = Objects("");
  std::vector<Change> bad;
  bad.push_back(Adding({TestFile("b"), TestFile("b")}));
  bad.push_back(Removing({"a", "a"}));
  bad.push_back(Removing({"nowhere"}));
  bad.push_back(Removing({"a"}));
  bad.back().add = {TestFile("a")};
  bad.push_back(Removing({"a"}));
  bad.back().remove_all = true;
  bad.push_back(Adding({}));
  bad.back().operation = "merge";
  for (const auto& spoil : std::vector<std::function<void(DataFile&)>>{
           [](DataFile& f) { f.location.clear(); }, [](DataFile& f) { f.spec_id = 4; },
           [](DataFile& f) { f.partition = {"x"}; }, [](DataFile& f) { f.content = FileContent::kEqualityDeletes; },
           [](DataFile& f) { f.record_count = -1; }}) {
    DataFile file = TestFile("b");
    spoil(file);
    bad.push_back(Adding({file}));
  }
  for (const auto& spoil : std::vector<std::function<void(schema::Schema&)>>{
           [](schema::Schema& s) { s.fields[1].id = 1; }, [](schema::Schema& s) { s.fields[1].id = 0; },
           [](schema::Schema& s) { s.fields[1].name = "id"; }, [](schema::Schema& s) { s.fields[1].name = "\xFF"; }}) {
    bad.push_back(Adding({}));
    bad.back().schema = TestSchema();
    spoil(*bad.back().schema);
  }
  bad.push_back(Adding({}));
  bad.back().spec = PartitionSpec{0, {{2, 1000, "name", "identity"}}};
  for (size_t i = 0; i < bad.size(); ++i) {
    EXPECT_EQ(table.Commit(bad[i], kTestNow).code(), Code::kInvalidArgument) << i;
    EXPECT_EQ(Objects(""), before) << i;
  }
  EXPECT_EQ(table.version(), 1);
}

TEST_F(LakeTableTest, ANewTableWithABadSchemaIsRefused) {
  schema::Schema schema = TestSchema();
  schema.fields[0].id = 0;
  LakeTable table = LakeTable::New(lake_, kFolder, schema, {}, {});
  EXPECT_EQ(table.Commit(Adding({}), kTestNow).code(), Code::kInvalidArgument);
  EXPECT_EQ(Objects(""), 0u);
}

TEST_F(LakeTableTest, OfTwoCommitsOnOneStateExactlyOneWins) {
  LakeTable first = NewTestTable(lake_);
  Commit(first, Adding({TestFile("a")}));
  LakeTable second = Load();
  Commit(first, Adding({TestFile("b")}));
  const size_t before = Objects("");
  const Status lost = second.Commit(Adding({TestFile("c")}), kTestNow);
  EXPECT_EQ(lost.code(), Code::kPreconditionFailed);
  EXPECT_THAT(lost.message(), HasSubstr("plan again"));
  EXPECT_EQ(Objects(""), before);  // the loser's manifests are gone
  EXPECT_EQ(second.version(), 1);
  EXPECT_THAT(LiveNames(Load()), ElementsAre("a", "b"));
  second = Load();
  Commit(second, Adding({TestFile("c")}));
  EXPECT_THAT(LiveNames(Load()), ElementsAre("a", "b", "c"));
}

TEST_F(LakeTableTest, OfTwoNewTablesExactlyOneIsMade) {
  LakeTable first = NewTestTable(lake_);
  LakeTable second = NewTestTable(lake_);
  Commit(first, Adding({TestFile("a")}));
  EXPECT_EQ(second.Commit(Adding({TestFile("b")}), kTestNow).code(), Code::kPreconditionFailed);
  EXPECT_THAT(LiveNames(Load()), ElementsAre("a"));
}

TEST_F(LakeTableTest, TheHintIsAHintOnly) {
  LakeTable table = NewTestTable(lake_);
  for (int i = 0; i < 12; ++i) Commit(table, Adding({}));
  const std::string key = "shop/orders/metadata/version-hint.text";
  for (const char* hint :
       {"1", "12\n", "11 \r\n", "0", "-3", "999", "99999999999999999999999", "", "v12", "junk", "012"}) {
    Put(key, hint);
    EXPECT_EQ(Load().version(), 12) << hint;
  }
  Put(key, std::string(100'000, '1'));
  EXPECT_EQ(Load().version(), 12);
  ASSERT_TRUE(lake_.Delete({key}).ok());
  Put("shop/orders/metadata/v99.metadata.json.tmp", "");
  Put("shop/orders/metadata/v0099.metadata.json", "");
  Put("shop/orders/metadata/v.metadata.json", "");
  EXPECT_EQ(Load().version(), 12);
}

TEST_F(LakeTableTest, AHintThatIsFarBehindCostsOneListing) {
  auto inner = std::make_shared<store::MemoryObjectStore>();
  store::FaultObjectStore lake(inner);
  LakeTable table = NewTestTable(lake);
  for (int i = 0; i < 40; ++i) Commit(table, Adding({}));
  ASSERT_TRUE(lake.Put("shop/orders/metadata/version-hint.text", "2", store::PutMode::kOverwrite).ok());
  lake.SetPlan({});
  EXPECT_EQ(LakeTable::Load(lake, kFolder)->version(), 40);
  EXPECT_LT(lake.counted_calls(), 25u);
}

TEST_F(LakeTableTest, BrokenMetadataIsCorruptionThatNamesTheFile) {
  Put("shop/orders/metadata/v1.metadata.json", "{ not json");
  const Status status = LakeTable::Load(lake_, kFolder).status();
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("v1.metadata.json"));
}

TEST_F(LakeTableTest, BrokenManifestsAreCorruptionThatNamesTheFile) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({TestFile("a")}));
  const std::string manifest = Manifests(table)[0].location.substr(8);
  const std::string bytes = *lake_.Read(manifest, 1'000'000);
  Put(manifest, bytes.substr(0, bytes.size() / 2));
  const Status status = table.ReadLiveFiles().status();
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr(manifest));
  EXPECT_EQ(table.Commit(Removing({"a"}), kTestNow).code(), Code::kCorruption);
  const std::string list = table.metadata().current_snapshot()->manifest_list.substr(8);
  Put(list, "no avro");
  EXPECT_EQ(table.ReadLiveFiles().status().code(), Code::kCorruption);
  EXPECT_EQ(table.Commit(Adding({TestFile("b")}), kTestNow).code(), Code::kCorruption);
  ASSERT_TRUE(lake_.Delete({list}).ok());
  EXPECT_EQ(table.ReadLiveFiles().status().code(), Code::kNotFound);
}

TEST_F(LakeTableTest, AManifestOfAnUnknownSpecIsCorruption) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({TestFile("a")}));
  ManifestFile row = Manifests(table)[0];
  row.spec_id = 8;
  const std::string list = table.metadata().current_snapshot()->manifest_list.substr(8);
  Put(list, WriteManifestList({}, {row}));
  EXPECT_EQ(table.ReadLiveFiles().status().code(), Code::kCorruption);
}

TEST_F(LakeTableTest, EqualityDeletesOfOtherEnginesAreUnsupportedButCarriedOver) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({TestFile("a"), TestDeletes("del", "a")}));
  auto manifests = Manifests(table);
  for (ManifestFile& manifest : manifests) {
    if (!manifest.deletes) continue;
    auto entries = Entries(table, manifest);
    entries[0].file.content = FileContent::kEqualityDeletes;
    entries[0].file.equality_ids = {1};
    Put(manifest.location.substr(8), WriteManifest(TestSchema(), {}, true, entries));
  }
  const Status status = table.ReadLiveFiles().status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("compact the table"));
  Commit(table, Adding({TestFile("b")}));
  EXPECT_EQ(Manifests(table).size(), 3u);
  Change change;
  change.remove_all = true;
  change.operation = "delete";
  Commit(table, change);
  EXPECT_EQ(SummaryOf(table).at("removed-equality-delete-files"), "1");
  EXPECT_THAT(LiveNames(table), IsEmpty());
}

TEST_F(LakeTableTest, AMovedLakeIsSaidToBeMoved) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({}));
  Put("shop/moved/metadata/v1.metadata.json", *lake_.Read("shop/orders/metadata/v1.metadata.json", 1'000'000));
  const Status status = LakeTable::Load(lake_, "shop/moved").status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("was moved"));
}

TEST_F(LakeTableTest, ALakeOfANewerFormatIsRefused) {
  LakeTable table = NewTestTable(lake_);
  Change change = Adding({});
  change.set_properties[kLakeFormatProperty] = "2";
  Commit(table, change);
  const Status status = LakeTable::Load(lake_, "shop/orders").status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("written by a newer tidegate"));
}

TEST_F(LakeTableTest, ATotalThatTheParentLacksStaysOut) {
  LakeTable table = NewTestTable(lake_);
  Commit(table, Adding({TestFile("a")}));
  Json json = *ParseJson(*lake_.Read("shop/orders/metadata/v1.metadata.json", 1'000'000));
  json["snapshots"][0]["summary"].erase("total-files-size");
  json["snapshots"][0]["summary"]["total-position-deletes"] = "-7";
  Put("shop/orders/metadata/v1.metadata.json", json.dump());
  table = Load();
  Commit(table, Adding({TestFile("b")}));
  EXPECT_FALSE(SummaryOf(table).contains("total-files-size"));
  EXPECT_FALSE(SummaryOf(table).contains("total-position-deletes"));
  EXPECT_EQ(SummaryOf(table).at("total-records"), "20");
}

TEST_F(LakeTableTest, TablesAreListedByFolder) {
  for (const char* folder : {"shop/orders", "shop/items", "crm/people"}) {
    LakeTable table = LakeTable::New(lake_, folder, TestSchema(), {}, {});
    Commit(table, Adding({}));
  }
  Put("shop/no_table/data/x.parquet", "");
  Put("_tidegate/index/metadata/v1.metadata.json", "");
  Put("shop/.hidden/metadata/v1.metadata.json", "");
  Put("catalog.db", "");
  const auto tables = ListTables(lake_);
  ASSERT_TRUE(tables.ok()) << tables.status().ToString();
  EXPECT_THAT(*tables, ElementsAre(contract::TableName{"crm", "people"}, contract::TableName{"shop", "items"},
                                   contract::TableName{"shop", "orders"}));
}

TEST(MetadataFilesTest, LocationsOfOtherEnginesLeadToTheSameKeys) {
  class NamedStore final : public store::ObjectStore {
   public:
    explicit NamedStore(std::string root) : root_(std::move(root)) {}
    std::string url() const override { return root_; }
    std::string Location(std::string_view key) const override { return root_ + "/" + std::string(key); }
    Result<store::Listing> List(const store::ListRequest&) override { return Unsupported(""); }
    Result<store::ObjectInfo> Head(std::string_view) override { return Unsupported(""); }
    Result<std::unique_ptr<store::RandomReader>> Open(const store::ObjectInfo&) override { return Unsupported(""); }
    Result<store::FetchedObject> Fetch(std::string_view, uint64_t) override { return Unsupported(""); }
    Result<std::unique_ptr<store::ObjectWriter>> NewWriter(std::string_view, store::PutMode) override {
      return Unsupported("");
    }
    Result<store::ObjectInfo> Put(std::string_view, std::string_view, store::PutMode) override {
      return Unsupported("");
    }
    Status Delete(const std::vector<std::string>&) override { return Unsupported(""); }
    Status Sync() override { return Unsupported(""); }
    Result<store::ObjectInfo> Adopt(ObjectStore&, const store::ObjectInfo&, std::string_view,
                                    store::AdoptMethod*) override {
      return Unsupported("");
    }

   private:
    std::string root_;
  };
  NamedStore disk("file:///data/lake");
  for (const char* location : {"file:///data/lake/a/b", "file:/data/lake/a/b", "/data/lake/a/b"}) {
    const auto key = KeyOf(disk, location);
    ASSERT_TRUE(key.ok()) << key.status().ToString();
    EXPECT_EQ(*key, "a/b");
  }
  NamedStore bucket("s3://bucket/lake");
  EXPECT_EQ(*KeyOf(bucket, "s3a://bucket/lake/a/b"), "a/b");
  EXPECT_EQ(KeyOf(bucket, "s3://bucket/lake2/a").status().code(), Code::kUnsupported);
  EXPECT_EQ(KeyOf(disk, "file:///data/lake/../etc").status().code(), Code::kInvalidArgument);
  EXPECT_EQ(LakeTable::Load(disk, "a").status().code(), Code::kUnsupported);
}

// ---------------------------------------------------------------------------------------------------------------------
// Changes of the metadata alone

class MetadataChangeTest : public LakeTableTest {
 protected:
  /// Three commits: a, then b with a column more, then c.
  void SetUp() override {
    LakeTable table = NewTestTable(lake_);
    Commit(table, Adding({TestFile("a")}));
    Change wider = Adding({TestFile("b")});
    wider.schema = TestSchema();
    wider.schema->fields.push_back(TestField(3, "note", schema::Kind::kString));
    Commit(table, wider);
    Commit(table, Adding({TestFile("c")}));
    for (const Snapshot& snapshot : table.metadata().snapshots) ids_.push_back(snapshot.snapshot_id);
  }
  Status Apply(const MetadataChange& change) { return Load().CommitMetadata(change, kTestNow); }
  static MetadataChange Dropping(std::set<int64_t> ids) {
    MetadataChange out;
    out.drop_snapshots = std::move(ids);
    return out;
  }
  /// Write the newest version anew with members of another engine.
  void Amend(const std::function<void(Json&)>& amend) {
    const std::string key = "shop/orders/metadata/v3.metadata.json";
    Json json = *ParseJson(*lake_.Read(key, 1'000'000));
    amend(json);
    Put(key, json.dump());
  }

  std::vector<int64_t> ids_;
};

TEST_F(MetadataChangeTest, AnEarlierSnapshotBecomesCurrentWithTheSchemaOfItsTime) {
  MetadataChange change;
  change.current_snapshot = ids_[0];
  change.set_properties["why"] = "because";
  const size_t manifests = Objects(".avro");
  ASSERT_TRUE(Apply(change).ok());
  LakeTable table = Load();
  EXPECT_EQ(table.version(), 4);
  EXPECT_THAT(LiveNames(table), ElementsAre("a"));
  EXPECT_EQ(table.metadata().current_schema().fields.size(), 2u);
  EXPECT_EQ(table.metadata().snapshots.size(), 3u);
  EXPECT_EQ(table.metadata().snapshot_log.back().snapshot_id, ids_[0]);
  EXPECT_EQ(table.metadata().snapshot_log.size(), 4u);
  EXPECT_EQ(table.metadata().properties.at("why"), "because");
  EXPECT_EQ(Objects(".avro"), manifests);
  EXPECT_EQ(*lake_.Read("shop/orders/metadata/version-hint.text", 10), "4");
  Commit(table, Adding({TestFile("d")}));  // the history goes on from there
  EXPECT_THAT(LiveNames(Load()), ElementsAre("a", "d"));
  EXPECT_EQ(table.metadata().current_snapshot()->parent_id, ids_[0]);
  EXPECT_EQ(table.metadata().current_snapshot()->sequence_number, 4);
}

TEST_F(MetadataChangeTest, SnapshotsAreForgottenAndWhatTheLogSaysOfThemToo) {
  ASSERT_TRUE(Apply(Dropping({ids_[0]})).ok());
  const LakeTable table = Load();
  EXPECT_EQ(table.metadata().snapshots.size(), 2u);
  EXPECT_EQ(table.metadata().snapshot_log.size(), 2u);
  EXPECT_EQ(table.metadata().snapshots[0].parent_id, ids_[0]);  // so that readers see that there was one
  EXPECT_THAT(LiveNames(table), ElementsAre("a", "b", "c"));
}

TEST_F(MetadataChangeTest, TheLogHasNoHole) {
  ASSERT_TRUE(Apply(Dropping({ids_[1]})).ok());
  const LakeTable table = Load();
  ASSERT_EQ(table.metadata().snapshot_log.size(), 1u);
  EXPECT_EQ(table.metadata().snapshot_log[0].snapshot_id, ids_[2]);
}

TEST_F(MetadataChangeTest, WhatIsCurrentOrHasANameStays) {
  Amend([&](Json& json) { json["refs"]["year-end"] = {{"snapshot-id", ids_[1]}, {"type", "tag"}}; });
  const auto refs = Load().metadata().Refs();
  ASSERT_EQ(refs.size(), 1u);
  EXPECT_TRUE(refs[0].is_tag);
  for (const int64_t id : {ids_[1], ids_[2], int64_t{7}}) {
    EXPECT_EQ(Apply(Dropping({id})).code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(Load().version(), 3);
  ASSERT_TRUE(Apply(Dropping({ids_[0]})).ok());
  EXPECT_EQ(Load().metadata().Refs().size(), 1u);
}

TEST_F(MetadataChangeTest, StatisticsGoWithTheirSnapshot) {
  Amend([&](Json& json) {
    for (const int64_t id : ids_) json["statistics"].push_back({{"snapshot-id", id}, {"statistics-path", "x"}});
  });
  ASSERT_TRUE(Apply(Dropping({ids_[0], ids_[1]})).ok());
  const Json statistics = Load().metadata().loaded["statistics"];
  ASSERT_EQ(statistics.size(), 1u);
  EXPECT_EQ(statistics[0]["snapshot-id"], ids_[2]);
}

TEST_F(MetadataChangeTest, PropertiesAreSetAndRemoved) {
  MetadataChange change;
  change.set_properties["held"] = "1";
  ASSERT_TRUE(Apply(change).ok());
  EXPECT_EQ(Load().metadata().properties.at("held"), "1");
  change = {};
  change.remove_properties = {"held", "never there"};
  ASSERT_TRUE(Apply(change).ok());
  EXPECT_FALSE(Load().metadata().properties.contains("held"));
}

TEST_F(MetadataChangeTest, TheLoserOfARaceIsTold) {
  LakeTable slow = Load();
  LakeTable fast = Load();
  Commit(fast, Adding({TestFile("d")}));
  EXPECT_EQ(slow.CommitMetadata(Dropping({ids_[0]}), kTestNow).code(), Code::kPreconditionFailed);
  EXPECT_EQ(Load().metadata().snapshots.size(), 4u);
}

}  // namespace
}  // namespace tidegate::table
