#include "tidegate/signature/md5.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tidegate/engine/duckdb/duckdb_engine.h"

namespace tidegate::signature {
namespace {

TEST(Md5, TheVectorsOfRfc1321Hold) {
  EXPECT_EQ(Md5Hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(Md5Hex("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(Md5Hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(Md5Hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(Md5Hex("abcdefghijklmnopqrstuvwxyz"), "c3fcd3d76192e4007dfb496cca67e13b");
  EXPECT_EQ(Md5Hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

/// The halves of texts, hashed together.
std::vector<Md5Halves> Together(const std::vector<std::string>& texts, Md5Way way) {
  std::vector<std::string> padded;
  std::vector<Md5Text> at;
  padded.reserve(texts.size());
  at.reserve(texts.size());
  for (const std::string& text : texts) padded.push_back(text + std::string(kMd5Slack, '?'));
  for (size_t i = 0; i < texts.size(); ++i) at.push_back({padded[i].data(), texts[i].size()});
  std::vector<Md5Halves> halves(texts.size());
  Md5OfEach(at, halves, way);
  return halves;
}

TEST(Md5, EachWayAgreesWithDuckDbForTextsOfAnyLengthSideBySide) {
  const unsigned seed = 20261130;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<std::string> texts;
  for (size_t length = 0; length < 300; ++length)
    texts.push_back(std::string(length, static_cast<char>('a' + length % 26)));
  for (int i = 0; i < 300; ++i) texts.push_back(std::string(random() % 12'000, static_cast<char>('a' + random() % 26)));
  std::shuffle(texts.begin(), texts.end(), random);
  auto db = engine::DuckDb::Open(":memory:", {});
  ASSERT_TRUE(db.ok());
  std::string values;
  for (const std::string& text : texts) values += (values.empty() ? "('" : ", ('") + text + "')";
  const auto rows =
      db->QueryAll("SELECT ('0x' || left(md5(t), 16))::UBIGINT, ('0x' || right(md5(t), 16))::UBIGINT FROM (VALUES " +
                   values + ") v(t)");
  ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  for (const Md5Way way : Md5Ways()) {
    const auto halves = Together(texts, way);
    for (size_t i = 0; i < texts.size(); ++i) {
      ASSERT_EQ(std::to_string(halves[i].upper), rows->at(i).at(0))
          << "way " << static_cast<int>(way) << ": " << texts[i];
      ASSERT_EQ(std::to_string(halves[i].lower), rows->at(i).at(1))
          << "way " << static_cast<int>(way) << ": " << texts[i];
    }
  }
}

TEST(Md5, NoTextAtAllIsNoWork) {
  for (const Md5Way way : Md5Ways()) EXPECT_TRUE(Together({}, way).empty());
}

}  // namespace
}  // namespace tidegate::signature
