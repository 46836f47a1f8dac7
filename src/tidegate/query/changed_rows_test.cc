#include "tidegate/query/changed_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/store/local/local_object_store.h"

namespace tidegate::query {
namespace {

using engine::DuckDb;
using engine::SqlText;
using engine::TextRow;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// A lake table of rows (id), made commit by commit.
class ChangedRows : public testing::Test {
 protected:
  ChangedRows()
      : store_(std::move(store::LocalObjectStore::Make(folder_.path().string())).value()),
        db_(std::move(DuckDb::Open(":memory:", {})).value()),
        table_(table::LakeTable::New(*store_, "shop/orders", Columns(), {0, {}},
                                     {{"schema.name-mapping.default", table::WriteNameMapping({{1, {"id"}, {}}})}})) {}

  static schema::Schema Columns() {
    schema::Schema schema;
    schema.fields = {{1, "id", schema::Kind::kLong, false}};
    return schema;
  }

  table::DataFile Write(const std::string& name, const std::string& select, int64_t rows) {
    const std::string key = "shop/orders/data/" + name + ".parquet";
    const std::filesystem::path path = folder_.path() / key;
    std::filesystem::create_directories(path.parent_path());
    EXPECT_TRUE(db_.Execute("COPY (" + select + ") TO " + SqlText(path.string()) + " (FORMAT parquet)").ok());
    table::DataFile file;
    file.location = store_->Location(key);
    file.record_count = rows;
    file.file_size_bytes = static_cast<int64_t>(std::filesystem::file_size(path));
    return file;
  }

  /// ids from `first` on.
  table::DataFile Data(const std::string& name, int first, int rows) {
    return Write(name,
                 "SELECT i AS id FROM range(" + std::to_string(first) + ", " + std::to_string(first + rows) + ") t(i)",
                 rows);
  }

  table::DataFile Deletes(const std::string& name, const table::DataFile& of, const std::string& positions) {
    table::DataFile file =
        Write(name, "SELECT " + SqlText(of.location) + " AS file_path, pos FROM (VALUES " + positions + ") t(pos)", 1);
    file.content = table::FileContent::kPositionDeletes;
    file.referenced_data_file = of.location;
    return file;
  }

  int64_t Commit(const std::vector<table::DataFile>& add, const std::vector<std::string>& remove = {}) {
    table::Change change;
    change.operation = remove.empty() ? "append" : "overwrite";
    change.add = add;
    change.remove = remove;
    const Status status = table_.Commit(change, UtcTime{});
    EXPECT_TRUE(status.ok()) << status.ToString();
    return table_.metadata().current_snapshot()->snapshot_id;
  }

  std::vector<std::string> Changed(int64_t before, int64_t after) {
    const auto sql = ChangedRowsSql(table_, before, after);
    EXPECT_TRUE(sql.ok()) << sql.status().ToString();
    const auto rows = db_.QueryAll("SELECT id FROM (" + *sql + ") ORDER BY id");
    EXPECT_TRUE(rows.ok()) << rows.status().ToString() << "\n" << *sql;
    std::vector<std::string> out;
    for (const TextRow& row : *rows) out.push_back(row[0].value_or("NULL"));
    return out;
  }

  TempDirForTest folder_;
  std::unique_ptr<store::LocalObjectStore> store_;
  DuckDb db_;
  table::LakeTable table_;
};

TEST_F(ChangedRows, AreThoseOfFilesThatCame) {
  const int64_t before = Commit({Data("a", 0, 3)});
  const int64_t after = Commit({Data("b", 10, 2)});
  EXPECT_THAT(Changed(before, after), ElementsAre("10", "11"));
  EXPECT_THAT(Changed(after, before), ElementsAre("10", "11"));
  EXPECT_THAT(Changed(after, after), IsEmpty());
}

TEST_F(ChangedRows, AreThoseOfFilesThatWent) {
  const auto a = Data("a", 0, 3);
  const int64_t before = Commit({a, Data("b", 10, 2)});
  const int64_t after = Commit({Data("c", 20, 1)}, {a.location});
  EXPECT_THAT(Changed(before, after), ElementsAre("0", "1", "2", "20"));
}

TEST_F(ChangedRows, OfAFileThatStaysAreThoseThatWereDeleted) {
  const auto a = Data("a", 0, 5), untouched = Data("b", 100, 5);
  const auto old = Deletes("d1", a, "(0::BIGINT)");
  const int64_t before = Commit({a, untouched, old});
  const int64_t after = Commit({Deletes("d2", a, "(1::BIGINT), (4::BIGINT)"), Data("c", 7, 1)});
  EXPECT_THAT(Changed(before, after), ElementsAre("1", "4", "7"));
  // A rollback of the lake: what was deleted is there again.
  EXPECT_THAT(Changed(after, before), ElementsAre("1", "4", "7"));
}

TEST_F(ChangedRows, DoNotHoldWhatCameAndWentBetween) {
  const int64_t before = Commit({Data("a", 0, 1)});
  const auto b = Data("b", 10, 3);
  Commit({b});
  const int64_t after = Commit({Deletes("d", b, "(1::BIGINT)")});
  EXPECT_THAT(Changed(before, after), ElementsAre("10", "12"));
}

TEST(CompareFiles, TellsDeletesThatWereRewritten) {
  const auto live = [](const std::string& location) {
    table::LiveFile out;
    out.file.location = location;
    return out;
  };
  const table::LiveFiles before{{live("a"), live("b")}, {live("d1")}};
  const table::LiveFiles after{{live("b"), live("c")}, {live("d2")}};
  const ChangedFiles changed = CompareFiles(before, after);
  const auto names = [](const std::vector<table::LiveFile>& files) {
    std::vector<std::string> out;
    out.reserve(files.size());
    for (const auto& file : files) out.push_back(file.file.location);
    return out;
  };
  EXPECT_THAT(names(changed.came.data), ElementsAre("c"));
  EXPECT_THAT(names(changed.came.position_deletes), ElementsAre("d2"));
  EXPECT_THAT(names(changed.went.data), ElementsAre("a"));
  EXPECT_THAT(changed.went.position_deletes, IsEmpty());
  EXPECT_THAT(names(changed.deleted.data), ElementsAre("b"));
  EXPECT_THAT(names(changed.deleted.position_deletes), UnorderedElementsAre("d1", "d2"));
}

}  // namespace
}  // namespace tidegate::query
