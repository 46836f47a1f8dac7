#include "tidegate/parquet/column_types.h"

#include <parquet/schema.h>
#include <parquet/types.h>

#include <optional>
#include <utility>

namespace tidegate::parquet {
namespace {

using ::parquet::LogicalType;
using ::parquet::schema::GroupNode;
using ::parquet::schema::Node;
using ::parquet::schema::PrimitiveNode;
using Physical = ::parquet::Type;
using schema::Field;
using schema::Kind;
using schema::Type;

constexpr int kMaxDecimalPrecision = 38;
constexpr int kUuidBytes = 16;

/// The type of a leaf, and what stands in the way of reading it as it is.
struct Mapped {
  Type type;
  std::optional<Obstacle> obstacle;
};

Mapped Unsupported() { return {Type(Kind::kString), Obstacle::kUnsupportedType}; }

Mapped MapInt(const LogicalType& logical) {
  const auto& integer = static_cast<const ::parquet::IntLogicalType&>(logical);
  const int bits = integer.bit_width();
  if (integer.is_signed()) return {bits == 64 ? Kind::kLong : Kind::kInt, std::nullopt};
  if (bits == 64) return {Type::Decimal(20, 0), Obstacle::kUnsignedInt};
  return {bits == 32 ? Kind::kLong : Kind::kInt, Obstacle::kUnsignedInt};
}

Mapped MapTimestamp(const LogicalType& logical, Physical::type physical) {
  if (physical != Physical::INT64) return Unsupported();
  const auto& timestamp = static_cast<const ::parquet::TimestampLogicalType&>(logical);
  const Kind kind = timestamp.is_adjusted_to_utc() ? Kind::kTimestampTz : Kind::kTimestamp;
  switch (timestamp.time_unit()) {
    case LogicalType::TimeUnit::MICROS:
      return {kind, std::nullopt};
    case LogicalType::TimeUnit::MILLIS:
      return {kind, Obstacle::kTimestampMillis};
    case LogicalType::TimeUnit::NANOS:
      return {kind, Obstacle::kTimestampNanos};
    default:
      return Unsupported();
  }
}

Mapped MapTime(const LogicalType& logical) {
  switch (static_cast<const ::parquet::TimeLogicalType&>(logical).time_unit()) {
    case LogicalType::TimeUnit::MICROS:
      return {Kind::kTime, std::nullopt};
    case LogicalType::TimeUnit::MILLIS:
      return {Kind::kTime, Obstacle::kTimeMillis};
    case LogicalType::TimeUnit::NANOS:
      return {Kind::kTime, Obstacle::kTimeNanos};
    default:
      return Unsupported();
  }
}

Mapped MapDecimal(const LogicalType& logical, Physical::type physical) {
  const auto& decimal = static_cast<const ::parquet::DecimalLogicalType&>(logical);
  const int precision = decimal.precision();
  const int scale = decimal.scale();
  if (precision < 1 || precision > kMaxDecimalPrecision || scale < 0 || scale > precision) return Unsupported();
  const bool binary = physical == Physical::BYTE_ARRAY;
  return {Type::Decimal(precision, scale), binary ? std::optional(Obstacle::kBinaryDecimal) : std::nullopt};
}

Mapped MapPhysical(const PrimitiveNode& node) {
  switch (node.physical_type()) {
    case Physical::BOOLEAN:
      return {Kind::kBoolean, std::nullopt};
    case Physical::INT32:
      return {Kind::kInt, std::nullopt};
    case Physical::INT64:
      return {Kind::kLong, std::nullopt};
    case Physical::INT96:
      return {Kind::kTimestamp, std::nullopt};
    case Physical::FLOAT:
      return {Kind::kFloat, std::nullopt};
    case Physical::DOUBLE:
      return {Kind::kDouble, std::nullopt};
    case Physical::BYTE_ARRAY:
      return {Kind::kBinary, std::nullopt};
    case Physical::FIXED_LEN_BYTE_ARRAY:
      return {Type::Fixed(node.type_length()), std::nullopt};
    default:
      return Unsupported();
  }
}

Mapped MapLeaf(const PrimitiveNode& node) {
  const LogicalType& logical = *node.logical_type();
  switch (logical.type()) {
    case LogicalType::Type::NONE:
      return MapPhysical(node);
    case LogicalType::Type::STRING:
    case LogicalType::Type::ENUM:
    case LogicalType::Type::JSON:
      return {Kind::kString, std::nullopt};
    case LogicalType::Type::BSON:
      return {Kind::kBinary, std::nullopt};
    case LogicalType::Type::UUID:
      return node.type_length() == kUuidBytes ? Mapped{Kind::kUuid, std::nullopt} : Unsupported();
    case LogicalType::Type::INT:
      return MapInt(logical);
    case LogicalType::Type::DATE:
      return {Kind::kDate, std::nullopt};
    case LogicalType::Type::TIME:
      return MapTime(logical);
    case LogicalType::Type::TIMESTAMP:
      return MapTimestamp(logical, node.physical_type());
    case LogicalType::Type::DECIMAL:
      return MapDecimal(logical, node.physical_type());
    case LogicalType::Type::NIL:
      return {Type(Kind::kString), Obstacle::kNullType};
    default:
      return Unsupported();
  }
}

bool IsNullLeaf(const Node& node) {
  return node.is_primitive() && node.logical_type()->is_null() && !node.is_repeated();
}

/// Names as the standard and Iceberg's name mapping want them.
bool IsStandardList(const GroupNode& list) {
  if (list.field_count() != 1 || !list.field(0)->is_repeated() || !list.field(0)->is_group()) return false;
  const auto& middle = static_cast<const GroupNode&>(*list.field(0));
  return middle.name() == "list" && middle.field_count() == 1 && middle.field(0)->name() == "element" &&
         !middle.field(0)->is_repeated();
}

bool IsStandardMap(const GroupNode& map) {
  const auto& middle = static_cast<const GroupNode&>(*map.field(0));
  return middle.name() == "key_value" && middle.field(0)->name() == "key" && middle.field(0)->is_required() &&
         middle.field(1)->name() == "value";
}

bool IsAnyMap(const GroupNode& map) {
  if (map.field_count() != 1 || !map.field(0)->is_repeated() || !map.field(0)->is_group()) return false;
  const auto& middle = static_cast<const GroupNode&>(*map.field(0));
  return middle.field_count() == 2 && !middle.field(0)->is_repeated() && !middle.field(1)->is_repeated();
}

class Mapper {
 public:
  explicit Mapper(const ::parquet::SchemaDescriptor& descriptor) : root_(*descriptor.group_node()) {}

  ColumnTypes Run() {
    for (int i = 0; i < root_.field_count(); ++i) {
      root_index_ = i;
      const Node& node = *root_.field(i);
      Field field = MapNode(node, node.name(), false);
      if (IsNullLeaf(node)) continue;  // reads as null where the table has such a column (C-25)
      out_.columns.push_back(std::move(field));
      out_.roots.push_back(i);
    }
    return std::move(out_);
  }

 private:
  void Add(Obstacle obstacle, const std::string& path, const Node& node) {
    const bool annotated = !node.logical_type()->is_none();
    out_.obstacles.push_back({path, obstacle, annotated ? node.logical_type()->ToString() : "no logical type"});
    out_.obstacle_roots.push_back(root_index_);
  }

  void NoteFieldId(const Node& node, const std::string& path) {
    if (node.field_id() >= 0) Add(Obstacle::kFieldIds, path, node);
  }

  Field MapNode(const Node& node, const std::string& path, bool repeated) {
    NoteFieldId(node, path);
    if (node.is_repeated()) return MapBareRepeated(node, path);
    return {0, node.name(), MapValue(node, path, repeated), node.is_required()};
  }

  /// A repeated field that no list annotation surrounds is a list of required values.
  Field MapBareRepeated(const Node& node, const std::string& path) {
    Add(Obstacle::kNonStandardList, path, node);
    Type element = MapValue(node, path + ".element", true);
    return {0, node.name(), Type::List({0, "element", std::move(element), true}), true};
  }

  /// The type of one value of `node`, whatever its repetition.
  Type MapValue(const Node& node, const std::string& path, bool repeated) {
    if (node.is_primitive()) return MapPrimitive(static_cast<const PrimitiveNode&>(node), path, repeated);
    const auto& group = static_cast<const GroupNode&>(node);
    if (group.logical_type()->is_list()) return MapList(group, path);
    if (group.logical_type()->is_map()) return MapMap(group, path);
    if (!group.logical_type()->is_none() || group.field_count() == 0) return MapUnsupportedGroup(group, path);
    return MapStruct(group, path, repeated);
  }

  Type MapPrimitive(const PrimitiveNode& node, const std::string& path, bool repeated) {
    Mapped mapped = MapLeaf(node);
    if (mapped.obstacle == Obstacle::kNullType && node.parent() != &root_) mapped.obstacle = Obstacle::kUnsupportedType;
    if (mapped.obstacle) Add(*mapped.obstacle, path, node);
    const bool plain = !mapped.obstacle && node.physical_type() != Physical::INT96;
    const bool as_integer = node.physical_type() == Physical::INT32 || node.physical_type() == Physical::INT64;
    out_.leaves.push_back({path, root_index_, mapped.type, plain, repeated, as_integer});
    return std::move(mapped.type);
  }

  Type MapStruct(const GroupNode& group, const std::string& path, bool repeated) {
    std::vector<Field> fields;
    for (int i = 0; i < group.field_count(); ++i) {
      const Node& child = *group.field(i);
      fields.push_back(MapNode(child, path + "." + child.name(), repeated));
    }
    return Type::Struct(std::move(fields));
  }

  Type MapList(const GroupNode& list, const std::string& path) {
    if (list.field_count() != 1 || !list.field(0)->is_repeated()) return MapUnsupportedGroup(list, path);
    const Node& middle = *list.field(0);
    NoteFieldId(middle, path);
    const std::string element_path = path + ".element";
    if (IsStandardList(list)) {
      const Node& element = *static_cast<const GroupNode&>(middle).field(0);
      Field field = MapNode(element, element_path, true);
      return Type::List(std::move(field));
    }
    Add(Obstacle::kNonStandardList, path, list);
    return Type::List(MapLegacyElement(list, middle, element_path));
  }

  /// The backward-compatibility rules of the Parquet format ("Lists"): is the repeated node the element itself, or a
  /// wrapper around it?
  Field MapLegacyElement(const GroupNode& list, const Node& middle, const std::string& path) {
    const bool wrapper = middle.is_group() && static_cast<const GroupNode&>(middle).field_count() == 1 &&
                         middle.logical_type()->is_none() && middle.name() != "array" &&
                         middle.name() != list.name() + "_tuple";
    if (!wrapper) return {0, "element", MapValue(middle, path, true), true};
    Field field = MapNode(*static_cast<const GroupNode&>(middle).field(0), path, true);
    field.name = "element";
    return field;
  }

  Type MapMap(const GroupNode& map, const std::string& path) {
    if (!IsAnyMap(map)) return MapUnsupportedGroup(map, path);
    if (!IsStandardMap(map)) Add(Obstacle::kNonStandardList, path, map);
    const auto& middle = static_cast<const GroupNode&>(*map.field(0));
    NoteFieldId(middle, path);
    Field key = MapNode(*middle.field(0), path + ".key", true);
    Field value = MapNode(*middle.field(1), path + ".value", true);
    key.name = "key";
    key.required = true;
    value.name = "value";
    return Type::Map(std::move(key), std::move(value));
  }

  Type MapUnsupportedGroup(const GroupNode& group, const std::string& path) {
    Add(Obstacle::kUnsupportedType, path, group);
    SkipLeaves(group, path);
    return Type(Kind::kString);
  }

  /// Leaves stay in step with Parquet's columns, whatever their types.
  void SkipLeaves(const Node& node, const std::string& path) {
    if (node.is_primitive()) {
      out_.leaves.push_back({path, root_index_, Type(Kind::kString), false, true, false});
      return;
    }
    const auto& group = static_cast<const GroupNode&>(node);
    for (int i = 0; i < group.field_count(); ++i) SkipLeaves(*group.field(i), path + "." + group.field(i)->name());
  }

  const GroupNode& root_;
  int root_index_ = 0;
  ColumnTypes out_;
};

}  // namespace

ColumnTypes MapColumns(const ::parquet::SchemaDescriptor& descriptor) { return Mapper(descriptor).Run(); }

}  // namespace tidegate::parquet
