#include "tidegate/table/catalog_db.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <thread>

#include "tidegate/base/temp_dir_for_test.h"

namespace tidegate::table {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CatalogDbTest : public testing::Test {
 protected:
  std::vector<std::string> Run(const std::string& sql) {
    sqlite3* raw = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &raw), SQLITE_OK);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> db(raw, sqlite3_close);
    std::vector<std::string> rows;
    const auto take = [](void* out, int count, char** values, char**) {
      std::string row;
      for (int i = 0; i < count; ++i)
        row += (i > 0 ? "|" : "") + std::string(values[i] == nullptr ? "null" : values[i]);
      static_cast<std::vector<std::string>*>(out)->push_back(row);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(raw, sql.c_str(), take, &rows, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
    return rows;
  }
  std::vector<std::string> Tables() {
    return Run(
        "SELECT table_namespace, table_name, metadata_location, previous_metadata_location, iceberg_type "
        "FROM iceberg_tables ORDER BY 1, 2");
  }

  TempDirForTest folder_;
  const std::filesystem::path path_ = folder_.path() / "catalog.db";
};

TEST_F(CatalogDbTest, HoldsExactlyTheTablesGiven) {
  ASSERT_TRUE(RefreshCatalogDb(path_, {{"shop", "orders", "file:///v1"}, {"crm", "people", "file:///p1"}}).ok());
  EXPECT_THAT(Tables(), ElementsAre("crm|people|file:///p1|null|TABLE", "shop|orders|file:///v1|null|TABLE"));
  ASSERT_TRUE(RefreshCatalogDb(path_, {{"shop", "orders", "file:///v2"}, {"shop", "it's", "file:///i1"}}).ok());
  EXPECT_THAT(Tables(), ElementsAre("shop|it's|file:///i1|null|TABLE", "shop|orders|file:///v2|file:///v1|TABLE"));
  EXPECT_THAT(Run("SELECT namespace FROM iceberg_namespace_properties"), ElementsAre("shop"));
  ASSERT_TRUE(RefreshCatalogDb(path_, {}).ok());
  EXPECT_THAT(Tables(), IsEmpty());
}

TEST_F(CatalogDbTest, SaysWhichEntriesAnotherProgramHadCommitted) {
  const std::string ours = "file:///lake/shop/orders/metadata/v7.metadata.json";
  ASSERT_TRUE(RefreshCatalogDb(path_, {{"shop", "orders", ours}}).ok());
  Run("UPDATE iceberg_tables SET metadata_location = 'file:///lake/shop/orders/metadata/00001-ab.metadata.json'");
  const auto replaced = RefreshCatalogDb(path_, {{"shop", "orders", ours}});
  ASSERT_TRUE(replaced.ok()) << replaced.status().ToString();
  ASSERT_EQ(replaced->size(), 1u);
  EXPECT_EQ((*replaced)[0].name, "orders");
  EXPECT_THAT((*replaced)[0].metadata_location, HasSubstr("00001-ab"));
  EXPECT_THAT(*RefreshCatalogDb(path_, {{"shop", "orders", ours}}), IsEmpty());
  EXPECT_THAT(*RefreshCatalogDb(path_, {{"shop", "orders", "file:///lake/shop/orders/metadata/v8.metadata.json"}}),
              IsEmpty());
}

TEST_F(CatalogDbTest, ACatalogThatIsRightIsNotWritten) {
  ASSERT_TRUE(RefreshCatalogDb(path_, {{"shop", "orders", "file:///v1"}}).ok());
  const auto bytes = [&] {
    std::ifstream file(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = bytes();  // every write to a database counts up a number in its header
  EXPECT_TRUE(RefreshCatalogDb(path_, {{"shop", "orders", "file:///v1"}}).ok());
  EXPECT_EQ(bytes(), before);
  EXPECT_TRUE(RefreshCatalogDb(path_, {{"shop", "orders", "file:///v2"}}).ok());
  EXPECT_NE(bytes(), before);
}

TEST_F(CatalogDbTest, CatalogsOfOtherNamesAreLeftAlone) {
  ASSERT_TRUE(RefreshCatalogDb(path_, {{"shop", "orders", "file:///v1"}}).ok());
  Run("INSERT INTO iceberg_tables VALUES ('other', 'shop', 'orders', 'file:///x', NULL, 'TABLE')");
  ASSERT_TRUE(RefreshCatalogDb(path_, {}).ok());
  EXPECT_THAT(Tables(), ElementsAre("shop|orders|file:///x|null|TABLE"));
}

TEST_F(CatalogDbTest, AFileThatIsNoDatabaseIsCorruptionThatSaysWhatToDo) {
  std::ofstream(path_) << std::string(5000, 'x');
  const Status status = RefreshCatalogDb(path_, {{"shop", "orders", "file:///v1"}}).status();
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("remove it"));
}

TEST_F(CatalogDbTest, APlaceThatCannotBeWrittenIsAnError) {
  const Status status = RefreshCatalogDb(folder_.path() / "nowhere" / "catalog.db", {}).status();
  EXPECT_EQ(status.code(), Code::kPermissionDenied);
}

TEST_F(CatalogDbTest, WritersQueueUp) {
  std::vector<std::thread> threads;
  std::vector<Status> results(4);
  for (size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5 && results[i].ok(); ++round) {
        results[i] =
            RefreshCatalogDb(path_, {{"shop", "orders", "file:///" + std::to_string(i) + "-" + std::to_string(round)}})
                .status();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& result : results) EXPECT_TRUE(result.ok()) << result.ToString();
  EXPECT_EQ(Tables().size(), 1u);
}

}  // namespace
}  // namespace tidegate::table
