#include "tidegate/publish/publish.h"

#include <thread>

#include "tidegate/base/text.h"
#include "tidegate/publish/publish_fixture.h"
#include "tidegate/store/fault/fault_object_store.h"

namespace tidegate::publish {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Something happens while the files are written.
class Meddler final : public Builder {
 public:
  Meddler(std::unique_ptr<Builder> inner, std::function<void()> meddle)
      : inner_(std::move(inner)), meddle_(std::move(meddle)) {}
  Result<std::optional<Foresight>> Begin(const std::string& select) override { return inner_->Begin(select); }
  Result<int64_t> CountRows(const std::string& query) override { return inner_->CountRows(query); }
  Result<std::vector<RunFile>> Write(store::ObjectStore& store, const std::string& folder) override {
    meddle_();
    return inner_->Write(store, folder);
  }

 private:
  std::unique_ptr<Builder> inner_;
  std::function<void()> meddle_;
};

/// An engine that computes rows only while it writes them.
class Blind final : public Builder {
 public:
  explicit Blind(std::unique_ptr<Builder> inner) : inner_(std::move(inner)) {}
  Result<std::optional<Foresight>> Begin(const std::string& select) override {
    TG_RETURN_IF_ERROR(inner_->Begin(select).status());
    return std::optional<Foresight>();
  }
  Result<std::vector<RunFile>> Write(store::ObjectStore& store, const std::string& folder) override {
    return inner_->Write(store, folder);
  }
  Result<int64_t> CountRows(const std::string& query) override { return inner_->CountRows(query); }

 private:
  std::unique_ptr<Builder> inner_;
};

TEST_F(PublishTest, AnEngineThatKnowsItsRowsLateTellsTheSameStory) {  // C-57
  const auto publish = [&](int rows, const PublishOptions& options = {}) {
    Source({{kDay, rows}});
    builder_ = std::make_unique<Blind>(MakeBuilder());
    Pass(hours(1));
    return PublishDay(kDay, options);
  };
  EXPECT_EQ(publish(100).end, PublishEnd::kPublished);
  EXPECT_EQ(publish(120).end, PublishEnd::kPublished);
  EXPECT_EQ(Rows(), 120);
  EXPECT_EQ(ParameterOf(Partition(), kSignatureParameter), ReadRun(*store_, Runs()[1])->signature);
  const PublishOutcome same = publish(120);
  EXPECT_EQ(same.end, PublishEnd::kUnchanged);
  EXPECT_TRUE(same.withdrawn);
  EXPECT_TRUE(same.run.run.empty());
  EXPECT_EQ(Runs().size(), 2U);
  ASSERT_TRUE(Back().ok());
  const PublishOutcome rejected = publish(120);
  EXPECT_EQ(rejected.end, PublishEnd::kRejected);
  EXPECT_EQ(Runs().size(), 2U);
  EXPECT_EQ(Rows(), 100);
  EXPECT_EQ(publish(120, {.force = true}).end, PublishEnd::kPublished);
  EXPECT_EQ(Rows(), 120);
}

TEST_F(PublishTest, AColumnThatMustNotBeThereIsFoundInTheFilesOfALateEngine) {
  Source({{kDay, 1}});
  definition_.select = "SELECT day, id FROM source_rows WHERE day = {day}";
  builder_ = std::make_unique<Blind>(MakeBuilder());
  const PublishOutcome outcome = PublishDay(kDay);
  EXPECT_EQ(outcome.end, PublishEnd::kFailed);
  EXPECT_THAT(outcome.status.message(), HasSubstr("leave it out of the SELECT"));
  EXPECT_EQ(Rows(), -1);
}

TEST_F(PublishTest, TheStoryOfTheDocument) {  // sources/partition-swap.txt: 100, 120, 100
  Source({{kDay, 100}});
  MustPublish(kDay);
  EXPECT_EQ(Rows(), 100);
  Source({{kDay, 120}});
  Pass(hours(1));
  MustPublish(kDay);
  EXPECT_EQ(Rows(), 120);
  const auto back = Back();
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_EQ(Rows(), 100);
}

TEST_F(PublishTest, TheFirstPublishDeclaresTheTable) {
  Source({{kDay, 3}});
  MustPublish(kDay);
  const auto table = catalog_->GetTable(definition_.table);
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(table->columns, ElementsAre(catalog::HiveColumn{"id", "bigint"}, catalog::HiveColumn{"note", "string"}));
  EXPECT_EQ(table->location, store_->url());
  EXPECT_EQ(Partition().parameters.at(kRunParameter), Runs().at(0).id);
}

TEST_F(PublishTest, EqualContentIsNotBuiltAgain) {  // C-57
  Source({{kDay, 100}});
  MustPublish(kDay);
  EXPECT_EQ(PublishDay(kDay).end, PublishEnd::kUnchanged);
  EXPECT_EQ(Runs().size(), 1U);
  MustPublish(kDay, {.force = true});
  EXPECT_EQ(Runs().size(), 2U);
}

TEST_F(PublishTest, ASignatureThatIsLostCostsARebuildAndNeverASkip) {  // C-57
  Source({{kDay, 100}});
  MustPublish(kDay);
  catalog::HivePartition partition = Partition();
  partition.parameters.erase(kSignatureParameter);
  ASSERT_TRUE(catalog_->UpdatePartitions(definition_.table, {partition})->at(0).ok());
  MustPublish(kDay);
  EXPECT_EQ(PublishDay(kDay).end, PublishEnd::kUnchanged);
}

TEST_F(PublishTest, WhatARollbackTurnedAwayComesBackByForceOnly) {  // C-57
  Source({{kDay, 100}});
  MustPublish(kDay);
  Source({{kDay, 120}});
  MustPublish(kDay);
  ASSERT_TRUE(Back().ok());
  EXPECT_EQ(PublishDay(kDay).end, PublishEnd::kRejected);
  EXPECT_EQ(Rows(), 100);
  Source({{kDay, 130}});
  MustPublish(kDay);
  Source({{kDay, 120}});
  EXPECT_EQ(PublishDay(kDay).end, PublishEnd::kRejected);  // still
  MustPublish(kDay, {.force = true});
  EXPECT_EQ(Rows(), 120);
  EXPECT_FALSE(Partition().parameters.contains(kRejectedParameter));
}

TEST_F(PublishTest, AFailedAuditLeavesReadersWhereTheyAreAndKeepsTheBuild) {  // C-54
  Source({{kDay, 100}});
  MustPublish(kDay);
  definition_.audits.max_shrink = 0.5;
  definition_.audits.no_rows = {"SELECT * FROM build WHERE id < 0"};
  Source({{kDay, 40}});
  const PublishOutcome outcome = PublishDay(kDay);
  EXPECT_EQ(outcome.end, PublishEnd::kAuditFailed);
  EXPECT_THAT(outcome.run.why, HasSubstr("max_shrink 50 %: 40 rows, 100 in the current run"));
  EXPECT_EQ(outcome.run.audits.size(), 2U);
  EXPECT_EQ(Rows(), 100);
  ASSERT_EQ(Runs().size(), 2U);
  EXPECT_TRUE(Runs()[1].failed.has_value());
  EXPECT_FALSE(Runs()[1].complete);
  const auto back = Back();
  EXPECT_EQ(back.status().code(), Code::kNotFound);  // a failed run is nothing to go to
}

TEST_F(PublishTest, EveryKindOfAudit) {
  Source({{kDay, 10}});
  const auto why = [&](Audits audits) {
    definition_.audits = std::move(audits);
    return PublishDay(kDay).run.why;
  };
  EXPECT_THAT(why({.min_rows = 11}), HasSubstr("min_rows 11: 10 rows"));
  EXPECT_THAT(why({.max_rows = 9}), HasSubstr("max_rows 9: 10 rows"));
  definition_.select = "SELECT id % 5 AS id, NULL::VARCHAR AS note, 'x' AS state FROM source_rows WHERE day = {day}";
  EXPECT_EQ(why({.not_null = {"id", "note"}}), "not_null note: 10 rows with a null");
  EXPECT_EQ(why({.unique = {{"id"}}}), "unique id: 5 keys that stand more than once");
  EXPECT_EQ(why({.accepted = {{"state", {"y", "z"}}}}), "accepted state: 10 rows with another value");
  EXPECT_THAT(why({.no_rows = {"SELECT 1 FROM build WHERE id > 2", "FROM build"}}), HasSubstr("and 1 more failed"));
  EXPECT_EQ(why({.min_rows = 10, .max_rows = 10, .not_null = {"id"}, .accepted = {{"state", {"x"}}, {"note", {"a"}}}}),
            "");
  EXPECT_EQ(Rows(), 10);
}

TEST_F(PublishTest, AnAuditThatCannotRunIsAnErrorThatNamesIt) {
  Source({{kDay, 10}});
  definition_.audits.not_null = {"nope"};
  const PublishOutcome outcome = PublishDay(kDay);
  EXPECT_EQ(outcome.end, PublishEnd::kFailed);
  EXPECT_THAT(outcome.status.message(), HasSubstr("audit 'not_null nope'"));
  EXPECT_EQ(Rows(), -1);
}

TEST_F(PublishTest, ThePartitionColumnStaysOutOfTheFiles) {  // C-51
  Source({{kDay, 10}});
  definition_.select = "SELECT * FROM source_rows WHERE day = {day}";
  const PublishOutcome outcome = PublishDay(kDay);
  EXPECT_EQ(outcome.end, PublishEnd::kFailed);
  EXPECT_THAT(outcome.status.message(), HasSubstr("leave it out of the SELECT"));
}

TEST_F(PublishTest, AFirstMoveIsBuiltWhereReadersOfTheFolderDoNotLook) {
  Source({{kDay, 7}});
  MustPublish(kDay);
  // As it was before tidegate came: files in the partition's own folder.
  catalog::HivePartition partition = Partition();
  std::vector<std::string> keys;
  const publish::Run made = Runs().at(0);
  keys.reserve(made.files.size());
  for (const store::ObjectInfo& object : made.files) keys.push_back(object.key);
  store::AdoptMethod method;
  const store::ObjectInfo file = *store_->Head(made.folder + "/part-00000.parquet");
  ASSERT_TRUE(store_->Adopt(*store_, file, "day=2026-11-01/old.parquet", &method).ok());
  ASSERT_TRUE(store_->Delete(keys).ok());
  partition.location = store_->Location("day=2026-11-01");
  partition.parameters.clear();
  ASSERT_TRUE(catalog_->UpdatePartitions(definition_.table, {partition})->at(0).ok());
  ASSERT_EQ(Rows(), 7);
  Source({{kDay, 9}});
  const PublishOutcome outcome = PublishDay(kDay);
  ASSERT_EQ(outcome.end, PublishEnd::kPublished) << outcome.status.ToString();
  EXPECT_TRUE(outcome.plan.aside);
  EXPECT_EQ(Rows(), 9);
  Source({{kDay, 11}});
  const PublishOutcome next = PublishDay(kDay);
  EXPECT_FALSE(next.plan.aside);
  EXPECT_EQ(Rows(), 11);
  EXPECT_TRUE(store_->Head("day=2026-11-01/old.parquet").ok());  // no run of ours: never removed
}

TEST_F(PublishTest, TablesThatCannotBeSwappedAreRefusedWithTheReason) {  // C-60
  Source({{kDay, 7}});
  const auto refused = [&](catalog::HiveTable table) {
    static_cast<void>(catalog_->DropTable(definition_.table));
    table.name = definition_.table;
    if (table.location.empty()) table.location = store_->url();
    if (table.partition_columns.empty()) table.partition_columns = definition_.partition_columns;
    EXPECT_TRUE(catalog_->CreateTable(table).ok());
    const PublishOutcome outcome = PublishDay(kDay);
    EXPECT_EQ(outcome.end, PublishEnd::kFailed);
    EXPECT_TRUE(Runs().empty() || !Runs().back().complete);
    return outcome.status.message();
  };
  EXPECT_THAT(refused({.parameters = {{"projection.enabled", "TRUE"}}}), HasSubstr("partition projection"));
  EXPECT_THAT(refused({.kind = catalog::TableKind::kView}), HasSubstr("is a view"));
  EXPECT_THAT(refused({.kind = catalog::TableKind::kIceberg}), HasSubstr("Iceberg"));
  EXPECT_THAT(refused({.kind = catalog::TableKind::kManaged}), HasSubstr("managed"));
  EXPECT_THAT(refused({.format = catalog::FileFormat::kOther}), HasSubstr("Parquet"));
  EXPECT_THAT(refused({.location = "s3://elsewhere/daily"}), HasSubstr("make them agree"));
  EXPECT_THAT(refused({.partition_columns = {{"hour", "string"}}}), HasSubstr("partitioned by (hour)"));
  EXPECT_THAT(refused({.columns = {{"id", "string"}, {"note", "string"}}}), HasSubstr("id"));
}

TEST_F(PublishTest, APartitionOutsideOfTheTableIsLeftAlone) {
  Source({{kDay, 7}});
  MustPublish(kDay);
  catalog::HivePartition partition = Partition();
  partition.location = "s3://elsewhere/day=1";
  ASSERT_TRUE(catalog_->UpdatePartitions(definition_.table, {partition})->at(0).ok());
  Source({{kDay, 8}});
  const PublishOutcome outcome = PublishDay(kDay);
  EXPECT_EQ(outcome.end, PublishEnd::kFailed);
  EXPECT_THAT(outcome.status.message(), HasSubstr("outside of"));
  EXPECT_EQ(Partition().location, "s3://elsewhere/day=1");
}

TEST_F(PublishTest, SeveralPartitionsInOneCall) {
  Source({{"1", 1}, {"2", 2}, {"a/b", 3}});
  const auto builder = MakeBuilder();
  FaultyCatalog counted(*catalog_);
  const auto outcomes = Publish(definition_, {{"1"}, {""}, {"2"}, {"a/b"}}, {}, *builder, PortsOn(counted, *store_));
  std::vector<PublishEnd> ends;
  ends.reserve(outcomes.size());
  for (const auto& outcome : outcomes) ends.push_back(outcome.end);
  EXPECT_THAT(ends,
              ElementsAre(PublishEnd::kPublished, PublishEnd::kFailed, PublishEnd::kPublished, PublishEnd::kPublished));
  EXPECT_EQ(Rows("1"), 1);
  EXPECT_EQ(Rows("2"), 2);
  EXPECT_EQ(Rows("a/b"), 3);
}

TEST_F(PublishTest, WithoutItsGuardNothingIsFlipped) {
  Source({{kDay, 5}});
  MustPublish(kDay);
  Source({{kDay, 6}});
  const auto guard = *Lease::Take(*store_, "guard", clock_, "test:1");
  Pass(Lease::kLength);
  const auto other = Lease::Take(*store_, "guard", clock_, "test:2");
  ASSERT_TRUE(other.ok()) << other.status().ToString();
  EXPECT_EQ(PublishDay(kDay, {.guard = guard.get()}).end, PublishEnd::kConflict);
  EXPECT_EQ(Rows(), 5);
  EXPECT_EQ(PublishDay(kDay, {.guard = other->get()}).end, PublishEnd::kPublished);
  EXPECT_EQ(Rows(), 6);
}

TEST_F(PublishTest, ALeaseThatWasRemovedByHandBeginsAnewAndPublishes) {
  for (const int rows : {1, 2, 3}) {
    Source({{kDay, rows}});
    MustPublish(kDay);
  }
  const int64_t last = LookAtLease(*store_, LeaseKey("day=" + kDay))->number;
  ASSERT_TRUE(store_->Delete({LeaseKey("day=" + kDay)}).ok());
  ASSERT_TRUE(Back().ok());
  EXPECT_EQ(Rows(), 2);
  ASSERT_TRUE(store_->Delete({LeaseKey("day=" + kDay)}).ok());
  Source({{kDay, 4}});
  MustPublish(kDay);
  EXPECT_EQ(Partition().parameters.at("tidegate.lease"), std::to_string(last + 2));
}

TEST_F(PublishTest, AParameterThatIsNoLeaseNumberIsPassedOver) {
  Source({{kDay, 1}});
  MustPublish(kDay);
  for (const char* odd : {"9223372036854775807", "99999999999999999999", "-5", "x", ""}) {
    catalog::HivePartition partition = Partition();
    partition.parameters["tidegate.lease"] = odd;
    ASSERT_TRUE(catalog_->UpdatePartitions(definition_.table, {partition})->at(0).ok());
    MustPublish(kDay, {.force = true});
  }
}

TEST_F(PublishTest, WhereTheCatalogFallsSilentAtTheFlipTheLeaseRunsOut) {
  Source({{kDay, 1}});
  MustPublish(kDay);
  Source({{kDay, 2}});
  FaultyCatalog silent(*catalog_);
  silent.fail_at = 3;  // GetTable, GetPartition, UpdatePartitions
  silent.for_good = true;
  const PublishOutcome outcome = PublishDayOn(PortsOn(silent, *store_), kDay);
  EXPECT_EQ(outcome.end, PublishEnd::kFailed);
  EXPECT_EQ(outcome.status.code(), Code::kUnknownOutcome);
  EXPECT_THAT(outcome.status.message(), HasSubstr("cannot tell whether the partition was moved"));
  EXPECT_EQ(PublishDay(kDay).end, PublishEnd::kConflict);  // the change may still come
  Pass(Lease::kLength);
  MustPublish(kDay);
  EXPECT_EQ(Rows(), 2);
}

TEST_F(PublishTest, WhereAnotherMadeTheTableTheRunMustFitIt) {
  Source({{kDay, 1}});
  FaultyCatalog raced(*catalog_);
  raced.before_create = [&] {
    catalog::HiveTable theirs{.name = definition_.table, .location = store_->url()};
    theirs.columns = {{"id", "string"}, {"note", "string"}};
    theirs.partition_columns = definition_.partition_columns;
    ASSERT_TRUE(catalog_->CreateTable(theirs).ok());
  };
  const PublishOutcome outcome = PublishDayOn(PortsOn(raced, *store_), kDay);
  EXPECT_EQ(outcome.end, PublishEnd::kFailed);
  EXPECT_THAT(outcome.status.message(), HasSubstr("'id'"));
  EXPECT_EQ(Rows(), -1);
}

TEST_F(PublishTest, WhoStopsGetsWhatWasDoneAndWhereItStopped) {
  Source({{"1", 1}, {"2", 2}});
  const auto builder = MakeBuilder();
  CancelFlag cancel;
  Ports ports = PortsOn(*catalog_, *store_);
  ports.cancel = &cancel;
  const auto outcomes =
      Publish(definition_, {{"1"}, {"2"}}, {}, *builder, ports, [&](const std::string&) { cancel.Cancel(); });
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].partition, "day=1");
  EXPECT_EQ(outcomes[0].status, StoppedOnRequest());
  EXPECT_EQ(Rows("1"), -1);
}

TEST_F(PublishTest, ARunThatLostAFileIsBuiltAnew) {
  for (const bool truncated : {false, true}) {
    Source({{kDay, truncated ? 5 : 4}});
    MustPublish(kDay);
    const publish::Run broken = Runs().back();
    const std::string file = KeyIn(broken.folder, ReadRun(*store_, broken)->files.at(0).name);
    ASSERT_TRUE(store_->Delete({file}).ok());
    if (truncated) {
      ASSERT_TRUE(store_->Put(file, "PAR1", store::PutMode::kCreateOnly).ok());
    }
    EXPECT_THAT(Back(broken.id).status().code(), testing::Ne(Code::kOk));
    MustPublish(kDay);
    EXPECT_EQ(Rows(), truncated ? 5 : 4);
  }
  EXPECT_EQ(PublishDay(kDay).end, PublishEnd::kUnchanged);
}

TEST_F(PublishTest, ValuesOfNewPartitionsAreSpelledByTheirType) {
  definition_.select = "SELECT 1 AS id WHERE {day} IS NOT NULL";
  const auto end_of = [&](const std::string& type, const std::string& value) {
    definition_.partition_columns[0].type = type;
    builder_.reset();
    return PublishDay(value);
  };
  for (const auto& [type, value] : std::vector<std::pair<std::string, std::string>>{{"int", "07"},
                                                                                    {"bigint", "+7"},
                                                                                    {"int", "7.0"},
                                                                                    {"date", "2026-11-1"},
                                                                                    {"date", "2026-11"},
                                                                                    {"date", "2026-11-01 "},
                                                                                    {"boolean", "1"}}) {
    const PublishOutcome outcome = end_of(type, value);
    EXPECT_EQ(outcome.end, PublishEnd::kFailed) << type << value;
    EXPECT_THAT(outcome.status.message(), HasSubstr("write it as")) << value;
  }
  for (const auto& [type, value] : std::vector<std::pair<std::string, std::string>>{
           {"int", "7"}, {"bigint", "-7"}, {"date", "2026-11-01"}, {"string", "07"}}) {
    EXPECT_EQ(end_of(type, value).end, PublishEnd::kPublished) << type << value;
  }
}

TEST_F(PublishTest, CleanUpLeavesTheRunsOfAnotherTableInTheSamePlace) {
  Source({{kDay, 1}});
  MustPublish(kDay);
  const catalog::HiveName mine = definition_.table;
  definition_.table.table = "other";
  for (const int rows : {2, 3, 4}) {
    Source({{kDay, rows}});
    MustPublish(kDay);
  }
  definition_.table = mine;
  for (int round = 0; round < 3; ++round) {
    Pass(hours(1000));
    ASSERT_TRUE(CleanDayOn(PortsOn(*catalog_, *store_)).ok());
  }
  EXPECT_EQ(Rows(), 1);
  definition_.table.table = "other";
  EXPECT_EQ(Rows(), 4);
}

TEST(PartitionTypeTest, IsOneThatAValueCanHave) {
  for (const char* type : {"string", "date", "int", "BIGINT", "timestamp", "decimal(10,2)", "decimal", "varchar(10)"})
    EXPECT_TRUE(IsPartitionType(type)) << type;
  for (const char* type : {"", "dat", "d dat", "array<int>", "varchar", "int(3)", "decimal()", "varchar(1", "date; x"})
    EXPECT_FALSE(IsPartitionType(type)) << type;
}

TEST_F(PublishTest, ARunThatIsUsedAgainWhileCleanUpLooksStays) {
  for (const int rows : {1, 2, 3}) {
    Source({{kDay, rows}});
    MustPublish(kDay, {.clean = false});
    Pass(hours(25));
  }
  const RunId first = Runs().front().id;
  FaultyCatalog raced(*catalog_);
  raced.after_listing = [&] {  // this clean-up was stopped for longer than its lease
    Pass(Lease::kLength);
    ASSERT_TRUE(Back(first).ok());
  };
  const auto cleaned = CleanDayOn(PortsOn(raced, *store_));
  EXPECT_EQ(cleaned.status().code(), Code::kPreconditionFailed) << cleaned.status().ToString();
  EXPECT_EQ(Rows(), 1);
}

TEST_F(PublishTest, PublishesThatFailDoNotPileUp) {
  Source({{kDay, 5}});
  MustPublish(kDay);
  definition_.audits.min_rows = 4;
  for (int rows = 1; rows <= 3; ++rows) {
    Source({{kDay, rows}});
    EXPECT_EQ(PublishDay(kDay).end, PublishEnd::kAuditFailed);
    Pass(hours(24 * 60));
  }
  EXPECT_EQ(Runs().size(), 2U);  // the current one, and that of the last publish
  definition_.select = "SELECT 'x' AS id, 'y' AS note WHERE {day} IS NOT NULL";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(PublishDay(kDay).end, PublishEnd::kFailed);
  EXPECT_EQ(Runs().size(), 2U);
  EXPECT_EQ(Rows(), 5);
}

TEST_F(PublishTest, ARollbackPassesOverWhatTheOneBeforeTurnedAway) {  // C-56, C-57
  for (const int rows : {1, 2}) {
    Source({{kDay, rows}});
    MustPublish(kDay);
  }
  ASSERT_TRUE(Back().ok());
  EXPECT_EQ(Rows(), 1);
  Source({{kDay, 3}});
  MustPublish(kDay);
  Pass(hours(1000));
  const auto report = CleanDayOn(PortsOn(*catalog_, *store_));
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(Runs().size(), 2U);  // the good one stays, not the newer one that was turned away
  ASSERT_TRUE(Back().ok());
  EXPECT_EQ(Rows(), 1);
}

TEST_F(PublishTest, CleanUpKeepsTheCurrentRunAndThePreviousOne) {  // C-55
  std::vector<RunId> ids;
  for (int rows = 1; rows <= 4; ++rows) {
    Source({{kDay, rows}});
    MustPublish(kDay);
    ids.push_back(Runs().back().id);
    Pass(hours(1));
  }
  EXPECT_EQ(Runs().size(), 4U);  // all are young
  Pass(hours(25));
  const auto cleaned = CleanDayOn(PortsOn(*catalog_, *store_));
  ASSERT_TRUE(cleaned.ok());
  ASSERT_EQ(Runs().size(), 2U);
  EXPECT_EQ(Runs()[0].id, ids[2]);
  EXPECT_EQ(Runs()[1].id, ids[3]);
  EXPECT_GT(cleaned->removed_objects, 0U);
  EXPECT_EQ(Rows(), 4);
}

TEST_F(PublishTest, WithoutAPartitionInTheCatalogNothingIsRemoved) {  // C-55
  for (int rows = 1; rows <= 3; ++rows) {
    Source({{kDay, rows}});
    MustPublish(kDay);
  }
  Pass(hours(1000));
  ASSERT_TRUE(catalog_->DropPartition(definition_.table, {kDay}).ok());
  ASSERT_TRUE(CleanDayOn(PortsOn(*catalog_, *store_)).ok());
  EXPECT_EQ(Runs().size(), 3U);
}

TEST_F(PublishTest, WhatLiesInARunAndIsNotOursIsNeverRemoved) {
  for (int rows = 1; rows <= 3; ++rows) {
    Source({{kDay, rows}});
    MustPublish(kDay);
  }
  ASSERT_TRUE(store_->Put(Runs()[0].folder + "/deeper/file", "theirs", store::PutMode::kOverwrite).ok());
  Pass(hours(1000));
  ASSERT_TRUE(CleanDayOn(PortsOn(*catalog_, *store_)).ok());
  EXPECT_EQ(Runs().size(), 3U);
}

TEST_F(PublishTest, ARunThatAnotherPartitionPointsToStays) {
  for (int rows = 1; rows <= 3; ++rows) {
    Source({{kDay, rows}});
    MustPublish(kDay);
  }
  catalog::HivePartition other = Partition();
  other.values = {"copy"};
  other.location = store_->Location(Runs()[0].folder);
  ASSERT_TRUE(catalog_->AddPartitions(definition_.table, {other})->at(0).ok());
  Pass(hours(1000));
  ASSERT_TRUE(CleanDayOn(PortsOn(*catalog_, *store_)).ok());
  EXPECT_EQ(Rows("copy"), 1);
}

TEST_F(PublishTest, ManyPartitionsAreCleanedUpAfterOneListing) {
  std::map<std::string, int> rows;
  std::vector<catalog::PartitionValues> days;
  for (const char* day : {"2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"}) {
    rows[day] = 3;
    days.push_back({day});
  }
  FaultyCatalog catalog(*catalog_);
  for (int run = 1; run <= 4; ++run) {
    for (auto& [day, count] : rows) ++count;
    Source(rows);
    builder_ = MakeBuilder();
    Pass(hours(1000));
    catalog.listings = 0;
    const auto outcomes = Publish(definition_, days, {}, *builder_, PortsOn(catalog, *store_));
    for (const PublishOutcome& one : outcomes) {
      EXPECT_EQ(one.end, PublishEnd::kPublished);
      EXPECT_EQ(one.cleaned.removed_objects > 0, run > 2) << run;
    }
    EXPECT_EQ(catalog.listings, 1);
  }
}

TEST_F(PublishTest, RollbackGoesToARunThatIsNamedAndBackAgain) {  // C-56
  for (int rows = 1; rows <= 3; ++rows) {
    Source({{kDay, rows}});
    MustPublish(kDay);
  }
  const std::vector<publish::Run> runs = Runs();
  ASSERT_TRUE(Back(runs[0].id).ok());
  EXPECT_EQ(Rows(), 1);
  EXPECT_THAT(Back().status().message(), HasSubstr("no complete run older"));
  ASSERT_TRUE(Back(runs[2].id).ok());
  EXPECT_EQ(Rows(), 3);
  Pass(hours(1000));
  ASSERT_TRUE(CleanDayOn(PortsOn(*catalog_, *store_)).ok());
  EXPECT_EQ(Rows(), 3);
  EXPECT_THAT(Back("20200101T000000Z-000000").status().message(), HasSubstr(runs[1].id));
}

TEST_F(PublishTest, ARollbackToARunThatLostAFileIsRefused) {
  for (int rows = 1; rows <= 2; ++rows) {
    Source({{kDay, rows}});
    MustPublish(kDay);
  }
  ASSERT_TRUE(store_->Delete({Runs()[0].folder + "/part-00000.parquet"}).ok());
  EXPECT_THAT(Back().status().message(), HasSubstr("is gone"));
  EXPECT_EQ(Rows(), 2);
}

TEST_F(PublishTest, APartitionThatAnotherProgramMovedMeanwhileIsAConflict) {
  Source({{kDay, 1}});
  MustPublish(kDay);
  Source({{kDay, 2}});
  // Moved by hand between the plan and the flip.
  Meddler builder(MakeBuilder(), [&] {
    catalog::HivePartition partition = Partition();
    partition.parameters["by.hand"] = "yes";
    ASSERT_TRUE(catalog_->UpdatePartitions(definition_.table, {partition})->at(0).ok());
  });
  const auto outcomes = Publish(definition_, {{kDay}}, {}, builder, PortsOn(*catalog_, *store_));
  EXPECT_EQ(outcomes.at(0).end, PublishEnd::kConflict) << outcomes.at(0).status.ToString();
  EXPECT_EQ(Rows(), 1);
  EXPECT_EQ(Partition().parameters.at("by.hand"), "yes");
}

TEST_F(PublishTest, APublisherThatWasAwayLongerThanItsLeaseChangesNothing) {
  Source({{kDay, 1}});
  MustPublish(kDay);
  Source({{kDay, 2}});
  Meddler builder(MakeBuilder(), [&] {
    Pass(Lease::kLength);
    Source({{kDay, 3}});
    MustPublish(kDay);
  });
  const auto outcomes = Publish(definition_, {{kDay}}, {}, builder, PortsOn(*catalog_, *store_));
  EXPECT_EQ(outcomes.at(0).end, PublishEnd::kConflict) << outcomes.at(0).status.ToString();
  EXPECT_EQ(Rows(), 3);
}

TEST_F(PublishTest, OfSeveralPublishersOneWinsEachRound) {
  for (const int publishers : {2, 8}) {
    for (int round = 0; round < 5; ++round) {
      Pass(std::chrono::seconds(1));
      Source({{kDay, publishers * 10 + round}});
      std::vector<std::unique_ptr<Builder>> builders;
      builders.reserve(static_cast<size_t>(publishers));
      for (int i = 0; i < publishers; ++i) builders.push_back(MakeBuilder());
      std::atomic<int> won{0};
      std::mutex mutex;
      std::string odd;
      std::vector<std::thread> threads;
      threads.reserve(static_cast<size_t>(publishers));
      for (int i = 0; i < publishers; ++i) {
        threads.emplace_back([&, i] {
          auto catalog = catalog::EmbeddedCatalog::Open((folder_.path() / "hive.db").string());
          const auto outcomes = Publish(definition_, {{kDay}}, {}, *builders[i], PortsOn(**catalog, *store_));
          const PublishEnd end = outcomes.at(0).end;
          if (end == PublishEnd::kPublished) ++won;
          if (end == PublishEnd::kPublished || end == PublishEnd::kConflict || end == PublishEnd::kUnchanged) return;
          const std::lock_guard lock(mutex);
          odd += outcomes.at(0).status.ToString() + "\n";
        });
      }
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(won, 1);
      EXPECT_EQ(odd, "");
      EXPECT_EQ(Rows(), publishers * 10 + round);
    }
  }
}

TEST_F(PublishTest, APlanWritesNothing) {
  Source({{kDay, 5}});
  MustPublish(kDay);
  Source({{kDay, 6}});
  store::FaultObjectStore watched(store_);
  const auto builder = MakeBuilder();
  const auto plan = PlanOnly(definition_, {kDay}, {}, *builder, PortsOn(*catalog_, watched));
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_EQ(plan->step, PlanStep::kBuild);
  EXPECT_THAT(Describe(*plan, "day=2026-11-01"), HasSubstr("build day=2026-11-01/run="));
  for (const store::StoreCall& call : watched.calls()) {
    EXPECT_TRUE(call.kind == store::CallKind::kList || call.kind == store::CallKind::kRead) << CallKindName(call.kind);
  }
}

}  // namespace
}  // namespace tidegate::publish
