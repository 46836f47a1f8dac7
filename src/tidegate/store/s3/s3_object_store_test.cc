#include "tidegate/store/s3/s3_object_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/store/memory/memory_object_store.h"
#include "tidegate/store/s3/test_fake_s3.h"

namespace tidegate::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Fate = FakeS3::Fate;

class S3ObjectStoreTest : public testing::Test {
 protected:
  S3ObjectStoreTest() { Make(FakeS3Settings()); }

  void Make(S3Settings settings) {
    auto store = S3ObjectStore::Make(std::move(settings), server_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = *std::move(store);
  }

  /// The n-th request (from 1) that `when` picks meets this fate.
  void Strike(std::function<bool(const net::HttpRequest&)> when, Fate fate, int nth = 1) {
    server_->fate = [when = std::move(when), fate, left = nth](const net::HttpRequest& request) mutable {
      return when(request) && --left == 0 ? fate : Fate{};
    };
  }

  static bool IsPut(const net::HttpRequest& request) { return request.method == "PUT"; }
  static bool IsComplete(const net::HttpRequest& request) {
    return request.method == "POST" && request.query.starts_with("uploadId=");
  }

  Result<ObjectInfo> WriteParts(PutMode mode) {
    TG_ASSIGN_OR_RETURN(auto writer, store_->NewWriter("k", mode));
    TG_RETURN_IF_ERROR(writer->Append(std::string(kPartBytes + 10, 'x')));
    return writer->Finish();
  }

  std::shared_ptr<FakeS3> server_ = std::make_shared<FakeS3>();
  std::unique_ptr<S3ObjectStore> store_;
};

TEST_F(S3ObjectStoreTest, SaysWhereItIs) {
  S3Settings settings = FakeS3Settings();
  settings.prefix = "some/prefix";
  Make(settings);
  EXPECT_EQ(store_->url(), "s3://bucket/some/prefix");
  EXPECT_EQ(store_->Location("v2/k"), "s3://bucket/some/prefix/v2/k");
  ASSERT_TRUE(store_->Put("v2/k", "x", PutMode::kOverwrite).ok());
  EXPECT_TRUE(server_->objects().contains("some/prefix/v2/k"));
  EXPECT_EQ(store_->List({})->objects.front().key, "v2/k");
}

TEST_F(S3ObjectStoreTest, ALostReplyToACreateIsResolvedByReading) {
  Strike(IsPut, {.reply_lost = true});
  EXPECT_TRUE(store_->Put("k", "mine", PutMode::kCreateOnly).ok());  // the second attempt found our own object
  EXPECT_EQ(server_->generations(), 1);
  EXPECT_EQ(store_->Put("k", "mine", PutMode::kCreateOnly).status().code(), Code::kAlreadyExists);
}

TEST_F(S3ObjectStoreTest, EqualBytesOfAnotherWriterAreNotOurs) {
  ASSERT_TRUE(store_->Put("k", "same", PutMode::kCreateOnly).ok());
  Strike(IsPut, {.reaches_server = false});
  EXPECT_EQ(store_->Put("k", "same", PutMode::kCreateOnly).status().code(), Code::kAlreadyExists);
}

TEST_F(S3ObjectStoreTest, ALostReplyToAReplaceIsResolvedByReading) {
  const ObjectInfo first = *store_->Put("k", "1", PutMode::kOverwrite);
  Strike(IsPut, {.reply_lost = true});
  const auto second = store_->Replace("k", "2", first.etag);
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_EQ(second->etag, store_->Head("k")->etag);
  EXPECT_EQ(server_->generations(), 2);
}

TEST_F(S3ObjectStoreTest, WhereTheServerStaysSilentTheOutcomeOfACreateIsUnknown) {
  server_->fate = [](const net::HttpRequest& request) { return Fate{.reaches_server = !IsPut(request)}; };
  EXPECT_EQ(store_->Put("k", "x", PutMode::kCreateOnly).status().code(), Code::kUnknownOutcome);
  EXPECT_EQ(store_->Put("k", "x", PutMode::kOverwrite).status().code(), Code::kUnavailable);
}

TEST_F(S3ObjectStoreTest, AnUploadWhoseLastReplyWasLostIsFinishedOnce) {
  for (const PutMode mode : {PutMode::kOverwrite, PutMode::kCreateOnly}) {
    server_->objects().clear();
    const int before = server_->generations();
    Strike(IsComplete, {.reply_lost = true});
    const auto info = WriteParts(mode);
    ASSERT_TRUE(info.ok()) << info.status().ToString();
    EXPECT_EQ(server_->generations(), before + 1);
    EXPECT_EQ(info->etag, store_->Head("k")->etag);
    EXPECT_EQ(server_->open_uploads(), 0U);
    EXPECT_EQ(server_->Count("uploads="), mode == PutMode::kOverwrite ? 1U : 2U);  // one for each object
  }
}

TEST_F(S3ObjectStoreTest, AnUploadThatFailsLeavesNothing) {
  Strike(IsPut, {.reply = FakeS3::Error(403, "AccessDenied")}, 2);
  EXPECT_EQ(WriteParts(PutMode::kOverwrite).status().code(), Code::kPermissionDenied);
  EXPECT_EQ(server_->open_uploads(), 0U);
  EXPECT_TRUE(server_->objects().empty());
}

TEST_F(S3ObjectStoreTest, CompleteMayFailWithStatus200) {
  net::HttpReply reply = FakeS3::Error(200, "InternalError");
  Strike(IsComplete, {.reply = reply});
  EXPECT_FALSE(WriteParts(PutMode::kOverwrite).ok());
  EXPECT_EQ(server_->open_uploads(), 0U);
}

// Seen of a server that takes the size from one look at its file and the ETag from a second one: "10" was read as "1".
TEST_F(S3ObjectStoreTest, WhereALookMixedTwoGenerationsNeitherIsRead) {
  const ObjectInfo now = *store_->Put("k", "10", PutMode::kOverwrite);
  for (const uint64_t size_bytes : {1, 3}) {
    const auto reader = store_->Open({.key = "k", .size_bytes = size_bytes, .etag = now.etag});
    ASSERT_TRUE(reader.ok());
    std::string text(size_bytes, '\0');
    EXPECT_EQ((*reader)->ReadAt(0, text).status().code(), Code::kPreconditionFailed) << size_bytes;
  }
}

TEST_F(S3ObjectStoreTest, AWholeObjectIsFetchedInOneRequest) {
  const ObjectInfo written = *store_->Put("k", "10", PutMode::kOverwrite);
  const size_t before = server_->log().size();
  const auto object = store_->Fetch("k", 10);
  ASSERT_TRUE(object.ok()) << object.status().ToString();
  EXPECT_EQ(server_->log().size(), before + 1);
  EXPECT_EQ(object->bytes, "10");
  EXPECT_EQ(object->info.etag, written.etag);
  EXPECT_EQ(object->info.size_bytes, 2U);
}

TEST_F(S3ObjectStoreTest, PassingFaultsAreTriedAgain) {
  ASSERT_TRUE(store_->Put("k", "x", PutMode::kOverwrite).ok());
  for (const auto& [status, code] : std::vector<std::pair<int, std::string>>{{500, "InternalError"},
                                                                             {503, "SlowDown"},
                                                                             {429, ""},
                                                                             {503, ""},
                                                                             {400, "RequestTimeout"},
                                                                             {409, "OperationAborted"},
                                                                             {400, "BadDigest"},
                                                                             {400, "XAmzContentSHA256Mismatch"},
                                                                             {400, "IncompleteBody"}}) {
    Strike([](const net::HttpRequest&) { return true; }, {.reply = FakeS3::Error(status, code)});
    EXPECT_EQ(*store_->Read("k", 10), "x") << status << code;
  }
  Strike([](const net::HttpRequest&) { return true; }, {.reaches_server = false});
  EXPECT_EQ(*store_->Read("k", 10), "x");
}

TEST_F(S3ObjectStoreTest, AFaultThatStaysEndsAfterAFewAttempts) {
  server_->fate = [](const net::HttpRequest&) { return Fate{.reply = FakeS3::Error(503, "SlowDown")}; };
  const Status failed = store_->Read("k", 10).status();
  EXPECT_EQ(failed.code(), Code::kUnavailable);
  EXPECT_THAT(failed.message(), HasSubstr("s3://bucket/k"));
  EXPECT_EQ(server_->log().size(), 4U);
}

TEST_F(S3ObjectStoreTest, RefusalsAreNotTriedAgainAndSayWhatToDo) {
  const std::vector<std::tuple<int, std::string, Code, std::string>> cases = {
      {403, "AccessDenied", Code::kPermissionDenied, "docs/permissions.md"},
      {403, "InvalidAccessKeyId", Code::kUnauthenticated, "profile"},
      {403, "SignatureDoesNotMatch", Code::kUnauthenticated, "secret key"},
      {403, "InvalidObjectState", Code::kFrozen, "tidegate restore"},
      {404, "NoSuchBucket", Code::kInvalidArgument, "s3://bucket'"},
      {404, "NoSuchKey", Code::kNotFound, "s3://bucket/k"},
      {501, "NotImplemented", Code::kUnsupported, "cannot do that"}};
  for (const auto& [status, code, expected, advice] : cases) {
    const size_t before = server_->log().size();
    server_->fate = [&](const net::HttpRequest&) { return Fate{.reply = FakeS3::Error(status, code)}; };
    const Status failed = store_->Read("k", 10).status();
    EXPECT_EQ(failed.code(), expected) << code;
    EXPECT_THAT(failed.message(), HasSubstr(advice));
    EXPECT_EQ(server_->log().size(), before + 1) << code;
  }
}

TEST_F(S3ObjectStoreTest, ExpiredKeysAreFetchedAnewOnce) {
  S3Settings settings = FakeS3Settings();
  const auto keys = std::make_shared<KeysForTest>();
  settings.credentials = keys;
  Make(settings);
  ASSERT_TRUE(store_->Put("k", "x", PutMode::kOverwrite).ok());
  Strike([](const net::HttpRequest&) { return true; }, {.reply = FakeS3::Error(400, "ExpiredToken")});
  EXPECT_EQ(*store_->Read("k", 10), "x");
  EXPECT_EQ(keys->refreshes, 1);
  server_->fate = [](const net::HttpRequest&) { return Fate{.reply = FakeS3::Error(400, "ExpiredToken")}; };
  EXPECT_EQ(store_->Read("k", 10).status().code(), Code::kUnauthenticated);
}

TEST_F(S3ObjectStoreTest, AHeadThatIsRefusedIsExplained) {
  ASSERT_TRUE(store_->Put("k", "x", PutMode::kOverwrite).ok());
  server_->fate = [](const net::HttpRequest& request) {
    return request.method == "HEAD" ? Fate{.reply = net::HttpReply{.status = 403}}
                                    : Fate{.reply = FakeS3::Error(403, "InvalidAccessKeyId")};
  };
  EXPECT_EQ(store_->Head("k").status().code(), Code::kUnauthenticated);
}

TEST_F(S3ObjectStoreTest, AHeadWhoseKeysRanOutTellsTheTruthInTheEnd) {
  for (const bool there : {false, true}) {
    if (there) {
      ASSERT_TRUE(store_->Put("k", "x", PutMode::kOverwrite).ok());
    }
    Strike([](const net::HttpRequest& request) { return request.method == "HEAD"; },
           {.reply = net::HttpReply{.status = 400}});
    EXPECT_EQ(store_->Head("k").status().code(), there ? Code::kOk : Code::kNotFound);
  }
}

TEST_F(S3ObjectStoreTest, AListingThatIsBrokenIsAskedForAgain) {
  ASSERT_TRUE(store_->Put("d/k", "x", PutMode::kOverwrite).ok());
  const auto page = [](const std::string& key) {
    return net::HttpReply{
        .status = 200,
        .body = "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated><Contents><Key>" +
                key + "</Key><Size>1</Size><ETag>e</ETag></Contents></ListBucketResult>"};
  };
  for (const std::string& broken : std::vector<std::string>{"d/\xC3\xA9", "e/k", "", "<"}) {
    Strike([](const net::HttpRequest&) { return true; }, {.reply = page(broken)});
    const auto listing = store_->List({.prefix = "d/"});
    ASSERT_TRUE(listing.ok()) << listing.status().ToString();
    ASSERT_EQ(listing->objects.size(), 1U);
    EXPECT_EQ(listing->objects[0].key, "d/k");
    server_->fate = [&](const net::HttpRequest&) { return Fate{.reply = page(broken)}; };
    EXPECT_EQ(store_->List({.prefix = "d/"}).status().code(), Code::kCorruption);
  }
}

TEST_F(S3ObjectStoreTest, WhatWasSentIsCounted) {
  ASSERT_TRUE(store_->Put("k", "x", PutMode::kOverwrite).ok());
  AdoptMethod method;
  ASSERT_TRUE(store_->Adopt(*store_, {.key = "k"}, "c", &method).ok());
  ASSERT_TRUE(store_->Read("k", 10).ok() && store_->List({}).ok() && store_->Delete({"k", "c"}).ok());
  const S3RequestCount sent = store_->client().Sent();
  EXPECT_EQ(sent.puts, 1U);
  EXPECT_EQ(sent.copies, 1U);
  EXPECT_EQ(sent.heads, 1U);
  EXPECT_EQ(sent.gets, 1U);
  EXPECT_EQ(sent.lists, 1U);
  EXPECT_EQ(sent.deletes, 1U);
  EXPECT_EQ(server_->log().size(), 6U);
}

TEST_F(S3ObjectStoreTest, ABucketInAnotherRegionIsFollowedAndRemembered) {
  S3Settings settings = FakeS3Settings();
  settings.endpoint.clear();
  settings.addressing = aws::AddressingStyle::kPath;
  Make(settings);
  server_->fate = [](const net::HttpRequest& request) {
    if (request.origin == "https://s3.eu-west-3.amazonaws.com") return Fate{};
    return Fate{.reply = FakeS3::Error(301, "PermanentRedirect", "eu-west-3")};
  };
  ASSERT_TRUE(store_->Put("k", "x", PutMode::kOverwrite).ok());
  const size_t before = server_->log().size();
  EXPECT_TRUE(store_->Head("k").ok());
  EXPECT_EQ(server_->log().size(), before + 1);
  EXPECT_EQ(store_->CurrentSettings().region, "eu-west-3");
}

TEST_F(S3ObjectStoreTest, ARedirectToAStrangerIsNotFollowed) {
  net::HttpReply reply{.status = 307, .headers = {{"location", "http://elsewhere.test/bucket/k"}}};
  server_->fate = [&](const net::HttpRequest& request) {
    EXPECT_EQ(request.origin, "http://s3.test");
    return Fate{.reply = reply};
  };
  EXPECT_FALSE(store_->Put("k", "x", PutMode::kOverwrite).ok());
}

TEST_F(S3ObjectStoreTest, EveryPageOfAListingIsRead) {
  server_->page_size = 3;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(store_->Put("k" + std::to_string(i), "", PutMode::kOverwrite).ok());
  EXPECT_EQ(store_->List({})->objects.size(), 10U);
  EXPECT_EQ(store_->List({.prefix = "", .start_after = "k3"})->objects.size(), 6U);
  EXPECT_EQ(server_->Count("continuation-token"), 3U + 1U);
}

TEST_F(S3ObjectStoreTest, AServerThatListsOutOfOrderIsNotTrustedWithAStart) {
  server_->lists_backwards = true;
  server_->page_size = 4;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(store_->Put("k" + std::to_string(i), "", PutMode::kOverwrite).ok());
  const auto listing = store_->List({.prefix = "", .start_after = "k3", .max_entries = 2});
  ASSERT_TRUE(listing.ok());
  ASSERT_EQ(listing->objects.size(), 2U);
  EXPECT_EQ(listing->objects[0].key, "k4");
  EXPECT_EQ(listing->objects[1].key, "k5");
}

TEST_F(S3ObjectStoreTest, AServerThatRepeatsAPageEndsInAnError) {
  net::HttpReply page{.status = 200,
                      .body =
                          "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t"
                          "</NextContinuationToken></ListBucketResult>"};
  server_->fate = [&](const net::HttpRequest&) { return Fate{.reply = page}; };
  EXPECT_EQ(store_->List({}).status().code(), Code::kCorruption);
}

TEST_F(S3ObjectStoreTest, KeysThatNobodyCanNameAreRefusedAndMarksOfFoldersArePassedOver) {
  for (const char* key : {"a/", "a/b", "a//c", "x\x01y", "d/../e"})
    server_->objects()[key] = {.bytes = "", .etag = "e"};
  server_->objects()["f/"] = {.bytes = "not empty", .etag = "e"};
  const auto listing = store_->List({});
  ASSERT_TRUE(listing.ok());
  ASSERT_EQ(listing->objects.size(), 1U);
  EXPECT_EQ(listing->objects[0].key, "a/b");
  EXPECT_THAT(listing->refused, ElementsAre("a//c", "d/../e", "f/", "x\x01y"));
}

TEST_F(S3ObjectStoreTest, RangesArePinnedToTheETag) {
  const ObjectInfo seen = *store_->Put("k", std::string(3 << 20, 'a'), PutMode::kOverwrite);
  const auto reader = store_->Open(seen);
  std::string out(2 << 20, '.');
  ASSERT_TRUE((*reader)->ReadAt(0, out).ok());
  server_->objects()["k"].bytes[2 << 20] = 'b';
  server_->objects()["k"].etag = "other";
  EXPECT_EQ((*reader)->ReadAt(1 << 20, out).status().code(), Code::kPreconditionFailed);
}

TEST_F(S3ObjectStoreTest, AllOfABigObjectIsAskedForInRangesOfEightMebibytes) {
  std::string bytes(100 << 20, '.');
  for (size_t i = 0; i < bytes.size(); i += 4093) bytes[i] = static_cast<char>('a' + i % 26);
  server_->objects()["k"] = {.bytes = bytes, .etag = "e"};
  const auto reader = store_->Open(*store_->Head("k"));
  const size_t before = server_->log().size();
  std::string read;
  ASSERT_TRUE((*reader)
                  ->ReadAll([&](std::string_view piece) -> Status {
                    read += piece;
                    return {};
                  })
                  .ok());
  EXPECT_TRUE(read == bytes);
  EXPECT_EQ(server_->log().size(), before + 13);
}

TEST_F(S3ObjectStoreTest, AnObjectThatIsReplacedWhileAllOfItIsReadIsAnError) {
  server_->objects()["k"] = {.bytes = std::string(100 << 20, '.'), .etag = "e"};
  const auto reader = store_->Open(*store_->Head("k"));
  Strike([](const net::HttpRequest& request) { return request.method == "GET"; },
         {.reply = FakeS3::Error(412, "PreconditionFailed")}, 7);
  size_t read = 0;
  const Status status = (*reader)->ReadAll([&](std::string_view piece) -> Status {
    read += piece.size();
    return {};
  });
  EXPECT_EQ(status.code(), Code::kPreconditionFailed);
  EXPECT_LT(read, 12U * (8 << 20));
}

TEST_F(S3ObjectStoreTest, AFooterCostsOneRequest) {
  const ObjectInfo seen = *store_->Put("k", std::string(1 << 20, 'a'), PutMode::kOverwrite);
  const size_t before = server_->log().size();
  const auto reader = store_->Open(seen);
  std::string out(8, '.');
  ASSERT_TRUE((*reader)->ReadAt((1 << 20) - 8, out).ok());
  std::string footer(20'000, '.');
  ASSERT_TRUE((*reader)->ReadAt((1 << 20) - 20'008, footer).ok());
  EXPECT_EQ(server_->log().size(), before + 1);
}

TEST_F(S3ObjectStoreTest, ColdObjectsAreToldByListingAndHead) {
  const auto put = [&](const std::string& key, const std::string& storage_class, const std::string& restore) {
    ASSERT_TRUE(store_->Put(key, "x", PutMode::kOverwrite).ok());
    server_->objects()[key].storage_class = storage_class;
    server_->objects()[key].restore = restore;
  };
  put("1", "STANDARD", "");
  put("2", "GLACIER_IR", "");
  put("3", "GLACIER", "");
  put("4", "DEEP_ARCHIVE", "ongoing-request=\"true\"");
  put("5", "GLACIER", "ongoing-request=\"false\", expiry-date=\"Tue, 01 Dec 2026 00:00:00 GMT\"");
  const std::vector<ArchiveState> expected = {ArchiveState::kReadable, ArchiveState::kReadable, ArchiveState::kFrozen,
                                              ArchiveState::kThawing, ArchiveState::kThawed};
  const auto listing = store_->List({});
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string key = std::to_string(i + 1);
    EXPECT_EQ(listing->objects[i].archive, expected[i]) << key;
    EXPECT_EQ(store_->Head(key)->archive, expected[i]) << key;
    const bool readable = expected[i] == ArchiveState::kReadable || expected[i] == ArchiveState::kThawed;
    EXPECT_EQ(store_->Read(key, 10).status().code(), readable ? Code::kOk : Code::kFrozen) << key;
  }
  EXPECT_EQ(listing->objects[0].storage_class, "");
  EXPECT_EQ(listing->objects[1].storage_class, "GLACIER_IR");
  EXPECT_TRUE(store_->RequestRestore("3", {}).ok());
  EXPECT_EQ(store_->Head("3")->archive, ArchiveState::kThawing);
  EXPECT_TRUE(store_->RequestRestore("3", {}).ok());  // asking again is harmless
}

TEST_F(S3ObjectStoreTest, AnObjectOfTheSameServerIsCopiedThere) {
  const ObjectInfo source = *store_->Put("a", "bytes", PutMode::kOverwrite);
  AdoptMethod method = AdoptMethod::kCopy;
  const auto copied = store_->Adopt(*store_, source, "b", &method);
  ASSERT_TRUE(copied.ok()) << copied.status().ToString();
  EXPECT_EQ(method, AdoptMethod::kServerCopy);
  EXPECT_EQ(*copied, *store_->Head("b"));
  EXPECT_EQ(server_->Count("GET /bucket/a"), 0U);
  ASSERT_TRUE(store_->Put("a", "other", PutMode::kOverwrite).ok());
  EXPECT_EQ(store_->Adopt(*store_, source, "b", &method).status().code(), Code::kPreconditionFailed);
}

TEST_F(S3ObjectStoreTest, WhoMayNotCopyThereReadsAndWrites) {
  const ObjectInfo source = *store_->Put("a", "bytes", PutMode::kOverwrite);
  Strike(IsPut, {.reply = FakeS3::Error(403, "AccessDenied")});
  AdoptMethod method = AdoptMethod::kServerCopy;
  ASSERT_TRUE(store_->Adopt(*store_, source, "b", &method).ok());
  EXPECT_EQ(method, AdoptMethod::kCopy);
  EXPECT_EQ(*store_->Read("b", 10), "bytes");
}

TEST_F(S3ObjectStoreTest, ADeleteThatFailsForAKeyNamesIt) {
  net::HttpReply reply{.status = 200,
                       .body =
                           "<DeleteResult><Error><Key>b</Key><Code>AccessDenied</Code><Message>no</Message></Error>"
                           "<Error><Key>c</Key><Code>AccessDenied</Code></Error></DeleteResult>"};
  server_->fate = [&](const net::HttpRequest&) { return Fate{.reply = reply}; };
  const Status failed = store_->Delete({"a", "b", "c"});
  EXPECT_EQ(failed.code(), Code::kPermissionDenied);
  EXPECT_THAT(failed.message(), HasSubstr("s3://bucket/b (and 1 more)"));
}

TEST_F(S3ObjectStoreTest, NoErrorShowsAKey) {
  server_->fate = [](const net::HttpRequest&) { return Fate{.reply = FakeS3::Error(403, "SignatureDoesNotMatch")}; };
  class Fixed final : public aws::CredentialsProvider {
   public:
    Result<std::optional<aws::Credentials>> Get() override { return std::optional(credentials); }
    void Refresh() override {}
    std::string Describe() const override { return "fixed"; }
    aws::Credentials credentials{
        .access_key_id = NewUuid(), .secret_access_key = NewUuid(), .session_token = NewUuid()};
  };
  S3Settings settings = FakeS3Settings();
  const auto keys = std::make_shared<Fixed>();
  settings.credentials = keys;
  Make(settings);
  const std::string said = store_->Read("k", 1).status().ToString() + store_->List({}).status().ToString() +
                           store_->Put("k", "", PutMode::kCreateOnly).status().ToString();
  for (const std::string& secret :
       {keys->credentials.access_key_id, keys->credentials.secret_access_key, keys->credentials.session_token}) {
    EXPECT_THAT(said, testing::Not(HasSubstr(secret)));
  }
}

TEST(ParseS3UrlTest, ReadsBucketAndPrefix) {
  EXPECT_EQ(ParseS3Url("s3://bucket")->bucket, "bucket");
  EXPECT_EQ(ParseS3Url("s3://bucket/")->prefix, "");
  EXPECT_EQ(ParseS3Url("s3a://my.bucket/a/b=1/")->prefix, "a/b=1");
  for (const char* bad :
       {"s3://", "s3:///k", "s3://UP CASE/", "s3://ab", "s3://b..c", "s3://bucket/a//b", "s3://bucket/../x"}) {
    EXPECT_EQ(ParseS3Url(bad).status().code(), Code::kInvalidArgument) << bad;
  }
}

TEST(AddressOfTest, IsAsTheStyleSays) {
  using aws::AddressingStyle;
  const auto address = [](const std::string& bucket, const std::string& endpoint, AddressingStyle style) {
    S3Settings settings;
    settings.bucket = bucket;
    settings.endpoint = endpoint;
    settings.region = "eu-west-1";
    settings.addressing = style;
    const auto out = AddressOf(settings);
    return out.ok() ? out->origin + " " + out->path_head : "error";
  };
  EXPECT_EQ(address("abc", "", AddressingStyle::kAuto), "https://abc.s3.eu-west-1.amazonaws.com /");
  EXPECT_EQ(address("a.bc", "", AddressingStyle::kAuto), "https://s3.eu-west-1.amazonaws.com /a.bc/");
  EXPECT_EQ(address("abc", "http://127.0.0.1:9000/", AddressingStyle::kAuto), "http://127.0.0.1:9000 /abc/");
  EXPECT_EQ(address("abc", "https://s3.example.org", AddressingStyle::kVirtual), "https://abc.s3.example.org /");
  for (const char* bad : {"127.0.0.1:9000", "ftp://x", "https://", "https://a/b", "https://u:p@host"}) {
    EXPECT_EQ(address("abc", bad, AddressingStyle::kAuto), "error") << bad;
  }
}

TEST(Crc32cTest, IsCastagnolis) {
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283U);  // the check value of the polynomial
  EXPECT_EQ(Crc32c(""), 0U);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAU);  // RFC 3720, B.4
  EXPECT_EQ(Crc32cBase64("123456789"), "4waSgw==");
}

}  // namespace
}  // namespace tidegate::store
