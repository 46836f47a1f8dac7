#include "tidegate/bucket/manifest_cache.h"

#include <gtest/gtest.h>

namespace tidegate::bucket {
namespace {

const std::string kBucket = "memory:";

store::ObjectInfo Object(const std::string& key, const std::string& etag, uint64_t size) {
  return {key, size, etag, {}};
}

ManifestCache Again(const ManifestCache& cache) {
  auto again = ManifestCache::Parse(cache.Write(kBucket), kBucket);
  EXPECT_TRUE(again.ok()) << again.status().ToString();
  return again.ok() ? *std::move(again) : ManifestCache();
}

TEST(ManifestCacheTest, GivesTheTextOfTheVeryObjectAlone) {
  ManifestCache cache;
  cache.Take(Object("a", "e1", 2), "{}");
  cache = Again(cache);
  ASSERT_NE(cache.Find(Object("a", "e1", 2)), nullptr);
  EXPECT_EQ(*cache.Find(Object("a", "e1", 2)), "{}");
  EXPECT_EQ(cache.Find(Object("a", "e2", 2)), nullptr);
  EXPECT_EQ(cache.Find(Object("a", "e1", 3)), nullptr);
  EXPECT_EQ(cache.Find(Object("b", "e1", 2)), nullptr);
  EXPECT_EQ(cache.Find(Object("a", "", 2)), nullptr);
}

TEST(ManifestCacheTest, WhatIsNoLongerLookedAtIsForgotten) {
  ManifestCache cache;
  cache.Take(Object("old", "e", 2), "{}");
  cache.Take(Object("new", "e", 2), "[]");
  EXPECT_TRUE(cache.changed());
  cache = Again(cache);
  cache.Find(Object("old", "e", 2));
  cache.Find(Object("new", "e", 2));
  EXPECT_FALSE(cache.changed());
  cache = Again(cache);
  cache.Find(Object("new", "e", 2));
  EXPECT_TRUE(cache.changed());
  cache = Again(cache);
  EXPECT_EQ(cache.Find(Object("old", "e", 2)), nullptr);
  EXPECT_NE(cache.Find(Object("new", "e", 2)), nullptr);
}

TEST(ManifestCacheTest, IsBounded) {
  ManifestCache cache;
  cache.Take(Object("large", "e", kMaxCachedManifestBytes + 1), std::string(kMaxCachedManifestBytes + 1, ' '));
  cache.Take(Object("cut", "e", 9), "{}");
  cache.Take(Object("bytes", "e", 1), "\xff");
  cache.Take(Object("no etag", "", 2), "{}");
  EXPECT_FALSE(cache.changed());
  for (size_t i = 0; i <= kManifestsKept; ++i) cache.Take(Object("m" + std::to_string(1'000 + i), "e", 2), "{}");
  cache = Again(cache);
  EXPECT_EQ(cache.Find(Object("m1000", "e", 2)), nullptr);
  EXPECT_NE(cache.Find(Object("m1001", "e", 2)), nullptr);
}

TEST(ManifestCacheTest, WhatCannotBeReadIsAnError) {
  for (const char* text :
       {"", "[]", R"({"format": 1, "bucket": "memory:"})", R"({"format": 1, "bucket": "other", "manifests": []})",
        R"({"format": 1, "bucket": "memory:", "manifests": [1]})",
        R"({"format": 1, "bucket": "memory:", "manifests": [{"key": "a", "etag": "e", "size": 3, "text": "{}"}]})",
        R"({"format": 1, "bucket": "memory:", "manifests": [{"key": "a", "etag": "e", "size": -2, "text": "{}"}]})"}) {
    EXPECT_FALSE(ManifestCache::Parse(text, kBucket).ok()) << text;
  }
  EXPECT_EQ(ManifestCache::Parse(R"({"format": 2, "bucket": "memory:", "manifests": []})", kBucket).status().code(),
            Code::kUnsupported);
}

}  // namespace
}  // namespace tidegate::bucket
