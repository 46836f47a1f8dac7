#include "tidegate/parquet/key_scan.h"

#include <arrow/array/array_base.h>
#include <arrow/result.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "tidegate/parquet/memcmp_order.h"
#include "tidegate/parquet/test_objects.h"

namespace tidegate::parquet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<KeyRow> Scan(const std::string& bytes, const KeyScanRequest& request) {
  BytesReader reader(bytes);
  std::vector<KeyRow> rows;
  const Status status = ScanKeys(reader, request, [&](std::span<const KeyRow> batch) {
    rows.insert(rows.end(), batch.begin(), batch.end());
    return Status();
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
  return rows;
}

std::vector<KeyRow> ScanColumn(const std::shared_ptr<arrow::Array>& array, const FileOptions& options = {}) {
  return Scan(MakeFile({{"k", array}}, options), {{"k"}, {"k"}, 42});
}

Status Failure(const std::string& bytes, const KeyScanRequest& request) {
  BytesReader reader(bytes);
  return ScanKeys(reader, request, [](std::span<const KeyRow>) { return Status(); });
}

std::vector<Hash128> Hashes(const std::vector<KeyRow>& rows) {
  std::vector<Hash128> hashes;
  for (const KeyRow& row : rows) hashes.push_back(row.key);
  return hashes;
}

/// Columns that hold the same values in other types have the same keys and the same order.
void ExpectSameKeys(const std::vector<std::shared_ptr<arrow::Array>>& arrays) {
  const std::vector<KeyRow> first = ScanColumn(arrays[0]);
  for (const auto& array : arrays) {
    const std::vector<KeyRow> rows = ScanColumn(array);
    EXPECT_EQ(Hashes(rows), Hashes(first)) << array->type()->ToString();
    for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].order, first[i].order) << array->type()->ToString();
  }
}

TEST(KeyScanTest, IntegersOfAnyWidthAreOneDomain) {
  const std::string values = "[0, 1, 127, null, 100]";
  ExpectSameKeys({FromJson(arrow::int64(), values), FromJson(arrow::int32(), values), FromJson(arrow::int16(), values),
                  FromJson(arrow::int8(), values), FromJson(arrow::uint8(), values), FromJson(arrow::uint16(), values),
                  FromJson(arrow::uint32(), values)});
}

TEST(KeyScanTest, AnUnsignedLongIsTheDecimalItBecomesInTheLake) {  // C-28
  ExpectSameKeys({FromJson(arrow::uint64(), "[0, 18446744073709551615, null]"),
                  FromJson(arrow::decimal128(20, 0), R"(["0", "18446744073709551615", null])")});
}

TEST(KeyScanTest, DecimalsOfOneScaleAreOneDomainWhateverTheirPrecision) {
  const std::string values = R"(["-1.25", "0.00", "99999.99", null])";
  ExpectSameKeys({FromJson(arrow::decimal128(7, 2), values), FromJson(arrow::decimal128(18, 2), values),
                  FromJson(arrow::decimal128(38, 2), values)});
}

TEST(KeyScanTest, FloatsAreDoublesWithOneZeroAndOneNaN) {
  ExpectSameKeys(
      {FromJson(arrow::float64(), "[0.5, -2, 0, NaN, Inf]"), FromJson(arrow::float32(), "[0.5, -2, -0.0, NaN, Inf]")});
}

TEST(KeyScanTest, TimestampsOfAnyUnitAreMicroseconds) {  // C-25
  ExpectSameKeys({FromJson(arrow::timestamp(arrow::TimeUnit::MILLI), "[-1000, 0, 1700000000000, null]"),
                  FromJson(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[-1000000, 0, 1700000000000000, null]"),
                  FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[-1000000000, 0, 1700000000000000000, null]")});
  const auto nanos = FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[-1000000000, 0, 1700000000000000000, null]");
  const auto micros = FromJson(arrow::timestamp(arrow::TimeUnit::MICRO), "[-1000000, 0, 1700000000000000, null]");
  EXPECT_EQ(Hashes(ScanColumn(nanos, {.int96 = true})), Hashes(ScanColumn(micros)));
}

TEST(KeyScanTest, TimesOfAnyUnitAreMicroseconds) {
  ExpectSameKeys({FromJson(arrow::time32(arrow::TimeUnit::MILLI), "[0, 86399999]"),
                  FromJson(arrow::time64(arrow::TimeUnit::MICRO), "[0, 86399999000]"),
                  FromJson(arrow::time64(arrow::TimeUnit::NANO), "[0, 86399999000000]")});
}

TEST(KeyScanTest, DictionariesAndPlainTextAreOneDomain) {
  const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  const auto dictionary = DictionaryFromJson(type, "[1, 0, null, 1]", R"(["a", "b"])");
  EXPECT_EQ(Hashes(ScanColumn(dictionary, {.store_schema = true})),
            Hashes(ScanColumn(FromJson(arrow::utf8(), R"(["b", "a", null, "b"])"))));
}

TEST(KeyScanTest, KeysOfDifferentTypesDoNotMeet) {
  std::set<Hash128> keys;
  const std::vector<std::shared_ptr<arrow::Array>> ones = {FromJson(arrow::int32(), "[1]"),
                                                           FromJson(arrow::boolean(), "[true]"),
                                                           FromJson(arrow::float64(), "[1]"),
                                                           FromJson(arrow::utf8(), R"(["1"])"),
                                                           FromJson(arrow::date32(), "[1]"),
                                                           FromJson(arrow::decimal128(5, 0), R"(["1"])"),
                                                           FromJson(arrow::decimal128(5, 1), R"(["1.0"])"),
                                                           FromJson(arrow::int32(), "[null]"),
                                                           FromJson(arrow::utf8(), R"([""])"),
                                                           FromJson(arrow::time64(arrow::TimeUnit::MICRO), "[1]"),
                                                           FromJson(arrow::timestamp(arrow::TimeUnit::MICRO), "[1]")};
  for (const auto& one : ones) EXPECT_TRUE(keys.insert(ScanColumn(one)[0].key).second) << one->type()->ToString();
}

TEST(KeyScanTest, CompositeKeysDoNotMeetByConcatenation) {
  const std::string bytes = MakeFile({{"a", FromJson(arrow::utf8(), R"(["ab", "a", "", "abc"])")},
                                      {"b", FromJson(arrow::utf8(), R"(["c", "bc", "abc", ""])")}});
  const std::vector<Hash128> hashes = Hashes(Scan(bytes, {{"a", "b"}, {}, 1}));
  EXPECT_EQ(std::set<Hash128>(hashes.begin(), hashes.end()).size(), 4u);
}

TEST(KeyScanTest, AnyNullPartMakesANullKey) {  // C-23
  const std::string bytes = MakeFile({{"a", FromJson(arrow::int32(), "[1, null, 1, null]")},
                                      {"b", FromJson(arrow::utf8(), R"(["x", "x", null, null])")}});
  std::vector<bool> nulls;
  for (const KeyRow& row : Scan(bytes, {{"a", "b"}, {}, 1})) nulls.push_back(row.null_key);
  EXPECT_THAT(nulls, ElementsAre(false, true, true, true));
}

TEST(KeyScanTest, TheSeedAndTheOrderOfKeyColumnsCount) {
  const std::string bytes = MakeFile({{"a", FromJson(arrow::int32(), "[1]")}, {"b", FromJson(arrow::int32(), "[2]")}});
  const Hash128 base = Scan(bytes, {{"a", "b"}, {}, 1})[0].key;
  EXPECT_NE(Scan(bytes, {{"a", "b"}, {}, 2})[0].key, base);
  EXPECT_NE(Scan(bytes, {{"b", "a"}, {}, 1})[0].key, base);
  EXPECT_EQ(Scan(bytes, {{"a", "b"}, {}, 1})[0].key, base);
}

TEST(KeyScanTest, PositionsCountRowsOverAllRowGroups) {
  const std::string bytes = MakeFile({{"a", FromJson(arrow::int32(), "[7, 8, 9, 10, 11]")}}, {.row_group_rows = 2});
  std::vector<int64_t> positions;
  for (const KeyRow& row : Scan(bytes, {{"a"}, {}, 1})) positions.push_back(row.position);
  EXPECT_THAT(positions, ElementsAre(0, 1, 2, 3, 4));
}

TEST(KeyScanTest, OrderIsEmptyUnlessAskedAndAbsentColumnsAreLowest) {  // C-22
  const std::string bytes = MakeFile({{"a", FromJson(arrow::int32(), "[1, 2]")}});
  EXPECT_EQ(Scan(bytes, {{"a"}, {}, 1})[0].order, "");
  const std::vector<KeyRow> rows = Scan(bytes, {{"a"}, {"version", "a"}, 1});
  EXPECT_EQ(rows[0].order[0], '\0');
  EXPECT_LT(rows[0].order, rows[1].order);
}

TEST(KeyScanTest, OnlyTheChunksOfKeyColumnsAreRead) {
  std::string blob = "[\"";
  std::mt19937 random(5);
  for (int i = 0; i < 400'000; ++i) blob += static_cast<char>('a' + random() % 26);
  const std::string bytes =
      MakeFile({{"id", FromJson(arrow::int32(), "[1]")}, {"blob", FromJson(arrow::utf8(), blob + "\"]")}});
  ASSERT_GT(bytes.size(), 200'000u);
  BytesReader reader(bytes);
  ASSERT_TRUE(ScanKeys(reader, {{"id"}, {}, 1}, [](std::span<const KeyRow>) { return Status(); }).ok());
  EXPECT_LT(reader.bytes_read(), 70'000u);  // the last 64 KiB and the chunk
}

TEST(KeyScanTest, ColumnsAreFoundByExactNameAlsoWithDots) {
  const auto inner = FromJson(arrow::struct_({arrow::field("b", arrow::int32())}), R"([{"b": 1}])");
  const std::string bytes = MakeFile({{"a", inner}, {"a.b", FromJson(arrow::int32(), "[7]")}});
  EXPECT_EQ(Scan(bytes, {{"a.b"}, {}, 42})[0].key, ScanColumn(FromJson(arrow::int32(), "[7]"))[0].key);
  const Status missing = Failure(bytes, {{"A.b"}, {}, 1});
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_THAT(missing.message(), HasSubstr("'A.b'"));
  EXPECT_THAT(missing.message(), HasSubstr("part.parquet"));
}

TEST(KeyScanTest, NestedKeysAreUnsupportedAndRepeatedNamesAreCorrupt) {
  const std::string nested = MakeFile({{"a", FromJson(arrow::list(arrow::int32()), "[[1]]")}});
  EXPECT_EQ(Failure(nested, {{"a"}, {}, 1}).code(), Code::kUnsupported);
  const std::string twice = MakeFile({{"a", FromJson(arrow::int32(), "[1]")}, {"a", FromJson(arrow::int32(), "[2]")}});
  EXPECT_EQ(Failure(twice, {{"a"}, {}, 1}).code(), Code::kCorruption);
  EXPECT_EQ(Failure(twice, {{}, {}, 1}).code(), Code::kInvalidArgument);
}

TEST(KeyScanTest, TimesBelowAMicrosecondOrOutOfRangeAreCorruption) {  // C-25
  const std::string fine = MakeFile({{"t", FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[1001]")}});
  EXPECT_EQ(Failure(fine, {{"t"}, {}, 1}).code(), Code::kCorruption);
  const std::string far =
      MakeFile({{"t", FromJson(arrow::timestamp(arrow::TimeUnit::MILLI), "[9223372036854775807]")}});
  EXPECT_EQ(Failure(far, {{"t"}, {}, 1}).code(), Code::kCorruption);
}

TEST(KeyScanTest, AnErrorOfTheSinkStopsTheScan) {
  const std::string bytes = MakeFile({{"a", FromJson(arrow::int32(), "[1, 2, 3]")}}, {.row_group_rows = 1});
  BytesReader reader(bytes);
  int calls = 0;
  const Status status = ScanKeys(reader, {{"a"}, {}, 1}, [&](std::span<const KeyRow>) {
    ++calls;
    return Cancelled("stopped");
  });
  EXPECT_EQ(status, Cancelled("stopped"));
  EXPECT_EQ(calls, 1);
}

// ---- the order form

TEST(OrderFormTest, IntegersSortAsTheirValues) {
  std::mt19937_64 random(11);
  std::vector<int64_t> values = {0, 1, -1, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  for (int i = 0; i < 300; ++i) values.push_back(static_cast<int64_t>(random()) >> (random() % 64));
  for (const int64_t a : values) {
    for (const int64_t b : values) {
      std::string left, right;
      AppendOrderedInt(a, left);
      AppendOrderedInt(b, right);
      ASSERT_EQ(left <=> right, a <=> b) << a << " " << b;
    }
  }
}

TEST(OrderFormTest, DoublesSortAsTheirValuesAndNaNIsGreatest) {
  std::mt19937_64 random(12);
  std::vector<double> values = {0.0, 1.0, -1.0, INFINITY, -INFINITY, 5e-324, -5e-324};
  for (int i = 0; i < 300; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isnan(value)) values.push_back(value);
  }
  const auto form = [](double value) {
    std::string out;
    AppendOrderedDouble(value, out);
    return out;
  };
  for (const double a : values) {
    for (const double b : values) {
      ASSERT_EQ(form(a) < form(b), a < b) << a << " " << b;
      ASSERT_EQ(form(a) == form(b), a == b) << a << " " << b;
    }
    ASSERT_LT(form(a), form(NAN));
  }
  EXPECT_EQ(form(0.0), form(-0.0));
  EXPECT_EQ(form(NAN), form(-NAN));
}

TEST(OrderFormTest, BytesSortAsTheirValuesAlsoWithWhatFollows) {
  std::mt19937 random(13);
  std::vector<std::pair<std::string, int64_t>> values;
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (uint32_t n = random() % 5; n > 0; --n)
      text +=
          "\0\1\xff"
          "a"[random() % 4];
    values.emplace_back(text, static_cast<int64_t>(random() % 3) - 1);
  }
  const auto form = [](const std::pair<std::string, int64_t>& value) {
    std::string out;
    AppendOrderedBytes(value.first, out);
    AppendOrderedInt(value.second, out);
    return out;
  };
  for (const auto& a : values) {
    for (const auto& b : values) ASSERT_EQ(form(a) <=> form(b), a <=> b);
  }
}

TEST(OrderFormTest, ScannedColumnsSortAsTheirValuesWithNullsLowest) {
  const std::vector<std::shared_ptr<arrow::Array>> ascending = {
      FromJson(arrow::boolean(), "[null, false, true]"),
      FromJson(arrow::int16(), "[null, -300, -1, 0, 5, 300]"),
      FromJson(arrow::float32(), "[null, -Inf, -1.5, 0, 2, Inf, NaN]"),
      FromJson(arrow::decimal128(38, 3),
               R"([null, "-99999999999999999999999999999999999.999", "-0.001", "0.000", "0.002",
                                              "99999999999999999999999999999999999.999"])"),
      FromJson(arrow::utf8(), R"([null, "", "a", "a\u0000", "a\u0000b", "aa", "b", "é"])"),
      FromJson(arrow::binary(), R"([null, "", "A", "AB"])"),
      FromJson(arrow::date32(), "[null, -719162, -1, 0, 2932896]"),
      FromJson(arrow::timestamp(arrow::TimeUnit::MICRO), "[null, -62135596800000000, -1, 0, 253402300799999999]"),
      FromJson(arrow::time64(arrow::TimeUnit::MICRO), "[null, 0, 1, 86399999999]"),
      FromJson(arrow::uint64(), "[null, 0, 9223372036854775807, 18446744073709551615]"),
      FromJson(arrow::fixed_size_binary(2), R"([null, "AA", "AB", "BA"])"),
  };
  for (const auto& array : ascending) {
    const std::vector<KeyRow> rows = ScanColumn(array);
    for (size_t i = 1; i < rows.size(); ++i) {
      EXPECT_LT(rows[i - 1].order, rows[i].order) << array->type()->ToString() << " " << i;
    }
  }
}

// The form is kept in key indexes: these bytes must never change.
TEST(KeyFormTest, GoldenHashes) {
  const auto type = [](const std::shared_ptr<arrow::DataType>& data_type, const std::string& json) {
    return Scan(MakeFile({{"k", FromJson(data_type, json)}}), {{"k"}, {}, 42})[0].key;
  };
  std::string form("I\x08\0\0\0\0\0\0\0\0\0\0\x2a", 13);
  EXPECT_EQ(type(arrow::int32(), "[42]"), HashBytes(form, 42));
  EXPECT_EQ(type(arrow::utf8(), R"(["ab"])"), HashBytes(std::string("S\x02\0\0\0ab", 7), 42));
  EXPECT_EQ(type(arrow::boolean(), "[true]"), HashBytes(std::string("B\x01\0\0\0\x01", 6), 42));
  EXPECT_EQ(type(arrow::date32(), "[1]"), HashBytes(std::string("d\x08\0\0\0\0\0\0\0\0\0\0\x01", 13), 42));
  EXPECT_EQ(type(arrow::float32(), "[1]"), HashBytes(std::string("F\x08\0\0\0\x3f\xf0\0\0\0\0\0\0", 13), 42));
  EXPECT_EQ(type(arrow::decimal128(5, 2), R"(["-0.01"])"),
            HashBytes(std::string("D\x11\0\0\0\x02", 6) + std::string(16, '\xff'), 42));
  EXPECT_EQ(type(arrow::int32(), "[null]"), HashBytes(std::string("N\0\0\0\0", 5), 42));
}

}  // namespace
}  // namespace tidegate::parquet
