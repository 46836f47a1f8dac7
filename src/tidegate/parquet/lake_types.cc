#include "tidegate/parquet/lake_types.h"

#include <arrow/array/array_base.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_nested.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/initialize.h>
#include <arrow/extension/uuid.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <arrow/util/key_value_metadata.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tidegate/base/text.h"
#include "tidegate/parquet/arrow_status.h"

namespace tidegate::parquet {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;
using FieldPtr = std::shared_ptr<arrow::Field>;

constexpr int kMaxDecimalPrecision = 38;
constexpr int kUnsignedLongDigits = 20;
constexpr char kExtensionName[] = "ARROW:extension:name";
constexpr char kUuidExtension[] = "arrow.uuid";

Status Refused(const std::string& column, const std::string& what, const std::string& advice) {
  return InvalidArgument("write Parquet file: column " + Quoted(column) + ": " + what + "; " + advice);
}

/// Types that hold no other types; null for all others.
TypePtr LakePrimitive(const arrow::Field& field) {
  switch (field.type()->id()) {
    case arrow::Type::BOOL:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::FIXED_SIZE_BINARY:
      return field.type();
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
      return arrow::int32();
    case arrow::Type::UINT32:
      return arrow::int64();
    case arrow::Type::UINT64:
      return arrow::decimal128(kUnsignedLongDigits, 0);
    case arrow::Type::HALF_FLOAT:
      return arrow::float32();
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return arrow::utf8();
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
      return arrow::binary();
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
      return arrow::date32();
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return arrow::time64(arrow::TimeUnit::MICRO);
    case arrow::Type::TIMESTAMP: {
      const bool zoned = !static_cast<const arrow::TimestampType&>(*field.type()).timezone().empty();
      return arrow::timestamp(arrow::TimeUnit::MICRO, zoned ? "UTC" : "");
    }
    default:
      return nullptr;
  }
}

Result<TypePtr> LakeType(const arrow::Field& field, const std::string& path);

Result<FieldPtr> LakeField(const arrow::Field& field, const std::string& name, const std::string& path) {
  TG_ASSIGN_OR_RETURN(TypePtr type, LakeType(field, path));
  return arrow::field(name, std::move(type), field.nullable());
}

Result<TypePtr> LakeStruct(const arrow::DataType& type, const std::string& path) {
  if (type.num_fields() == 0) return Refused(path, "a struct without fields", "leave the column out");
  arrow::FieldVector fields;
  std::set<std::string> names;
  for (const FieldPtr& child : type.fields()) {
    if (!names.insert(child->name()).second) return Refused(path, "two fields of one name in a struct", "rename one");
    TG_ASSIGN_OR_RETURN(FieldPtr field, LakeField(*child, child->name(), path + "." + child->name()));
    fields.push_back(std::move(field));
  }
  return arrow::struct_(fields);
}

Result<TypePtr> LakeList(const arrow::DataType& type, const std::string& path) {
  TG_ASSIGN_OR_RETURN(FieldPtr element, LakeField(*type.field(0), "element", path + ".element"));
  return arrow::list(std::move(element));
}

Result<TypePtr> LakeMap(const arrow::DataType& type, const std::string& path) {
  const auto& map = static_cast<const arrow::MapType&>(type);
  TG_ASSIGN_OR_RETURN(FieldPtr key, LakeField(*map.key_field(), "key", path + ".key"));
  TG_ASSIGN_OR_RETURN(FieldPtr value, LakeField(*map.item_field(), "value", path + ".value"));
  return TypePtr(std::make_shared<arrow::MapType>(key->WithNullable(false), std::move(value)));
}

Result<TypePtr> LakeDecimal(const arrow::DataType& type, const std::string& path) {
  const auto& decimal = static_cast<const arrow::DecimalType&>(type);
  if (decimal.precision() > kMaxDecimalPrecision || decimal.scale() < 0 || decimal.scale() > decimal.precision()) {
    return Refused(path, "a " + type.ToString() + " does not fit into 38 digits",
                   "cast it to decimal(38, s) or to text");
  }
  return arrow::decimal128(decimal.precision(), decimal.scale());
}

bool IsText(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::LARGE_STRING ||
         type.id() == arrow::Type::STRING_VIEW;
}

/// Known extension types, and any that is stored as text. Bytes of an unknown meaning are refused.
Result<TypePtr> LakeExtension(const arrow::DataType& type, const std::string& path) {
  const auto& extension = static_cast<const arrow::ExtensionType&>(type);
  if (extension.extension_name() == kUuidExtension) return arrow::extension::uuid();
  if (IsText(*extension.storage_type())) return arrow::utf8();
  return Refused(path, "the type " + Quoted(extension.extension_name()) + " has no counterpart in a lake", "cast it");
}

Result<TypePtr> LakeType(const arrow::Field& field, const std::string& path) {
  const arrow::DataType& type = *field.type();
  if (field.metadata() != nullptr && field.metadata()->Contains(kExtensionName) && !IsText(type) &&
      type.id() != arrow::Type::EXTENSION) {
    return Refused(
        path, "the type " + Quoted(field.metadata()->Get(kExtensionName).ValueOr("")) + " has no counterpart in a lake",
        "cast it");
  }
  if (TypePtr primitive = LakePrimitive(field)) return primitive;
  switch (type.id()) {
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return LakeDecimal(type, path);
    case arrow::Type::DICTIONARY:
      return LakeType(*field.WithType(static_cast<const arrow::DictionaryType&>(type).value_type()), path);
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW:
    case arrow::Type::FIXED_SIZE_LIST:
      return LakeList(type, path);
    case arrow::Type::MAP:
      return LakeMap(type, path);
    case arrow::Type::STRUCT:
      return LakeStruct(type, path);
    case arrow::Type::EXTENSION:
      return LakeExtension(type, path);
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::INTERVAL_DAY_TIME:
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
    case arrow::Type::DURATION:
      return Refused(path, "a lake has no intervals", "cast it to text or to a number of seconds");
    case arrow::Type::NA:
      return Refused(path, "the column has no type, only nulls", "cast it to the type it should have");
    default:
      return Refused(path, "a " + type.ToString() + " has no counterpart in a lake", "cast it");
  }
}

TypePtr ArrowType(const schema::Type& type);

FieldPtr ArrowField(const schema::Field& field) {
  return arrow::field(field.name, ArrowType(field.type), !field.required);
}

TypePtr ArrowNested(const schema::Type& type) {
  arrow::FieldVector children;
  for (const schema::Field& child : type.children) children.push_back(ArrowField(child));
  if (type.kind == schema::Kind::kList) return arrow::list(children.at(0));
  if (type.kind == schema::Kind::kMap) return std::make_shared<arrow::MapType>(children.at(0), children.at(1));
  return arrow::struct_(children);
}

TypePtr ArrowType(const schema::Type& type) {
  using schema::Kind;
  switch (type.kind) {
    case Kind::kBoolean:
      return arrow::boolean();
    case Kind::kInt:
      return arrow::int32();
    case Kind::kLong:
      return arrow::int64();
    case Kind::kFloat:
      return arrow::float32();
    case Kind::kDouble:
      return arrow::float64();
    case Kind::kDecimal:
      return arrow::decimal128(type.precision, type.scale);
    case Kind::kDate:
      return arrow::date32();
    case Kind::kTime:
      return arrow::time64(arrow::TimeUnit::MICRO);
    case Kind::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case Kind::kTimestampTz:
      return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case Kind::kString:
      return arrow::utf8();
    case Kind::kUuid:
      return arrow::extension::uuid();
    case Kind::kFixed:
      return arrow::fixed_size_binary(type.length);
    case Kind::kBinary:
      return arrow::binary();
    case Kind::kStruct:
    case Kind::kList:
    case Kind::kMap:
      break;
  }
  return ArrowNested(type);
}

/// Decimal128 holds 39 digits: what DuckDB hands over as decimal(38, 0) may be a HUGEINT with 39.
bool DecimalsFit(const arrow::Array& array) {
  switch (array.type_id()) {
    case arrow::Type::DECIMAL128: {
      const auto& decimals = static_cast<const arrow::Decimal128Array&>(array);
      const int precision = static_cast<const arrow::Decimal128Type&>(*array.type()).precision();
      for (int64_t i = 0; i < array.length(); ++i) {
        if (array.IsValid(i) && !arrow::Decimal128(decimals.GetValue(i)).FitsInPrecision(precision)) return false;
      }
      return true;
    }
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return DecimalsFit(*static_cast<const arrow::ListArray&>(array).values());
    case arrow::Type::STRUCT: {
      const auto& structs = static_cast<const arrow::StructArray&>(array);
      for (int i = 0; i < structs.num_fields(); ++i) {
        if (!DecimalsFit(*structs.field(i))) return false;
      }
      return true;
    }
    default:
      return true;
  }
}

Status EnsureCompute() {
  static const arrow::Status status = arrow::compute::Initialize();
  return status.ok() ? Status() : Internal("start Arrow's compute library: " + PlainMessage(status.message()));
}

/// Without the wrappings that a cast to `to` cannot see through.
arrow::Result<std::shared_ptr<arrow::Array>> Unwrapped(std::shared_ptr<arrow::Array> array, const TypePtr& to) {
  if (array->type_id() == arrow::Type::EXTENSION && to->id() != arrow::Type::EXTENSION) {
    array = static_cast<const arrow::ExtensionArray&>(*array).storage();
  }
  if (array->type_id() != arrow::Type::DICTIONARY) return array;
  // Arrow casts a dictionary to its own value type only; the rest is a second step.
  return arrow::compute::Cast(*array, static_cast<const arrow::DictionaryType&>(*array->type()).value_type());
}

arrow::Result<std::shared_ptr<arrow::Array>> CastArray(const std::shared_ptr<arrow::Array>& array, const TypePtr& to,
                                                       CastCheck check) {
  ARROW_ASSIGN_OR_RAISE(const auto plain, Unwrapped(array, to));
  if (plain->type()->Equals(*to)) return plain;
  ARROW_ASSIGN_OR_RAISE(auto cast, arrow::compute::Cast(*plain, to, arrow::compute::CastOptions::Safe()));
  if (check == CastCheck::kFits) return cast;
  ARROW_ASSIGN_OR_RAISE(const auto back,
                        arrow::compute::Cast(*cast, plain->type(), arrow::compute::CastOptions::Safe()));
  if (back->Equals(*plain, arrow::EqualOptions().nans_equal(true))) return cast;
  return arrow::Status::Invalid("a value would change");
}

}  // namespace

Result<std::shared_ptr<arrow::Schema>> LakeSchema(const arrow::Schema& from) {
  arrow::FieldVector fields;
  std::set<std::string> names;
  for (const FieldPtr& field : from.fields()) {
    if (!names.insert(field->name()).second) {
      return Refused(field->name(), "there are two columns of this name", "give each a name of its own");
    }
    TG_ASSIGN_OR_RETURN(FieldPtr lake, LakeField(*field, field->name(), field->name()));
    fields.push_back(std::move(lake));
  }
  if (fields.empty()) return InvalidArgument("write Parquet file: the rows have no columns; select at least one");
  return arrow::schema(std::move(fields));
}

std::shared_ptr<arrow::Schema> ArrowSchema(const std::vector<schema::Field>& fields) {
  arrow::FieldVector arrow_fields;
  for (const schema::Field& field : fields) arrow_fields.push_back(ArrowField(field));
  return arrow::schema(std::move(arrow_fields));
}

Result<std::shared_ptr<arrow::RecordBatch>> CastToLake(const arrow::RecordBatch& batch,
                                                       const std::shared_ptr<arrow::Schema>& to, CastCheck check) {
  TG_RETURN_IF_ERROR(EnsureCompute());
  if (batch.num_columns() != to->num_fields()) return Internal("cast a batch: its columns are not those of its schema");
  arrow::ArrayVector columns;
  for (int i = 0; i < batch.num_columns(); ++i) {
    auto cast = CastArray(batch.column(i), to->field(i)->type(), check);
    if (!cast.ok()) {
      return InvalidArgument("convert column " + Quoted(to->field(i)->name()) + " to " +
                             to->field(i)->type()->ToString() + ": " + PlainMessage(cast.status().message()));
    }
    if (!DecimalsFit(**cast)) {
      return InvalidArgument("convert column " + Quoted(to->field(i)->name()) + ": a number has more digits than " +
                             to->field(i)->type()->ToString() + " holds; cast the column to text or to a double");
    }
    columns.push_back(std::move(cast).ValueUnsafe());
  }
  return arrow::RecordBatch::Make(to, batch.num_rows(), std::move(columns));
}

}  // namespace tidegate::parquet
