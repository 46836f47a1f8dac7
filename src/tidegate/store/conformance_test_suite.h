// The conformance suite of ObjectStore: what every store must do. Include it in one test program and instantiate it:
//
//   INSTANTIATE_TEST_SUITE_P(S3, StoreConformanceTest, testing::Values(StoreCase{.name = "s3", .make = …}),
//   StoreCaseName);
//
// A store that cannot keep a rule says so by name in Deviations; the suite then checks what it does instead.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tidegate/base/hash.h"
#include "tidegate/store/memory/memory_object_store.h"
#include "tidegate/store/object_store.h"

namespace tidegate::store {

struct Deviations {
  bool keys_below_objects_refused = false;  // "a/b" beside "a" is Unsupported, as in a file system
  bool empty_folders_linger = false;        // a folded listing may show a folder after its last object is gone
  bool backslash_is_a_slash = false;        // "a\\b" is the key "a/b"
  bool folders_race = false;                // a put may fail while the last object of its folder is deleted
  bool fetches_want_rest = false;           // a fetch looks first and reads then; it fails where a writer never rests
  bool copies_ignore_the_etag = false;      // a server's copy does not look at the ETag of its source
};

/// A store to test and what must live as long as it. It starts empty.
struct StoreUnderTest {
  std::shared_ptr<void> keep_alive;  // e.g. a temporary folder
  std::shared_ptr<ObjectStore> store;
};

struct StoreCase {
  std::string name;
  std::function<StoreUnderTest()> make;
  Deviations deviations = {};
};

inline std::ostream& operator<<(std::ostream& out, const StoreCase& store_case) { return out << store_case.name; }

inline std::string StoreCaseName(const testing::TestParamInfo<StoreCase>& info) { return info.param.name; }

class StoreConformanceTest : public testing::TestWithParam<StoreCase> {
 protected:
  void SetUp() override {
    under_test_ = GetParam().make();
    ASSERT_NE(under_test_.store, nullptr);
  }

  ObjectStore& store() { return *under_test_.store; }

  ObjectInfo MustPut(std::string_view key, std::string_view bytes, PutMode mode = PutMode::kOverwrite) {
    Result<ObjectInfo> info = store().Put(key, bytes, mode);
    EXPECT_TRUE(info.ok()) << info.status().ToString();
    return info.ok() ? *info : ObjectInfo{};
  }

  std::string MustRead(std::string_view key) {
    Result<std::string> bytes = store().Read(key, UINT64_MAX);
    EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
    return bytes.ok() ? *bytes : "";
  }

  // Keys and prefixes of a listing, in one order.
  std::vector<std::string> Listed(const ListRequest& request) {
    const Result<Listing> listing = store().List(request);
    EXPECT_TRUE(listing.ok()) << listing.status().ToString();
    if (!listing.ok()) return {};
    std::vector<std::string> keys;
    for (const ObjectInfo& info : listing->objects) keys.push_back(info.key);
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    EXPECT_TRUE(std::is_sorted(listing->prefixes.begin(), listing->prefixes.end()));
    keys.insert(keys.end(), listing->prefixes.begin(), listing->prefixes.end());
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  // A folded listing, without folders that linger where the server is known for that.
  std::vector<std::string> FoldersAndObjects(const std::string& prefix) {
    std::vector<std::string> found = Listed({.prefix = prefix, .delimited = true});
    if (!GetParam().deviations.empty_folders_linger) return found;
    std::erase_if(found, [&](const std::string& key) { return key.ends_with('/') && Listed({.prefix = key}).empty(); });
    return found;
  }

  // Of opening and reading one byte: a store may find out at either.
  Code CodeOfFirstByte(const ObjectInfo& seen) {
    const auto reader = store().Open(seen);
    if (!reader.ok()) return CodeOf(reader);
    char byte = 0;
    return CodeOf((*reader)->ReadAt(0, {&byte, 1}));
  }

  static Code CodeOf(const Status& status) { return status.code(); }
  template <typename T>
  static Code CodeOf(const Result<T>& result) {
    return result.ok() ? Code::kOk : result.status().code();
  }

 private:
  StoreUnderTest under_test_;
};

inline std::string PatternBytes(size_t size, uint64_t seed) {
  std::string bytes(size, '\0');
  std::mt19937_64 random(seed);
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST_P(StoreConformanceTest, AnEmptyStoreHoldsNothing) {
  EXPECT_THAT(Listed({}), testing::IsEmpty());
  EXPECT_THAT(Listed({.prefix = "v2/_manifests/", .delimited = true}), testing::IsEmpty());
  EXPECT_EQ(CodeOf(store().Head("a")), Code::kNotFound);
  EXPECT_EQ(CodeOf(store().Read("a/b", 10)), Code::kNotFound);
  EXPECT_EQ(CodeOf(store().Open({.key = "a"})), Code::kNotFound);
}

TEST_P(StoreConformanceTest, WhatWasPutIsReadBack) {
  const std::string bytes("a\0b\xFF", 4);
  const ObjectInfo put = MustPut("v2/s/t/x.bin", bytes);
  EXPECT_EQ(put.key, "v2/s/t/x.bin");
  EXPECT_EQ(put.size_bytes, 4U);
  EXPECT_FALSE(put.etag.empty());
  EXPECT_EQ(MustRead("v2/s/t/x.bin"), bytes);
  const Result<ObjectInfo> head = store().Head("v2/s/t/x.bin");
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(head->etag, put.etag);
  EXPECT_EQ(head->size_bytes, 4U);
}

TEST_P(StoreConformanceTest, ListHeadAndReaderAgreeOnAnObject) {
  MustPut("a/b", "hello");
  const Result<ObjectInfo> head = store().Head("a/b");
  const Result<Listing> listing = store().List({});
  ASSERT_TRUE(head.ok() && listing.ok());
  EXPECT_THAT(listing->objects, testing::ElementsAre(*head));
  const auto reader = store().Open(*head);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->info(), *head);
}

TEST_P(StoreConformanceTest, FetchGivesTheBytesAndWhatHeadSays) {
  MustPut("a/b", "hello");
  const auto object = store().Fetch("a/b", 5);
  const auto head = store().Head("a/b");
  ASSERT_TRUE(object.ok() && head.ok()) << object.status().ToString() << head.status().ToString();
  EXPECT_EQ(object->bytes, "hello");
  EXPECT_EQ(object->info, *head);
  EXPECT_EQ(CodeOf(store().Fetch("a/b", 4)), Code::kCorruption);
  EXPECT_EQ(CodeOf(store().Fetch("a/c", 5)), Code::kNotFound);
}

TEST_P(StoreConformanceTest, AnObjectIsFetchedWholeWithItsETagWhileItIsWrittenAnew) {
  const auto text_of = [](int i) {
    return std::string(100 + static_cast<size_t>(i % 50), static_cast<char>('a' + i % 26));
  };
  MustPut("k", text_of(0));
  const std::chrono::microseconds rest(GetParam().deviations.fetches_want_rest ? 50'000 : 100);
  std::atomic<bool> ending{false};
  std::thread writer([&] {
    for (int i = 1; !ending; ++i) {
      MustPut("k", text_of(i));
      std::this_thread::sleep_for(rest);
    }
  });
  for (int i = 0; i < 50 && !HasFailure(); ++i) {
    const auto object = store().Fetch("k", 4096);
    EXPECT_TRUE(object.ok()) << "look " << i << ": " << object.status().ToString();
    if (object.ok()) {
      EXPECT_EQ(object->info.size_bytes, object->bytes.size());
      EXPECT_EQ(object->bytes, std::string(object->bytes.size(), object->bytes[0]));
    }
  }
  ending = true;
  writer.join();
}

TEST_P(StoreConformanceTest, AnObjectMayBeEmpty) {
  EXPECT_EQ(MustPut("_SUCCESS", "").size_bytes, 0U);
  EXPECT_EQ(MustRead("_SUCCESS"), "");
  const auto reader = OpenCurrent(store(), "_SUCCESS");
  ASSERT_TRUE(reader.ok());
  char byte = 0;
  const Result<size_t> read = (*reader)->ReadAt(0, {&byte, 1});
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, 0U);
}

TEST_P(StoreConformanceTest, BigObjectsKeepEveryByte) {
  const std::string bytes = PatternBytes(9'000'001, 7);
  auto writer = store().NewWriter("big", PutMode::kOverwrite);
  ASSERT_TRUE(writer.ok());
  size_t step = 1;
  for (size_t at = 0; at < bytes.size(); at += step, step = step * 3 % 1'000'003) {
    ASSERT_TRUE((*writer)->Append(std::string_view(bytes).substr(at, step)).ok());
    ASSERT_EQ((*writer)->size_bytes(), std::min(bytes.size(), at + step));
  }
  const Result<ObjectInfo> info = (*writer)->Finish();
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->size_bytes, bytes.size());
  EXPECT_EQ(HashBytes(MustRead("big")), HashBytes(bytes));
}

TEST_P(StoreConformanceTest, ReadAllGivesEveryByteInOrder) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{4 << 20}, size_t{9'000'001}}) {
    const std::string bytes = PatternBytes(size, size);
    const auto reader = store().Open(MustPut("k", bytes));
    ASSERT_TRUE(reader.ok());
    std::string read;
    const Status status = (*reader)->ReadAll([&](std::string_view piece) -> Status {
      read += piece;
      return {};
    });
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(HashBytes(read), HashBytes(bytes)) << size;
  }
}

TEST_P(StoreConformanceTest, ReadAllEndsWhereItsTakerFails) {
  const auto reader = store().Open(MustPut("k", PatternBytes(9'000'001, 8)));
  ASSERT_TRUE(reader.ok());
  int pieces = 0;
  const Status status = (*reader)->ReadAll([&](std::string_view) {
    ++pieces;
    return Internal("enough");
  });
  EXPECT_EQ(status.message(), "enough");
  EXPECT_EQ(pieces, 1);
}

TEST_P(StoreConformanceTest, ReadAtStopsAtTheEndOfTheObject) {
  const ObjectInfo info = MustPut("k", "0123456789");
  const auto reader = store().Open(info);
  ASSERT_TRUE(reader.ok());
  const auto read = [&](uint64_t offset, size_t size) {
    std::string out(size, '?');
    const Result<size_t> count = (*reader)->ReadAt(offset, out);
    EXPECT_TRUE(count.ok());
    return count.ok() ? out.substr(0, *count) : "failed";
  };
  EXPECT_EQ(read(0, 10), "0123456789");
  EXPECT_EQ(read(3, 4), "3456");
  EXPECT_EQ(read(8, 5), "89");
  EXPECT_EQ(read(10, 5), "");
  EXPECT_EQ(read(UINT64_MAX, 5), "");
  EXPECT_EQ(read(4, 0), "");
}

TEST_P(StoreConformanceTest, ReadRefusesMoreThanItWasAllowed) {
  MustPut("k", "12345");
  EXPECT_EQ(CodeOf(store().Read("k", 4)), Code::kCorruption);
  EXPECT_TRUE(store().Read("k", 5).ok());
}

TEST_P(StoreConformanceTest, NothingIsVisibleBeforeFinish) {
  auto writer = store().NewWriter("d/k", PutMode::kOverwrite);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->Append(std::string(1 << 20, 'x')).ok());
  EXPECT_THAT(Listed({}), testing::IsEmpty());
  EXPECT_EQ(CodeOf(store().Head("d/k")), Code::kNotFound);
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_THAT(Listed({}), testing::ElementsAre("d/k"));
}

TEST_P(StoreConformanceTest, AnUnfinishedWriterLeavesNothing) {
  MustPut("kept", "old");
  for (const char* key : {"d/k", "kept"}) {
    auto writer = store().NewWriter(key, PutMode::kOverwrite);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->Append(std::string(1 << 20, 'x')).ok());
  }
  EXPECT_THAT(Listed({}), testing::ElementsAre("kept"));
  EXPECT_THAT(Listed({.prefix = "", .delimited = true}), testing::ElementsAre("kept"));
  EXPECT_EQ(MustRead("kept"), "old");
}

TEST_P(StoreConformanceTest, AWriterFinishesOnce) {
  auto writer = store().NewWriter("k", PutMode::kOverwrite);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_FALSE((*writer)->Finish().ok());
  EXPECT_FALSE((*writer)->Append("x").ok());
  EXPECT_EQ(MustRead("k"), "");
}

TEST_P(StoreConformanceTest, CreateOnlyNeverTouchesWhatIsThere) {
  const ObjectInfo first = MustPut("k", "first", PutMode::kCreateOnly);
  EXPECT_EQ(CodeOf(store().Put("k", "second", PutMode::kCreateOnly)), Code::kAlreadyExists);
  auto writer = store().NewWriter("k", PutMode::kCreateOnly);
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(CodeOf((*writer)->Finish()), Code::kAlreadyExists);
  EXPECT_EQ(MustRead("k"), "first");
  EXPECT_EQ(store().Head("k")->etag, first.etag);
}

TEST_P(StoreConformanceTest, OfRacingCreatorsExactlyOneWins) {
  constexpr int kThreads = 8, kRounds = 25;
  for (int round = 0; round < kRounds; ++round) {
    const std::string key = "race/" + std::to_string(round) + "/v1.json";
    std::atomic<int> winner{-1}, wins{0}, losses{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        const auto put = store().Put(key, "by " + std::to_string(i), PutMode::kCreateOnly);
        if (put.ok()) winner = i, ++wins;
        if (CodeOf(put) == Code::kAlreadyExists) ++losses;
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(wins, 1);
    ASSERT_EQ(losses, kThreads - 1);
    ASSERT_EQ(MustRead(key), "by " + std::to_string(winner));
  }
}

TEST_P(StoreConformanceTest, RacingOverwritesLeaveOneWholeObject) {
  constexpr size_t kSize = 300'000;
  std::vector<std::thread> threads;
  std::atomic<int> failures{0}, torn{0};
  MustPut("k", std::string(kSize, 'a'));
  for (char letter = 'a'; letter < 'e'; ++letter) {
    threads.emplace_back([&, letter] {
      for (int i = 0; i < 10; ++i) {
        if (!store().Put("k", std::string(kSize, letter), PutMode::kOverwrite).ok()) ++failures;
        const Result<std::string> read = store().Read("k", kSize);
        if (!read.ok()) ++failures;
        if (read.ok() && *read != std::string(kSize, read->front())) ++torn;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(torn, 0);
  EXPECT_THAT(Listed({}), testing::ElementsAre("k"));
}

TEST_P(StoreConformanceTest, AnOverwriteChangesTheEtagEvenAtTheSameSize) {
  std::set<std::string> etags;
  for (int i = 0; i < 20; ++i) etags.insert(MustPut("k", std::string(1, static_cast<char>('a' + i))).etag);
  EXPECT_EQ(etags.size(), 20U);
  EXPECT_EQ(MustRead("k"), "t");
}

TEST_P(StoreConformanceTest, ReadingAnotherGenerationThanTheOneSeenFails) {
  const ObjectInfo old = MustPut("k", "old");
  MustPut("k", "new");
  EXPECT_EQ(CodeOfFirstByte(old), Code::kPreconditionFailed);
  EXPECT_EQ(CodeOfFirstByte({.key = "k"}), Code::kOk);
  ASSERT_TRUE(store().Delete({"k"}).ok());
  EXPECT_EQ(CodeOfFirstByte(old), Code::kNotFound);
}

// Far apart, so that no store has read the second place ahead.
constexpr uint64_t kFarSize = 3'000'000, kFarPlace = 1'500'000;

TEST_P(StoreConformanceTest, AReaderNoticesThatItsObjectWasReplaced) {
  const auto reader = store().Open(MustPut("k", std::string(kFarSize, 'o')));
  ASSERT_TRUE(reader.ok());
  std::string out(2, '\0');
  ASSERT_TRUE((*reader)->ReadAt(0, out).ok());
  MustPut("k", std::string(kFarSize, 'n'));
  EXPECT_EQ(CodeOf((*reader)->ReadAt(kFarPlace, out)), Code::kPreconditionFailed);
  EXPECT_EQ((*reader)->info().size_bytes, kFarSize);
}

TEST_P(StoreConformanceTest, AReaderNeverMixesGenerations) {
  const auto reader = store().Open(MustPut("k", std::string(kFarSize, 'o')));
  ASSERT_TRUE(reader.ok());
  std::string out(2, '\0');
  ASSERT_TRUE((*reader)->ReadAt(0, out).ok());
  MustPut("k", std::string(kFarSize, 'n'));
  for (uint64_t offset = 0; offset < kFarSize; offset += 100'000) {
    const auto read = (*reader)->ReadAt(offset, out);
    EXPECT_TRUE(!read.ok() || out == "oo") << offset;
  }
}

TEST_P(StoreConformanceTest, AReaderNoticesThatItsObjectWasRemoved) {
  const auto reader = store().Open(MustPut("k", std::string(kFarSize, 'o')));
  ASSERT_TRUE(reader.ok());
  ASSERT_TRUE(store().Delete({"k"}).ok());
  std::string out(2, '\0');
  EXPECT_EQ(CodeOf((*reader)->ReadAt(kFarPlace, out)), Code::kNotFound);
}

TEST_P(StoreConformanceTest, ReplaceSwapsOnlyTheObjectThatWasSeen) {
  const ObjectInfo first = MustPut("k", "1");
  const auto second = store().Replace("k", "2", first.etag);
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_EQ(CodeOf(store().Replace("k", "3", first.etag)), Code::kPreconditionFailed);
  EXPECT_EQ(MustRead("k"), "2");
  EXPECT_TRUE(store().Replace("k", "4", second->etag).ok());
  EXPECT_EQ(MustRead("k"), "4");
  ASSERT_TRUE(store().Delete({"k"}).ok());
  EXPECT_EQ(CodeOf(store().Replace("k", "5", second->etag)), Code::kNotFound);
  EXPECT_THAT(Listed({}), testing::IsEmpty());
}

/// Bytes and ETag of what is there, by Head() and a pinned reader.
inline Result<FetchedObject> LookAndRead(ObjectStore& store, std::string_view key) {
  TG_ASSIGN_OR_RETURN(const auto reader, OpenCurrent(store, key));
  FetchedObject out{std::string(reader->info().size_bytes, '\0'), reader->info()};
  TG_RETURN_IF_ERROR(reader->ReadAt(0, out.bytes).status());
  return out;
}

/// Whoever comes too late begins anew. Returns how many threads met another error.
inline int CountUpInThreads(int threads, int times, const std::function<Status()>& increment) {
  std::atomic<int> failures{0};
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&] {
      for (int done = 0; done < times;) {
        const Status status = increment();
        done += status.ok() ? 1 : 0;
        if (status.ok() || status.code() == Code::kPreconditionFailed) continue;
        ADD_FAILURE() << status.ToString();
        ++failures;
        return;
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  return failures;
}

TEST_P(StoreConformanceTest, RacingReplacesLoseNoIncrement) {
  constexpr int kThreads = 8, kIncrements = 8;
  // Of another length each time: whoever reads one number in the length of another goes astray.
  const auto text_of = [](int number) {
    return std::string(static_cast<size_t>(number % 7), ' ') + std::to_string(number);
  };
  for (const bool in_one_call : {true, false}) {
    MustPut("counter", text_of(0));
    const auto increment = [&]() -> Status {
      TG_ASSIGN_OR_RETURN(const FetchedObject seen,
                          in_one_call ? store().Fetch("counter", 100) : LookAndRead(store(), "counter"));
      return store().Replace("counter", text_of(std::atoi(seen.bytes.c_str()) + 1), seen.info.etag).status();
    };
    EXPECT_EQ(CountUpInThreads(kThreads, kIncrements, increment), 0);
    EXPECT_EQ(MustRead("counter"), text_of(kThreads * kIncrements)) << in_one_call;
  }
}

TEST_P(StoreConformanceTest, ListingsAreInByteOrderOfWholeKeys) {
  const std::vector<std::string> keys = {
      "a b",  "a!/x", "a-b",    "a-b/c",         "a.b",         "a/b",   "a/b-c/d",          "a/b.c", "a/z", "a0",
      "a\\b", "a~",   "ab/c/d", "caf\xC3\xA9/x", "caf\xC3\xAA", "z=%2F", "z=1/y=2/p.parquet"};
  std::vector<std::string> expected;
  for (const std::string& key : keys) {
    if (GetParam().deviations.backslash_is_a_slash && key.find('\\') != std::string::npos) continue;
    if (key != "a-b") expected.push_back(key);  // "a-b/c" is below it
  }
  std::sort(expected.begin(), expected.end());
  std::vector<std::string> shuffled = expected;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
  for (const std::string& key : shuffled) MustPut(key, key);
  EXPECT_EQ(Listed({}), expected);
  for (const std::string& key : expected) EXPECT_EQ(MustRead(key), key);
}

TEST_P(StoreConformanceTest, APrefixIsTextNotAFolder) {
  for (const char* key : {"v1/a/x", "v1/ab/x", "v1/b/x", "v10/a", "v2/a"}) MustPut(key, "");
  EXPECT_THAT(Listed({.prefix = "v1"}), testing::ElementsAre("v1/a/x", "v1/ab/x", "v1/b/x", "v10/a"));
  EXPECT_THAT(Listed({.prefix = "v1/a"}), testing::ElementsAre("v1/a/x", "v1/ab/x"));
  EXPECT_THAT(Listed({.prefix = "v1/a/"}), testing::ElementsAre("v1/a/x"));
  EXPECT_THAT(Listed({.prefix = "v1/a/x"}), testing::ElementsAre("v1/a/x"));
  for (const char* prefix : {"v1/a/x/", "v3", "v1//", "/", "/v1", "v1/../v2", "v1/./", "..", "../", "v1/a/x/y/z"}) {
    EXPECT_THAT(Listed({.prefix = prefix}), testing::IsEmpty()) << prefix;
  }
}

TEST_P(StoreConformanceTest, ADelimitedListingFoldsWhatIsDeeper) {
  for (const char* key : {"r", "s/1/a", "s/1/b", "s/2/a", "s/x", "s.t/1", "t/1"}) MustPut(key, "");
  const auto folded = [&](const char* prefix) { return Listed({.prefix = prefix, .delimited = true}); };
  EXPECT_THAT(folded(""), testing::ElementsAre("r", "s.t/", "s/", "t/"));
  EXPECT_THAT(folded("s"), testing::ElementsAre("s.t/", "s/"));
  EXPECT_THAT(folded("s/"), testing::ElementsAre("s/1/", "s/2/", "s/x"));
  EXPECT_THAT(folded("s/1"), testing::ElementsAre("s/1/"));
  EXPECT_THAT(folded("s/1/"), testing::ElementsAre("s/1/a", "s/1/b"));
}

TEST_P(StoreConformanceTest, AFolderWithoutObjectsIsNotListed) {
  MustPut("a/b/c", "");
  MustPut("a/d", "");
  ASSERT_TRUE(store().Delete({"a/b/c"}).ok());
  EXPECT_THAT(Listed({.prefix = "a/"}), testing::ElementsAre("a/d"));
  EXPECT_THAT(FoldersAndObjects("a/"), testing::ElementsAre("a/d"));
  ASSERT_TRUE(store().Delete({"a/d"}).ok());
  EXPECT_THAT(Listed({}), testing::IsEmpty());
  EXPECT_THAT(FoldersAndObjects(""), testing::IsEmpty());
}

TEST_P(StoreConformanceTest, ListingStartsAfterAKeyThatNeedNotExist) {
  for (const char* key : {"a", "b/1", "b/2", "b/3/x", "c-", "c/1"}) MustPut(key, "");
  const auto after = [&](const char* key) { return Listed({.prefix = "", .start_after = key}); };
  EXPECT_THAT(after("a"), testing::ElementsAre("b/1", "b/2", "b/3/x", "c-", "c/1"));
  EXPECT_THAT(after("b"), testing::ElementsAre("b/1", "b/2", "b/3/x", "c-", "c/1"));
  EXPECT_THAT(after("b/1"), testing::ElementsAre("b/2", "b/3/x", "c-", "c/1"));
  EXPECT_THAT(after("b/2/zz"), testing::ElementsAre("b/3/x", "c-", "c/1"));
  EXPECT_THAT(after("b/3/x"), testing::ElementsAre("c-", "c/1"));
  EXPECT_THAT(after("c.9"), testing::ElementsAre("c/1"));
  EXPECT_THAT(after("c/1"), testing::IsEmpty());
  EXPECT_THAT(Listed({.prefix = "b/", .start_after = "b/2"}), testing::ElementsAre("b/3/x"));
  EXPECT_THAT(Listed({.prefix = "b/", .start_after = "a"}), testing::ElementsAre("b/1", "b/2", "b/3/x"));
  EXPECT_THAT(Listed({.prefix = "b/", .start_after = "c"}), testing::IsEmpty());
}

TEST_P(StoreConformanceTest, AFoldedPrefixIsListedWhileAKeyBelowItIsAfterTheStart) {
  for (const char* key : {"h=01/a", "h=02/a", "h=02/b", "h=03/a"}) MustPut(key, "");
  const auto after = [&](const char* key) { return Listed({.prefix = "", .start_after = key, .delimited = true}); };
  EXPECT_THAT(after("h=01"), testing::ElementsAre("h=01/", "h=02/", "h=03/"));
  EXPECT_THAT(after("h=01/~"), testing::ElementsAre("h=02/", "h=03/"));
  EXPECT_THAT(after("h=02/z"), testing::ElementsAre("h=03/"));
  EXPECT_THAT(after("h=03/z"), testing::IsEmpty());
}

TEST_P(StoreConformanceTest, MaxEntriesCountsObjectsAndPrefixesInKeyOrder) {
  for (const char* key : {"a", "b/1", "b/2", "c", "d/1"}) MustPut(key, "");
  const auto first = [&](size_t max_entries, bool delimited) {
    return Listed({.prefix = "", .delimited = delimited, .max_entries = max_entries});
  };
  EXPECT_THAT(first(1, false), testing::ElementsAre("a"));
  EXPECT_THAT(first(3, false), testing::ElementsAre("a", "b/1", "b/2"));
  EXPECT_THAT(first(9, false), testing::ElementsAre("a", "b/1", "b/2", "c", "d/1"));
  EXPECT_THAT(first(2, true), testing::ElementsAre("a", "b/"));
  EXPECT_THAT(first(3, true), testing::ElementsAre("a", "b/", "c"));
  EXPECT_THAT(first(4, true), testing::ElementsAre("a", "b/", "c", "d/"));
}

// '-' and '.' sort before '/': such folders lie between a name and what is below it.
TEST_P(StoreConformanceTest, MaxEntriesDoesNotCountWhatLiesBeforeTheStart) {
  for (const char* key : {"b-/x", "b-a/x", "b./x", "b.c", "b/1", "b/3", "b0/x", "c", "d/1"}) MustPut(key, "");
  const auto after = [&](const char* key, size_t max_entries) {
    return Listed({.prefix = "", .start_after = key, .delimited = true, .max_entries = max_entries});
  };
  EXPECT_THAT(after("b/2", 1), testing::ElementsAre("b/"));
  EXPECT_THAT(after("b/2", 3), testing::ElementsAre("b/", "b0/", "c"));
  EXPECT_THAT(after("b/3", 3), testing::ElementsAre("b0/", "c", "d/"));
  EXPECT_THAT(after("b/3", 2), testing::ElementsAre("b0/", "c"));
}

TEST_P(StoreConformanceTest, ListingsEqualAModelOnRandomKeys) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto segment = [&] {
    return std::string(1, "ab-.~"[random() % 3]) + std::string(random() % 2, "a.0"[random() % 3]);
  };
  const auto any_key = [&] {
    std::string key = "k" + segment();
    for (uint64_t depth = random() % 4; depth > 0; --depth) key += "/k" + segment();
    return key;
  };
  MemoryObjectStore model;
  for (int i = 0; i < 60; ++i) {
    const std::string key = any_key();
    if (!store().Put(key, "", PutMode::kOverwrite).ok()) continue;  // below an object
    ASSERT_TRUE(model.Put(key, "", PutMode::kOverwrite).ok());
  }
  for (int i = 0; i < 60; ++i) {
    const std::string from = any_key();
    ListRequest request{.prefix = from.substr(0, random() % from.size()),
                        .start_after = random() % 2 ? any_key() : "",
                        .delimited = random() % 2 == 0,
                        .max_entries = random() % 3 == 0 ? 1 + random() % 5 : 0};
    const Result<Listing> expected = model.List(request);
    const Result<Listing> actual = store().List(request);
    ASSERT_TRUE(expected.ok() && actual.ok());
    std::vector<std::string> expected_keys, actual_keys;
    for (const auto& info : expected->objects) expected_keys.push_back(info.key);
    for (const auto& info : actual->objects) actual_keys.push_back(info.key);
    SCOPED_TRACE(request.prefix + " after " + request.start_after + " max " + std::to_string(request.max_entries));
    EXPECT_EQ(actual_keys, expected_keys);
    EXPECT_EQ(actual->prefixes, expected->prefixes);
  }
}

TEST_P(StoreConformanceTest, KeysThatBreakTheRulesAreRefusedEverywhere) {
  const std::vector<std::string> bad = {"",       "/a",
                                        "a/",     "a//b",
                                        ".",      "..",
                                        "a/../b", "a/./b",
                                        "../a",   "a\nb",
                                        "\x7F",   std::string("a\0b", 3),
                                        "\xFF",   std::string(1025, 'a')};
  AdoptMethod method;
  for (const std::string& key : bad) {
    SCOPED_TRACE(key);
    EXPECT_EQ(CodeOf(store().Head(key)), Code::kInvalidArgument);
    EXPECT_EQ(CodeOf(store().Open({.key = key})), Code::kInvalidArgument);
    EXPECT_EQ(CodeOf(store().Read(key, 1)), Code::kInvalidArgument);
    EXPECT_EQ(CodeOf(store().Put(key, "", PutMode::kOverwrite)), Code::kInvalidArgument);
    EXPECT_EQ(CodeOf(store().NewWriter(key, PutMode::kCreateOnly)), Code::kInvalidArgument);
    EXPECT_EQ(CodeOf(store().Delete({key})), Code::kInvalidArgument);
  }
  const ObjectInfo source = MustPut("good", "x");
  EXPECT_EQ(CodeOf(store().Adopt(store(), source, "a/../b", &method)), Code::kInvalidArgument);
  EXPECT_THAT(Listed({}), testing::ElementsAre("good"));
}

TEST_P(StoreConformanceTest, ADeleteWithABadKeyDeletesNothing) {
  MustPut("a", "");
  EXPECT_EQ(CodeOf(store().Delete({"a", "../a"})), Code::kInvalidArgument);
  EXPECT_THAT(Listed({}), testing::ElementsAre("a"));
}

TEST_P(StoreConformanceTest, DeleteRemovesExactlyTheNamedKeys) {
  for (const char* key : {"a/b", "a/b-c", "a/bc/d", "e"}) MustPut(key, "");
  EXPECT_TRUE(store().Delete({"a/b", "a", "a/bc", "never/there", "e/f"}).ok());
  EXPECT_THAT(Listed({}), testing::ElementsAre("a/b-c", "a/bc/d", "e"));
  EXPECT_TRUE(store().Delete({"a/b"}).ok());
  EXPECT_TRUE(store().Delete({}).ok());
}

TEST_P(StoreConformanceTest, AKeyBelowAnObjectIsHandledAsDeclared) {
  MustPut("a", "");
  MustPut("b/c", "");
  const Code expected = GetParam().deviations.keys_below_objects_refused ? Code::kUnsupported : Code::kOk;
  EXPECT_EQ(CodeOf(store().Put("a/b", "", PutMode::kOverwrite)), expected);
  EXPECT_EQ(CodeOf(store().Put("b", "", PutMode::kOverwrite)), expected);
  EXPECT_EQ(CodeOf(store().Put("a/b/c", "", PutMode::kCreateOnly)), expected);
  EXPECT_EQ(MustRead("a"), "");
  EXPECT_EQ(MustRead("b/c"), "");
}

TEST_P(StoreConformanceTest, AFolderThatBecameEmptyGivesItsNameFree) {
  MustPut("a/b/c", "");
  ASSERT_TRUE(store().Delete({"a/b/c"}).ok());
  MustPut("a", "now an object");
  EXPECT_THAT(Listed({}), testing::ElementsAre("a"));
}

TEST_P(StoreConformanceTest, WritersAndDeletersOfOneFolderDoNotDisturbEachOther) {
  if (GetParam().deviations.folders_race) GTEST_SKIP() << "this store is known to disturb them";
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const std::string key = "x/y/z/" + std::to_string(i);
      for (int round = 0; round < 50; ++round) {
        if (!store().Put(key, "x", PutMode::kCreateOnly).ok()) ++failures;
        if (!store().Delete({key}).ok()) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_THAT(FoldersAndObjects(""), testing::IsEmpty());
}

TEST_P(StoreConformanceTest, SyncSucceedsAndMayBeRepeated) {
  MustPut("a", "");
  EXPECT_TRUE(store().Sync().ok());
  EXPECT_TRUE(store().Sync().ok());
}

TEST_P(StoreConformanceTest, AdoptBringsAnObjectOfAnotherKindOfStore) {
  MemoryObjectStore from;
  const std::string bytes = PatternBytes(5'000'000, 11);
  const Result<ObjectInfo> source = from.Put("in/part.parquet", bytes, PutMode::kOverwrite);
  ASSERT_TRUE(source.ok());
  AdoptMethod method = AdoptMethod::kHardLink;
  const Result<ObjectInfo> adopted = store().Adopt(from, *source, "data/part.parquet", &method);
  ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
  EXPECT_EQ(method, AdoptMethod::kCopy);
  EXPECT_EQ(adopted->key, "data/part.parquet");
  EXPECT_EQ(adopted->size_bytes, bytes.size());
  EXPECT_EQ(adopted->etag, store().Head("data/part.parquet")->etag);
  EXPECT_EQ(HashBytes(MustRead("data/part.parquet")), HashBytes(bytes));
  EXPECT_EQ(*from.Head("in/part.parquet"), *source);
}

TEST_P(StoreConformanceTest, AdoptIntoMemoryBringsTheBytes) {
  const ObjectInfo source = MustPut("a", "bytes");
  MemoryObjectStore to;
  AdoptMethod method = AdoptMethod::kHardLink;
  ASSERT_TRUE(to.Adopt(store(), source, "b", &method).ok());
  EXPECT_EQ(*to.Read("b", 100), "bytes");
}

TEST_P(StoreConformanceTest, AdoptWithinOneStoreKeepsTheSource) {
  const ObjectInfo source = MustPut("a/1", "bytes");
  MustPut("b/1", "to be replaced");
  AdoptMethod method;
  for (const char* key : {"b/1", "b/2", "b/1", "a/1"}) {
    const Result<ObjectInfo> adopted = store().Adopt(store(), {.key = "a/1"}, key, &method);
    ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
    EXPECT_EQ(*adopted, *store().Head(key));
    EXPECT_EQ(MustRead(key), "bytes");
  }
  EXPECT_THAT(Listed({}), testing::ElementsAre("a/1", "b/1", "b/2"));
}

TEST_P(StoreConformanceTest, AdoptRefusesASourceThatIsNotTheOneSeen) {
  const ObjectInfo seen = MustPut("a", "old");
  MustPut("a", "new");
  AdoptMethod method;
  EXPECT_EQ(CodeOf(store().Adopt(store(), {.key = "none"}, "b", &method)), Code::kNotFound);
  EXPECT_THAT(Listed({}), testing::ElementsAre("a"));
  if (GetParam().deviations.copies_ignore_the_etag) return;
  EXPECT_EQ(CodeOf(store().Adopt(store(), seen, "b", &method)), Code::kPreconditionFailed);
  EXPECT_THAT(Listed({}), testing::ElementsAre("a"));
}

TEST_P(StoreConformanceTest, AnAdoptedObjectDoesNotFollowItsSource) {
  const ObjectInfo source = MustPut("a", "old");
  AdoptMethod method;
  ASSERT_TRUE(store().Adopt(store(), source, "b", &method).ok());
  MustPut("a", "new");
  EXPECT_EQ(MustRead("b"), "old");
  ASSERT_TRUE(store().Delete({"a"}).ok());
  EXPECT_EQ(MustRead("b"), "old");
}

TEST_P(StoreConformanceTest, LocationsStartWithTheUrlAndEndWithTheKey) {
  const std::string location = store().Location("a b/c=1/%2F.parquet");
  EXPECT_TRUE(location.starts_with(store().url())) << location;
  EXPECT_TRUE(location.ends_with("/a b/c=1/%2F.parquet")) << location;
}

}  // namespace tidegate::store
