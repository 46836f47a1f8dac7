#include <arrow/c/abi.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tidegate/base/log.h"
#include "tidegate/deliver/duckdb_source.h"
#include "tidegate/deliver/parquet_folder_source.h"
#include "tidegate/deliver/source_query.h"
#include "tidegate/deliver/vendor_test.h"

namespace tidegate::deliver {
namespace {

using contract::TableName;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Read a stream to its end; the number of rows, or its error.
Result<int64_t> Drain(Source& source, const std::string& query) {
  ArrowArrayStream stream{};
  TG_RETURN_IF_ERROR(source.Stream(query, &stream));
  int64_t rows = 0;
  Status status;
  for (;;) {
    ArrowArray array{};
    if (stream.get_next(&stream, &array) != 0) {
      status = InvalidArgument(stream.get_last_error(&stream));
      break;
    }
    if (array.release == nullptr) break;
    rows += array.length;
    array.release(&array);
  }
  stream.release(&stream);
  if (!status.ok()) return status;
  return rows;
}

std::vector<std::string> Names(Source& source) {
  std::vector<std::string> names;
  const auto listed = source.ListTables();
  for (const TableName& name : *listed) names.push_back(name.ToString());
  return names;
}

// C-5
TEST(DuckDbSourceTest, ListsTablesAndViewsWithNamesOfTheContract) {
  Vendor vendor;
  vendor.Change(
      "CREATE SCHEMA shop; CREATE TABLE shop.b(i INT); CREATE VIEW shop.a AS SELECT 1 AS one;"
      "CREATE TABLE shop.\"bad name\"(i INT); CREATE TABLE shop.\"_x\"(i INT); CREATE TABLE plain(i INT)");
  EXPECT_THAT(Names(vendor.source()), ElementsAre("main.plain", "shop.a", "shop.b"));
}

TEST(DuckDbSourceTest, DescribesAQueryWithoutRunningIt) {
  Vendor vendor;
  vendor.Change("CREATE TABLE t(i INT, changed TIMESTAMPTZ)");
  const auto columns = vendor.source().Describe("SELECT *, error('ran') AS e FROM t -- a comment");
  ASSERT_TRUE(columns.ok()) << columns.status().ToString();
  ASSERT_EQ(columns->size(), 3u);
  EXPECT_EQ((*columns)[0], (SourceColumn{"i", "INTEGER"}));
  EXPECT_EQ((*columns)[1], (SourceColumn{"changed", "TIMESTAMP WITH TIME ZONE"}));
  EXPECT_THAT(vendor.source().Describe("SELECT nope FROM t").status().message(), HasSubstr("nope"));
}

TEST(DuckDbSourceTest, AQueryThatFailsWhileItRunsLeavesTheSourceUsable) {
  Vendor vendor;
  vendor.Change("CREATE TABLE t AS SELECT range::VARCHAR AS v FROM range(10000); INSERT INTO t VALUES ('x')");
  EXPECT_THAT(Drain(vendor.source(), "SELECT v::INT FROM t").status().message(), HasSubstr("'x'"));
  EXPECT_EQ(*Drain(vendor.source(), "SELECT v FROM t"), 10'001);
  EXPECT_FALSE(vendor.source().Count("SELECT sum(v::INT) FROM t").ok());
  EXPECT_EQ(*vendor.source().Count("SELECT count(*) FROM t"), 10'001);
}

TEST(DuckDbSourceTest, NothingCanBeWrittenThroughIt) {
  Vendor vendor;
  vendor.Change("CREATE TABLE t(i INT)");
  EXPECT_FALSE(Drain(vendor.source(), "INSERT INTO t VALUES (1)").ok());
  EXPECT_EQ(*vendor.source().Count("SELECT count(*) FROM t"), 0);
}

TEST(DuckDbSourceTest, AFileThatIsNotThereIsNotCreated) {
  TempDirForTest folder;
  const std::string path = (folder.path() / "none.duckdb").string();
  EXPECT_EQ(DuckDbSource::Open(path).status().code(), Code::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(SourceQueryTest, ACatalogsQueryMayEndInACommentOrASemicolon) {
  Vendor vendor;
  vendor.Change("CREATE TABLE t AS SELECT TIMESTAMP '2026-11-03 02:00:00' AS \"At\", 1 AS i");
  contract::TableEntry entry;
  entry.changed_at = "at";
  for (const char* query :
       {"SELECT * FROM t;", "SELECT * FROM t -- all", "FROM t", "WITH x AS (FROM t) SELECT * FROM x ; "}) {
    entry.source_query = query;
    const auto columns = vendor.source().Describe(TableQuery(entry));
    ASSERT_TRUE(columns.ok()) << query << columns.status().ToString();
    const auto filter = ChangeFilter::Make(entry, *columns);
    ASSERT_TRUE(filter.ok()) << query;
    EXPECT_EQ(*Drain(vendor.source(), filter->Rows({{}, At("2026-11-03T03:00:00Z")})), 1) << query;
    EXPECT_EQ(*Drain(vendor.source(), filter->Rows({At("2026-11-03T02:00:00Z"), At("2026-11-03T03:00:00Z")})), 1);
    EXPECT_EQ(*Drain(vendor.source(), filter->Rows({{}, At("2026-11-03T02:00:00Z")})), 0) << query;
    EXPECT_EQ(*vendor.source().Count(filter->CountUndated()), 0) << query;
  }
}

TEST(SourceQueryTest, EveryTypeOfTimeIsComparedInUtc) {
  Vendor vendor;
  for (const char* type : {"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ", "DATE"}) {
    vendor.Change(std::string("CREATE OR REPLACE TABLE t AS SELECT (TIMESTAMP '2026-11-03 00:00:00')::") + type +
                  " AS at UNION ALL SELECT NULL");
    contract::TableEntry entry;
    entry.name = {"main", "t"};
    entry.changed_at = "at";
    const auto columns = vendor.source().Describe(TableQuery(entry));
    const auto filter = ChangeFilter::Make(entry, *columns);
    ASSERT_TRUE(filter.ok()) << type << filter.status().ToString();
    const Window midnight{At("2026-11-03T00:00:00Z"), At("2026-11-03T00:00:00.000001Z")};
    EXPECT_EQ(*Drain(vendor.source(), filter->Rows(midnight)), 1) << type;
    EXPECT_EQ(*Drain(vendor.source(), filter->Rows({{}, At("2026-11-03T00:00:00Z")})), 1) << type;  // the null
    EXPECT_EQ(*vendor.source().Count(filter->CountUndated()), 1) << type;
  }
}

class ParquetFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    SetLogSink([this](LogLevel, std::string_view line) { log_ += std::string(line) + "\n"; });
  }
  void TearDown() override { SetLogSink(nullptr); }

  void Write(const std::string& path, const std::string& query) {
    const auto file = folder_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    auto db = engine::DuckDb::Open(":memory:", {});
    const Status status =
        db->Execute("COPY (" + query + ") TO " + engine::SqlText(file.string()) + " (FORMAT parquet)");
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  void WriteText(const std::string& path) {
    const auto file = folder_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "this is text";
  }

  Result<std::unique_ptr<ParquetFolderSource>> Open() { return ParquetFolderSource::Open(folder_.path().string()); }

  TempDirForTest folder_;
  std::string log_;
};

TEST_F(ParquetFolderTest, FilesAndFoldersOfFilesAreTables) {
  Write("shop/orders.parquet", "SELECT 1 AS id");
  Write("shop/lines/a.parquet", "SELECT 1 AS id");
  Write("shop/lines/b.parquet", "SELECT 'x' AS note, 2 AS id");  // by name; another column
  Write("planes.parquet", "SELECT 1 AS id");
  WriteText("shop/README.md");
  WriteText("_tmp/x.parquet");
  WriteText("shop/lines/.part.parquet");
  const auto source = Open();
  ASSERT_TRUE(source.ok()) << source.status().ToString();
  EXPECT_THAT(Names(**source), ElementsAre("main.planes", "shop.lines", "shop.orders"));
  EXPECT_EQ(*(*source)->Count("SELECT sum(id) FROM shop.lines WHERE note = 'x' OR id = 1"), 3);
  EXPECT_EQ(*Drain(**source, "SELECT * FROM main.planes"), 1);
}

// C-5
TEST_F(ParquetFolderTest, RefusedNamesArePassedOverWithAWarning) {
  Write("shop/bad name.parquet", "SELECT 1 AS id");
  const auto source = Open();
  EXPECT_THAT(Names(**source), IsEmpty());
  EXPECT_THAT(log_, HasSubstr("bad name"));
}

TEST_F(ParquetFolderTest, AFileThatIsNotParquetFailsItsTableOnly) {
  WriteText("shop/broken.parquet");
  std::filesystem::create_directories(folder_.path() / "shop" / "empty");
  Write("shop/orders.parquet", "SELECT 1 AS id");
  const auto source = Open();
  ASSERT_TRUE(source.ok()) << source.status().ToString();
  EXPECT_THAT(Names(**source), ElementsAre("shop.broken", "shop.empty", "shop.orders"));
  EXPECT_THAT((*source)->Describe("SELECT * FROM \"shop\".\"broken\"").status().message(), HasSubstr("broken.parquet"));
  EXPECT_THAT((*source)->Describe("SELECT * FROM \"shop\".\"empty\"").status().message(), HasSubstr("no Parquet file"));
  EXPECT_EQ(*(*source)->Count("SELECT count(*) FROM shop.orders"), 1);
}

TEST_F(ParquetFolderTest, SignsOfPatternsInFileNamesStandForThemselves) {
  Write("shop/orders/a[1]*?.parquet", "SELECT 1 AS id");
  Write("shop/orders/a1.parquet", "SELECT 2 AS id");
  const auto source = Open();
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(*(*source)->Count("SELECT sum(id) FROM shop.orders"), 3);
}

TEST_F(ParquetFolderTest, AmbiguousLayoutsAreRefused) {
  Write("shop/orders.parquet", "SELECT 1 AS id");
  Write("shop/orders/a.parquet", "SELECT 1 AS id");
  EXPECT_THAT(Open().status().message(), HasSubstr("shop.orders"));
  std::filesystem::remove(folder_.path() / "shop/orders.parquet");
  Write("shop/orders/day=1/a.parquet", "SELECT 1 AS id");
  EXPECT_EQ(Open().status().code(), Code::kInvalidArgument);
  EXPECT_EQ(ParquetFolderSource::Open((folder_.path() / "none").string()).status().code(), Code::kNotFound);
}

TEST_F(ParquetFolderTest, AFileThatChangesMeanwhileIsFoundOut) {
  Write("shop/orders.parquet", "SELECT 1 AS id");
  const auto source = Open();
  EXPECT_TRUE((*source)->VerifySnapshot().ok());
  Write("shop/later.parquet", "SELECT 1 AS id");  // not in the snapshot
  EXPECT_TRUE((*source)->VerifySnapshot().ok());
  Write("shop/orders.parquet", "SELECT range AS id FROM range(1000)");
  EXPECT_THAT((*source)->VerifySnapshot().message(), HasSubstr("orders.parquet"));
  EXPECT_EQ((*source)->VerifySnapshot().code(), Code::kPreconditionFailed);
}

TEST_F(ParquetFolderTest, ItIsDeliveredAsADatabaseIs) {
  Write("shop/orders/a.parquet", "SELECT 1 AS id, TIMESTAMP '2026-11-03 02:00:00' AS changed");
  Write("shop/orders/b.parquet", "SELECT 2 AS id, TIMESTAMP '2026-11-03 03:00:00' AS changed");
  WriteText("shop/broken.parquet");
  contract::TableEntry orders;
  orders.name = {"shop", "orders"};
  orders.mode = contract::TableMode::kParts;
  orders.changed_at = "changed";
  contract::TableEntry broken;
  broken.name = {"shop", "broken"};
  DeliverOptions options;
  options.delivery = *contract::ParseDelivery("v2/2026-11-03/03");
  options.now = At("2026-12-01T00:00:00Z");
  options.catalog = contract::TableCatalog({orders, broken});
  store::MemoryObjectStore bucket;
  const auto source = Open();
  const auto report = Deliver(**source, bucket, options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_THAT(report->tables[0].detail, HasSubstr("broken.parquet"));
  EXPECT_THAT(Consumer(bucket).Rows("v2/shop/orders/etl_date=2026-11-03/etl_hour=03", "id"), ElementsAre("1"));
}

}  // namespace
}  // namespace tidegate::deliver
