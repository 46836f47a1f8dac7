#include "tidegate/sqlite/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tidegate/base/temp_dir_for_test.h"

namespace tidegate::sqlite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DatabaseTest, KeepsTextsAsTheyAre) {
  const TempDirForTest folder;
  auto db = Database::Open((folder.path() / "a.db").string(), "remove it");
  ASSERT_TRUE(db.ok()) << db.status().ToString();
  ASSERT_TRUE(db->Execute("CREATE TABLE t (a TEXT, b TEXT); INSERT INTO t VALUES ('x', NULL)").ok());
  const std::string odd("it's \0 \"odd\"", 12);
  ASSERT_TRUE(db->Run("INSERT INTO t VALUES (?1, ?2)", {odd, "é"}).ok());
  EXPECT_EQ(db->Changes(), 1);
  EXPECT_THAT(*db->Query("SELECT a, b FROM t ORDER BY b", {}),
              ElementsAre(ElementsAre("x", ""), ElementsAre(odd, "é")));
  ASSERT_TRUE(db->Run("DELETE FROM t WHERE a = ?1", {"y"}).ok());
  EXPECT_EQ(db->Changes(), 0);
}

TEST(DatabaseTest, AFileThatIsNoDatabaseComesWithAdvice) {
  const TempDirForTest folder;
  std::ofstream(folder.path() / "a.db") << std::string(5000, 'x');
  auto db = Database::Open((folder.path() / "a.db").string(), "remove it");
  ASSERT_TRUE(db.ok());
  const Status status = db->Execute("CREATE TABLE t (a TEXT)");
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr(": remove it"));
}

}  // namespace
}  // namespace tidegate::sqlite
