// MetastoreCatalog against a metastore of our own, which does what a real one seldom does.
#include "tidegate/catalog/metastore/metastore_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/catalog/metastore/metastore_records.h"
#include "tidegate/catalog/metastore/test_metastore.h"

namespace tidegate::catalog {
namespace {

using ::testing::HasSubstr;

constexpr const char* kAlterCall = "alter_partitions_with_environment_context";

class MetastoreCatalogTest : public testing::Test {
 protected:
  static HivePartition Partition(const std::string& day, const std::string& location = "s3://w/t/old") {
    return {.values = {day}, .location = location, .columns = {{"a", "int"}}, .parameters = {{"tidegate.run", "1"}}};
  }
  static Status One(const Result<std::vector<Status>>& results) {
    return results.ok() ? results->at(0) : results.status();
  }
  Status Add(const HivePartition& partition) { return One(catalog_.AddPartitions(name_, {partition})); }
  Status Update(const HivePartition& partition) { return One(catalog_.UpdatePartitions(name_, {partition})); }
  /// A partition as it is read, and its change to another location.
  HivePartition Moved(const std::string& day, const std::string& location) {
    HivePartition out = *catalog_.GetPartition(name_, {day});
    out.location = location;
    return out;
  }
  std::string LocationOf(const std::string& day) { return catalog_.GetPartition(name_, {day})->location; }

  const HiveName name_{"d", "t"};
  FakeMetastore server_;
  MetastoreCatalog catalog_{server_.settings()};
};

TEST_F(MetastoreCatalogTest, AChangeWhoseAnswerIsLostIsFoundByReading) {
  ASSERT_TRUE(Add(Partition("1")).ok());
  server_.LoseAnswer(kAlterCall);
  EXPECT_TRUE(Update(Moved("1", "s3://w/t/new")).ok());
  EXPECT_EQ(LocationOf("1"), "s3://w/t/new");
  EXPECT_EQ(server_.calls(kAlterCall), 1);
}

TEST_F(MetastoreCatalogTest, AChangeThatGotLostIsSentAgain) {
  ASSERT_TRUE(Add(Partition("1")).ok());
  server_.Instead(kAlterCall, {.close = true});
  EXPECT_TRUE(Update(Moved("1", "s3://w/t/new")).ok());
  EXPECT_EQ(LocationOf("1"), "s3://w/t/new");
  EXPECT_EQ(server_.calls(kAlterCall), 2);
}

TEST_F(MetastoreCatalogTest, AfterALostChangeAnotherProgramsIsNotOverwritten) {
  ASSERT_TRUE(Add(Partition("1")).ok());
  const HivePartition mine = Moved("1", "s3://w/t/mine");
  server_.Instead(kAlterCall, {.close = true});
  int reads = 0;
  server_.Before("get_partitions_by_names", [&] {
    if (++reads == 2)
      server_.partitions["day=1"] = NewMetastorePartition(server_.table, Partition("1", "s3://w/t/theirs"));
  });
  const Status refused = Update(mine);
  EXPECT_EQ(refused.code(), Code::kPreconditionFailed);
  EXPECT_THAT(refused.message(), HasSubstr("s3://w/t/theirs"));
  EXPECT_EQ(LocationOf("1"), "s3://w/t/theirs");
}

TEST_F(MetastoreCatalogTest, AChangeThatIsLostAgainAndAgainIsUnknown) {
  ASSERT_TRUE(Add(Partition("1")).ok());
  for (int i = 0; i < 3; ++i) server_.Instead(kAlterCall, {.close = true});
  const Status lost = Update(Moved("1", "s3://w/t/new"));
  EXPECT_EQ(lost.code(), Code::kUnknownOutcome);
  EXPECT_THAT(lost.message(), HasSubstr("whether it was done is not known"));
}

TEST_F(MetastoreCatalogTest, LostAnswersOfTheOtherChangesAreResolved) {
  server_.LoseAnswer("add_partitions");
  EXPECT_TRUE(Add(Partition("1")).ok());
  server_.Instead("add_partitions", {.close = true});
  EXPECT_TRUE(Add(Partition("2")).ok());
  server_.Instead("add_partitions", {.close = true});
  server_.Before("get_partitions_by_names", [&] {
    server_.partitions["day=3"] = NewMetastorePartition(server_.table, Partition("3", "s3://w/t/theirs"));
  });
  EXPECT_EQ(Add(Partition("3")).code(), Code::kAlreadyExists);
  server_.LoseAnswer("drop_partition");
  EXPECT_TRUE(catalog_.DropPartition(name_, {"1"}).ok());
  EXPECT_EQ(catalog_.GetPartition(name_, {"1"}).status().code(), Code::kNotFound);
  server_.LoseAnswer("drop_table");
  EXPECT_TRUE(catalog_.DropTable(name_).ok());
  const HiveTable table{.name = name_, .columns = {{"a", "int"}}, .location = "s3://w/t"};
  server_.LoseAnswer("create_table");
  EXPECT_TRUE(catalog_.CreateTable(table).ok());
  ASSERT_TRUE(catalog_.DropTable(name_).ok());
  server_.Instead("create_table", {.close = true});
  EXPECT_TRUE(catalog_.CreateTable(table).ok());
}

TEST_F(MetastoreCatalogTest, ReadsAreSentAgainAndAClosedConnectionIsMadeAnew) {
  ASSERT_TRUE(catalog_.GetTable(name_).ok());
  server_.Instead("get_table_req", {.close = true});
  EXPECT_TRUE(catalog_.GetTable(name_).ok());
  EXPECT_EQ(server_.connections(), 2);
  for (int i = 0; i < 2; ++i) server_.Instead("get_table_req", {.close = true});
  EXPECT_EQ(catalog_.GetTable(name_).status().code(), Code::kUnavailable);
  EXPECT_TRUE(catalog_.GetTable(name_).ok());
}

TEST_F(MetastoreCatalogTest, AChangeDoesNotGoIntoAConnectionThatWasClosedMeanwhile) {
  ThriftMessage request{.name = "get_table_req", .number = 1};
  ThriftValue result;
  result.Set(1, server_.table);
  server_.Instead("get_table_req", {.bytes = FakeMetastore::Reply(request, 0, result), .close = true});
  ASSERT_TRUE(catalog_.GetTable(name_).ok());
  server_.WaitUntilClosed();
  EXPECT_EQ(catalog_.DropPartition(name_, {"1"}).code(), Code::kNotFound);  // and not an unknown outcome, tried again
  EXPECT_EQ(server_.calls("drop_partition"), 1);
}

TEST_F(MetastoreCatalogTest, UnknownFieldsAndFormatsSurviveAChange) {
  ThriftValue raw = NewMetastorePartition(server_.table, Partition("1"));
  ThriftValue foreign = ThriftValue::List(ThriftType::kI64);
  foreign.items.push_back({.type = ThriftType::kI64, .number = 1LL << 40});
  raw.Set(77, foreign);
  ThriftValue& descriptor = raw.Field(6, ThriftType::kStruct);
  descriptor.Set(3, ThriftValue::String("their.InputFormat"));
  descriptor.Set(99, ThriftValue::String("theirs"));
  descriptor.Field(1, ThriftType::kList).items[0].Set(3, ThriftValue::String("a comment"));
  server_.partitions["day=1"] = raw;
  HivePartition change = Moved("1", "s3://w/t/new");
  change.columns.push_back({"b", "string"});
  ASSERT_TRUE(Update(change).ok());
  ThriftValue now = server_.partitions["day=1"];
  EXPECT_EQ(now.StructAt(6).TextAt(2), "s3://w/t/new");
  EXPECT_EQ(now.StructAt(6).ItemsAt(1).size(), 2U);
  EXPECT_EQ(now.StructAt(6).ItemsAt(1)[0].TextAt(3), "a comment");
  now.Field(6, ThriftType::kStruct).Field(1, ThriftType::kList).items.pop_back();
  now.Field(6, ThriftType::kStruct).Set(2, ThriftValue::String("s3://w/t/old"));
  EXPECT_EQ(now, raw);
}

TEST_F(MetastoreCatalogTest, StatisticsOfTheOldContentGo) {
  HivePartition counted = Partition("1");
  ThriftValue raw = NewMetastorePartition(server_.table, counted);
  raw.Set(7, ThriftValue::StringMap({{"numRows", "7"},
                                     {"COLUMN_STATS_ACCURATE", "{}"},
                                     {"spark.sql.statistics.numRows", "7"},
                                     {"transient_lastDdlTime", "1"},
                                     {"theirs", "stays"}}));
  server_.partitions["day=1"] = raw;
  ASSERT_TRUE(Update(Moved("1", "s3://w/t/new")).ok());
  EXPECT_THAT(server_.partitions["day=1"].StringMapAt(7), testing::ElementsAre(testing::Pair("theirs", "stays")));
}

TEST_F(MetastoreCatalogTest, ALocationKeepsTheSchemeOfItsTable) {
  server_.table.Field(7, ThriftType::kStruct).Set(2, ThriftValue::String("s3a://w/t"));
  ASSERT_TRUE(Add(Partition("1", "s3://w/t/run=1")).ok());
  EXPECT_EQ(LocationOf("1"), "s3a://w/t/run=1");
  server_.LoseAnswer(kAlterCall);
  ASSERT_TRUE(Update(Moved("1", "s3://w/t/run=2")).ok());
  EXPECT_EQ(LocationOf("1"), "s3a://w/t/run=2");
  EXPECT_EQ(server_.calls(kAlterCall), 1);
  EXPECT_EQ(WithSchemeOf("file:/x", "s3a://b"), "file:/x");
  EXPECT_EQ(WithSchemeOf("s3a://b/x", "s3://b"), "s3://b/x");
}

TEST_F(MetastoreCatalogTest, OneThatIsRefusedDoesNotKeepTheOthers) {
  for (const char* day : {"1", "2", "3"}) ASSERT_TRUE(Add(Partition(day)).ok());
  server_.refused_day = "2";
  const std::vector<HivePartition> changes = {Moved("1", "s3://w/1"), Moved("2", "s3://w/2"), Moved("3", "s3://w/3")};
  const auto updated = catalog_.UpdatePartitions(name_, changes);
  ASSERT_TRUE(updated.ok()) << updated.status().ToString();
  EXPECT_TRUE(updated->at(0).ok() && updated->at(2).ok());
  EXPECT_EQ(updated->at(1).code(), Code::kUnavailable);
  EXPECT_THAT(updated->at(1).message(), HasSubstr("no such day"));
  EXPECT_EQ(LocationOf("1"), "s3://w/1");
  EXPECT_EQ(LocationOf("2"), "s3://w/t/old");
  EXPECT_EQ(LocationOf("3"), "s3://w/3");
  server_.refused_day = "Zürich";
  const Status foreign = Add(Partition("Zürich"));
  EXPECT_EQ(foreign.code(), Code::kInvalidArgument);
  EXPECT_THAT(foreign.message(), HasSubstr("outside of ASCII"));
}

TEST_F(MetastoreCatalogTest, OlderAndNewerMetastoresAreAskedInTheirWay) {
  server_.Forget("get_table_req");
  server_.Forget(kAlterCall);
  ASSERT_TRUE(Add(Partition("1")).ok());
  EXPECT_TRUE(Update(Moved("1", "s3://w/t/new")).ok());
  EXPECT_EQ(LocationOf("1"), "s3://w/t/new");
  EXPECT_EQ(server_.calls("alter_partitions"), 1);
  server_.Forget("get_table");
  EXPECT_THAT(catalog_.GetTable(name_).status().message(), HasSubstr("does not know the call 'get_table'"));
}

TEST_F(MetastoreCatalogTest, ExceptionsSayWhatToDo) {
  server_.has_table = false;
  const Status missing = catalog_.GetTable(name_).status();
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_EQ(missing.message(), "the Hive Metastore, get_table_req of table 'd.t': there is no such thing: 'no table'");
  EXPECT_EQ(catalog_.ListPartitions(name_).status().code(), Code::kNotFound);
  EXPECT_EQ(Add(Partition("1")).code(), Code::kNotFound);
  EXPECT_EQ(catalog_.DropPartition(name_, {"1"}).code(), Code::kNotFound);
  const Status failed = catalog_.ListTables().status();
  EXPECT_EQ(failed.code(), Code::kUnavailable);
  EXPECT_THAT(failed.message(), HasSubstr("its log says more"));
}

TEST_F(MetastoreCatalogTest, BrokenAnswersAreErrorsAndTheNextCallWorks) {
  const ThriftMessage request{.name = "get_table_req", .number = 1};
  const std::string good = FakeMetastore::Reply(request, 0, server_.table);
  const ThriftMessage other{.kind = ThriftKind::kReply, .name = "get_table", .number = 1};
  std::string endless = good.substr(0, 25) + std::string("\x0B\x00\x01\x7F\xFF\xFF\xFF", 7);
  for (const std::string& bytes : {WriteThrift(other), endless, good.substr(0, 25) + "\x77", WriteThrift(request)}) {
    server_.Instead("get_table_req", {.bytes = bytes, .close = true});
    EXPECT_EQ(catalog_.GetTable(name_).status().code(), Code::kCorruption) << bytes.substr(0, 30);
    EXPECT_TRUE(catalog_.GetTable(name_).ok());
  }
  server_.Instead("get_table_req", {.bytes = good.substr(0, good.size() / 2), .close = true});
  EXPECT_TRUE(catalog_.GetTable(name_).ok());  // asked again
}

TEST_F(MetastoreCatalogTest, WhatIsNotSupportedIsNamed) {
  const auto said = [&](const std::string& bytes) {
    server_.Instead("get_table_req", {.bytes = bytes, .close = true});
    return MetastoreCatalog(server_.settings()).GetTable(name_).status().message();
  };
  EXPECT_THAT(said(std::string("\x15\x03\x03\x00\x02\x02\x46", 7)), HasSubstr("TLS, which is not supported"));
  EXPECT_THAT(said(std::string("\x04\x00\x00\x00\x05wrong", 10)), HasSubstr("Kerberos, which is not supported"));
  EXPECT_THAT(said(""), HasSubstr("wants Kerberos or TLS ends a plain connection like this"));
}

TEST_F(MetastoreCatalogTest, ASilentServerAndNoServerAreSaid) {
  TcpSettings settings = server_.settings();
  settings.silent_within = std::chrono::milliseconds(20);
  server_.Instead("get_table_req", {.silent = true});
  MetastoreCatalog impatient(settings);
  EXPECT_THAT(impatient.GetTable(name_).status().message(), HasSubstr("the server was silent for 1 s"));
  int port = 0;
  {
    FakeMetastore gone;
    port = gone.settings().port;
  }
  MetastoreCatalog nobody({.host = "127.0.0.1", .port = port});
  const Status away = nobody.GetTable(name_).status();
  EXPECT_EQ(away.code(), Code::kUnavailable);
  EXPECT_THAT(away.message(), HasSubstr("cannot connect to '127.0.0.1:" + std::to_string(port) + "'"));
}

TEST_F(MetastoreCatalogTest, WhoStopsDoesNotWaitForASilentServer) {
  CancelFlag cancel;
  TcpSettings settings = server_.settings();
  settings.cancel = &cancel;
  server_.Instead("get_table_req", {.silent = true});
  MetastoreCatalog stopped(settings);
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel.Cancel();
  });
  EXPECT_EQ(stopped.GetTable(name_).status().code(), Code::kCancelled);
  user.join();
}

TEST_F(MetastoreCatalogTest, AnotherPartitionThanAskedForIsNotTaken) {
  server_.partitions["day=a"] = NewMetastorePartition(server_.table, Partition("A"));
  const Status other = catalog_.GetPartition(name_, {"a"}).status();
  EXPECT_EQ(other.code(), Code::kUnsupported);
  EXPECT_THAT(other.message(), HasSubstr("'A' for 'a'"));
}

TEST_F(MetastoreCatalogTest, PartitionsAreListedInPieces) {
  for (int i = 0; i < 1100; ++i) {
    const std::string day = std::to_string(1000 + i);
    server_.partitions["day=" + day] = NewMetastorePartition(server_.table, Partition(day));
  }
  EXPECT_EQ(catalog_.ListPartitions(name_)->size(), 1100U);
  EXPECT_EQ(server_.calls("get_partitions_by_names"), 3);
}

TEST_F(MetastoreCatalogTest, KindsOfTablesAreTold) {
  const auto kind = [&](const std::string& type, const std::map<std::string, std::string>& parameters) {
    server_.table.Set(12, ThriftValue::String(type));
    server_.table.Set(9, ThriftValue::StringMap(parameters));
    return catalog_.GetTable(name_)->kind;
  };
  EXPECT_EQ(kind("EXTERNAL_TABLE", {}), TableKind::kExternal);
  EXPECT_EQ(kind("EXTERNAL_TABLE", {{"spark.sql.sources.provider", "parquet"}}), TableKind::kExternal);
  EXPECT_EQ(kind("MANAGED_TABLE", {}), TableKind::kManaged);
  EXPECT_EQ(kind("VIRTUAL_VIEW", {}), TableKind::kView);
  EXPECT_EQ(kind("EXTERNAL_TABLE", {{"table_type", "ICEBERG"}}), TableKind::kIceberg);
  EXPECT_EQ(kind("EXTERNAL_TABLE", {{"storage_handler", "org.apache.iceberg.mr.hive.HiveIcebergStorageHandler"}}),
            TableKind::kIceberg);
  EXPECT_EQ(kind("EXTERNAL_TABLE", {{"spark.sql.sources.provider", "delta"}}), TableKind::kOther);
  EXPECT_EQ(kind("EXTERNAL_TABLE", {{"storage_handler", "x.JdbcStorageHandler"}}), TableKind::kOther);
  ThriftValue& descriptor = server_.table.Field(7, ThriftType::kStruct);
  descriptor.Set(3, ThriftValue::String("org.apache.hudi.hadoop.HoodieParquetInputFormat"));
  EXPECT_EQ(catalog_.GetTable(name_)->format, FileFormat::kOther);
}

}  // namespace
}  // namespace tidegate::catalog
