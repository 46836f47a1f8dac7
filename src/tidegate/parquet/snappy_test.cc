#include "tidegate/parquet/snappy.h"

#include <arrow/result.h>
#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace tidegate::parquet {
namespace {

using Bytes = std::vector<uint8_t>;

/// As Arrow's encoder, which is Snappy's own, compresses it.
Bytes Compressed(const Bytes& plain) {
  const auto codec = arrow::util::Codec::Create(arrow::Compression::SNAPPY).ValueOrDie();
  Bytes block(static_cast<size_t>(codec->MaxCompressedLen(static_cast<int64_t>(plain.size()), plain.data())));
  block.resize(static_cast<size_t>(
      codec
          ->Compress(static_cast<int64_t>(plain.size()), plain.data(), static_cast<int64_t>(block.size()), block.data())
          .ValueOrDie()));
  return block;
}

/// Decompressed between memory of exactly the block's size and of exactly what may be written: sanitizers watch both.
bool Decompress(const Bytes& block, size_t size, Bytes* plain) {
  const auto copy = std::make_unique<uint8_t[]>(block.size());
  std::copy(block.begin(), block.end(), copy.get());
  plain->assign(size + kSnappySlack, 0);
  plain->shrink_to_fit();
  const bool good = DecompressSnappy({copy.get(), block.size()}, plain->data(), size);
  plain->resize(size);
  return good;
}

Bytes Plain(const Bytes& block) {
  const auto size = SnappySize(block);
  EXPECT_TRUE(size.has_value());
  Bytes plain;
  EXPECT_TRUE(Decompress(block, size.value_or(0), &plain));
  return plain;
}

Bytes Text(const std::string& text) { return {text.begin(), text.end()}; }

/// Pieces of any bytes, repeated from any distance.
Bytes Repetitive(std::mt19937& random, size_t size) {
  Bytes bytes;
  while (bytes.size() < size) {
    const size_t length = 1 + random() % (random() % 4 == 0 ? 300 : 20);
    const size_t distance = 1 + random() % (random() % 2 == 0 ? 20 : 70'000);
    const bool copy = distance <= bytes.size() && random() % 3 != 0;
    for (size_t i = 0; i < length; ++i)
      bytes.push_back(copy ? bytes[bytes.size() - distance] : static_cast<uint8_t>(random()));
  }
  return bytes;
}

TEST(Snappy, ReadsWhatSnappyWrites) {
  const unsigned seed = 41;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 400; ++i) {
    const Bytes plain = Repetitive(random, static_cast<size_t>(i) * static_cast<size_t>(i));
    ASSERT_EQ(Plain(Compressed(plain)), plain) << i;
  }
}

TEST(Snappy, RepeatsAnyDistanceForAnyLength) {
  for (size_t distance = 1; distance <= 70; ++distance) {
    for (size_t length = 1; length <= 64; ++length) {
      Bytes plain;
      for (size_t i = 0; i < distance; ++i) plain.push_back(static_cast<uint8_t>('A' + i));
      Bytes block = {static_cast<uint8_t>(distance + length)};
      if (block[0] >= 0x80) block.push_back(1);
      block.push_back(60 << 2);
      block.push_back(static_cast<uint8_t>(distance - 1));
      block.insert(block.end(), plain.begin(), plain.end());
      for (size_t i = 0; i < length; ++i) plain.push_back(plain[plain.size() - distance]);
      const auto tag = static_cast<uint8_t>((length - 1) << 2);
      for (const Bytes& copy : {Bytes{static_cast<uint8_t>(tag | 2), static_cast<uint8_t>(distance), 0},
                                Bytes{static_cast<uint8_t>(tag | 3), static_cast<uint8_t>(distance), 0, 0, 0}}) {
        Bytes whole = block;
        whole.insert(whole.end(), copy.begin(), copy.end());
        ASSERT_EQ(Plain(whole), plain) << distance << " back, " << length << " long";
      }
    }
  }
}

TEST(Snappy, NothingIsNothing) { EXPECT_EQ(Plain({0}), Bytes()); }

TEST(Snappy, BrokenBlocksAreRefused) {
  const auto refused = [](const Bytes& block) {
    const auto size = SnappySize(block);
    Bytes plain;
    return !size || !Decompress(block, *size, &plain);
  };
  EXPECT_TRUE(refused({})) << "no size";
  EXPECT_TRUE(refused({0x80})) << "half a size";
  EXPECT_TRUE(refused({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01})) << "a size of more than 32 bits";
  EXPECT_TRUE(refused({0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x00, 'a'})) << "four gigabytes from a few bytes";
  EXPECT_TRUE(refused({3, 2 << 2, 'a', 'b'})) << "a literal that is cut";
  EXPECT_TRUE(refused({2, 2 << 2, 'a', 'b', 'c'})) << "more than the size";
  EXPECT_TRUE(refused({4, 2 << 2, 'a', 'b', 'c'})) << "less than the size";
  EXPECT_TRUE(refused({1, 61 << 2, 0})) << "a length that is cut";
  EXPECT_TRUE(refused({1, 63 << 2, 0xFF, 0xFF, 0xFF, 0xFF})) << "a literal of four gigabytes";
  EXPECT_TRUE(refused({5, 0, 'a', 1, 0})) << "a copy from nowhere";
  EXPECT_TRUE(refused({5, 0, 'a', 1, 2})) << "a copy from before the beginning";
  EXPECT_TRUE(refused({5, 0, 'a', 1})) << "a copy without an offset";
  EXPECT_TRUE(refused({5, 0, 'a', 3 << 2 | 2, 1})) << "half an offset";
  EXPECT_TRUE(refused({5, 0, 'a', 3 << 2 | 3, 1, 0, 0})) << "three quarters of an offset";
  EXPECT_TRUE(refused({3, 0, 'a', 1, 1})) << "a copy of more than there is room for";
  EXPECT_EQ(Plain({5, 0, 'a', 1, 1}), Text("aaaaa"));
}

TEST(Snappy, CutAndFlippedBlocksStayWithinTheirMemory) {
  const unsigned seed = 42;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const Bytes plain = Repetitive(random, 3'000);
  const Bytes block = Compressed(plain);
  Bytes out;
  for (size_t size = 0; size < block.size(); ++size)
    EXPECT_FALSE(Decompress({block.begin(), block.begin() + static_cast<ptrdiff_t>(size)}, plain.size(), &out)) << size;
  for (int i = 0; i < 20'000; ++i) {
    Bytes broken = block;
    for (int flips = 1 + i % 3; flips > 0; --flips) broken[random() % broken.size()] = static_cast<uint8_t>(random());
    const auto size = SnappySize(broken);
    if (size) Decompress(broken, *size, &out);
  }
}

}  // namespace
}  // namespace tidegate::parquet
