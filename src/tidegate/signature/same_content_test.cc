// The written cases: what has one signature and what has not, each set of rows signed in every way that there is.
#include <arrow/array/array_base.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "tidegate/parquet/test_objects.h"
#include "tidegate/signature/test_signing.h"

namespace tidegate::signature {
namespace {

using parquet::FileOptions;
using parquet::FromJson;
using parquet::MakeFile;

struct WrittenCase {
  std::string name;
  bool same;
  std::vector<RowSet> sets;
};

WrittenCase Same(std::string name, std::vector<RowSet> sets) { return {std::move(name), true, std::move(sets)}; }
WrittenCase Differ(std::string name, std::vector<RowSet> sets) { return {std::move(name), false, std::move(sets)}; }

RowSet InSql(std::string query) { return {std::move(query), Shown::kInSqlAlone}; }
RowSet NotInParquet(std::string query) { return {std::move(query), Shown::kNotInParquet}; }
RowSet NotInArrow(std::string query) { return {std::move(query), Shown::kNotInArrow}; }

/// A file of one column x that Arrow writes.
RowSet File(const std::shared_ptr<arrow::DataType>& type, const std::string& json, const FileOptions& options = {}) {
  return RowSet::Files({MakeFile({{"x", FromJson(type, json)}}, options)});
}

std::vector<WrittenCase> RowCases() {
  const auto ids = [](const std::string& json) { return MakeFile({{"x", FromJson(arrow::int64(), json)}}); };
  return {
      Same("row order", {"SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) t(x, y)",
                         "SELECT * FROM (VALUES (3, 'c'), (1, 'a'), (2, 'b')) t(x, y)"}),
      Same("file split", {RowSet::Files({ids("[1, 2, 3, 4]")}), RowSet::Files({ids("[4]"), ids("[1, 3]"), ids("[2]")}),
                          RowSet::Files({ids("[]"), ids("[1, 2, 3, 4]")})}),
      Same("row groups",
           {File(arrow::int64(), "[1, 2, 3, 4]"), File(arrow::int64(), "[1, 2, 3, 4]", {.row_group_rows = 1}),
            File(arrow::int64(), "[1, 2, 3, 4]", {.row_group_rows = 3})}),
      Same("many rows in another order", {"SELECT i x, i % 7 y, 'r' || i z FROM range(5000) t(i)",
                                          "SELECT i x, i % 7 y, 'r' || i z FROM range(5000) t(i) ORDER BY hash(i)"}),
      Differ("duplicate rows", {"SELECT 1 x", "SELECT 1 x FROM range(2)", "SELECT 1 x FROM range(3)"}),
      Differ("a pair of duplicates is not another pair",
             {"SELECT unnest([1, 1, 2, 2]) x", "SELECT unnest([3, 3, 4, 4]) x"}),
      Differ("which row is doubled", {"SELECT unnest([1, 1, 2]) x", "SELECT unnest([1, 2, 2]) x"}),
      Differ("a row more or less", {"SELECT unnest([1, 2]) x", "SELECT unnest([1, 2, 3]) x", "SELECT unnest([1]) x"}),
      Differ("a null row more", {"SELECT 1 x", "SELECT unnest([1, NULL]) x"}),
      Differ("a value moves to another row", {"SELECT * FROM (VALUES (1, 'a'), (2, 'b')) t(x, y)",
                                              "SELECT * FROM (VALUES (1, 'b'), (2, 'a')) t(x, y)"}),
      Differ("sets of numbers with equal sums, squares and cubes",
             {"SELECT unnest([0, 3, 5, 6, 9, 10, 12, 15]) x", "SELECT unnest([1, 2, 4, 7, 8, 11, 13, 14]) x"}),
      Differ("sets of numbers with equal sums of nine powers",
             {"SELECT i x FROM range(1024) t(i) WHERE bit_count(i) % 2 = 0",
              "SELECT i x FROM range(1024) t(i) WHERE bit_count(i) % 2 = 1"}),
      Differ("flags that agree in each two columns",
             {"SELECT * FROM (VALUES (0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)) t(x, y, z)",
              "SELECT * FROM (VALUES (1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)) t(x, y, z)"}),
      Differ("rows and their negatives", {"SELECT unnest([5, 7]) x", "SELECT unnest([-5, -7]) x",
                                          "SELECT unnest([5, -7]) x", "SELECT unnest([-5, 7]) x"}),
      Differ("one digit of one value", {"SELECT i x FROM range(3000) t(i)",
                                        "SELECT CASE i WHEN 1777 THEN 1778 ELSE i END x FROM range(3000) t(i)"}),
  };
}

std::vector<WrittenCase> ColumnCases() {
  return {
      Same("column order",
           {"SELECT 1 a, 'x' b, NULL::DATE c", "SELECT NULL::DATE c, 'x' b, 1 a", "SELECT 'x' b, 1 a, NULL::DATE c"}),
      Differ("rename", {"SELECT 1 a", "SELECT 1 b", "SELECT 1 \"A\"", "SELECT 1 \"a \""}),
      Differ("names swapped", {"SELECT 1 a, 2 b", "SELECT 1 b, 2 a"}),
      Differ("a column more", {"SELECT 1 a", "SELECT 1 a, NULL::INT b", "SELECT 1 a, '' b"}),
      Differ("values swapped between columns", {"SELECT 'p' a, 'q' b", "SELECT 'q' a, 'p' b"}),
      Differ("a boundary moves between columns",
             {"SELECT 'ab' a, 'c' b", "SELECT 'a' a, 'bc' b", "SELECT 'abc' a, '' b", "SELECT '' a, 'abc' b"}),
      Differ("null moves between columns", {"SELECT NULL::INT a, 1 b", "SELECT 1 a, NULL::INT b"}),
      Differ("names joined", {"SELECT 1 \"ab\", 1 \"c\"", "SELECT 1 \"a\", 1 \"bc\"", "SELECT 1 \"a,b\", 1 c"}),
      Same("types do not count in an empty table",
           {"SELECT 1 a WHERE false", "SELECT 'x' a WHERE false", "SELECT [1] a WHERE false"}),
      Differ("names count in an empty table",
             {"SELECT 1 a WHERE false", "SELECT 1 b WHERE false", "SELECT 1 a, 1 b WHERE false"}),
      Differ("no row and a row of nulls", {"SELECT 1 a WHERE false", "SELECT NULL::INT a"}),
      Same("names with quotes, spaces and other letters",
           {R"(SELECT 1 "it's", 2 "a ""b""", 3 "größe")", R"(SELECT 3 "größe", 1 "it's", 2 "a ""b""")"}),
  };
}

std::vector<WrittenCase> NumberCases() {
  std::vector<RowSet> widths = {NotInParquet("SELECT 100::HUGEINT x"), InSql("SELECT 100::UHUGEINT x")};
  for (const char* type : {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
                           "FLOAT", "DOUBLE", "DECIMAL(3,0)", "DECIMAL(9,2)", "DECIMAL(18,6)", "DECIMAL(38,10)"}) {
    widths.push_back("SELECT 100::" + std::string(type) + " x");
  }
  for (const auto& type :
       {arrow::int8(), arrow::uint8(), arrow::int16(), arrow::uint16(), arrow::uint32(), arrow::uint64()}) {
    widths.push_back(File(type, "[100]"));
  }
  return {
      Same("integer widths, decimals and whole floats", widths),
      Same("an integer column that became float because of nulls",
           {"SELECT unnest([1, NULL, -3]) x", "SELECT unnest([1.0::DOUBLE, NULL, -3.0]) x",
            "SELECT unnest([1.0::FLOAT, NULL, -3.0]) x"}),
      Same("the greatest int64", {"SELECT 9223372036854775807 x", "SELECT 9223372036854775807::UBIGINT x",
                                  "SELECT 9223372036854775807::DECIMAL(38,0) x"}),
      Same("the least int64", {"SELECT -9223372036854775808 x", "SELECT '-9223372036854775808.00'::DECIMAL(38,2) x"}),
      Same("the greatest uint64",
           {"SELECT 18446744073709551615::UBIGINT x", "SELECT 18446744073709551615::DECIMAL(20,0) x",
            File(arrow::uint64(), "[18446744073709551615]")}),
      Same("decimal scale", {"SELECT 1.5::DECIMAL(2,1) x", "SELECT 1.50::DECIMAL(9,2) x", "SELECT 1.5::DECIMAL(18,8) x",
                             "SELECT 1.5::DECIMAL(18,9) x", "SELECT 1.5::DECIMAL(38,37) x"}),
      Same("negative decimals below one",
           {"SELECT -0.05::DECIMAL(4,2) x", "SELECT -0.05::DECIMAL(4,4) x", "SELECT -0.05::DECIMAL(38,38) x"}),
      Same("zero",
           {"SELECT 0 x", "SELECT 0::DECIMAL(9,4) x", "SELECT 0::DECIMAL(4,4) x", "SELECT 0::DECIMAL(38,38) x",
            "SELECT 0::DOUBLE x", "SELECT -0.0::DOUBLE x", "SELECT '-0.0'::DOUBLE x", "SELECT '-0.0'::FLOAT x"}),
      Same("38 digits", {"SELECT '-12345678901234567890123456789012345678'::DECIMAL(38,0) x",
                         File(arrow::decimal128(38, 0), R"(["-12345678901234567890123456789012345678"])"),
                         NotInParquet("SELECT '-12345678901234567890123456789012345678'::HUGEINT x")}),
      Same("38 digits with a fraction",
           {"SELECT '1234567890123456789012345678.0123456780'::DECIMAL(38,10) x",
            File(arrow::decimal128(38, 9), R"(["1234567890123456789012345678.012345678"])")}),
      Same("decimals in whatever bytes",
           {"SELECT -12.34::DECIMAL(4,2) x", "SELECT -12.34::DECIMAL(18,2) x", "SELECT -12.34::DECIMAL(38,2) x",
            File(arrow::decimal128(4, 2), R"(["-12.34"])"), File(arrow::decimal128(30, 2), R"(["-12.34"])")}),
      Differ("decimals by their digits",
             {"SELECT 1.23::DECIMAL(9,2) x", "SELECT 12.3::DECIMAL(9,2) x", "SELECT 123::DECIMAL(9,2) x",
              "SELECT 1.203::DECIMAL(9,3) x", "SELECT 1.023::DECIMAL(9,3) x", "SELECT -1.23::DECIMAL(9,2) x"}),
      Differ("numbers that are equal modulo a prime or near to it",
             {"SELECT 0 x", "SELECT 2305843009213693951 x", "SELECT 2305843009213693921 x",
              "SELECT -2305843009213693951 x", "SELECT 1 x", "SELECT 2305843009213693952 x", "SELECT 31 x",
              "SELECT -9223372036854775808 x", "SELECT -4 x", "SELECT 9223372036854775807 x", "SELECT 3 x",
              "SELECT 18446744073709551615::UBIGINT x", "SELECT 7 x", "SELECT 1152921504606846976 x",
              "SELECT 0.5::DECIMAL(2,1) x", "SELECT 247 x", "SELECT -124 x", "SELECT 123 x"}),
      Differ("signs", {"SELECT 1 x", "SELECT -1 x"}),
      Differ("a decimal and the double beside it", {"SELECT 0.1::DECIMAL(9,1) x", "SELECT 0.1::DOUBLE x"}),
      Differ("numbers, booleans, text",
             {"SELECT 1 x", "SELECT true x", "SELECT '1' x", "SELECT '1;' x", "SELECT 't' x"}),
      Differ("true and false", {"SELECT true x", "SELECT false x", "SELECT NULL::BOOLEAN x"}),
  };
}

std::vector<WrittenCase> FloatCases() {
  const auto doubles = [](const std::vector<uint64_t>& bits) {
    arrow::DoubleBuilder builder;
    for (const uint64_t value : bits) EXPECT_TRUE(builder.Append(std::bit_cast<double>(value)).ok());
    return RowSet::Files({MakeFile({{"x", builder.Finish().ValueOrDie()}})});
  };
  return {
      Same("NaN payloads and signs",
           {"SELECT 'nan'::DOUBLE x", "SELECT '-nan'::DOUBLE x", "SELECT 'nan'::FLOAT x", doubles({0x7FF8000000000000}),
            doubles({0xFFF8000000000000}), doubles({0x7FF8DEADBEEF0001}), doubles({0x7FF0000000000001})}),
      Differ("NaN, null, text and infinities", {"SELECT 'nan'::DOUBLE x", "SELECT NULL::DOUBLE x", "SELECT 'NaN' x",
                                                "SELECT 'inf'::DOUBLE x", "SELECT '-inf'::DOUBLE x"}),
      Same("float widened", {"SELECT 0.1::FLOAT x", "SELECT 0.1::FLOAT::DOUBLE x"}),
      Differ("float and double of one text", {"SELECT 0.1::FLOAT x", "SELECT 0.1::DOUBLE x"}),
      Same("half floats", {File(arrow::float16(), "[1.5, -2, 0.25]"), "SELECT unnest([1.5::FLOAT, -2, 0.25]) x"}),
      Same("2^53", {"SELECT 9007199254740992::BIGINT x", "SELECT 9007199254740992::DOUBLE x"}),
      Same("-2^53", {"SELECT -9007199254740992::BIGINT x", "SELECT -9007199254740992::DOUBLE x"}),
      Differ("above 2^53 a double is no integer",
             {"SELECT 9007199254740994::BIGINT x", "SELECT 9007199254740994::DOUBLE x"}),
      Differ("1e16", {"SELECT 10000000000000000 x", "SELECT 1e16::DOUBLE x"}),
      Differ("neighbours", {"SELECT 0.1::DOUBLE x", doubles({0x3FB999999999999B}), doubles({0x3FB9999999999999})}),
      Same("denormal and greatest", {doubles({1, 0x7FEFFFFFFFFFFFFF, 0x8000000000000001}),
                                     "SELECT unnest([5e-324::DOUBLE, 1.7976931348623157e308, -5e-324]) x"}),
      Same("zeros of both signs in a file", {doubles({0, 0x8000000000000000}), "SELECT unnest([0, 0]) x"}),
  };
}

std::vector<WrittenCase> TextCases() {
  const auto coded = [](const std::string& codes, const std::string& values) {
    return RowSet::Files({MakeFile(
        {{"x", parquet::DictionaryFromJson(arrow::dictionary(arrow::int32(), arrow::utf8()), codes, values)}})});
  };
  return {
      Differ("null, empty, and texts that say null",
             {"SELECT NULL::VARCHAR x", "SELECT '' x", "SELECT 'null' x", "SELECT 'NULL' x", "SELECT 'n' x",
              "SELECT ' ' x", "SELECT chr(0) x"}),
      Differ("letter case, spaces", {"SELECT 'a' x", "SELECT 'A' x", "SELECT 'a ' x", "SELECT ' a' x",
                                     "SELECT 'a' || chr(10) x", "SELECT 'a' || chr(0) x"}),
      Differ("Unicode normal forms", {"SELECT 'é' x", "SELECT 'e' || chr(769) x", "SELECT 'e' x"}),
      Same("Unicode",
           {"SELECT unnest(['größe', '漢字', '😀', 'ﬁ']) x", File(arrow::utf8(), R"(["größe", "漢字", "😀", "ﬁ"])"),
            File(arrow::large_utf8(), R"(["漢字", "ﬁ", "😀", "größe"])")}),
      Differ("text that looks like a text of ours", {"SELECT 's1:a' x", "SELECT 'a' x", "SELECT '1:a' x"}),
      Same("dictionary", {"SELECT unnest(['b', 'a', 'b', NULL]) x", coded("[0, 1, 0, null]", R"(["b", "a"])"),
                          coded("[1, 0, null, 1]", R"(["a", "b"])"), File(arrow::utf8(), R"(["a", "b", "b", null])")}),
      Same("enum", {"SELECT 'b'::ENUM('a', 'b') x", "SELECT 'b' x"}),
      Same("JSON is its text", {"SELECT '{\"a\": 1}'::JSON x", "SELECT '{\"a\": 1}' x"}),
      Same("long texts", {"SELECT repeat('long ', 20000 + i::INT) x FROM range(5) t(i)",
                          "SELECT repeat('long ', 20004 - i::INT) x FROM range(5) t(i)"}),
      Same("texts of every length", {"SELECT repeat('x', i::INT) x FROM range(400) t(i)",
                                     "SELECT repeat('x', 399 - i::INT) x FROM range(400) t(i)"}),
      Differ("text and binary", {"SELECT 'ab' x", "SELECT 'ab'::BLOB x", "SELECT '6162' x", "SELECT 'x6162;' x"}),
      Same("binary", {"SELECT '\\x00\\xFFab'::BLOB x", "SELECT ('\\x00\\xFF'::BLOB || 'ab'::BLOB) x"}),
      Same("binary of fixed length", {File(arrow::fixed_size_binary(4), R"(["abcd"])"),
                                      File(arrow::binary(), R"(["abcd"])"), "SELECT 'abcd'::BLOB x"}),
      Differ("binary by its bytes",
             {"SELECT ''::BLOB x", "SELECT NULL::BLOB x", "SELECT '\\x00'::BLOB x", "SELECT '\\x00\\x00'::BLOB x"}),
      Same("UUID", {NotInArrow("SELECT '01234567-89AB-cdef-0123-456789abcdef'::UUID x"),
                    NotInArrow("SELECT '{0123456789abcdef0123456789abcdef}'::UUID x")}),
      Differ("UUID and its text", {NotInArrow("SELECT '01234567-89ab-cdef-0123-456789abcdef'::UUID x"),
                                   "SELECT '01234567-89ab-cdef-0123-456789abcdef' x"}),
  };
}

std::vector<WrittenCase> TimeCases() {
  const std::string instant = "'2026-11-03 04:05:06'";
  const auto stamp = [](arrow::TimeUnit::type unit, const std::string& zone = "") {
    return zone.empty() ? arrow::timestamp(unit) : arrow::timestamp(unit, zone);
  };
  using arrow::TimeUnit;
  return {
      Same("timestamp units",
           {"SELECT " + instant + "::TIMESTAMP x", "SELECT " + instant + "::TIMESTAMP_S x",
            "SELECT " + instant + "::TIMESTAMP_MS x", "SELECT " + instant + "::TIMESTAMP_NS x",
            File(stamp(TimeUnit::SECOND), "[1793678706]"), File(stamp(TimeUnit::MILLI), "[1793678706000]"),
            File(stamp(TimeUnit::NANO), "[1793678706000000000]")}),
      Same("zone spellings of one instant",
           {"SELECT " + instant + "::TIMESTAMP x", "SELECT '2026-11-03 04:05:06+00'::TIMESTAMPTZ x",
            "SELECT '2026-11-03 06:05:06+02'::TIMESTAMPTZ x",
            File(stamp(TimeUnit::MICRO, "America/New_York"), "[1793678706000000]"),
            File(stamp(TimeUnit::MILLI, "UTC"), "[1793678706000]")}),
      Same("INT96", {File(stamp(TimeUnit::NANO), "[1793678706123456000, -1000, 0]", {.int96 = true}),
                     File(stamp(TimeUnit::MICRO), "[1793678706123456, -1, 0]")}),
      Same("INT96 is cut to the microsecond", {File(stamp(TimeUnit::NANO), "[1500, -1, -1001]", {.int96 = true}),
                                               File(stamp(TimeUnit::MICRO), "[1, -1, -2]")}),
      Same("before 1970", {"SELECT '1969-12-31 23:59:59.999'::TIMESTAMP x",
                           "SELECT '1969-12-31 23:59:59.999'::TIMESTAMP_NS x", File(stamp(TimeUnit::MILLI), "[-1]")}),
      Same("nanoseconds",
           {"SELECT '1969-12-31 23:59:59.999999999'::TIMESTAMP_NS x", File(stamp(TimeUnit::NANO), "[-1]")}),
      Differ(
          "neighbours",
          {"SELECT '1970-01-01 00:00:00'::TIMESTAMP x", "SELECT '1970-01-01 00:00:00.000001'::TIMESTAMP x",
           "SELECT '1969-12-31 23:59:59.999999'::TIMESTAMP x", "SELECT '1970-01-01 00:00:00.000000001'::TIMESTAMP_NS x",
           "SELECT '1969-12-31 23:59:59.999999999'::TIMESTAMP_NS x"}),
      Same("far years",
           {"SELECT unnest(['0001-01-01 00:00:00'::TIMESTAMP, '9999-12-31 23:59:59', '290000-01-01 00:00:00', "
            "'4000-01-01 (BC) 00:00:00']) x",
            File(stamp(TimeUnit::MILLI), "[-62135596800000, 253402300799000, 9089348860800000, -188363404800000]"),
            File(stamp(TimeUnit::MICRO),
                 "[-62135596800000000, 253402300799000000, 9089348860800000000, -188363404800000000]")}),
      Differ("infinite timestamps",
             {"SELECT 'infinity'::TIMESTAMP x", "SELECT '-infinity'::TIMESTAMP x", "SELECT NULL::TIMESTAMP x"}),
      Same("infinite timestamps of each kind", {"SELECT 'infinity'::TIMESTAMP x", "SELECT 'infinity'::TIMESTAMPTZ x"}),
      Differ("date and timestamp", {"SELECT '2026-11-03'::DATE x", "SELECT '2026-11-03'::TIMESTAMP x",
                                    "SELECT '2026-11-03' x", "SELECT ('2026-11-03'::DATE - '1970-01-01'::DATE) x"}),
      Same("dates", {"SELECT unnest(['1969-12-31'::DATE, '0001-01-01', '9999-12-31', '2026-11-03']) x",
                     File(arrow::date32(), "[-1, -719162, 2932896, 20760]"),
                     File(arrow::date64(), "[-86400000, -62135596800000, 253402214400000, 1793664000000]")}),
      Differ("infinite dates", {"SELECT 'infinity'::DATE x", "SELECT '-infinity'::DATE x"}),
      Same("time units",
           {"SELECT '12:34:56.789'::TIME x", File(arrow::time32(TimeUnit::MILLI), "[45296789]"),
            File(arrow::time64(TimeUnit::MICRO), "[45296789000]"),
            File(arrow::time64(TimeUnit::NANO), "[45296789000000]"), InSql("SELECT '12:34:56.789'::TIME_NS x")}),
      Same("time with an offset", {"SELECT '10:00:00'::TIME x", NotInArrow("SELECT '12:00:00+02'::TIMETZ x"),
                                   NotInArrow("SELECT '01:30:00-08:30'::TIMETZ x")}),
      Same("time with an offset over midnight",
           {"SELECT '23:00:00'::TIME x", NotInArrow("SELECT '01:00:00+02'::TIMETZ x")}),
      Differ("times", {"SELECT '00:00:00'::TIME x", "SELECT '24:00:00'::TIME x", "SELECT '00:00:00.000001'::TIME x",
                       "SELECT NULL::TIME x", "SELECT 0 x"}),
      Differ("a time of nanoseconds",
             {InSql("SELECT '12:34:56.123456789'::TIME_NS x"), "SELECT '12:34:56.123456'::TIME x"}),
  };
}

std::vector<WrittenCase> NestedCases() {
  const auto item = arrow::list(arrow::field("element", arrow::int64()));
  return {
      Differ("null, empty and nulls in lists", {"SELECT NULL::INT[] x", "SELECT []::INT[] x", "SELECT [NULL]::INT[] x",
                                                "SELECT [NULL, NULL]::INT[] x", "SELECT [0] x"}),
      Differ("order in lists", {"SELECT [NULL, 1] x", "SELECT [1, NULL] x", "SELECT [1] x", "SELECT [1, 1] x"}),
      Differ("where a list ends", {"SELECT [[1], [2]] x", "SELECT [[1, 2], []] x", "SELECT [[1, 2]] x",
                                   "SELECT [[], [1, 2]] x", "SELECT [[1], NULL, [2]] x"}),
      Same("lists", {"SELECT unnest([[1, NULL], [], NULL, [3]]) x", File(item, "[[1, null], [], null, [3]]"),
                     File(arrow::large_list(arrow::int8()), "[[1, null], [], null, [3]]"),
                     "SELECT unnest([[1.0::DECIMAL(9,2), NULL], [], NULL, [3]]) x"}),
      Same("arrays of fixed length", {"SELECT [1, 2, 3]::INT[3] x", "SELECT [1, 2, 3] x",
                                      File(arrow::fixed_size_list(arrow::int32(), 3), "[[1, 2, 3]]")}),
      Same("structs by name",
           {"SELECT {'a': 1, 'b': 'x'} x", "SELECT {'b': 'x', 'a': 1} x", "SELECT {'b': 'x', 'a': 1.0::DOUBLE} x"}),
      Differ("structs", {"SELECT {'a': 1, 'b': 2} x", "SELECT {'a': 2, 'b': 1} x", "SELECT {'a': 1, 'c': 2} x",
                         "SELECT {'a': 1, 'b': NULL::INT} x", "SELECT {'a': 1} x"}),
      Differ("null structs and structs of nulls",
             {"SELECT NULL::STRUCT(a INT) x", "SELECT {'a': NULL::INT} x", "SELECT {'a': 0} x", "SELECT {'a': ''} x",
              "SELECT {'a': 'null'} x"}),
      Same("maps in any order",
           {"SELECT MAP {'a': 1, 'b': 2, 'c': NULL} x", "SELECT MAP {'c': NULL, 'b': 2, 'a': 1} x",
            File(arrow::map(arrow::utf8(), arrow::int32()), R"([[["b", 2], ["c", null], ["a", 1]]])")}),
      Differ("maps", {"SELECT MAP {'a': 1, 'b': 2} x", "SELECT MAP {'a': 2, 'b': 1} x", "SELECT MAP {'a': 1} x",
                      "SELECT MAP {}::MAP(VARCHAR, INT) x", "SELECT NULL::MAP(VARCHAR, INT) x"}),
      Same("deeply nested",
           {"SELECT [{'m': MAP {'k': [{'d': 1.50::DECIMAL(9,2), 't': '2026-11-03'::DATE}]}, 'n': NULL::DOUBLE}] x",
            "SELECT [{'n': NULL::FLOAT, 'm': MAP {'k': [{'t': '2026-11-03'::DATE, 'd': 1.5::DOUBLE::DECIMAL(4,1)}]}}] "
            "x"}),
      Same("structs in structs", {"SELECT {'a': {'b': {'c': {'d': [1.5::DOUBLE]}}}, 'z': 1} x",
                                  "SELECT {'z': 1, 'a': {'b': {'c': {'d': [1.5::DOUBLE]}}}} x"}),
      Same("every kind inside of a list",
           {NotInArrow("SELECT [{'a': true, 'b': 1::UTINYINT, 'c': 0.1::FLOAT, 'd': 'x', 'e': 'y'::BLOB, 'f': "
                       "'2026-11-03'::DATE, 'g': '12:00:00'::TIME, 'h': "
                       "'2026-11-03'::TIMESTAMP, 'i': '01234567-89ab-cdef-0123-456789abcdef'::UUID, 'j': '2026-11-03 "
                       "00:00:00.000000001'::TIMESTAMP_NS}] x")}),
      Same("many nested rows",
           {"SELECT {'i': i, 'l': range(i % 5)} x, [repeat('y', (i % 50)::INT)] y FROM range(4000) t(i)",
            "SELECT [repeat('y', (i % 50)::INT)] y, {'l': range(i % 5), 'i': i} x FROM range(4000) t(i) ORDER BY "
            "hash(i)"}),
  };
}

std::vector<WrittenCase> AllCases() {
  std::vector<WrittenCase> all;
  for (const auto& part :
       {RowCases(), ColumnCases(), NumberCases(), FloatCases(), TextCases(), TimeCases(), NestedCases()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

void Check(Signers& signers, const WrittenCase& written) {
  SCOPED_TRACE(written.name);
  std::vector<std::string> signatures;
  for (const RowSet& set : written.sets) signatures.push_back(signers.Sign(set));
  const std::set<std::string> different(signatures.begin(), signatures.end());
  EXPECT_EQ(different.size(), written.same ? 1 : signatures.size()) << testing::PrintToString(signatures);
}

void CheckAll(const std::vector<WrittenCase>& cases) {
  Signers signers;
  for (const WrittenCase& written : cases) Check(signers, written);
}

TEST(SameContent, RowsCountButNotTheirOrderOrFile) { CheckAll(RowCases()); }
TEST(SameContent, ColumnsCountByNameAndNotByPosition) { CheckAll(ColumnCases()); }
TEST(SameContent, NumbersAreOneDomain) { CheckAll(NumberCases()); }
TEST(SameContent, FloatsAreTheirBitsWhereTheyAreNoIntegers) { CheckAll(FloatCases()); }
TEST(SameContent, TextIsItsBytes) { CheckAll(TextCases()); }
TEST(SameContent, TimesAreInstants) { CheckAll(TimeCases()); }
TEST(SameContent, NestedValuesCountByTheirParts) { CheckAll(NestedCases()); }

TEST(SameContent, ThereAreAtLeastSixtyWrittenCases) { EXPECT_GE(AllCases().size(), 60u); }

}  // namespace
}  // namespace tidegate::signature
