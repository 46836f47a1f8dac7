#include "tidegate/publish/run_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::publish {
namespace {

using ::testing::HasSubstr;

RunManifest Example() {
  RunManifest out;
  out.table = {"sales", "daily"};
  out.partition = {"2026-11-01", std::nullopt};
  out.run = "20261102T140501Z-1a2b3c";
  out.created = *ParseRfc3339("2026-11-02T14:05:01Z");
  out.files = {{"part-00000.parquet", 812, 100}, {"part-00001.parquet", 8, 20}};
  out.columns = {{"id", "bigint"}};
  out.signature = "s";
  out.previous = "s3://b/x";
  out.lease = 7;
  out.audits = {{"min_rows 1", "120 rows", true}};
  out.tool = "tidegate";
  return out;
}

TEST(RunManifestTest, IsReadBack) {
  const RunManifest wanted = Example();
  const auto read = ReadRunManifest(WriteRunManifest(wanted));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->table, wanted.table);
  EXPECT_EQ(read->partition, wanted.partition);
  EXPECT_EQ(read->files, wanted.files);
  EXPECT_EQ(read->columns, wanted.columns);
  EXPECT_EQ(read->audits, wanted.audits);
  EXPECT_EQ(read->created, wanted.created);
  EXPECT_EQ(read->lease, 7);
  EXPECT_EQ(read->rows(), 120);
  EXPECT_EQ(WriteRunManifest(*read), WriteRunManifest(wanted));
}

TEST(RunManifestTest, ABrokenOneIsAnError) {
  const std::string good = WriteRunManifest(Example());
  EXPECT_EQ(ReadRunManifest("").status().code(), Code::kCorruption);
  EXPECT_EQ(ReadRunManifest("[]").status().code(), Code::kCorruption);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return ReadRunManifest(text).status();
  };
  EXPECT_EQ(with("\"format\":1", "\"format\":2").code(), Code::kUnsupported);
  EXPECT_THAT(with("part-00000.parquet", "../x").message(), HasSubstr("not a file of a run"));
  EXPECT_THAT(with("\"rows\":100", "\"rows\":-1").message(), HasSubstr("not a file of a run"));
  EXPECT_THAT(with("20261102T140501Z-1a2b3c", "x").message(), HasSubstr("not the id of a run"));
  EXPECT_THAT(with("sales.daily", "daily").message(), HasSubstr("not the name of a table"));
  EXPECT_FALSE(with("\"2026-11-01\"", "1").ok());
}

}  // namespace
}  // namespace tidegate::publish
