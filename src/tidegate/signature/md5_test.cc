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

std::vector<Machine> Machines() {
  if (ThisMachine() == Machine::kAny) return {Machine::kAny};
  return {Machine::kAny, Machine::kAvx2};
}

/// The sums of texts, hashed together.
Md5Sums Together(const std::vector<std::string>& texts, size_t first, size_t last, Machine machine) {
  std::vector<std::string> padded;
  std::vector<Md5Text> at;
  padded.reserve(last - first);
  at.reserve(last - first);
  for (size_t i = first; i < last; ++i) padded.push_back(texts[i] + std::string(kMd5Slack, '?'));
  for (size_t i = first; i < last; ++i) at.push_back({padded[i - first].data(), texts[i].size()});
  Md5Sums sums;
  AddMd5s(at, sums, machine);
  return sums;
}

/// Texts of all short lengths and of some long ones, in any order.
std::vector<std::string> ManyTexts(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> texts;
  for (size_t length = 0; length < 300; ++length)
    texts.push_back(std::string(length, static_cast<char>('a' + length % 26)));
  for (int i = 0; i < 300; ++i) texts.push_back(std::string(random() % 12'000, static_cast<char>('a' + random() % 26)));
  for (int i = 0; i < 100; ++i) texts.push_back(std::string(60, static_cast<char>('a' + random() % 26)));
  std::shuffle(texts.begin(), texts.end(), random);
  return texts;
}

/// What DuckDB says, of each.
std::vector<Md5Sums> ByDuckDb(const std::vector<std::string>& texts) {
  auto db = engine::DuckDb::Open(":memory:", {});
  EXPECT_TRUE(db.ok());
  std::string values;
  for (const std::string& text : texts) values += (values.empty() ? "('" : ", ('") + text + "')";
  const auto rows =
      db->QueryAll("SELECT ('0x' || left(md5(t), 16))::UBIGINT, ('0x' || right(md5(t), 16))::UBIGINT FROM (VALUES " +
                   values + ") v(t)");
  EXPECT_TRUE(rows.ok()) << rows.status().ToString();
  std::vector<Md5Sums> sums;
  sums.reserve(rows->size());
  for (const auto& row : *rows)
    sums.push_back({std::stoull(row.at(0).value_or("")), std::stoull(row.at(1).value_or(""))});
  return sums;
}

TEST(Md5, EachMachineAgreesWithDuckDbOnTextsOfAnyLengthSideBySide) {
  const unsigned seed = 20261130;
  SCOPED_TRACE("seed " + std::to_string(seed));
  const std::vector<std::string> texts = ManyTexts(seed);
  const std::vector<Md5Sums> each = ByDuckDb(texts);
  ASSERT_EQ(each.size(), texts.size());
  for (const Machine machine : Machines()) {
    for (size_t count = 1; count <= texts.size(); count += 1 + count / 8) {
      for (size_t first = 0; first + count <= texts.size(); first += count) {
        Md5Sums expected;
        for (size_t i = first; i < first + count; ++i) {
          expected.upper += each[i].upper;
          expected.lower += each[i].lower;
        }
        ASSERT_EQ(Together(texts, first, first + count, machine), expected)
            << "machine " << static_cast<int>(machine) << ", texts " << first << " and " << count - 1 << " after it";
      }
    }
  }
}

TEST(Md5, AddsToWhatIsThere) {
  std::string text = "abc" + std::string(kMd5Slack, '?');
  const Md5Text one[] = {{text.data(), 3}};
  for (const Machine machine : Machines()) {
    Md5Sums sums = {UINT64_MAX, 1};
    AddMd5s(one, sums, machine);
    EXPECT_EQ(sums, (Md5Sums{0x900150983cd24fb0 - 1, 0xd6963f7d28e17f72 + 1}));
  }
}

TEST(Md5, NoTextAtAllIsNoWork) {
  for (const Machine machine : Machines()) EXPECT_EQ(Together({}, 0, 0, machine), Md5Sums());
}

}  // namespace
}  // namespace tidegate::signature
