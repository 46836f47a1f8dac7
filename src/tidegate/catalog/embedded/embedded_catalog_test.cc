#include "tidegate/catalog/embedded/embedded_catalog.h"

#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/catalog/conformance_test_suite.h"

namespace tidegate::catalog {
namespace {

using ::testing::HasSubstr;

OpenCatalog MakeEmbedded() {
  auto folder = std::make_shared<TempDirForTest>();
  return [folder]() -> std::unique_ptr<HiveCatalog> {
    auto catalog = EmbeddedCatalog::Open((folder->path() / "hive.db").string());
    if (!catalog.ok()) {
      ADD_FAILURE() << catalog.status().ToString();
      return nullptr;
    }
    return *std::move(catalog);
  };
}

INSTANTIATE_TEST_SUITE_P(Embedded, CatalogConformanceTest, testing::Values(CatalogCase{"embedded", MakeEmbedded}),
                         CatalogCaseName);

TEST(EmbeddedCatalogTest, ACatalogOfANewerVersionIsRefused) {
  const TempDirForTest folder;
  const std::string path = (folder.path() / "hive.db").string();
  ASSERT_TRUE(EmbeddedCatalog::Open(path).ok());
  auto db = sqlite::Database::Open(path, "");
  ASSERT_TRUE(db->Execute("UPDATE hive_catalog SET format = '2'").ok());
  const auto refused = EmbeddedCatalog::Open(path);
  EXPECT_EQ(refused.status().code(), Code::kUnsupported);
  EXPECT_THAT(refused.status().message(), HasSubstr("newer tidegate"));
}

TEST(EmbeddedCatalogTest, ADamagedEntryIsAnErrorThatNamesTheTable) {
  const TempDirForTest folder;
  const std::string path = (folder.path() / "hive.db").string();
  const auto catalog = EmbeddedCatalog::Open(path);
  ASSERT_TRUE((*catalog)->CreateTable({.name = {"a", "b"}}).ok());
  auto db = sqlite::Database::Open(path, "");
  ASSERT_TRUE(db->Execute("UPDATE hive_tables SET columns = '[1]'").ok());
  const auto table = (*catalog)->GetTable({"a", "b"});
  EXPECT_EQ(table.status().code(), Code::kCorruption);
  EXPECT_THAT(table.status().message(), HasSubstr("'a.b'"));
}

}  // namespace
}  // namespace tidegate::catalog
