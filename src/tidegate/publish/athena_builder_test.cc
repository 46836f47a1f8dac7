// AthenaBuilder against an Athena that answers as a script says, and files that another engine has written. What is
// believed of Athena, and what is not. The whole way is in tests/servers/test_athena.py.
#include "tidegate/publish/athena_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "tidegate/athena/test_athena.h"
#include "tidegate/publish/duckdb_builder.h"
#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::publish {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFolder = "day=1/run=20261102T140501Z-1a2b3c";

/// In memory, and called S3.
class CalledS3 final : public store::ObjectStore {
 public:
  std::string url() const override { return "s3://warehouse"; }
  std::string Location(std::string_view key) const override { return "s3://warehouse/" + std::string(key); }
  Result<store::Listing> List(const store::ListRequest& request) override { return inner_.List(request); }
  Result<store::ObjectInfo> Head(std::string_view key) override { return inner_.Head(key); }
  Result<std::unique_ptr<store::RandomReader>> Open(const store::ObjectInfo& seen) override {
    return inner_.Open(seen);
  }
  Result<store::FetchedObject> Fetch(std::string_view key, uint64_t max_bytes) override {
    return inner_.Fetch(key, max_bytes);
  }
  Result<std::unique_ptr<store::ObjectWriter>> NewWriter(std::string_view key, store::PutMode mode) override {
    return inner_.NewWriter(key, mode);
  }
  Result<store::ObjectInfo> Put(std::string_view key, std::string_view bytes, store::PutMode mode) override {
    return inner_.Put(key, bytes, mode);
  }
  Status Delete(const std::vector<std::string>& keys) override { return inner_.Delete(keys); }
  Status Sync() override { return inner_.Sync(); }
  Result<store::ObjectInfo> Adopt(store::ObjectStore& from, const store::ObjectInfo& source, std::string_view key,
                                  store::AdoptMethod* method) override {
    return inner_.Adopt(from, source, key, method);
  }

 private:
  store::MemoryObjectStore inner_;
};

class AthenaBuilderTest : public testing::Test {
 protected:
  /// Athena's part: files of so many rows.
  void Wrote(int rows) {
    auto db = OpenSource("", {.threads = 1});
    ASSERT_TRUE(db.ok());
    DuckDbBuilder engine(*std::move(db), {});
    ASSERT_TRUE(engine.Begin("SELECT i AS id FROM range(" + std::to_string(rows) + ") t(i)").ok());
    const auto files = engine.Write(store_, kFolder);
    ASSERT_TRUE(files.ok()) << files.status().ToString();
    for (const RunFile& file : *files) manifest_ += store_.Location(std::string(kFolder) + "/" + file.name) + "\n";
  }

  std::string Reply(const std::string& operation, const std::string& body) {
    const std::lock_guard lock(mutex_);
    if (operation == "StartQueryExecution") started_ = body;
    if (operation == "StartQueryExecution") return R"({"QueryExecutionId": "q-1"})";
    if (operation == "GetQueryResults") return counted_;
    return R"({"QueryExecution": {"Status": {"State": "SUCCEEDED"}, "ResultConfiguration": {"OutputLocation": "s3://r/q-1"}}})";
  }

  Result<std::vector<RunFile>> Write() {
    const auto client = athena_.Client();
    AthenaBuilder builder({.client = *client,
                           .db = *OpenSource("", {.threads = 1}),
                           .compression = "snappy",
                           .let_read = [](engine::DuckDb&) { return Status(); },
                           .read_object = [this](const std::string& location, uint64_t) -> Result<std::string> {
                             read_ = location;
                             if (manifest_ == "none") return NotFound("no such object");
                             return manifest_;
                           },
                           .engine_path = [](const std::string& location) { return Result<std::string>(location); }});
    EXPECT_FALSE(builder.Begin("SELECT id FROM t")->has_value());
    return builder.Write(store_, kFolder);
  }

  CalledS3 store_;
  std::string manifest_, read_, counted_ = "{}";
  std::mutex mutex_;
  std::string started_;
  athena::TestAthena athena_{
      [this](const std::string& operation, const std::string& body) { return Reply(operation, body); }};
};

TEST_F(AthenaBuilderTest, FilesAreThoseOfTheManifestWithTheRowsOfTheirFooters) {
  Wrote(7);
  counted_ = R"({"UpdateCount": 7})";
  const auto files = Write();
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().rows, 7);
  EXPECT_EQ(files->front().name, "part-00000.parquet");
  EXPECT_EQ(read_, "s3://r/q-1-manifest.csv");
  EXPECT_THAT(started_, HasSubstr("TO 's3://warehouse/day=1/run=20261102T140501Z-1a2b3c/'"));
}

TEST_F(AthenaBuilderTest, AFileThatTheManifestDoesNotNameIsAnError) {
  Wrote(7);
  ASSERT_TRUE(store_.Put(std::string(kFolder) + "/deeper/theirs", "x", store::PutMode::kOverwrite).ok());
  const auto files = Write();
  EXPECT_EQ(files.status().code(), Code::kCorruption);
  EXPECT_THAT(files.status().message(), HasSubstr("deeper/theirs"));
}

TEST_F(AthenaBuilderTest, AFileThatOnlyTheManifestNamesIsAnError) {
  Wrote(7);
  manifest_ += "s3://warehouse/day=1/run=20261102T140501Z-1a2b3c/lost\n";
  EXPECT_THAT(Write().status().message(), HasSubstr("which is not there"));
}

TEST_F(AthenaBuilderTest, AManifestThatCannotBeReadIsAnError) {
  Wrote(7);
  manifest_ = "none";
  EXPECT_THAT(Write().status().message(), HasSubstr("readers stay where they are: no such object"));
  manifest_ = "<html>";
  EXPECT_EQ(Write().status().code(), Code::kCorruption);
}

TEST_F(AthenaBuilderTest, AFileThatIsNoParquetIsAnError) {
  const std::string key = std::string(kFolder) + "/file";
  ASSERT_TRUE(store_.Put(key, "no Parquet", store::PutMode::kOverwrite).ok());
  manifest_ = store_.Location(key) + "\n";
  const auto files = Write();
  EXPECT_EQ(files.status().code(), Code::kCorruption);
  EXPECT_THAT(files.status().message(), HasSubstr("a file that Athena wrote"));
}

TEST_F(AthenaBuilderTest, OtherRowsThanAthenaCountedAreAnError) {
  Wrote(7);
  counted_ = R"({"UpdateCount": 8})";
  EXPECT_THAT(Write().status().message(), HasSubstr("Athena counted 8 rows in query 'q-1', its files hold 7"));
}

TEST_F(AthenaBuilderTest, NoFileMeansNoRows) {
  const auto files = Write();
  EXPECT_EQ(files.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(files.status().message(), HasSubstr("the SELECT gave no rows"));
}

}  // namespace
}  // namespace tidegate::publish
