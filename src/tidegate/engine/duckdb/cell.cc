#include "tidegate/engine/duckdb/cell.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/engine/duckdb/json_text.h"

namespace tidegate::engine {
namespace {

constexpr int64_t kMaxExact = int64_t{1} << 53;  // whole numbers up to here are exact in a double

struct ScalarName {
  duckdb_type id;
  const char* name;
};

constexpr ScalarName kScalarNames[] = {
    {DUCKDB_TYPE_BOOLEAN, "BOOLEAN"},
    {DUCKDB_TYPE_TINYINT, "TINYINT"},
    {DUCKDB_TYPE_SMALLINT, "SMALLINT"},
    {DUCKDB_TYPE_INTEGER, "INTEGER"},
    {DUCKDB_TYPE_BIGINT, "BIGINT"},
    {DUCKDB_TYPE_UTINYINT, "UTINYINT"},
    {DUCKDB_TYPE_USMALLINT, "USMALLINT"},
    {DUCKDB_TYPE_UINTEGER, "UINTEGER"},
    {DUCKDB_TYPE_UBIGINT, "UBIGINT"},
    {DUCKDB_TYPE_HUGEINT, "HUGEINT"},
    {DUCKDB_TYPE_UHUGEINT, "UHUGEINT"},
    {DUCKDB_TYPE_FLOAT, "FLOAT"},
    {DUCKDB_TYPE_DOUBLE, "DOUBLE"},
    {DUCKDB_TYPE_VARCHAR, "VARCHAR"},
    {DUCKDB_TYPE_BLOB, "BLOB"},
    {DUCKDB_TYPE_DATE, "DATE"},
    {DUCKDB_TYPE_TIME, "TIME"},
    {DUCKDB_TYPE_TIME_NS, "TIME_NS"},
    {DUCKDB_TYPE_TIME_TZ, "TIME WITH TIME ZONE"},
    {DUCKDB_TYPE_TIMESTAMP, "TIMESTAMP"},
    {DUCKDB_TYPE_TIMESTAMP_S, "TIMESTAMP_S"},
    {DUCKDB_TYPE_TIMESTAMP_MS, "TIMESTAMP_MS"},
    {DUCKDB_TYPE_TIMESTAMP_NS, "TIMESTAMP_NS"},
    {DUCKDB_TYPE_TIMESTAMP_TZ, "TIMESTAMP WITH TIME ZONE"},
    {DUCKDB_TYPE_INTERVAL, "INTERVAL"},
    {DUCKDB_TYPE_UUID, "UUID"},
    {DUCKDB_TYPE_BIT, "BIT"},
    {DUCKDB_TYPE_ENUM, "ENUM"},
    {DUCKDB_TYPE_SQLNULL, "NULL"},
};

const char* ScalarNameOf(duckdb_type id) {
  for (const ScalarName& scalar : kScalarNames) {
    if (scalar.id == id) return scalar.name;
  }
  return nullptr;
}

bool IsNested(duckdb_type id) {
  return id == DUCKDB_TYPE_LIST || id == DUCKDB_TYPE_ARRAY || id == DUCKDB_TYPE_STRUCT || id == DUCKDB_TYPE_MAP ||
         id == DUCKDB_TYPE_UNION;
}

template <typename T>
T At(duckdb_vector vector, idx_t row) {
  return static_cast<const T*>(duckdb_vector_get_data(vector))[row];
}

std::string_view StringAt(duckdb_vector vector, idx_t row) {
  auto* text = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector)) + row;
  return {duckdb_string_t_data(text), duckdb_string_t_length(*text)};
}

/// A whole number of any type up to 64 bits; nullopt for other types and for values beyond int64.
std::optional<int64_t> WholeAt(duckdb_type id, duckdb_vector vector, idx_t row) {
  switch (id) {
    case DUCKDB_TYPE_TINYINT:
      return At<int8_t>(vector, row);
    case DUCKDB_TYPE_SMALLINT:
      return At<int16_t>(vector, row);
    case DUCKDB_TYPE_INTEGER:
      return At<int32_t>(vector, row);
    case DUCKDB_TYPE_BIGINT:
      return At<int64_t>(vector, row);
    case DUCKDB_TYPE_UTINYINT:
      return At<uint8_t>(vector, row);
    case DUCKDB_TYPE_USMALLINT:
      return At<uint16_t>(vector, row);
    case DUCKDB_TYPE_UINTEGER:
      return At<uint32_t>(vector, row);
    case DUCKDB_TYPE_UBIGINT: {
      const auto value = At<uint64_t>(vector, row);
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
      return static_cast<int64_t>(value);
    }
    case DUCKDB_TYPE_HUGEINT: {
      const auto value = At<duckdb_hugeint>(vector, row);
      const auto low = static_cast<int64_t>(value.lower);
      if (value.upper != (low < 0 ? -1 : 0)) return std::nullopt;
      return low;
    }
    default:
      return std::nullopt;
  }
}

template <typename T>
void AppendNumber(T value, std::string& out) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  out.append(text, end);
}

template <typename T>
void AppendFloatJson(T value, std::string& out) {
  if (std::isnan(value))
    out += "\"nan\"";
  else if (std::isinf(value))
    out += value > 0 ? "\"inf\"" : "\"-inf\"";
  else
    AppendNumber(value, out);
}

OwnedType ChildType(duckdb_logical_type type, duckdb_type id, idx_t i) {
  switch (id) {
    case DUCKDB_TYPE_LIST:
      return OwnedType(duckdb_list_type_child_type(type));
    case DUCKDB_TYPE_ARRAY:
      return OwnedType(duckdb_array_type_child_type(type));
    case DUCKDB_TYPE_MAP:
      return OwnedType(i == 0 ? duckdb_map_type_key_type(type) : duckdb_map_type_value_type(type));
    case DUCKDB_TYPE_UNION:
      return OwnedType(duckdb_union_type_member_type(type, i));
    default:
      return OwnedType(duckdb_struct_type_child_type(type, i));
  }
}

std::string ChildName(duckdb_logical_type type, duckdb_type id, idx_t i) {
  OwnedText name;
  if (id == DUCKDB_TYPE_STRUCT) name = OwnedText(duckdb_struct_type_child_name(type, i));
  if (id == DUCKDB_TYPE_UNION) name = OwnedText(duckdb_union_type_member_name(type, i));
  return name.get() == nullptr ? "" : name.get();
}

idx_t ChildCount(duckdb_logical_type type, duckdb_type id) {
  switch (id) {
    case DUCKDB_TYPE_MAP:
      return 2;
    case DUCKDB_TYPE_UNION:
      return duckdb_union_type_member_count(type);
    case DUCKDB_TYPE_STRUCT:
      return duckdb_struct_type_child_count(type);
    default:
      return 1;
  }
}

/// Quoted where it is not a plain lower-case name, as DuckDB prints it.
std::string FieldName(const std::string& name) {
  const bool plain = !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == name.npos &&
                     (name[0] < '0' || name[0] > '9');
  return plain ? name : SqlName(name);
}

std::vector<duckdb_value> Handles(std::vector<OwnedValue>& values) {
  std::vector<duckdb_value> out;
  out.reserve(values.size() + 1);  // DuckDB refuses a null pointer, also for no values
  for (OwnedValue& value : values) out.push_back(value.get());
  return out;
}

}  // namespace

bool IsNull(duckdb_vector vector, idx_t row) {
  uint64_t* validity = duckdb_vector_get_validity(vector);
  return validity != nullptr && !duckdb_validity_row_is_valid(validity, row);
}

Result<CellType> CellType::Make(OwnedType type) {
  const duckdb_type id = duckdb_get_type_id(type.get());
  if (IsNested(id)) return MakeNested(std::move(type), id);
  CellType out;
  out.id_ = id;
  if (id == DUCKDB_TYPE_DECIMAL) {
    out.stored_as_ = duckdb_decimal_internal_type(type.get());
    out.width_ = duckdb_decimal_width(type.get());
    out.scale_ = duckdb_decimal_scale(type.get());
  } else if (id == DUCKDB_TYPE_ENUM) {
    out.stored_as_ = duckdb_enum_internal_type(type.get());
  } else if (ScalarNameOf(id) == nullptr) {
    return Unsupported(
        "a column of the result has a type that cannot be shown (VARIANT, GEOMETRY, BIGNUM or the like): cast it to "
        "VARCHAR in the query");
  }
  out.type_ = std::move(type);
  return out;
}

Result<CellType> CellType::MakeNested(OwnedType type, duckdb_type id) {
  CellType out;
  out.id_ = id;
  if (id == DUCKDB_TYPE_ARRAY) out.array_size_ = duckdb_array_type_array_size(type.get());
  const idx_t count = ChildCount(type.get(), id);
  for (idx_t i = 0; i < count; ++i) {
    TG_ASSIGN_OR_RETURN(CellType child, Make(ChildType(type.get(), id, i)));
    out.children_.push_back(std::move(child));
    out.names_.push_back(ChildName(type.get(), id, i));
  }
  out.type_ = std::move(type);
  return out;
}

std::string CellType::Name() const {
  if (id_ == DUCKDB_TYPE_DECIMAL) return fmt::format("DECIMAL({},{})", width_, scale_);
  if (id_ == DUCKDB_TYPE_LIST) return children_[0].Name() + "[]";
  if (id_ == DUCKDB_TYPE_ARRAY) return fmt::format("{}[{}]", children_[0].Name(), array_size_);
  if (id_ == DUCKDB_TYPE_MAP) return fmt::format("MAP({}, {})", children_[0].Name(), children_[1].Name());
  if (!IsNested(id_)) return ScalarNameOf(id_);
  std::string out = id_ == DUCKDB_TYPE_UNION ? "UNION(" : "STRUCT(";
  for (size_t i = 0; i < children_.size(); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", FieldName(names_[i]), children_[i].Name());
  }
  return out + ")";
}

bool CellType::IsNumber() const {
  switch (id_) {
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_DECIMAL:
      return true;
    default:
      return false;
  }
}

void CellType::AppendText(duckdb_vector vector, idx_t row, std::string& out) const {
  if (id_ == DUCKDB_TYPE_VARCHAR) {
    out += StringAt(vector, row);
  } else if (id_ == DUCKDB_TYPE_BOOLEAN) {
    out += At<bool>(vector, row) ? "true" : "false";
  } else if (const auto whole = WholeAt(id_, vector, row); whole.has_value()) {
    AppendNumber(*whole, out);
  } else {
    const OwnedValue value = ValueAt(vector, row);
    if (value.get() == nullptr) return;
    const OwnedText text(duckdb_get_varchar(value.get()));
    if (text.get() != nullptr) out += text.get();
  }
}

OwnedValue CellType::ValueAt(duckdb_vector vector, idx_t row) const {
  if (id_ == DUCKDB_TYPE_SQLNULL || IsNull(vector, row)) return OwnedValue(duckdb_create_null_value());
  if (IsNested(id_)) return NestedAt(vector, row);
  if (id_ == DUCKDB_TYPE_DECIMAL) return DecimalAt(vector, row);
  if (id_ == DUCKDB_TYPE_ENUM) return EnumAt(vector, row);
  return ScalarAt(vector, row);
}

OwnedValue CellType::ScalarAt(duckdb_vector vector, idx_t row) const {
  const auto value = [&]() -> duckdb_value {
    switch (id_) {
      case DUCKDB_TYPE_BOOLEAN:
        return duckdb_create_bool(At<bool>(vector, row));
      case DUCKDB_TYPE_TINYINT:
        return duckdb_create_int8(At<int8_t>(vector, row));
      case DUCKDB_TYPE_SMALLINT:
        return duckdb_create_int16(At<int16_t>(vector, row));
      case DUCKDB_TYPE_INTEGER:
        return duckdb_create_int32(At<int32_t>(vector, row));
      case DUCKDB_TYPE_BIGINT:
        return duckdb_create_int64(At<int64_t>(vector, row));
      case DUCKDB_TYPE_UTINYINT:
        return duckdb_create_uint8(At<uint8_t>(vector, row));
      case DUCKDB_TYPE_USMALLINT:
        return duckdb_create_uint16(At<uint16_t>(vector, row));
      case DUCKDB_TYPE_UINTEGER:
        return duckdb_create_uint32(At<uint32_t>(vector, row));
      case DUCKDB_TYPE_UBIGINT:
        return duckdb_create_uint64(At<uint64_t>(vector, row));
      case DUCKDB_TYPE_HUGEINT:
        return duckdb_create_hugeint(At<duckdb_hugeint>(vector, row));
      case DUCKDB_TYPE_UHUGEINT:
        return duckdb_create_uhugeint(At<duckdb_uhugeint>(vector, row));
      case DUCKDB_TYPE_FLOAT:
        return duckdb_create_float(At<float>(vector, row));
      case DUCKDB_TYPE_DOUBLE:
        return duckdb_create_double(At<double>(vector, row));
      case DUCKDB_TYPE_DATE:
        return duckdb_create_date(At<duckdb_date>(vector, row));
      case DUCKDB_TYPE_TIME:
        return duckdb_create_time(At<duckdb_time>(vector, row));
      case DUCKDB_TYPE_TIME_NS:
        return duckdb_create_time_ns(At<duckdb_time_ns>(vector, row));
      case DUCKDB_TYPE_TIME_TZ:
        return duckdb_create_time_tz_value(At<duckdb_time_tz>(vector, row));
      case DUCKDB_TYPE_TIMESTAMP:
        return duckdb_create_timestamp(At<duckdb_timestamp>(vector, row));
      case DUCKDB_TYPE_TIMESTAMP_TZ:
        return duckdb_create_timestamp_tz(At<duckdb_timestamp>(vector, row));
      case DUCKDB_TYPE_TIMESTAMP_S:
        return duckdb_create_timestamp_s(At<duckdb_timestamp_s>(vector, row));
      case DUCKDB_TYPE_TIMESTAMP_MS:
        return duckdb_create_timestamp_ms(At<duckdb_timestamp_ms>(vector, row));
      case DUCKDB_TYPE_TIMESTAMP_NS:
        return duckdb_create_timestamp_ns(At<duckdb_timestamp_ns>(vector, row));
      case DUCKDB_TYPE_INTERVAL:
        return duckdb_create_interval(At<duckdb_interval>(vector, row));
      default:
        return nullptr;
    }
  }();
  if (value != nullptr) return OwnedValue(value);
  if (id_ == DUCKDB_TYPE_UUID) {
    // Stored with the highest bit turned over, so that it sorts as a signed number.
    const auto stored = At<duckdb_uhugeint>(vector, row);
    return OwnedValue(duckdb_create_uuid({stored.lower, stored.upper ^ (uint64_t{1} << 63)}));
  }
  const std::string_view bytes = StringAt(vector, row);
  auto* data = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));  // copied by DuckDB, not written
  if (id_ == DUCKDB_TYPE_BIT) return OwnedValue(duckdb_create_bit({data, bytes.size()}));
  if (id_ == DUCKDB_TYPE_BLOB) return OwnedValue(duckdb_create_blob(data, bytes.size()));
  return OwnedValue(duckdb_create_varchar_length(bytes.data(), bytes.size()));
}

OwnedValue CellType::DecimalAt(duckdb_vector vector, idx_t row) const {
  duckdb_decimal decimal = {width_, scale_, {}};
  if (stored_as_ == DUCKDB_TYPE_HUGEINT) {
    decimal.value = At<duckdb_hugeint>(vector, row);
  } else {
    const int64_t whole = WholeAt(stored_as_, vector, row).value_or(0);
    decimal.value = {static_cast<uint64_t>(whole), whole < 0 ? -1 : 0};
  }
  return OwnedValue(duckdb_create_decimal(decimal));
}

OwnedValue CellType::EnumAt(duckdb_vector vector, idx_t row) const {
  const auto index = static_cast<uint64_t>(WholeAt(stored_as_, vector, row).value_or(0));
  return OwnedValue(duckdb_create_enum_value(type_.get(), index));
}

OwnedValue CellType::NestedAt(duckdb_vector vector, idx_t row) const {
  std::vector<OwnedValue> values;
  if (id_ == DUCKDB_TYPE_UNION) {
    const auto tag = At<uint8_t>(duckdb_struct_vector_get_child(vector, 0), row);
    OwnedValue member = children_[tag].ValueAt(duckdb_struct_vector_get_child(vector, idx_t{tag} + 1), row);
    return OwnedValue(duckdb_create_union_value(type_.get(), tag, member.get()));
  }
  if (id_ == DUCKDB_TYPE_STRUCT) {
    for (size_t i = 0; i < children_.size(); ++i) {
      values.push_back(children_[i].ValueAt(duckdb_struct_vector_get_child(vector, i), row));
    }
    return OwnedValue(duckdb_create_struct_value(type_.get(), Handles(values).data()));
  }
  if (id_ == DUCKDB_TYPE_ARRAY) {
    duckdb_vector child = duckdb_array_vector_get_child(vector);
    for (idx_t i = 0; i < array_size_; ++i) values.push_back(children_[0].ValueAt(child, row * array_size_ + i));
    return OwnedValue(duckdb_create_array_value(children_[0].type_.get(), Handles(values).data(), array_size_));
  }
  const auto entry = At<duckdb_list_entry>(vector, row);
  duckdb_vector child = duckdb_list_vector_get_child(vector);
  if (id_ == DUCKDB_TYPE_LIST) {
    for (idx_t i = 0; i < entry.length; ++i) values.push_back(children_[0].ValueAt(child, entry.offset + i));
    return OwnedValue(duckdb_create_list_value(children_[0].type_.get(), Handles(values).data(), entry.length));
  }
  std::vector<OwnedValue> keys;
  for (idx_t i = 0; i < entry.length; ++i) {
    keys.push_back(children_[0].ValueAt(duckdb_struct_vector_get_child(child, 0), entry.offset + i));
    values.push_back(children_[1].ValueAt(duckdb_struct_vector_get_child(child, 1), entry.offset + i));
  }
  return OwnedValue(duckdb_create_map_value(type_.get(), Handles(keys).data(), Handles(values).data(), entry.length));
}

void CellType::AppendJson(duckdb_vector vector, idx_t row, std::string& out) const {
  if (id_ == DUCKDB_TYPE_SQLNULL || IsNull(vector, row)) {
    out += "null";
  } else if (IsNested(id_)) {
    AppendNestedJson(vector, row, out);
  } else if (id_ == DUCKDB_TYPE_BOOLEAN) {
    out += At<bool>(vector, row) ? "true" : "false";
  } else if (id_ == DUCKDB_TYPE_FLOAT) {
    AppendFloatJson(At<float>(vector, row), out);
  } else if (id_ == DUCKDB_TYPE_DOUBLE) {
    AppendFloatJson(At<double>(vector, row), out);
  } else if (id_ == DUCKDB_TYPE_VARCHAR) {
    AppendJsonString(StringAt(vector, row), out);
  } else if (const auto whole = WholeAt(id_, vector, row); whole && *whole >= -kMaxExact && *whole <= kMaxExact) {
    AppendNumber(*whole, out);
  } else {
    std::string text;
    AppendText(vector, row, text);
    AppendJsonString(text, out);
  }
}

void CellType::AppendNestedJson(duckdb_vector vector, idx_t row, std::string& out) const {
  switch (id_) {
    case DUCKDB_TYPE_STRUCT:
      return AppendStructJson(vector, row, out);
    case DUCKDB_TYPE_MAP:
      return AppendMapJson(vector, row, out);
    case DUCKDB_TYPE_ARRAY:
      return AppendListJson(duckdb_array_vector_get_child(vector), row * array_size_, array_size_, out);
    case DUCKDB_TYPE_UNION: {
      const auto tag = At<uint8_t>(duckdb_struct_vector_get_child(vector, 0), row);
      return children_[tag].AppendJson(duckdb_struct_vector_get_child(vector, idx_t{tag} + 1), row, out);
    }
    default: {
      const auto entry = At<duckdb_list_entry>(vector, row);
      return AppendListJson(duckdb_list_vector_get_child(vector), entry.offset, entry.length, out);
    }
  }
}

void CellType::AppendListJson(duckdb_vector child, idx_t offset, idx_t length, std::string& out) const {
  out += '[';
  for (idx_t i = 0; i < length; ++i) {
    if (i > 0) out += ", ";
    children_[0].AppendJson(child, offset + i, out);
  }
  out += ']';
}

void CellType::AppendStructJson(duckdb_vector vector, idx_t row, std::string& out) const {
  out += '{';
  for (size_t i = 0; i < children_.size(); ++i) {
    if (i > 0) out += ", ";
    AppendJsonString(names_[i], out);
    out += ": ";
    children_[i].AppendJson(duckdb_struct_vector_get_child(vector, i), row, out);
  }
  out += '}';
}

void CellType::AppendMapJson(duckdb_vector vector, idx_t row, std::string& out) const {
  const auto entry = At<duckdb_list_entry>(vector, row);
  duckdb_vector entries = duckdb_list_vector_get_child(vector);
  const bool object = children_[0].id_ == DUCKDB_TYPE_VARCHAR;
  out += object ? '{' : '[';
  for (idx_t i = entry.offset; i < entry.offset + entry.length; ++i) {
    if (i > entry.offset) out += ", ";
    if (!object) out += "{\"key\": ";
    children_[0].AppendJson(duckdb_struct_vector_get_child(entries, 0), i, out);
    out += object ? ": " : ", \"value\": ";
    children_[1].AppendJson(duckdb_struct_vector_get_child(entries, 1), i, out);
    if (!object) out += '}';
  }
  out += object ? '}' : ']';
}

}  // namespace tidegate::engine
