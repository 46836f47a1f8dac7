// Avro object container files, as far as Iceberg's manifests need them: read by the schema in the file, written row by
// row by hand.
//
// Guarantees
// - Field ids (the attribute `field-id`) are kept: columns are found by id, where there is none by name.
// - Hostile bytes end in Corruption: every length is checked against what is left, what a block unpacks to is bounded,
//   nesting is bounded, and so is the number of values, also of those that take no bytes.
//
// Not here: schema resolution with defaults; codecs other than null and deflate (Unsupported).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidegate/base/status.h"

namespace tidegate::table {

enum class AvroKind {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kFixed,
  kEnum,
  kRecord,
  kArray,
  kMap,
  kUnion,
};

/// A schema as a flat list of types that name each other by index: a type may be used twice, or hold itself.
struct AvroSchema {
  struct Field {
    std::string name;
    std::optional<int> id;
    size_t type = 0;
  };
  struct Type {
    AvroKind kind = AvroKind::kNull;
    size_t fixed_bytes = 0;        // fixed
    size_t symbols = 0;            // enum
    std::vector<Field> fields;     // record
    std::vector<size_t> children;  // array and map: one; union: its branches
  };
  std::vector<Type> types;  // [0] is the whole
};

/// Errors: Corruption.
Result<AvroSchema> ParseAvroSchema(std::string_view json);

/// A decoded value. Unions are unwrapped; a map is a list of two-item lists; an enum is its index.
struct AvroValue {
  using Items = std::vector<AvroValue>;
  std::variant<std::monostate, bool, int64_t, double, std::string, Items> data;
  size_t type = 0;  // index into the schema: what wrote it

  bool is_null() const { return std::holds_alternative<std::monostate>(data); }
};

/// A record value with its schema: fields by id.
class AvroRecord {
 public:
  AvroRecord(const AvroSchema& schema, const AvroValue& value) : schema_(&schema), value_(&value) {}

  /// The field's value; nullptr where the file lacks it or it is null.
  const AvroValue* Find(int id, std::string_view name) const;

  /// Typed access. Absent or null: nullopt. Errors: Corruption (another type).
  Result<std::optional<int64_t>> FindLong(int id, std::string_view name) const;
  Result<std::optional<std::string>> FindText(int id, std::string_view name) const;
  Result<std::optional<AvroRecord>> FindRecord(int id, std::string_view name) const;

  /// The same for fields that must be there.
  Result<int64_t> Long(int id, std::string_view name) const;
  Result<std::string> Text(int id, std::string_view name) const;

  const AvroSchema::Type& type() const { return schema_->types[value_->type]; }
  const AvroValue::Items& items() const { return std::get<AvroValue::Items>(value_->data); }
  const AvroSchema& schema() const { return *schema_; }

 private:
  const AvroSchema* schema_;
  const AvroValue* value_;
};

class AvroReader {
 public:
  /// Read the header. `file` is the whole file and must outlive the reader.
  static Result<AvroReader> Open(std::string_view file);

  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const AvroSchema& schema() const { return schema_; }

  /// Call `sink` with each record, in file order.
  /// Errors: Corruption, Unsupported (codec), whatever `sink` returns.
  Status ForEach(const std::function<Status(const AvroRecord&)>& sink) const;

 private:
  std::map<std::string, std::string> metadata_;
  AvroSchema schema_;
  bool deflate_ = false;
  std::string_view sync_;
  std::string_view blocks_;
};

/// Writes records whose values the caller appends in the order of the schema.
class AvroWriter {
 public:
  /// `schema` is the JSON text; `metadata` goes into the header. Deflate.
  AvroWriter(std::string_view schema, const std::map<std::string, std::string>& metadata);

  void Null() { Long(0); }  // the first branch of ["null", T]
  void Some() { Long(1); }  // the second
  void Boolean(bool value) { row_ += value ? '\1' : '\0'; }
  void Int(int32_t value) { Long(value); }
  void Long(int64_t value);
  void Bytes(std::string_view value);
  /// Start of an array's items; ended by EndItems, both also around no item.
  void BeginItems(size_t count);
  void EndItems() { Long(0); }
  void EndRow();

  /// The whole file. Nothing may be appended after it.
  std::string Finish();

 private:
  void FlushBlock();

  std::string out_;
  std::string sync_;
  std::string row_;  // rows of the block in work
  int64_t rows_ = 0;
};

}  // namespace tidegate::table
