// The conformance suite against real servers. tests/servers/run_with.py starts them and says in the environment where
// they are: TIDEGATE_TEST_S3_<NAME> (the endpoint), …_KEY, …_SECRET, …_REGION, …_BUCKET. What a server does otherwise
// stands in its Deviations below.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tidegate/base/hash.h"
#include "tidegate/store/conformance_test_suite.h"
#include "tidegate/store/s3/s3_object_store.h"

namespace tidegate::store {
namespace {

class FixedCredentials final : public aws::CredentialsProvider {
 public:
  explicit FixedCredentials(aws::Credentials credentials) : credentials_(std::move(credentials)) {}
  Result<std::optional<aws::Credentials>> Get() override { return std::optional(credentials_); }
  void Refresh() override {}
  std::string Describe() const override { return "the test's keys"; }

 private:
  const aws::Credentials credentials_;
};

std::string Variable(const std::string& server, const char* what) {
  const char* value = std::getenv(("TIDEGATE_TEST_S3_" + server + what).c_str());
  return value == nullptr ? "" : value;
}

/// A place of its own in the server's bucket.
S3Settings SettingsOf(const std::string& server) {
  S3Settings settings;
  settings.bucket = Variable(server, "_BUCKET");
  settings.prefix = "conformance/" + NewUuid();
  settings.endpoint = Variable(server, "");
  settings.region = Variable(server, "_REGION");
  settings.credentials = std::make_shared<FixedCredentials>(
      aws::Credentials{.access_key_id = Variable(server, "_KEY"), .secret_access_key = Variable(server, "_SECRET")});
  return settings;
}

StoreUnderTest MakeS3(const std::string& server) {
  auto store = S3ObjectStore::Make(SettingsOf(server));
  if (!store.ok()) ADD_FAILURE() << store.status().ToString();
  return {nullptr, store.ok() ? std::shared_ptr<ObjectStore>(*std::move(store)) : nullptr};
}

StoreCase CaseOf(const std::string& name, const std::string& variable, Deviations deviations) {
  return {name, [variable] { return MakeS3(variable); }, deviations};
}

std::vector<StoreCase> Cases() {
  const std::vector<StoreCase> all = {
      CaseOf("SEAWEEDFS", "SEAWEEDFS", {.empty_folders_linger = true, .backslash_is_a_slash = true}),
      CaseOf("MOTO", "MOTO", {.copies_ignore_the_etag = true}),
      CaseOf("VERSITYGW", "VERSITYGW", {.keys_below_objects_refused = true, .folders_race = true}),
  };
  std::vector<StoreCase> started;
  for (const StoreCase& one : all) {
    if (!Variable(one.name, "").empty()) started.push_back(one);
  }
  return started;
}

INSTANTIATE_TEST_SUITE_P(S3, StoreConformanceTest, testing::ValuesIn(Cases()), StoreCaseName);

class S3ServerTest : public testing::TestWithParam<StoreCase> {};

INSTANTIATE_TEST_SUITE_P(S3, S3ServerTest, testing::ValuesIn(Cases()), StoreCaseName);

Status Increment(ObjectStore& store, const std::string& key) {
  while (true) {
    TG_ASSIGN_OR_RETURN(const FetchedObject seen, store.Fetch(key, 100));
    const auto swapped = store.Replace(key, std::to_string(std::stoi(seen.bytes) + 1), seen.info.etag);
    if (swapped.status().code() != Code::kPreconditionFailed) return swapped.status();
  }
}

TEST_P(S3ServerTest, SixteenProcessesLoseNoIncrement) {
  constexpr int kProcesses = 16, kIncrements = 200;
  if (GetParam().name == "MOTO") GTEST_SKIP() << "answers one request at a time";
  const S3Settings settings = SettingsOf(GetParam().name);
  std::vector<pid_t> children;
  {
    const auto store = S3ObjectStore::Make(settings);
    ASSERT_TRUE(store.ok() && (*store)->Put("counter", "0", PutMode::kOverwrite).ok());
  }
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const auto store = S3ObjectStore::Make(settings);
      Status status = store.status();
      for (int done = 0; status.ok() && done < kIncrements; ++done) status = Increment(**store, "counter");
      if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
      _exit(status.ok() ? 0 : 1);
    }
    ASSERT_GT(child, 0);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const auto store = S3ObjectStore::Make(settings);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(*(*store)->Read("counter", 100), std::to_string(kProcesses * kIncrements));
}

TEST_P(S3ServerTest, AnObjectOfManyPartsIsWholeAndCreatedOnce) {
  const auto store = S3ObjectStore::Make(SettingsOf(GetParam().name));
  ASSERT_TRUE(store.ok());
  const std::string bytes = PatternBytes(3 * kPartBytes + 12'345, 5);
  const auto write = [&]() -> Result<ObjectInfo> {
    TG_ASSIGN_OR_RETURN(auto writer, (*store)->NewWriter("big", PutMode::kCreateOnly));
    TG_RETURN_IF_ERROR(writer->Append(bytes));
    return writer->Finish();
  };
  const auto first = write();
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_EQ(first->etag, (*store)->Head("big")->etag);
  EXPECT_EQ(HashBytes(*(*store)->Read("big", UINT64_MAX)), HashBytes(bytes));
  const auto reader = (*store)->Open(*first);
  std::string out(bytes.size() - 1000, '\0');
  ASSERT_TRUE((*reader)->ReadAt(500, out).ok());
  EXPECT_EQ(HashBytes(out), HashBytes(std::string_view(bytes).substr(500, out.size())));
  const auto second = write();
  EXPECT_EQ(second.status().code(), Code::kAlreadyExists) << second.status().ToString();
  EXPECT_EQ((*store)->Head("big")->etag, first->etag);
}

TEST_P(S3ServerTest, MoreKeysThanAPageHoldsAreListedAndDeleted) {
  const auto made = S3ObjectStore::Make(SettingsOf(GetParam().name));
  ASSERT_TRUE(made.ok());
  S3ObjectStore& store = **made;
  constexpr int kKeys = 1'203;
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; ++i) keys.push_back("d" + std::to_string(i % 7) + "/k" + std::to_string(10'000 + i));
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int part = 0; part < 4; ++part) {
    threads.emplace_back([&, part] {
      for (int i = part; i < kKeys; i += 4) failures += store.Put(keys[i], "", PutMode::kCreateOnly).ok() ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(failures, 0);
  EXPECT_EQ(store.List({})->objects.size(), static_cast<size_t>(kKeys));
  EXPECT_EQ(store.List({.prefix = "", .delimited = true})->prefixes.size(), 7U);
  EXPECT_TRUE(store.Delete(keys).ok());
  EXPECT_TRUE(store.List({})->objects.empty());
}

TEST_P(S3ServerTest, AWrongBucketOrKeyIsNamedInTheError) {
  S3Settings settings = SettingsOf(GetParam().name);
  settings.bucket = "tidegate-no-such-bucket";
  const auto store = S3ObjectStore::Make(settings);
  ASSERT_TRUE(store.ok());
  const Status listed = (*store)->List({}).status();
  EXPECT_EQ(listed.code(), Code::kInvalidArgument);  // never "no such object"
  EXPECT_THAT(listed.message(), testing::HasSubstr("s3://tidegate-no-such-bucket"));
}

}  // namespace
}  // namespace tidegate::store
