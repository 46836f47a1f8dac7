// Random pairs of tables: their signatures are equal exactly when their content is, and C++ and DuckDB agree on each.
// What equal content is, is decided here without any text or hash: each value is drawn with a key that names its
// content, and then spelled in some type. The same seeds in every run; TIDEGATE_SIGNATURE_PAIRS=N draws N pairs,
// TIDEGATE_SIGNATURE_SEED=S begins with seed S.
#include <arrow/array/array_primitive.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "tidegate/parquet/arrow_stream.h"
#include "tidegate/signature/signature_builder.h"
#include "tidegate/signature/signature_sql.h"
#include "tidegate/signature/test_signing.h"

namespace tidegate::signature {
namespace {

constexpr uint64_t kPairs = 10'000;
constexpr uint64_t kPairsARound = 200;

struct Domain {
  std::vector<std::string> types;
  std::vector<std::pair<std::string, std::string>> values;  // content, and how it is spelled before the cast
};

const std::vector<Domain>& Domains() {
  static const std::vector<Domain> kDomains = {
      {{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL(9,3)", "DECIMAL(38,0)"},
       {{"null", "NULL"}, {"0", "0"}, {"1", "1"}, {"-1", "-1"}, {"10", "10"}, {"100", "100"}}},
      {{"DECIMAL(5,3)", "DECIMAL(18,7)", "DECIMAL(18,9)", "DECIMAL(38,20)"},
       {{"null", "NULL"},
        {"0", "0"},
        {"0.5", "0.5"},
        {"-0.05", "-0.05"},
        {"1.25", "1.25"},
        {"12.5", "12.5"},
        {"10", "10.0"}}},
      {{"FLOAT", "DOUBLE"},
       {{"null", "NULL"},
        {"0", "'0'"},
        {"0", "'-0.0'"},
        {"nan", "'nan'"},
        {"nan", "'-nan'"},
        {"inf", "'inf'"},
        {"0.5", "'0.5'"},
        {"-2.25", "'-2.25'"},
        {"2^70", "'1180591620717411303424'"}}},
      {{"VARCHAR", "ENUM('', 'n', 'null', 'NULL', 'a', 'A', 'é', 'e\xCC\x81', '1', 's1:a')"},
       {{"null", "NULL"},
        {"", "''"},
        {"n", "'n'"},
        {"'null'", "'null'"},
        {"'NULL'", "'NULL'"},
        {"a", "'a'"},
        {"A", "'A'"},
        {"é", "'é'"},
        {"e and an accent", "'e\xCC\x81'"},
        {"s1:a", "'s1:a'"}}},
      {{"BOOLEAN"}, {{"null", "NULL"}, {"true", "true"}, {"false", "false"}}},
      {{"BLOB"}, {{"null", "NULL"}, {"", "''"}, {"n", "'n'"}, {"00", "'\\x00'"}, {"0000", "'\\x00\\x00'"}}},
      {{"DATE"}, {{"null", "NULL"}, {"0", "'1970-01-01'"}, {"-1", "'1969-12-31'"}, {"far", "'9999-12-31'"}}},
      {{"TIME"}, {{"null", "NULL"}, {"0", "'00:00:00'"}, {"1", "'00:00:00.000001'"}, {"noon", "'12:00:00'"}}},
      {{"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ"},
       {{"null", "NULL"},
        {"0", "'1970-01-01 00:00:00'"},
        {"-1", "'1969-12-31 23:59:59'"},
        {"now", "'2026-11-30 12:00:00'"}}},
      {{"TINYINT[]", "BIGINT[]", "DOUBLE[]"},
       {{"null", "NULL"},
        {"[]", "[]"},
        {"[null]", "[NULL]"},
        {"[null,1]", "[NULL, 1]"},
        {"[1,null]", "[1, NULL]"},
        {"[1,1]", "[1, 1]"},
        {"[1]", "[1]"}}},
      {{"STRUCT(a INTEGER, b VARCHAR)", "STRUCT(a DECIMAL(9,2), b VARCHAR)"},
       {{"null", "NULL"},
        {"{null,null}", "{'a': NULL, 'b': NULL}"},
        {"{1,null}", "{'a': 1, 'b': NULL}"},
        {"{1,''}", "{'a': 1, 'b': ''}"},
        {"{null,'n'}", "{'a': NULL, 'b': 'n'}"}}},
      {{"MAP(VARCHAR, INTEGER)", "MAP(VARCHAR, DOUBLE)"},
       {{"null", "NULL"},
        {"{}", "MAP {}"},
        {"a1", "MAP {'a': 1}"},
        {"a1b2", "MAP {'a': 1, 'b': 2}"},
        {"a1b2", "MAP {'b': 2, 'a': 1}"},
        {"a2b1", "MAP {'a': 2, 'b': 1}"}}},
  };
  return kDomains;
}

/// A cell is a value of its column's domain, by number; a table is rows of cells.
using Row = std::vector<size_t>;
using Table = std::vector<Row>;

/// A round: columns, and pairs of tables over them. Each side spells its tables in types of its own.
class Round {
 public:
  explicit Round(uint64_t seed) : random_(seed) {
    const size_t width = 1 + Below(3);
    for (size_t i = 0; i < width; ++i) domains_.push_back(&Domains()[Below(Domains().size())]);
    for (auto& types : types_) {
      for (const Domain* domain : domains_) types.push_back(domain->types[Below(domain->types.size())]);
    }
    for (uint64_t i = 0; i < kPairsARound; ++i) {
      Table table(Below(5));
      for (Row& row : table) row = RandomRow();
      tables_[1].push_back(Mutated(table));
      tables_[0].push_back(std::move(table));
    }
  }

  const std::vector<std::string>& types(int side) const { return types_[side]; }

  /// Rows, the number of their table in front. The first, of pair -1, keeps any column from being nulls alone.
  std::string Values(int side) const {
    Row whole;
    for (const Domain* domain : domains_) whole.push_back(domain->values.size() - 1);
    std::string sql = "(-1" + Cells(whole) + ")";
    for (size_t i = 0; i < tables_[side].size(); ++i) {
      for (const Row& row : tables_[side][i]) sql += ", (" + std::to_string(i) + Cells(row) + ")";
    }
    return sql;
  }

  bool SameContent(size_t pair) const { return Content(tables_[0][pair]) == Content(tables_[1][pair]); }

 private:
  size_t Below(size_t limit) { return random_() % limit; }

  Row RandomRow() {
    Row row;
    for (const Domain* domain : domains_) row.push_back(Below(domain->values.size()));
    return row;
  }

  /// Shuffled, and then often changed a little.
  Table Mutated(Table table) {
    std::shuffle(table.begin(), table.end(), random_);
    if (table.empty() || Below(3) == 0) return table;
    Row& row = table[Below(table.size())];
    const size_t column = Below(row.size());
    switch (Below(4)) {
      case 0:
        row[column] = Below(domains_[column]->values.size());
        break;
      case 1:
        std::swap(row[column], table[Below(table.size())][column]);
        break;
      case 2:
        table.push_back(Row(row));
        break;
      default:
        row = Row(table[Below(table.size())]);
    }
    return table;
  }

  std::string Cells(const Row& row) const {
    std::string sql;
    for (size_t i = 0; i < row.size(); ++i) sql += ", " + domains_[i]->values[row[i]].second;
    return sql;
  }

  std::vector<std::vector<std::string>> Content(const Table& table) const {
    std::vector<std::vector<std::string>> rows;
    for (const Row& row : table) {
      std::vector<std::string>& content = rows.emplace_back();
      for (size_t i = 0; i < row.size(); ++i) content.push_back(domains_[i]->values[row[i]].first);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  std::mt19937_64 random_;
  std::vector<const Domain*> domains_;
  std::vector<std::string> types_[2];
  std::vector<Table> tables_[2];
};

std::string ColumnName(size_t i) { return "c" + std::to_string(i); }

/// The rows of one side of a round, as a query with the column "pair" in front.
std::string Query(const Round& round, int side) {
  std::string casts = "pair";
  std::string names = "pair";
  for (size_t i = 0; i < round.types(side).size(); ++i) {
    casts += ", " + ColumnName(i) + "::" + round.types(side)[i] + " AS " + ColumnName(i);
    names += ", " + ColumnName(i);
  }
  return "SELECT " + casts + " FROM (VALUES " + round.Values(side) + ") t(" + names + ") WHERE pair >= 0 ORDER BY pair";
}

using Signatures = std::map<int64_t, std::string>;  // by pair; those of tables without rows are not there

Result<std::vector<SqlColumn>> Columns(engine::DuckDb& db) {
  TG_ASSIGN_OR_RETURN(const auto rows, db.QueryAll("SELECT column_name, column_type FROM (DESCRIBE side)"));
  std::vector<SqlColumn> columns;
  columns.reserve(rows.size());
  for (const auto& row : rows) columns.push_back({row.at(0).value_or(""), row.at(1).value_or("")});
  return columns;
}

/// Of each pair, in one SELECT.
Result<Signatures> SqlSignatures(engine::DuckDb& db) {
  TG_ASSIGN_OR_RETURN(const auto columns, Columns(db));
  TG_ASSIGN_OR_RETURN(const std::string sql, SignatureSql(columns, "side", {.by = {"pair"}}));
  TG_ASSIGN_OR_RETURN(const auto rows, db.QueryAll(sql));
  Signatures signatures;
  for (const auto& row : rows) signatures[std::stoll(row.at(0).value_or("-1"))] = row.at(1).value_or("");
  return signatures;
}

Result<Signatures> ArrowSignatures(engine::DuckDb& db) {
  ArrowArrayStream raw{};
  TG_RETURN_IF_ERROR(db.Stream("SELECT * FROM side", &raw));
  parquet::ArrowStream stream(&raw);
  TG_RETURN_IF_ERROR(stream.Open());
  std::map<int64_t, SignatureBuilder> builders;
  while (true) {
    TG_ASSIGN_OR_RETURN(const auto batch, stream.Next());
    if (batch == nullptr) break;
    const auto& pairs = static_cast<const arrow::Int32Array&>(*batch->column(0));
    for (int64_t first = 0, last = 0; first < batch->num_rows(); first = last) {
      while (last < batch->num_rows() && pairs.Value(last) == pairs.Value(first)) ++last;
      auto found = builders.find(pairs.Value(first));
      if (found == builders.end()) {
        TG_ASSIGN_OR_RETURN(SignatureBuilder builder, SignatureBuilder::Make(*stream.schema(), {"pair"}));
        found = builders.emplace(pairs.Value(first), std::move(builder)).first;
      }
      TG_RETURN_IF_ERROR(found->second.Add(*batch->Slice(first, last - first)));
    }
  }
  Signatures signatures;
  for (const auto& [pair, builder] : builders) signatures[pair] = builder.Finish().ToString();
  return signatures;
}

/// Of one side of a round, by both. Fails the test where they do not agree.
Signatures SignSide(engine::DuckDb& db, const Round& round, int side) {
  const Status made = db.Execute("CREATE OR REPLACE TEMP TABLE side AS " + Query(round, side));
  EXPECT_TRUE(made.ok()) << made.ToString();
  const auto sql = SqlSignatures(db);
  const auto arrow = ArrowSignatures(db);
  EXPECT_TRUE(sql.ok()) << sql.status().ToString();
  EXPECT_TRUE(arrow.ok()) << arrow.status().ToString();
  if (!sql.ok() || !arrow.ok()) return {};
  EXPECT_EQ(*sql, *arrow);
  return *sql;
}

void PlayRound(engine::DuckDb& db, uint64_t seed, uint64_t& same) {
  SCOPED_TRACE("TIDEGATE_SIGNATURE_SEED=" + std::to_string(seed));
  const Round round(seed);
  const Signatures left = SignSide(db, round, 0);
  const Signatures right = SignSide(db, round, 1);
  const auto at = [](const Signatures& all, uint64_t pair) {
    const auto found = all.find(static_cast<int64_t>(pair));
    return found == all.end() ? "no rows" : found->second;
  };
  for (uint64_t pair = 0; pair < kPairsARound; ++pair) {
    const bool equal = at(left, pair) == at(right, pair);
    ASSERT_EQ(equal, round.SameContent(pair)) << "pair " << pair << "\n" << Query(round, 0) << "\n" << Query(round, 1);
    same += equal;
  }
}

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(SignatureProperty, EqualContentAndEqualSignatureAreOne) {
  const uint64_t first = FromEnvironment("TIDEGATE_SIGNATURE_SEED", 1);
  const uint64_t pairs = FromEnvironment("TIDEGATE_SIGNATURE_PAIRS", kPairs);
  auto db = engine::DuckDb::Open(":memory:", {.threads = 1});
  ASSERT_TRUE(db.ok()) << db.status().ToString();
  uint64_t same = 0;
  for (uint64_t i = 0; i * kPairsARound < pairs && !HasFailure(); ++i) PlayRound(*db, first + i, same);
  if (HasFailure() || pairs < kPairs) return;
  EXPECT_GT(same, pairs / 10) << "too few pairs with equal content to show anything";
  EXPECT_LT(same, pairs - pairs / 10) << "too few pairs that differ";
}

}  // namespace
}  // namespace tidegate::signature
