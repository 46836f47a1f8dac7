// Opening database files that are missing, foreign, broken, locked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"

namespace tidegate::engine {
namespace {

class DuckDbOpen : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  void MakeDatabase(const std::string& path) {
    auto db = DuckDb::Open(path, {});
    ASSERT_TRUE(db.ok()) << db.status().ToString();
    ASSERT_TRUE(db->Execute("CREATE TABLE t AS SELECT 1 AS x").ok());
  }

  static Code CodeOf(const std::string& path, bool read_only) {
    return DuckDb::Open(path, {.read_only = read_only}).status().code();
  }

  TempDirForTest temp_;
  const std::filesystem::path& folder_ = temp_.path();
};

TEST_F(DuckDbOpen, ReadOnlyReadsAndRefusesToWrite) {
  MakeDatabase(Path("a.db"));
  auto db = DuckDb::Open(Path("a.db"), {.read_only = true});
  ASSERT_TRUE(db.ok()) << db.status().ToString();
  EXPECT_EQ(db->QueryAll("SELECT x FROM t")->at(0).at(0), "1");
  EXPECT_EQ(db->Execute("INSERT INTO t VALUES (2)").code(), Code::kInvalidArgument);
  EXPECT_TRUE(db->Execute("CREATE TEMP TABLE u AS SELECT 1").ok());
}

TEST_F(DuckDbOpen, ReadOnlyOfAMissingFileIsNotFoundAndCreatesNothing) {
  EXPECT_EQ(CodeOf(Path("none.db"), true), Code::kNotFound);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(DuckDbOpen, AMissingFolderIsNotFound) { EXPECT_EQ(CodeOf(Path("no/such/a.db"), false), Code::kNotFound); }

TEST_F(DuckDbOpen, AFolderAndAnEmptyPathAreInvalid) {
  EXPECT_EQ(CodeOf(folder_.string(), true), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf("", false), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf(":memory:", true), Code::kInvalidArgument);
}

TEST_F(DuckDbOpen, AFileOfAnotherKindIsCorruption) {
  std::ofstream(Path("x.db")) << std::string(20'000, 'x');
  EXPECT_EQ(CodeOf(Path("x.db"), true), Code::kCorruption);
  EXPECT_EQ(CodeOf(Path("x.db"), false), Code::kCorruption);
  std::ofstream(Path("short.db")) << "PAR1";
  EXPECT_EQ(CodeOf(Path("short.db"), true), Code::kCorruption);
}

TEST_F(DuckDbOpen, ADatabaseWithABrokenHeaderIsCorruption) {
  MakeDatabase(Path("a.db"));
  std::fstream file(Path("a.db"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);
  file << "garbage over the header";
  file.close();
  EXPECT_EQ(CodeOf(Path("a.db"), true), Code::kCorruption);
}

TEST_F(DuckDbOpen, AFileThatAnotherProcessHoldsIsUnavailable) {
  MakeDatabase(Path("a.db"));
  int ready[2];
  int finish[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(finish), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::close(finish[1]);
    const auto db = DuckDb::Open(Path("a.db"), {.threads = 1});
    char byte = db.ok() ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
    (void)!::read(finish[0], &byte, 1);  // until the parent closes its end
    ::_exit(0);
  }
  char opened = 0;
  ASSERT_EQ(::read(ready[0], &opened, 1), 1);
  EXPECT_EQ(opened, 'y');
  EXPECT_EQ(CodeOf(Path("a.db"), true), Code::kUnavailable);
  EXPECT_EQ(CodeOf(Path("a.db"), false), Code::kUnavailable);
  for (const int fd : {ready[0], ready[1], finish[0], finish[1]}) ::close(fd);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(CodeOf(Path("a.db"), true), Code::kOk);
}

}  // namespace
}  // namespace tidegate::engine
