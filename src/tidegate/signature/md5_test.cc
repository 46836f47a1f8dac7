#include "tidegate/signature/md5.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

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

/// Of some texts, hashed together.
std::vector<Md5> Together(const std::vector<std::string>& texts, size_t first, size_t last, Machine machine) {
  std::vector<Md5Text> at;
  at.reserve(last - first);
  for (size_t i = first; i < last; ++i) at.push_back({texts[i].data(), texts[i].size()});
  std::vector<Md5> hashes(at.size());
  Md5s(at, hashes.data(), machine);
  return hashes;
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
std::vector<Md5> ByDuckDb(const std::vector<std::string>& texts) {
  auto db = engine::DuckDb::Open(":memory:", {});
  EXPECT_TRUE(db.ok());
  std::string values;
  for (const std::string& text : texts) values += (values.empty() ? "('" : ", ('") + text + "')";
  const auto rows =
      db->QueryAll("SELECT ('0x' || left(md5(t), 16))::UBIGINT, ('0x' || right(md5(t), 16))::UBIGINT FROM (VALUES " +
                   values + ") v(t)");
  EXPECT_TRUE(rows.ok()) << rows.status().ToString();
  std::vector<Md5> hashes;
  hashes.reserve(rows->size());
  for (const auto& row : *rows)
    hashes.push_back({std::stoull(row.at(0).value_or("")), std::stoull(row.at(1).value_or(""))});
  return hashes;
}

TEST(Md5, EachMachineAgreesWithDuckDbOnTextsOfAnyLengthSideBySide) {
  const unsigned seed = 20261130;
  SCOPED_TRACE("seed " + std::to_string(seed));
  const std::vector<std::string> texts = ManyTexts(seed);
  const std::vector<Md5> each = ByDuckDb(texts);
  ASSERT_EQ(each.size(), texts.size());
  for (const Machine machine : Machines()) {
    for (size_t count = 1; count <= texts.size(); count += 1 + count / 8) {
      for (size_t first = 0; first + count <= texts.size(); first += count) {
        const std::vector<Md5> expected(each.begin() + static_cast<ptrdiff_t>(first),
                                        each.begin() + static_cast<ptrdiff_t>(first + count));
        ASSERT_EQ(Together(texts, first, first + count, machine), expected)
            << "machine " << static_cast<int>(machine) << ", texts " << first << " and " << count - 1 << " after it";
      }
    }
  }
}

TEST(Md5, ReadsNoByteBesideATextAndWritesNoneOfIt) {
  for (const Machine machine : Machines()) {
    for (size_t size = 0; size < 200; ++size) {
      const std::vector<char> text(size, 'x');  // of its size exactly, for the address sanitizer
      const Md5Text one[] = {{text.data(), size}};
      Md5 hash;
      Md5s(one, &hash, machine);
      EXPECT_EQ(hash, Md5Of(std::string(size, 'x')));
      EXPECT_EQ(text, std::vector<char>(size, 'x'));
    }
  }
}

TEST(Md5, NoTextAtAllIsNoWork) {
  for (const Machine machine : Machines()) EXPECT_TRUE(Together({}, 0, 0, machine).empty());
}

}  // namespace
}  // namespace tidegate::signature
