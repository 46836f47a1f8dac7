#include "tidegate/query/lake_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tidegate/base/log.h"
#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/query/rows_table.h"
#include "tidegate/store/local/local_object_store.h"
#include "tidegate/table/lake_table.h"

namespace tidegate::query {
namespace {

using engine::DuckDb;
using engine::SqlText;
using engine::TextRow;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(TablesNeeded, AreThoseWhoseNameTheTextHolds) {
  const std::vector<contract::TableName> lake = {
      {"shop", "orders"}, {"shop", "items"}, {"crm", "orders"}, {"crm", "people"}};
  EXPECT_THAT(TablesNeeded(lake, "SELECT * FROM shop.ITEMS"), ElementsAre(lake[1]));
  EXPECT_THAT(TablesNeeded(lake, "SELECT * FROM orders JOIN \"people\" USING (id)"),
              ElementsAre(lake[0], lake[2], lake[3]));
}

TEST(TablesNeeded, AreAllWhereTheTextDoesNotTell) {
  const std::vector<contract::TableName> lake = {{"shop", "orders"}, {"shop", "items"}};
  for (const std::string sql : {"SHOW TABLES", "show all tables", "DESCRIBE items", "SELECT * FROM duckdb_views()",
                                "SELECT * FROM information_schema.tables", "FROM query_table('or' || 'ders')",
                                "SELECT 1", "SELECT * FROM misspelt"}) {
    EXPECT_EQ(TablesNeeded(lake, sql), lake) << sql;
  }
}

class LakeViews : public testing::Test {
 protected:
  void SetUp() override {
    store_ = std::move(store::LocalObjectStore::Make(folder_.string())).value();
    SetLogSink([this](LogLevel, std::string_view line) { log_ += std::string(line) + "\n"; });
  }
  void TearDown() override { SetLogSink(nullptr); }

  /// A table with one data file of the given rows and, where asked, row 0 of it deleted.
  void AddTable(const std::string& folder, const std::string& select, bool delete_first = false) {
    schema::Schema schema;
    schema.fields = {{1, "id", schema::Kind::kLong, false}, {2, "snapshot_date", schema::Kind::kString, false}};
    const table::PartitionSpec spec{0, {{2, 1000, "snapshot_date", "identity"}}};
    auto table = table::LakeTable::New(
        *store_, folder, schema, spec,
        {{"schema.name-mapping.default", table::WriteNameMapping({{1, {"id"}, {}}, {2, {"snapshot_date"}, {}}})}});
    table::Change change;
    change.add.push_back(WriteFile(folder + "/data/a.parquet", select));
    if (delete_first) {
      const std::string data = change.add[0].location;
      change.add.push_back(
          WriteFile(folder + "/data/d.parquet", "SELECT " + SqlText(data) + " file_path, 0::BIGINT pos"));
      change.add[1].content = table::FileContent::kPositionDeletes;
      change.add[1].referenced_data_file = data;
    }
    const Status status = table.Commit(change, UtcTime{});
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  table::DataFile WriteFile(const std::string& key, const std::string& select) {
    const std::filesystem::path path = folder_ / key;
    std::filesystem::create_directories(path.parent_path());
    auto db = std::move(DuckDb::Open(":memory:", {})).value();
    EXPECT_TRUE(db.Execute("COPY (" + select + ") TO " + SqlText(path.string())).ok());
    table::DataFile file;
    file.location = store_->Location(key);
    file.partition = {"2026-11-03"};
    file.record_count = 1;
    file.file_size_bytes = static_cast<int64_t>(std::filesystem::file_size(path));
    return file;
  }

  Result<std::vector<TextRow>> Query(const std::string& sql, const SnapshotChoice* choice = nullptr) {
    auto db = std::move(DuckDb::Open(":memory:", {})).value();
    TG_RETURN_IF_ERROR(CreateLakeViews(db, *store_, sql, choice));
    return db.QueryAll(sql);
  }

  /// One more commit, which adds a file and the column `note`.
  void AddNote(const std::string& folder, const std::string& select) {
    auto table = std::move(table::LakeTable::Load(*store_, folder)).value();
    table::Change change;
    change.add.push_back(WriteFile(folder + "/data/note.parquet", select));
    change.schema = table.metadata().current_schema();
    change.schema->fields.push_back({3, "note", schema::Kind::kString, false});
    const Status status = table.Commit(change, UtcTime{});
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  /// The first snapshot of each table, but for those in `folder`, which were not there yet.
  static SnapshotChoice First(const std::string& not_yet = "none/none") {
    return {"v2/2026-11-03/03", [not_yet](const table::TableMetadata& metadata) -> Result<std::optional<int64_t>> {
              if (metadata.location.ends_with(not_yet)) return std::optional<int64_t>();
              return std::optional<int64_t>(metadata.snapshots.front().snapshot_id);
            }};
  }

  TempDirForTest temp_{"tidegate lake [1]"};
  const std::filesystem::path& folder_ = temp_.path();
  std::unique_ptr<store::LocalObjectStore> store_;
  std::string log_;
};

TEST_F(LakeViews, TablesAreFoundWithAndWithoutTheirSchema) {
  AddTable("shop/orders", "SELECT 7::BIGINT AS id");
  for (const std::string name : {"shop.orders", "orders", "SHOP.Orders", "main.orders"}) {
    const auto rows = Query("SELECT id, snapshot_date FROM " + name);
    ASSERT_TRUE(rows.ok()) << rows.status().ToString();
    EXPECT_THAT(*rows, ElementsAre(TextRow{"7", "2026-11-03"}));
  }
}

TEST_F(LakeViews, DeletedRowsAreHidden) {
  AddTable("shop/orders", "SELECT i AS id FROM range(5) t(i)", true);
  EXPECT_THAT(*Query("SELECT list(id ORDER BY id) FROM orders"), ElementsAre(TextRow{"[1, 2, 3, 4]"}));
}

TEST_F(LakeViews, ANameThatTwoTablesHaveNeedsItsSchema) {
  AddTable("shop/orders", "SELECT 1::BIGINT AS id");
  AddTable("crm/orders", "SELECT 2::BIGINT AS id");
  EXPECT_EQ(Query("SELECT * FROM orders").status().code(), Code::kInvalidArgument);
  EXPECT_THAT(*Query("SELECT id FROM crm.orders"), ElementsAre(TextRow{"2"}));
  EXPECT_THAT(*Query("SELECT sum(id) FROM (FROM crm.orders UNION ALL FROM shop.orders)"), ElementsAre(TextRow{"3"}));
}

TEST_F(LakeViews, ShowNamesEveryTable) {
  AddTable("shop/orders", "SELECT 1::BIGINT AS id");
  AddTable("crm/people", "SELECT 2::BIGINT AS id");
  EXPECT_THAT(*Query("SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal AND "
                     "schema_name <> 'main' ORDER BY 1"),
              ElementsAre(TextRow{"crm.people"}, TextRow{"shop.orders"}));
  EXPECT_THAT(*Query("SHOW TABLES"), ElementsAre(TextRow{"orders"}, TextRow{"people"}));
}

TEST_F(LakeViews, ABrokenTableStopsOnlyTheQueriesThatNameIt) {
  AddTable("shop/orders", "SELECT 1::BIGINT AS id");
  AddTable("shop/broken", "SELECT 1::BIGINT AS id");
  std::ofstream(folder_ / "shop/broken/metadata/v1.metadata.json") << "not json";
  EXPECT_THAT(*Query("SELECT id FROM orders"), ElementsAre(TextRow{"1"}));
  EXPECT_THAT(*Query("SHOW TABLES"), ElementsAre(TextRow{"orders"}));
  EXPECT_THAT(log_, HasSubstr("shop.broken"));
  const auto named = Query("SELECT * FROM broken");
  EXPECT_EQ(named.status().code(), Code::kCorruption);
  EXPECT_THAT(named.status().message(), HasSubstr("'shop.broken'"));
}

TEST_F(LakeViews, AMissingDataFileIsAnErrorThatNamesTheTable) {
  AddTable("shop/orders", "SELECT 1::BIGINT AS id");
  std::filesystem::remove(folder_ / "shop/orders/data/a.parquet");
  const auto rows = Query("SELECT * FROM orders");
  ASSERT_FALSE(rows.ok());
  EXPECT_THAT(rows.status().message(), testing::AllOf(HasSubstr("'shop.orders'"), HasSubstr("a.parquet")));
}

TEST_F(LakeViews, ALakeWithoutTablesStillAnswersWhatNeedsNone) {
  EXPECT_TRUE(Query("SELECT 1").ok());
  EXPECT_EQ(Query("SELECT * FROM shop.orders").status().code(), Code::kInvalidArgument);
}

TEST_F(LakeViews, AnEarlierSnapshotShowsItsRowsInTheSchemaOfItsTime) {
  AddTable("shop/orders", "SELECT 1::BIGINT AS id");
  AddNote("shop/orders", "SELECT 2::BIGINT AS id, 'n' AS note");
  const SnapshotChoice first = First();
  EXPECT_THAT(*Query("SELECT * FROM orders", &first), ElementsAre(TextRow{"1", "2026-11-03"}));
  EXPECT_THAT(*Query("SELECT id, note FROM orders ORDER BY id"),
              ElementsAre(TextRow{"1", std::nullopt}, TextRow{"2", "n"}));
}

TEST_F(LakeViews, ATableThatWasNotThereYetIsLeftOutAndNamedWhereTheQueryNamesIt) {
  AddTable("shop/orders", "SELECT 1::BIGINT AS id");
  AddTable("shop/people", "SELECT 1::BIGINT AS id");
  const SnapshotChoice first = First("shop/people");
  EXPECT_THAT(*Query("SHOW TABLES", &first), ElementsAre(TextRow{"orders"}));
  EXPECT_EQ(log_, "");
  const auto named = Query("SELECT * FROM people", &first);
  EXPECT_EQ(named.status().code(), Code::kNotFound);
  EXPECT_THAT(named.status().message(),
              testing::AllOf(HasSubstr("'shop.people'"), HasSubstr("not there yet as of v2/2026-11-03/03")));
}

TEST_F(LakeViews, ATableThatWasNotThereYetDoesNotStandInTheWayOfItsNamesake) {
  AddTable("shop/orders", "SELECT 1::BIGINT AS id");
  AddTable("crm/orders", "SELECT 2::BIGINT AS id");
  const SnapshotChoice first = First("crm/orders");
  EXPECT_THAT(*Query("SELECT id FROM shop.orders", &first), ElementsAre(TextRow{"1"}));
  EXPECT_EQ(Query("SELECT id FROM crm.orders", &first).status().code(), Code::kNotFound);
}

TEST_F(LakeViews, AChoiceThatFailsStopsOnlyTheQueriesThatNameTheTable) {
  AddTable("shop/orders", "SELECT 1::BIGINT AS id");
  const SnapshotChoice gone{"v1/2026-11-02", [](const table::TableMetadata&) -> Result<std::optional<int64_t>> {
                              return NotFound("expired");
                            }};
  EXPECT_EQ(Query("SELECT * FROM orders", &gone).status().message(), "table 'shop.orders': expired");
  EXPECT_TRUE(Query("SELECT 1", &gone).ok());
  EXPECT_THAT(log_, HasSubstr("'shop.orders': expired; it is left out"));
}

TEST_F(LakeViews, TheHistoryTableStandsBesideATableOfItsName) {
  AddTable("shop/tidegate_history", "SELECT 1::BIGINT AS id");
  auto db = std::move(DuckDb::Open(":memory:", {})).value();
  const std::string sql = "SELECT * FROM tidegate_history";
  ASSERT_TRUE(CreateRowsTable(db, std::string(kHistoryTable), {{"run", "VARCHAR"}}, {{"first"}}).ok());
  ASSERT_TRUE(CreateLakeViews(db, *store_, sql).ok());
  EXPECT_THAT(*db.QueryAll(sql), ElementsAre(TextRow{"first"}));
  EXPECT_THAT(*db.QueryAll("SELECT id FROM shop.tidegate_history"), ElementsAre(TextRow{"1"}));
}

}  // namespace
}  // namespace tidegate::query
