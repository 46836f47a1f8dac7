#include "tidegate/signature/value_sql.h"

#include <algorithm>
#include <vector>

#include "tidegate/base/text.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"

namespace tidegate::signature {
namespace {

using engine::SqlText;

/// What `epoch` counts since 1970, and the number that files hold where a timestamp is infinite.
std::string FiniteSql(const std::string& epoch, const std::string& value) {
  const std::string infinite = "9223372036854775807";
  return "(CASE WHEN isfinite(" + value + ") THEN " + epoch + "(" + value + ") WHEN " + value +
         " > TIMESTAMP '1970-01-01' THEN " + infinite + " ELSE -" + infinite + " END)";
}

std::string TextOf(const DuckDbType& type, const std::string& value, int depth);

std::string OrNull(const std::string& text) { return "coalesce(" + text + ", 'n')"; }

std::string CaseNull(const std::string& value, const std::string& rest) {
  return "CASE WHEN " + value + " IS NULL THEN 'n' " + rest + " END";
}

bool IsNested(const DuckDbType& type) {
  return type.kind == SqlKind::kList || type.kind == SqlKind::kStruct || type.kind == SqlKind::kMap;
}

std::string Variable(int depth) { return "v" + std::to_string(depth); }

/// The text of a part of a value. A nested part gets a name first: its text would hold the expression many times.
std::string PartText(const DuckDbType& type, const std::string& part, int depth) {
  if (!IsNested(type)) return TextOf(type, part, depth);
  const std::string variable = Variable(depth);
  return "list_transform([" + part + "], lambda " + variable + ": " + TextOf(type, variable, depth + 1) + ")[1]";
}

std::string DecimalText(const DuckDbType& type, const std::string& value) {
  std::string text = value + "::VARCHAR";
  if (type.scale > 0) text = "rtrim(rtrim(" + text + ", '0'), '.')";
  // Where all digits are behind the point, DuckDB writes none before it.
  if (type.scale == type.width) text = "regexp_replace(" + text + R"(, '^(-?)(\.|$)', '\10\2'))";
  return OrNull(text + " || ';'");
}

std::string FloatText(const std::string& value) {
  return CaseNull(value, "WHEN isnan(" + value + ") THEN 'd7FF8000000000000' WHEN " + IsWholeSql(value) + " THEN " +
                             value + "::BIGINT::VARCHAR || ';' ELSE 'd' || hex(" + value + "::DOUBLE::BIT::BLOB)");
}

std::string TimestampText(const std::string& value) {
  return CaseNull(value, "ELSE 'P' || " + MicrosSql(value) + "::VARCHAR || ';'");
}

/// Of a number of nanoseconds.
std::string NanosText(const std::string& tag, const std::string& nanos) {
  const std::string rest = "((" + nanos + " % 1000 + 1000) % 1000)";
  return SqlText(tag) + " || ((" + nanos + "::HUGEINT - " + rest + ") // 1000)::VARCHAR || CASE WHEN " + rest +
         " = 0 THEN ';' ELSE '.' || lpad(" + rest + "::VARCHAR, 3, '0') || ';' END";
}

std::string TimestampNanosText(const std::string& value) {
  return CaseNull(value, "ELSE " + NanosText("P", NanosSql(value)));
}

std::string TimeWithOffsetText(const std::string& value) {
  return OrNull("'T' || " + UtcMicrosSql(value) + "::VARCHAR || ';'");
}

std::string ListText(const DuckDbType& type, const std::string& value, int depth) {
  const std::string variable = Variable(depth);
  return CaseNull(value, "ELSE '[' || array_to_string(list_transform(" + value + ", lambda " + variable + ": " +
                             TextOf(type.children[0], variable, depth + 1) + "), '') || ']'");
}

std::string MapText(const DuckDbType& type, const std::string& value, int depth) {
  const std::string variable = Variable(depth);
  const std::string entry = PartText(type.children[0], variable + ".\"key\"", depth + 1) + " || " +
                            PartText(type.children[1], variable + ".\"value\"", depth + 1);
  return CaseNull(value, "ELSE '<' || array_to_string(list_sort(list_transform(map_entries(" + value + "), lambda " +
                             variable + ": " + entry + "), 'ASC', 'NULLS FIRST'), '') || '>'");
}

std::string StructText(const DuckDbType& type, const std::string& value, int depth) {
  std::vector<size_t> order(type.names.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return type.names[a] < type.names[b]; });
  std::vector<std::string> parts = {"'{'"};
  for (const size_t i : order) {
    const std::string& name = type.names[i];
    parts.push_back(SqlText("s" + std::to_string(name.size()) + ":" + name));
    parts.push_back(PartText(type.children[i], "struct_extract(" + value + ", " + SqlText(name) + ")", depth));
  }
  parts.push_back("'}'");
  return CaseNull(value, "ELSE concat(" + Join(parts, ", ") + ")");
}

std::string TextOf(const DuckDbType& type, const std::string& value, int depth) {
  switch (type.kind) {
    case SqlKind::kNull:
      return "'n'";
    case SqlKind::kBool:
      return "CASE WHEN " + value + " THEN 't' WHEN NOT " + value + " THEN 'f' ELSE 'n' END";
    case SqlKind::kInteger:
      return OrNull(value + "::VARCHAR || ';'");
    case SqlKind::kDecimal:
      return DecimalText(type, value);
    case SqlKind::kFloat:
      return FloatText(value);
    case SqlKind::kText:
      return OrNull("'s' || strlen(" + value + "::VARCHAR)::VARCHAR || ':' || " + value + "::VARCHAR");
    case SqlKind::kBinary:
      return OrNull("'x' || hex(" + value + ") || ';'");
    case SqlKind::kDate:
      return OrNull("'D' || (" + value + " - DATE '1970-01-01')::VARCHAR || ';'");
    case SqlKind::kTime:
      return OrNull("'T' || epoch_us(" + value + ")::VARCHAR || ';'");
    case SqlKind::kTimeNanos:
      return CaseNull(value, "ELSE " + NanosText("T", "epoch_ns(" + value + ")"));
    case SqlKind::kTimeWithOffset:
      return TimeWithOffsetText(value);
    case SqlKind::kTimestamp:
      return TimestampText(value);
    case SqlKind::kTimestampNanos:
      return TimestampNanosText(value);
    case SqlKind::kUuid:
      return OrNull("'u' || " + value + "::VARCHAR");
    case SqlKind::kList:
      return ListText(type, value, depth);
    case SqlKind::kStruct:
      return StructText(type, value, depth);
    case SqlKind::kMap:
      return MapText(type, value, depth);
  }
  return "'n'";
}

}  // namespace

std::string IsWholeSql(const std::string& value) {
  return "(abs(" + value + ") <= 9007199254740992 AND trunc(" + value + ") = " + value + ")";
}

std::string MicrosSql(const std::string& value) { return FiniteSql("epoch_us", value); }
std::string NanosSql(const std::string& value) { return FiniteSql("epoch_ns", value); }

std::string UtcMicrosSql(const std::string& value) {
  const std::string offset = "date_part('timezone', " + value + ")";
  return "(CASE WHEN " + offset + " = 0 THEN epoch_us(" + value + ") ELSE (epoch_us(" + value + ") - " + offset +
         " * 1000000 + 172800000000) % 86400000000 END)";
}

std::string NestedTextSql(const DuckDbType& type, const std::string& value) { return TextOf(type, value, 0); }

}  // namespace tidegate::signature
