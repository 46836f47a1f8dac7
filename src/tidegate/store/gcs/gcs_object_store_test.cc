#include "tidegate/store/gcs/gcs_object_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/store/gcs/gcs_listing.h"
#include "tidegate/store/gcs/test_fake_gcs.h"
#include "tidegate/store/local/local_object_store.h"
#include "tidegate/store/s3/test_fake_s3.h"

namespace tidegate::store {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string PatternOf(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 2654435761U >> 13);
  return bytes;
}

class GcsObjectStoreTest : public testing::Test {
 protected:
  GcsObjectStoreTest() { Make(server_.Settings()); }

  void Make(GcsSettings settings) {
    auto store = GcsObjectStore::Make(std::move(settings));
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = *std::move(store);
  }

  void Lay(const std::string& key, std::string_view bytes = "x") {
    ASSERT_TRUE(server_.objects().Put(key, bytes, PutMode::kOverwrite).ok());
  }

  /// Every request that has this in its line is answered so.
  void Strike(const std::string& part, const net::CannedReply& reply) {
    server_.SetFate([=](const std::string& line) {
      return line.find(part) == std::string::npos ? std::nullopt : std::optional(reply);
    });
  }

  size_t Count(std::string_view part) const {
    const auto log = server_.log();
    return static_cast<size_t>(
        std::count_if(log.begin(), log.end(), [&](const std::string& line) { return line.find(part) != line.npos; }));
  }

  std::vector<std::string> Keys(const ListRequest& request) {
    const auto listing = store_->List(request);
    EXPECT_TRUE(listing.ok()) << listing.status().ToString();
    std::vector<std::string> out;
    if (!listing.ok()) return out;
    for (const ObjectInfo& object : listing->objects) out.push_back(object.key);
    return out;
  }

  FakeGcs server_{3};
  std::unique_ptr<GcsObjectStore> store_;
};

TEST_F(GcsObjectStoreTest, SaysWhereItIs) {
  Make(server_.Settings("some/prefix"));
  EXPECT_EQ(store_->url(), "gs://bucket/some/prefix");
  EXPECT_EQ(store_->Location("v2/k"), "gs://bucket/some/prefix/v2/k");
  Lay("some/prefix/v2/k");
  Lay("some/prefix-too/k");
  EXPECT_THAT(Keys({}), ElementsAre("v2/k"));
}

TEST_F(GcsObjectStoreTest, ABucketThatIsNotThereIsAnErrorAndAnEmptyOneIsNot) {
  EXPECT_THAT(Keys({}), IsEmpty());
  EXPECT_THAT(Keys({.prefix = "v1/_manifests/"}), IsEmpty());
  GcsSettings settings = server_.Settings();
  settings.bucket = "elsewhere";
  Make(settings);
  for (const char* prefix : {"", "v2/_manifests/"}) {
    const Status status = store_->List({.prefix = prefix}).status();
    EXPECT_EQ(status.code(), Code::kNotFound);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("'gs://elsewhere'"), HasSubstr("there is no such bucket: check")));
  }
  EXPECT_EQ(store_->Head("k").status().code(), Code::kNotFound);
  EXPECT_EQ(store_->Read("k", 1).status().code(), Code::kNotFound);
}

TEST_F(GcsObjectStoreTest, WhoMayListAndNotLookAtTheBucketListsAnEmptyOne) {
  server_.SetFate([](const std::string& line) {
    return line == "GET /storage/v1/b/bucket" ? std::optional(FakeGcs::Error(403, "no storage.buckets.get"))
                                              : std::nullopt;
  });
  EXPECT_THAT(Keys({}), IsEmpty());
}

TEST_F(GcsObjectStoreTest, TheBucketIsLookedForOnce) {
  EXPECT_THAT(Keys({.prefix = "v2/"}), IsEmpty());
  const size_t first = server_.log().size();
  EXPECT_THAT(Keys({.prefix = "v2/"}), IsEmpty());
  EXPECT_EQ(server_.log().size(), first + 1);
}

TEST_F(GcsObjectStoreTest, ListsNoMoreThanTheFolderOfThePrefix) {
  for (const char* key : {"v1/a", "v2/t/1", "v2/t/2", "v2/u/1"}) Lay(key);
  EXPECT_THAT(Keys({.prefix = "v2/t/"}), ElementsAre("v2/t/1", "v2/t/2"));
  EXPECT_THAT(server_.log().back(), HasSubstr("prefix=v2%2Ft%2F"));
  EXPECT_EQ(FolderOfPrefix("v2/t/etl_date="), "v2/t");
  EXPECT_EQ(FolderOfPrefix("v2/t/"), "v2/t");
  EXPECT_EQ(FolderOfPrefix("v2"), "");
}

TEST_F(GcsObjectStoreTest, NamesOutsideTheRulesAreRefusedAndMarksOfFoldersPassedOver) {
  Lay("a/b");
  for (const char* key : {"a//x", "a/./x", "a/\nx", "empty/"}) server_.LayOddKey(key);
  const auto all = store_->List({});
  ASSERT_TRUE(all.ok()) << all.status().ToString();
  EXPECT_THAT(all->refused, ElementsAre("a/\nx", "a/./x", "a//x"));
  ASSERT_EQ(all->objects.size(), 1U);
  const auto folded = store_->List({.prefix = "a/", .delimited = true});
  EXPECT_THAT(folded->refused, ElementsAre("a/\nx", "a/./", "a//"));
  EXPECT_THAT(Keys({.prefix = "a//"}), IsEmpty());
}

TEST_F(GcsObjectStoreTest, CountsWhatItAsks) {
  for (int i = 0; i < 4; ++i) Lay("k" + std::to_string(i));
  EXPECT_EQ(Keys({}).size(), 4U);
  ASSERT_TRUE(store_->Head("k1").ok());
  ASSERT_TRUE(store_->Read("k1", 10).ok());
  const GcsRequestCount sent = store_->Sent();
  EXPECT_EQ(sent.lists, 1U);  // as Google's pages are: the fake's are smaller
  EXPECT_EQ(sent.heads, 2U);
  EXPECT_EQ(sent.gets, 1U);
}

TEST_F(GcsObjectStoreTest, SmallReadsShareRequests) {
  const std::string bytes = PatternOf(3'000'000);
  Lay("k", bytes);
  const auto reader = OpenCurrent(*store_, "k");
  ASSERT_TRUE(reader.ok());
  std::string out(1000, '\0');
  for (const uint64_t offset : {2'999'000U, 2'998'000U, 2'900'000U, 2'800'000U}) {
    ASSERT_EQ(*(*reader)->ReadAt(offset, out), 1000U);
    EXPECT_TRUE(out == bytes.substr(offset, 1000)) << offset;
  }
  EXPECT_EQ(store_->Sent().gets, 2U);  // the stream that opening begins, and one range
  for (uint64_t offset = 0; offset < bytes.size(); offset += 1000) {
    ASSERT_EQ(*(*reader)->ReadAt(offset, out), 1000U);
    ASSERT_TRUE(out == bytes.substr(offset, 1000)) << offset;
  }
  EXPECT_EQ(store_->Sent().gets, 2U);                    // the stream went on from where it stood
  ASSERT_EQ(*(*reader)->ReadAt(1'500'000, out), 1000U);  // and at its end nothing is closed
  EXPECT_TRUE(out == bytes.substr(1'500'000, 1000));
}

TEST_F(GcsObjectStoreTest, AWholeObjectIsReadInOneRequest) {
  const std::string bytes = PatternOf(9'000'001);
  Lay("big", bytes);
  const TempDirForTest folder;
  auto local = LocalObjectStore::Make(folder.path(), {});
  ASSERT_TRUE(local.ok());
  AdoptMethod method = AdoptMethod::kHardLink;
  const auto adopted = (*local)->Adopt(*store_, *store_->Head("big"), "copy", &method);
  ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
  EXPECT_EQ(method, AdoptMethod::kCopy);
  EXPECT_TRUE(*(*local)->Read("copy", UINT64_MAX) == bytes);
  EXPECT_EQ(Count("alt=media"), 1U);
}

TEST_F(GcsObjectStoreTest, ABucketOfS3TakesItsObjects) {
  Lay("k", "bytes");
  auto server = std::make_shared<FakeS3>();
  auto bucket = S3ObjectStore::Make(FakeS3Settings(), server);
  ASSERT_TRUE(bucket.ok());
  AdoptMethod method = AdoptMethod::kServerCopy;
  ASSERT_TRUE((*bucket)->Adopt(*store_, *store_->Head("k"), "copy", &method).ok());
  EXPECT_EQ(method, AdoptMethod::kCopy);
  EXPECT_EQ(server->objects().at("copy").bytes, "bytes");
}

TEST_F(GcsObjectStoreTest, NothingIsWritten) {
  Lay("k", "old");
  MemoryObjectStore from;
  AdoptMethod method;
  const std::vector<Status> all = {store_->NewWriter("k", PutMode::kOverwrite).status(),
                                   store_->Put("k", "new", PutMode::kOverwrite).status(),
                                   store_->Replace("k", "new", "etag").status(),
                                   store_->Delete({"k"}),
                                   store_->Adopt(from, {.key = "a"}, "k", &method).status(),
                                   store_->RequestRestore("k", {})};
  for (const Status& status : all) {
    EXPECT_EQ(status.code(), Code::kUnsupported) << status.ToString();
  }
  EXPECT_THAT(all.front().message(),
              AllOf(HasSubstr("gs://bucket/k"), HasSubstr("Keep the lake in a folder or in S3")));
  EXPECT_EQ(*store_->Read("k", 10), "old");
}

TEST_F(GcsObjectStoreTest, ErrorsSayWhatToDo) {
  Lay("k");
  const struct {
    int http;
    Code code;
    const char* advice;
  } kCases[] = {{401, Code::kUnauthenticated, "gcloud auth application-default login"},
                {403, Code::kPermissionDenied, "Storage Object Viewer"},
                {400, Code::kInvalidArgument, "check the URL"}};
  for (const auto& expected : kCases) {
    Strike("/o", FakeGcs::Error(expected.http, "said by the test"));
    for (const Status& status :
         {store_->List({}).status(), store_->Head("k").status(), store_->Open({.key = "k"}).status()}) {
      EXPECT_EQ(status.code(), expected.code) << status.ToString();
      EXPECT_THAT(status.message(),
                  AllOf(HasSubstr("'gs://bucket/"), HasSubstr(expected.advice), HasSubstr("said by the test")));
      EXPECT_THAT(status.message(), Not(HasSubstr("error_info")));
    }
  }
}

TEST_F(GcsObjectStoreTest, AServerThatStaysAwayIsUnavailable) {
  Strike("/o", FakeGcs::Error(503, "said by the test"));
  const Status status = store_->List({}).status();
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("run the command again; the server or its library says 'said by the test'"));
}

TEST_F(GcsObjectStoreTest, AFaultThatPassesIsNotSeen) {
  Lay("k", "bytes");
  Make([&] {
    GcsSettings settings = server_.Settings();
    settings.retry_limit_seconds = 20;
    return settings;
  }());
  server_.SetFate([left = 1](const std::string&) mutable {
    return left-- > 0 ? std::optional(FakeGcs::Error(503, "later")) : std::nullopt;
  });
  EXPECT_EQ(*store_->Read("k", 10), "bytes");
}

TEST_F(GcsObjectStoreTest, AfterACancelNothingIsAsked) {
  Lay("k", PatternOf(3'000'000));
  CancelFlag cancel;
  GcsSettings settings = server_.Settings();
  settings.cancel = &cancel;
  Make(settings);
  const auto reader = OpenCurrent(*store_, "k");
  ASSERT_TRUE(reader.ok());
  cancel.Cancel();
  const size_t before = server_.log().size();
  char byte = 0;
  for (const Status& status :
       {store_->List({}).status(), store_->Head("k").status(), store_->Read("k", 1).status(),
        store_->Open({.key = "k"}).status(), (*reader)->ReadAt(2'000'000, {&byte, 1}).status()}) {
    EXPECT_EQ(status.code(), Code::kCancelled);
  }
  EXPECT_EQ(server_.log().size(), before);
}

TEST(GcsSettingsTest, AUrlNamesABucketAndAPrefix) {
  EXPECT_EQ(ParseGsUrl("gs://bucket")->bucket, "bucket");
  EXPECT_EQ(ParseGsUrl("gs://bucket/a/b/")->prefix, "a/b");
  for (const char* url :
       {"gs://", "gs://ab", "gs://No", "gs:///a", "gs://bucket/a//b", "gs://bucket/../b", "s3://bucket"})
    EXPECT_EQ(ParseGsUrl(url).status().code(), Code::kInvalidArgument) << url;
}

TEST(GcsSettingsTest, NoTokenGoesOverPlainHttp) {
  GcsSettings settings;
  EXPECT_FALSE(AsksAnonymously(settings));
  settings.endpoint = "https://host";
  EXPECT_FALSE(AsksAnonymously(settings));
  settings.endpoint = "http://host";
  EXPECT_TRUE(AsksAnonymously(settings));
  EXPECT_NE(DescribeGcsIdentity({}), DescribeGcsIdentity(settings));
}

TEST(GcsSettingsTest, TheEndpointIsTheOneAskedForElseTheEmulators) {
  std::map<std::string, std::string> variables;
  const auto lookup = [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  EXPECT_EQ(*ResolveGcsEndpoint("", lookup), "");
  EXPECT_EQ(*ResolveGcsEndpoint("https://host/", lookup), "https://host");
  EXPECT_EQ(ResolveGcsEndpoint("host", lookup).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(ResolveGcsEndpoint("https://host/path", lookup).status().code(), Code::kInvalidArgument);
  variables["CLOUD_STORAGE_EMULATOR_ENDPOINT"] = "http://127.0.0.1:4443";
  EXPECT_EQ(*ResolveGcsEndpoint("", lookup), "http://127.0.0.1:4443");
  EXPECT_EQ(*ResolveGcsEndpoint("http://127.0.0.1:4443/", lookup), "http://127.0.0.1:4443");
  EXPECT_THAT(ResolveGcsEndpoint("https://host", lookup).status().message(), HasSubstr("unset the variable"));
}

}  // namespace
}  // namespace tidegate::store
