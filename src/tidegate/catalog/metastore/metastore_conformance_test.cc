// The conformance suite against a Hive Metastore. tests/servers/run_with.py starts it and says where it is:
// TIDEGATE_TEST_HMS_HOST and …_PORT.
#include <cstdlib>

#include "tidegate/catalog/conformance_test_suite.h"
#include "tidegate/catalog/metastore/metastore_catalog.h"
#include "tidegate/catalog/metastore/metastore_records.h"

namespace tidegate::catalog {
namespace {

constexpr MetastoreCall kCreateDatabase{"create_database", true, {MetastoreFault::kAlreadyExists}};

TcpSettings Settings() {
  const char* host = std::getenv("TIDEGATE_TEST_HMS_HOST");
  const char* port = std::getenv("TIDEGATE_TEST_HMS_PORT");
  return {.host = host == nullptr ? "" : host, .port = port == nullptr ? 0 : std::atoi(port)};
}

void MakeDatabase(const std::string& name) {
  MetastoreClient client(Settings());
  ThriftValue database, arguments;
  database.Set(1, ThriftValue::String(name));
  database.Set(4, ThriftValue::StringMap({}));
  arguments.Set(1, database);
  const Status made = client.Call(kCreateDatabase, arguments, name).status();
  EXPECT_TRUE(made.ok() || made.code() == Code::kAlreadyExists) << made.ToString();
}

OpenCatalog MakeMetastore() {
  MakeDatabase("sales");
  static_cast<void>(MetastoreCatalog(Settings()).DropTable({"sales", "daily"}));
  return [] { return std::make_unique<MetastoreCatalog>(Settings()); };
}

INSTANTIATE_TEST_SUITE_P(Metastore, CatalogConformanceTest, testing::Values(CatalogCase{"metastore", MakeMetastore}),
                         CatalogCaseName);

class MetastoreCatalogTest : public testing::Test {
 protected:
  void SetUp() override {
    catalog_ = MakeMetastore()();
    ASSERT_TRUE(catalog_->CreateTable(table_).ok());
  }

  ThriftValue RawPartition(const PartitionValues& values) {
    constexpr MetastoreCall kGet{"get_partition"};
    MetastoreClient client(Settings());
    ThriftValue arguments;
    arguments.Set(1, ThriftValue::String("sales"));
    arguments.Set(2, ThriftValue::String("daily"));
    arguments.Set(3, ThriftValue::Strings(MetastoreValues(values)));
    return *client.Call(kGet, arguments, "a partition");
  }

  const HiveTable table_{.name = {"sales", "daily"},
                         .columns = {{"a", "int"}},
                         .partition_columns = {{"day", "string"}},
                         .location = "s3://warehouse/daily"};
  std::unique_ptr<HiveCatalog> catalog_;
};

TEST_F(MetastoreCatalogTest, AFlipLeavesNoStatisticsOfTheOldContent) {
  const HivePartition first{.values = {"1"},
                            .location = "s3://warehouse/daily/old",
                            .columns = table_.columns,
                            .parameters = {{"numRows", "7"}, {"COLUMN_STATS_ACCURATE", "x"}, {"mine", "yes"}}};
  ASSERT_TRUE(catalog_->AddPartitions(table_.name, {first})->at(0).ok());
  HivePartition seen = *catalog_->GetPartition(table_.name, {"1"});
  seen.parameters["numRows"] = "7";
  seen.location = "s3://warehouse/daily/new";
  const auto moved = catalog_->UpdatePartitions(table_.name, {seen});
  ASSERT_TRUE(moved.ok() && moved->at(0).ok()) << moved->at(0).ToString();
  seen = *catalog_->GetPartition(table_.name, {"1"});
  for (const char* name : {"numRows", "numFiles", "totalSize", "rawDataSize", "COLUMN_STATS_ACCURATE"})
    EXPECT_EQ(seen.parameters.count(name), 0U) << name;
  EXPECT_EQ(seen.parameters.at("mine"), "yes");
}

TEST_F(MetastoreCatalogTest, AFlipKeepsWhatItDoesNotKnow) {
  const HivePartition first{.values = {"1"}, .location = "s3://warehouse/daily/old", .columns = table_.columns};
  ASSERT_TRUE(catalog_->AddPartitions(table_.name, {first})->at(0).ok());
  const ThriftValue before = RawPartition({"1"});
  HivePartition seen = *catalog_->GetPartition(table_.name, {"1"});
  seen.location = "s3://warehouse/daily/new";
  ASSERT_TRUE(catalog_->UpdatePartitions(table_.name, {seen})->at(0).ok());
  ThriftValue after = RawPartition({"1"});
  ThriftValue expected = before;
  for (ThriftValue* one : {&after, &expected}) {
    one->Set(7, ThriftValue::StringMap({}));  // the parameters, which the metastore adds to
    one->Field(6, ThriftType::kStruct).Set(2, ThriftValue::String("s3://warehouse/daily/new"));
  }
  EXPECT_EQ(after, expected);
}

TEST_F(MetastoreCatalogTest, ADatabaseThatIsNotThereIsSaid) {
  const Status made = catalog_->CreateTable({.name = {"nowhere", "daily"}, .location = "s3://warehouse/daily"});
  EXPECT_EQ(made.code(), Code::kNotFound);
  EXPECT_THAT(made.message(), testing::HasSubstr("there is no database 'nowhere'"));
}

}  // namespace
}  // namespace tidegate::catalog
