#include "tidegate/catalog/hive_type.h"

#include <algorithm>

#include "tidegate/base/text.h"

namespace tidegate::catalog {
namespace {

using schema::Kind;

Result<std::string> StructType(const schema::Type& type) {
  std::vector<std::string> fields;
  for (const schema::Field& field : type.children) {
    TG_ASSIGN_OR_RETURN(const std::string inner, HiveType(field.type));
    fields.push_back(ToLower(field.name) + ":" + inner);
  }
  return "struct<" + Join(fields, ",") + ">";
}

Result<std::string> NestedType(const schema::Type& type) {
  if (type.kind == Kind::kStruct) return StructType(type);
  std::vector<std::string> inner;
  for (const schema::Field& child : type.children) {
    TG_ASSIGN_OR_RETURN(inner.emplace_back(), HiveType(child.type));
  }
  return (type.kind == Kind::kList ? "array<" : "map<") + Join(inner, ",") + ">";
}

/// Lower case, without spaces; texts with a length are texts, short integers are the int that Parquet has.
std::string Plain(const std::string& type) {
  std::string out = ToLower(type);
  std::erase(out, ' ');
  if (out.starts_with("varchar(") || out.starts_with("char(")) return "string";
  if (out == "tinyint" || out == "smallint" || out == "integer") return "int";
  return out;
}

}  // namespace

Result<std::string> HiveType(const schema::Type& type) {
  switch (type.kind) {
    case Kind::kBoolean:
      return std::string("boolean");
    case Kind::kInt:
      return std::string("int");
    case Kind::kLong:
      return std::string("bigint");
    case Kind::kFloat:
      return std::string("float");
    case Kind::kDouble:
      return std::string("double");
    case Kind::kDecimal:
      return "decimal(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
    case Kind::kDate:
      return std::string("date");
    case Kind::kTimestamp:
    case Kind::kTimestampTz:
      return std::string("timestamp");
    case Kind::kString:
      return std::string("string");
    case Kind::kUuid:
    case Kind::kFixed:
    case Kind::kBinary:
      return std::string("binary");
    case Kind::kTime:
      return Unsupported("a time of day, which Hive has no type for: cast it to text");
    case Kind::kStruct:
    case Kind::kList:
    case Kind::kMap:
      return NestedType(type);
  }
  return Internal("a type without a name");
}

Status CheckColumnsFit(const std::vector<HiveColumn>& built, const std::vector<HiveColumn>& table) {
  for (const HiveColumn& column : built) {
    const auto same_name = [&](const HiveColumn& other) { return ToLower(other.name) == ToLower(column.name); };
    const auto found = std::find_if(table.begin(), table.end(), same_name);
    if (found == table.end()) {
      return PreconditionFailed("the build has a column " + Quoted(column.name) + " (" + column.type +
                                ") that the table does not have: add it to the table (ALTER TABLE … ADD COLUMNS), or "
                                "leave it out of the SELECT");
    }
    if (Plain(found->type) != Plain(column.type)) {
      return PreconditionFailed("column " + Quoted(column.name) + " is " + column.type + " in the build and " +
                                found->type + " in the table, and readers would fail on it: cast it in the SELECT");
    }
  }
  return {};
}

}  // namespace tidegate::catalog
