#include "tidegate/signature/signature_sql.h"

#include <cmath>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/signature/content_signature.h"
#include "tidegate/signature/duckdb_type.h"
#include "tidegate/signature/element.h"
#include "tidegate/signature/row_sum.h"
#include "tidegate/signature/value_element.h"
#include "tidegate/signature/value_sql.h"

namespace tidegate::signature {
namespace {

using engine::SqlName;

// All is computed in HUGEINT, whose remainder DuckDB computes bit by bit; so there is none. Each SELECT gives names to
// what the next one needs twice.

/// One part of the elements: what is computed modulo one of the primes.
struct Part {
  uint64_t Element::*of;
  const char* name;
  uint64_t rest;  // 2^61 modulo the prime
  const char* half_of_md5;
};

constexpr Part kP = {&Element::p, "p", 1, "left"};
constexpr Part kQ = {&Element::q, "q", 31, "right"};

std::string Number(uint64_t number) { return std::to_string(number) + "::HUGEINT"; }

/// A number with the same remainder. Of one below 2^126.6 in magnitude: below 2^71; of that: from -2^15 to 2^61 + 2^15;
/// of that: from 0 to 2^61 + 31.
std::string Folded(const std::string& number, const Part& part) {
  return "((" + number + " & " + Number(kFieldMask) + ") + " + std::to_string(part.rest) + " * (" + number + " >> " +
         std::to_string(kFieldBits) + "))";
}

/// The remainder itself, of what is below twice the prime.
std::string Once(const std::string& number, const Part& part) {
  const std::string prime = Number((uint64_t{1} << kFieldBits) - part.rest);
  return "CASE WHEN " + number + " >= " + prime + " THEN " + number + " - " + prime + " ELSE " + number + " END";
}

/// A column's terms, in steps: its number or MD5 as "v0", its term modulo p as "p0" and modulo q as "q0".
class ColumnSql {
 public:
  ColumnSql(const SqlColumn& column, DuckDbType type, size_t index)
      : column_(SqlName(column.name)),
        type_(std::move(type)),
        key_(ColumnKey(column.name)),
        number_(std::to_string(index)) {}

  /// Might a term be as large as 2^125?
  bool IsWide() const {
    switch (type_.kind) {
      case SqlKind::kNull:
      case SqlKind::kBool:
      case SqlKind::kDate:
      case SqlKind::kTime:
      case SqlKind::kTimeNanos:
      case SqlKind::kTimeWithOffset:
        return false;
      case SqlKind::kInteger:
        return type_.width > kNarrowBits;
      default:
        return true;
    }
  }

  std::string Value() const {
    const std::string value = ValueExpression() + " AS v" + number_;
    return type_.kind == SqlKind::kFloat ? value + ", " + IsWholeSql(column_) + " AS w" + number_ : value;
  }

  std::string Term(const Part& part) const {
    if (type_.kind == SqlKind::kNull) return Literal(NullElement(), part) + " AS " + TermName(part);
    const Kind kind = KindOf();
    std::string term = Literal(UnitOf(), part) + " * " + Multiplicand(part);
    if (type_.kind == SqlKind::kFloat) {
      term += " + CASE WHEN w" + number_ + " THEN 0 ELSE " + Literal(KindElement(Kind::kFloat), part) + " END";
    } else if (kind != Kind::kNumber) {
      term += " + " + Literal(KindElement(kind), part);
    }
    return "coalesce(" + term + ", " + Literal(NullElement(), part) + ") AS " + TermName(part);
  }

  std::string TermName(const Part& part) const { return part.name + number_; }

 private:
  static constexpr int kNarrowBits = 32;
  static constexpr int kDigitsOf64Bits = 18;

  std::string Literal(const Element& element, const Part& part) const { return Number((key_ * element).*part.of); }
  bool IsWideNumber() const {
    return (type_.kind == SqlKind::kInteger && type_.width > 64) ||
           (type_.kind == SqlKind::kDecimal && type_.width > kDigitsOf64Bits);
  }

  std::string ValueExpression() const;
  std::string UnscaledExpression() const;
  std::string FloatExpression() const;
  Kind KindOf() const;
  Element UnitOf() const;

  /// Of "v0", what the key is multiplied by: at most 64 bits.
  std::string Multiplicand(const Part& part) const {
    const std::string value = "v" + number_;
    if (KindOf() == Kind::kText || KindOf() == Kind::kBinary || KindOf() == Kind::kUuid || KindOf() == Kind::kNested)
      return "('0x' || " + std::string(part.half_of_md5) + "(" + value + ", 16))::UBIGINT::HUGEINT";
    return IsWideNumber() ? Folded(Folded(value, part), part) : value + "::HUGEINT";
  }

  std::string column_;
  DuckDbType type_;
  Element key_;
  std::string number_;
};

std::string ColumnSql::ValueExpression() const {
  switch (type_.kind) {
    case SqlKind::kNull:
      return "NULL";
    case SqlKind::kBool:
      return column_ + "::TINYINT";
    case SqlKind::kInteger:
      return column_ + (IsWideNumber() ? "::HUGEINT" : "");
    case SqlKind::kDecimal:
      return UnscaledExpression();
    case SqlKind::kFloat:
      return FloatExpression();
    case SqlKind::kBinary:
      return "md5(" + column_ + ")";
    case SqlKind::kText:
    case SqlKind::kUuid:
      return "md5(" + column_ + "::VARCHAR)";
    case SqlKind::kDate:
      return "(" + column_ + " - DATE '1970-01-01')";
    case SqlKind::kTime:
      return "epoch_us(" + column_ + ")";
    case SqlKind::kTimeNanos:
      return "epoch_ns(" + column_ + ")";
    case SqlKind::kTimeWithOffset:
      return UtcMicrosSql(column_);
    case SqlKind::kTimestamp:
      return "CASE WHEN " + column_ + " IS NOT NULL THEN " + MicrosSql(column_) + " END";
    case SqlKind::kTimestampNanos:
      return "CASE WHEN " + column_ + " IS NOT NULL THEN " + NanosSql(column_) + " END";
    case SqlKind::kList:
    case SqlKind::kStruct:
    case SqlKind::kMap:
      break;
  }
  return "CASE WHEN " + column_ + " IS NOT NULL THEN md5(" + NestedTextSql(type_, column_) + ") END";
}

/// A decimal's digits as a whole number. Where its multiple is a decimal of 64 bits, too, that is the fast way.
std::string ColumnSql::UnscaledExpression() const {
  if (type_.width + type_.scale > kDigitsOf64Bits)
    return "replace(" + column_ + "::VARCHAR, '.', '')::" + (IsWideNumber() ? "HUGEINT" : "BIGINT");
  return "(" + column_ + " * 1" + std::string(static_cast<size_t>(type_.scale), '0') + "::BIGINT)::BIGINT";
}

std::string ColumnSql::FloatExpression() const {
  return "CASE WHEN isnan(" + column_ + ") THEN " + std::to_string(FloatBits(NAN)) + " WHEN " + IsWholeSql(column_) +
         " THEN " + column_ + "::BIGINT ELSE " + column_ + "::DOUBLE::BIT::BIGINT END";
}

Kind ColumnSql::KindOf() const {
  switch (type_.kind) {
    case SqlKind::kNull:
      return Kind::kNull;
    case SqlKind::kBool:
      return Kind::kBoolean;
    case SqlKind::kInteger:
    case SqlKind::kDecimal:
    case SqlKind::kFloat:
      return Kind::kNumber;
    case SqlKind::kText:
      return Kind::kText;
    case SqlKind::kBinary:
      return Kind::kBinary;
    case SqlKind::kDate:
      return Kind::kDate;
    case SqlKind::kTime:
    case SqlKind::kTimeNanos:
    case SqlKind::kTimeWithOffset:
      return Kind::kTime;
    case SqlKind::kTimestamp:
    case SqlKind::kTimestampNanos:
      return Kind::kTimestamp;
    case SqlKind::kUuid:
      return Kind::kUuid;
    default:
      return Kind::kNested;
  }
}

Element ColumnSql::UnitOf() const {
  if (type_.kind == SqlKind::kDecimal) return TenTo(-type_.scale);
  if (type_.kind == SqlKind::kTimeNanos || type_.kind == SqlKind::kTimestampNanos) return UnitFactor(TimeUnit::kNano);
  return TenTo(0);
}

/// Their sum, by pairs: DuckDB bounds how deep an expression is.
std::string Summed(std::vector<std::string> terms) {
  while (terms.size() > 1) {
    size_t pairs = 0;
    for (size_t i = 0; i < terms.size(); i += 2)
      terms[pairs++] = i + 1 < terms.size() ? "(" + terms[i] + " + " + terms[i + 1] + ")" : terms[i];
    terms.resize(pairs);
  }
  return terms[0];
}

/// The terms of one part, added up in sums that each fit: of three wide terms, or of any narrow ones.
std::vector<std::string> PartialSums(const std::vector<ColumnSql>& columns, const Part& part) {
  constexpr size_t kMostWide = 3;  // of 2^125
  std::vector<std::string> narrow = {Number(RowStart().*part.of)};
  std::vector<std::string> wide;
  std::vector<std::string> sums;
  for (const ColumnSql& column : columns) {
    (column.IsWide() ? wide : narrow).push_back(column.TermName(part));
    if (wide.size() == kMostWide) sums.push_back(Summed(std::exchange(wide, {})));
  }
  narrow.insert(narrow.end(), wide.begin(), wide.end());
  sums.push_back(Summed(std::move(narrow)));
  return sums;
}

/// Named sums of one part in `select`; returns what they come to, folded where there are more than one.
std::string NameSums(std::vector<std::string> sums, const Part& part, std::vector<std::string>& select) {
  std::vector<std::string> names;
  for (size_t i = 0; i < sums.size(); ++i) {
    names.push_back(part.name + std::to_string(i));
    select.push_back(sums[i] + " AS " + names.back());
  }
  if (names.size() == 1) return names[0];
  for (std::string& name : names) name = Folded(name, part);
  return Summed(std::move(names));
}

/// The sum over the rows of one word of their products, modulo 2^64.
std::string WordSql(const std::string& word) {
  return "(coalesce(sum(" + word + "), 0) & " + Number(UINT64_MAX) + ")::VARCHAR";
}

Result<std::vector<ColumnSql>> SignedColumnsOf(const std::vector<SqlColumn>& columns, const std::vector<int>& order) {
  std::vector<ColumnSql> made;
  made.reserve(order.size());
  for (const int i : order) {
    const SqlColumn& column = columns[static_cast<size_t>(i)];
    Result<DuckDbType> type = DuckDbType::Parse(column.type);
    if (!type.ok()) return type.status().WithContext("sign rows in SQL: column " + Quoted(column.name));
    made.emplace_back(column, std::move(*type), made.size());
  }
  return made;
}

/// "SELECT some AS a, … FROM (inner)". What is in `carried` goes on as it is.
class Levels {
 public:
  Levels(const std::vector<std::string>& carried, const std::string& relation) : from_(relation) {
    for (const std::string& name : carried) carried_.push_back(SqlName(name));
  }

  void Select(std::vector<std::string> expressions) {
    expressions.insert(expressions.begin(), carried_.begin(), carried_.end());
    from_ = "(SELECT " + Join(expressions, ", ") + " FROM " + from_ + ")";
  }

  const std::string& from() const { return from_; }
  const std::vector<std::string>& carried() const { return carried_; }

 private:
  std::vector<std::string> carried_;
  std::string from_;
};

void SelectTerms(const std::vector<ColumnSql>& columns, Levels& levels) {
  std::vector<std::string> values;
  std::vector<std::string> terms;
  for (const ColumnSql& column : columns) {
    values.push_back(column.Value());
    terms.push_back(column.Term(kP));
    terms.push_back(column.Term(kQ));
  }
  levels.Select(std::move(values));
  levels.Select(std::move(terms));
}

void SelectProducts(const std::vector<ColumnSql>& columns, Levels& levels) {
  SelectTerms(columns, levels);
  std::vector<std::string> sums;
  const std::string a = NameSums(PartialSums(columns, kP), kP, sums);
  const std::string b = NameSums(PartialSums(columns, kQ), kQ, sums);
  levels.Select(std::move(sums));
  levels.Select({a + " AS a", b + " AS b"});
  for (int i = 0; i < 3; ++i) levels.Select({Folded("a", kP) + " AS a", Folded("b", kQ) + " AS b"});
  levels.Select({Once("a", kP) + " AS a", Once("b", kQ) + " AS b"});
  levels.Select({"a * a AS u", "b"});
  for (int i = 0; i < 2; ++i) levels.Select({Folded("u", kP) + " AS u", "b"});
  levels.Select({"(" + Once("u", kP) + ") * b AS product"});
}

}  // namespace

Result<std::string> SignatureSql(const std::vector<SqlColumn>& columns, const std::string& relation,
                                 const SignatureSqlOptions& options) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const SqlColumn& column : columns) names.push_back(column.name);
  std::vector<std::string> leave_out = options.leave_out;
  leave_out.insert(leave_out.end(), options.by.begin(), options.by.end());
  TG_ASSIGN_OR_RETURN(const SignedColumns order, SignedColumns::Make(names, leave_out, "sign rows in SQL: "));
  TG_ASSIGN_OR_RETURN(const auto signed_columns, SignedColumnsOf(columns, order.order()));
  Levels levels(options.by, relation);
  SelectProducts(signed_columns, levels);
  std::vector<std::string> cells = levels.carried();
  cells.push_back("'" + std::string(kSignatureVersion) + ":' || count(*)::VARCHAR || ':' || " +
                  WordSql("product >> 64") + " || ':' || " + WordSql("product & " + Number(UINT64_MAX)) +
                  " || ':" + order.digest() + "' AS signature");
  const std::string grouped = options.by.empty() ? "" : " GROUP BY " + Join(levels.carried(), ", ");
  return "SELECT " + Join(cells, ", ") + " FROM " + levels.from() + grouped;
}

}  // namespace tidegate::signature
