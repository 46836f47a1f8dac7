// The logical schema of a table: Iceberg's types, fields with ids, and how a schema may grow.
//
// Source: Apache Iceberg table spec, "Schemas and Data Types", "Schema Evolution".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/base/json.h"
#include "tidegate/base/status.h"

namespace tidegate::schema {

enum class Kind {
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kDate,
  kTime,
  kTimestamp,
  kTimestampTz,
  kString,
  kUuid,
  kFixed,
  kBinary,
  kStruct,
  kList,
  kMap,
};

struct Field;

/// One type. Children: of a struct its fields; of a list one field "element"; of a map "key" and "value".
struct Type {
  Kind kind = Kind::kString;
  int precision = 0;  // decimal
  int scale = 0;      // decimal
  int length = 0;     // fixed, bytes
  std::vector<Field> children;

  Type();
  Type(Kind k);  // NOLINT: implicit by design
  static Type Decimal(int precision, int scale);
  static Type Fixed(int length);
  static Type List(Field element);
  static Type Struct(std::vector<Field> fields);
  static Type Map(Field key, Field value);

  bool is_nested() const { return kind == Kind::kStruct || kind == Kind::kList || kind == Kind::kMap; }
};

struct Field {
  int id = 0;  // Iceberg field id; 0: not assigned yet
  std::string name;
  Type type;
  bool required = false;
};

inline Type::Type() = default;
inline Type::Type(Kind k) : kind(k) {}

struct Schema {
  int schema_id = 0;
  std::vector<Field> fields;

  const Field* Find(std::string_view name) const;
  /// The greatest id of any field, nested ones too; 0 where none is assigned.
  int MaxId() const;
};

/// Same types, names, ids of all nested fields?
bool operator==(const Type& a, const Type& b);
bool operator==(const Field& a, const Field& b);
bool operator==(const Schema& a, const Schema& b);

/// Same shape without looking at ids (names, types, order, nested).
bool SameShape(const Type& a, const Type& b);

/// "long", "decimal(9,2)", "list<int>", "struct<a: int, b: string>": Iceberg's words, for people and messages.
std::string TypeName(const Type& type);

/// May a column of type `from` become `to` without rewriting files (int→long, float→double, wider decimal of the
/// same scale; nested: every child likewise, added struct children allowed)? Equal types: yes.
bool CanPromote(const Type& from, const Type& to);

/// Iceberg's JSON form of a schema ("type": "struct", "schema-id", "fields") and back.
OrderedJson ToJson(const Schema& schema);
Result<Schema> FromJson(const Json& json);

/// Give every field without an id (nested too) the next ids after `last_id`; returns the new last id.
int AssignIds(Schema& schema, int last_id);

}  // namespace tidegate::schema
