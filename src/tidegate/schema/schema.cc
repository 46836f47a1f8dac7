#include "tidegate/schema/schema.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::schema {
namespace {

constexpr int kMaxNesting = 64;
constexpr int kMaxPrecision = 38;
/// Ids above are reserved for metadata columns (spec, "Reserved Field IDs").
constexpr int kMaxFieldId = std::numeric_limits<int>::max() - 200;

struct KindName {
  Kind kind;
  std::string_view name;
};

constexpr KindName kPrimitives[] = {
    {Kind::kBoolean, "boolean"},
    {Kind::kInt, "int"},
    {Kind::kLong, "long"},
    {Kind::kFloat, "float"},
    {Kind::kDouble, "double"},
    {Kind::kDate, "date"},
    {Kind::kTime, "time"},
    {Kind::kTimestamp, "timestamp"},
    {Kind::kTimestampTz, "timestamptz"},
    {Kind::kString, "string"},
    {Kind::kUuid, "uuid"},
    {Kind::kBinary, "binary"},
};

std::string PrimitiveName(const Type& type) {
  if (type.kind == Kind::kDecimal) {
    return "decimal(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
  }
  if (type.kind == Kind::kFixed) return "fixed[" + std::to_string(type.length) + "]";
  for (const KindName& entry : kPrimitives) {
    if (entry.kind == type.kind) return std::string(entry.name);
  }
  return "unknown";
}

/// A field's name in a type for people: bare where it cannot mislead, else quoted.
std::string ShownName(std::string_view name) {
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
  return plain ? std::string(name) : Quoted(name);
}

int MaxIdOf(const std::vector<Field>& fields) {
  int max = 0;
  for (const Field& field : fields) max = std::max({max, field.id, MaxIdOf(field.type.children)});
  return max;
}

const Field* FindIn(const std::vector<Field>& fields, std::string_view name) {
  for (const Field& field : fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

bool CanPromoteField(const Field& from, const Field& to) {
  return (from.required || !to.required) && CanPromote(from.type, to.type);
}

bool CanPromoteStruct(const Type& from, const Type& to) {
  for (const Field& field : from.children) {
    const Field* target = FindIn(to.children, field.name);
    if (target == nullptr || !CanPromoteField(field, *target)) return false;
  }
  return std::all_of(to.children.begin(), to.children.end(), [&](const Field& field) {
    return !field.required || FindIn(from.children, field.name) != nullptr;
  });
}

OrderedJson TypeToJson(const Type& type);

OrderedJson FieldsToJson(const std::vector<Field>& fields) {
  OrderedJson out = OrderedJson::array();
  for (const Field& field : fields) {
    OrderedJson one = OrderedJson::object();
    one["id"] = field.id;
    one["name"] = field.name;
    one["required"] = field.required;
    one["type"] = TypeToJson(field.type);
    out.push_back(std::move(one));
  }
  return out;
}

OrderedJson TypeToJson(const Type& type) {
  if (!type.is_nested()) return PrimitiveName(type);
  OrderedJson out = OrderedJson::object();
  if (type.kind == Kind::kStruct) {
    out["type"] = "struct";
    out["fields"] = FieldsToJson(type.children);
  } else if (type.kind == Kind::kList) {
    const Field& element = type.children.at(0);
    out["type"] = "list";
    out["element-id"] = element.id;
    out["element"] = TypeToJson(element.type);
    out["element-required"] = element.required;
  } else {
    const Field& value = type.children.at(1);
    out["type"] = "map";
    out["key-id"] = type.children.at(0).id;
    out["key"] = TypeToJson(type.children.at(0).type);
    out["value-id"] = value.id;
    out["value"] = TypeToJson(value.type);
    out["value-required"] = value.required;
  }
  return out;
}

/// A whole number at the front of `text`, which is moved past it and past blanks around it.
std::optional<int> TakeInt(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return value;
}

bool TakeChar(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

Result<Type> ParseDecimal(std::string_view text, std::string_view whole) {
  const std::optional<int> precision = TakeInt(text);
  if (precision && TakeChar(text, ',')) {
    const std::optional<int> scale = TakeInt(text);
    if (scale && text == ")" && *precision >= 1 && *precision <= kMaxPrecision && *scale >= 0 && *scale <= *precision) {
      return Type::Decimal(*precision, *scale);
    }
  }
  return Corruption("schema: not a decimal type: " + Quoted(whole));
}

Result<Type> ParsePrimitive(std::string_view text) {
  for (const KindName& entry : kPrimitives) {
    if (entry.name == text) return Type(entry.kind);
  }
  std::string_view rest = text;
  if (rest.starts_with("decimal(")) {
    rest.remove_prefix(8);
    return ParseDecimal(rest, text);
  }
  if (rest.starts_with("fixed[")) {
    rest.remove_prefix(6);
    const std::optional<int> length = TakeInt(rest);
    if (length && *length >= 0 && rest == "]") return Type::Fixed(*length);
    return Corruption("schema: not a fixed type: " + Quoted(text));
  }
  return Unsupported("schema: a type that this version of tidegate does not know: " + Quoted(text));
}

/// Reads types and checks what must hold over the whole schema: every id is used once.
class TypeParser {
 public:
  Result<std::vector<Field>> Fields(const Json& owner, int depth);

 private:
  Result<Type> ParseType(const Json& json, int depth);
  Result<Type> ParseList(const Json& json, int depth);
  Result<Type> ParseMap(const Json& json, int depth);
  Result<Field> ParseField(const Json& json, int depth);
  Result<int> Id(const Json& json, const char* key);

  std::set<int> ids_;
};

Result<bool> Flag(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_boolean()) {
    return Corruption(std::string("schema: a field without true or false in ") + Quoted(key));
  }
  return found->get<bool>();
}

Result<const Json*> Member(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return Corruption(std::string("schema: missing: ") + Quoted(key));
  return &*found;
}

Result<int> TypeParser::Id(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) {
    return Corruption(std::string("schema: no whole number in ") + Quoted(key));
  }
  const bool too_large = found->is_number_unsigned() && found->get<uint64_t>() > uint64_t{kMaxFieldId};
  const int64_t id = too_large ? 0 : found->get<int64_t>();
  if (id < 1 || id > kMaxFieldId) return Corruption("schema: a field id outside 1 … " + std::to_string(kMaxFieldId));
  if (!ids_.insert(static_cast<int>(id)).second) {
    return Corruption("schema: a field id stands twice: " + std::to_string(id));
  }
  return static_cast<int>(id);
}

Result<Type> TypeParser::ParseType(const Json& json, int depth) {
  if (depth > kMaxNesting) return Corruption("schema: types nested deeper than " + std::to_string(kMaxNesting));
  if (json.is_string()) return ParsePrimitive(json.get_ref<const std::string&>());
  if (!json.is_object()) return Corruption("schema: a type that is neither text nor an object");
  TG_ASSIGN_OR_RETURN(const Json* kind, Member(json, "type"));
  if (*kind == "struct") {
    TG_ASSIGN_OR_RETURN(std::vector<Field> fields, Fields(json, depth + 1));
    return Type::Struct(std::move(fields));
  }
  if (*kind == "list") return ParseList(json, depth);
  if (*kind == "map") return ParseMap(json, depth);
  return Corruption("schema: a nested type that is none of struct, list, map");
}

Result<Type> TypeParser::ParseList(const Json& json, int depth) {
  Field element;
  element.name = "element";
  TG_ASSIGN_OR_RETURN(element.id, Id(json, "element-id"));
  TG_ASSIGN_OR_RETURN(element.required, Flag(json, "element-required"));
  TG_ASSIGN_OR_RETURN(const Json* type, Member(json, "element"));
  TG_ASSIGN_OR_RETURN(element.type, ParseType(*type, depth + 1));
  return Type::List(std::move(element));
}

Result<Type> TypeParser::ParseMap(const Json& json, int depth) {
  Field key;
  key.name = "key";
  key.required = true;
  TG_ASSIGN_OR_RETURN(key.id, Id(json, "key-id"));
  TG_ASSIGN_OR_RETURN(const Json* key_type, Member(json, "key"));
  TG_ASSIGN_OR_RETURN(key.type, ParseType(*key_type, depth + 1));
  Field value;
  value.name = "value";
  TG_ASSIGN_OR_RETURN(value.id, Id(json, "value-id"));
  TG_ASSIGN_OR_RETURN(value.required, Flag(json, "value-required"));
  TG_ASSIGN_OR_RETURN(const Json* value_type, Member(json, "value"));
  TG_ASSIGN_OR_RETURN(value.type, ParseType(*value_type, depth + 1));
  return Type::Map(std::move(key), std::move(value));
}

Result<Field> TypeParser::ParseField(const Json& json, int depth) {
  if (!json.is_object()) return Corruption("schema: a field that is not an object");
  Field field;
  TG_ASSIGN_OR_RETURN(field.id, Id(json, "id"));
  TG_ASSIGN_OR_RETURN(const Json* name, Member(json, "name"));
  if (!name->is_string()) return Corruption("schema: a field whose name is not text");
  field.name = name->get<std::string>();
  TG_ASSIGN_OR_RETURN(field.required, Flag(json, "required"));
  TG_ASSIGN_OR_RETURN(const Json* type, Member(json, "type"));
  Result<Type> parsed = ParseType(*type, depth);
  if (!parsed.ok()) return parsed.status().WithContext("field " + Quoted(field.name));
  field.type = *std::move(parsed);
  return field;
}

Result<std::vector<Field>> TypeParser::Fields(const Json& owner, int depth) {
  TG_ASSIGN_OR_RETURN(const Json* fields, Member(owner, "fields"));
  if (!fields->is_array()) return Corruption("schema: 'fields' is not a list");
  std::vector<Field> out;
  std::set<std::string> names;
  for (const Json& json : *fields) {
    TG_ASSIGN_OR_RETURN(Field field, ParseField(json, depth));
    if (!names.insert(field.name).second) return Corruption("schema: a name stands twice: " + Quoted(field.name));
    out.push_back(std::move(field));
  }
  return out;
}

void AssignFieldIds(std::vector<Field>& fields, int& last_id) {
  // Ids of one level come before those of its children, as Iceberg's own writers number a new schema.
  for (Field& field : fields) {
    if (field.id == 0) field.id = ++last_id;
  }
  for (Field& field : fields) AssignFieldIds(field.type.children, last_id);
}

}  // namespace

Type Type::Decimal(int precision, int scale) {
  Type type(Kind::kDecimal);
  type.precision = precision;
  type.scale = scale;
  return type;
}

Type Type::Fixed(int length) {
  Type type(Kind::kFixed);
  type.length = length;
  return type;
}

Type Type::List(Field element) {
  Type type(Kind::kList);
  element.name = "element";
  type.children.push_back(std::move(element));
  return type;
}

Type Type::Struct(std::vector<Field> fields) {
  Type type(Kind::kStruct);
  type.children = std::move(fields);
  return type;
}

Type Type::Map(Field key, Field value) {
  Type type(Kind::kMap);
  key.name = "key";
  key.required = true;
  value.name = "value";
  type.children.push_back(std::move(key));
  type.children.push_back(std::move(value));
  return type;
}

const Field* Schema::Find(std::string_view name) const { return FindIn(fields, name); }

int Schema::MaxId() const { return MaxIdOf(fields); }

bool operator==(const Type& a, const Type& b) {
  return a.kind == b.kind && a.precision == b.precision && a.scale == b.scale && a.length == b.length &&
         a.children == b.children;
}

bool operator==(const Field& a, const Field& b) {
  return a.id == b.id && a.name == b.name && a.required == b.required && a.type == b.type;
}

bool operator==(const Schema& a, const Schema& b) { return a.schema_id == b.schema_id && a.fields == b.fields; }

bool SameShape(const Type& a, const Type& b) {
  return a.kind == b.kind && a.precision == b.precision && a.scale == b.scale && a.length == b.length &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                    [](const Field& x, const Field& y) { return x.name == y.name && SameShape(x.type, y.type); });
}

std::string TypeName(const Type& type) {
  if (!type.is_nested()) return PrimitiveName(type);
  std::vector<std::string> parts;
  for (const Field& child : type.children) {
    parts.push_back((type.kind == Kind::kStruct ? ShownName(child.name) + ": " : "") + TypeName(child.type));
  }
  const char* word = type.kind == Kind::kStruct ? "struct<" : type.kind == Kind::kList ? "list<" : "map<";
  return word + Join(parts, ", ") + ">";
}

bool CanPromote(const Type& from, const Type& to) {
  if (from.kind == Kind::kInt && to.kind == Kind::kLong) return true;
  if (from.kind == Kind::kFloat && to.kind == Kind::kDouble) return true;
  if (from.kind != to.kind) return false;
  if (from.kind == Kind::kDecimal) return from.scale == to.scale && from.precision <= to.precision;
  if (from.kind == Kind::kStruct) return CanPromoteStruct(from, to);
  return from.length == to.length && std::equal(from.children.begin(), from.children.end(), to.children.begin(),
                                                to.children.end(), CanPromoteField);
}

OrderedJson ToJson(const Schema& schema) {
  OrderedJson out = OrderedJson::object();
  out["type"] = "struct";
  out["schema-id"] = schema.schema_id;
  out["fields"] = FieldsToJson(schema.fields);
  return out;
}

Result<Schema> FromJson(const Json& json) {
  if (!json.is_object()) return Corruption("schema: not an object");
  Schema schema;
  const auto id = json.find("schema-id");
  if (id != json.end()) {
    const bool large = id->is_number_unsigned() && id->get<uint64_t>() > uint64_t{std::numeric_limits<int>::max()};
    const bool whole = id->is_number_integer() && !large && id->get<int64_t>() >= 0;
    if (!whole) return Corruption("schema: 'schema-id' is not a whole number from 0 on");
    schema.schema_id = id->get<int>();
  }
  TG_ASSIGN_OR_RETURN(schema.fields, TypeParser().Fields(json, 1));
  return schema;
}

int AssignIds(Schema& schema, int last_id) {
  AssignFieldIds(schema.fields, last_id);
  return last_id;
}

}  // namespace tidegate::schema
