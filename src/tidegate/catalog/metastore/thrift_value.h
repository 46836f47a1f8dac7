// A Thrift value as a tree: what a server sends is kept whole, also fields that this version does not know, and can be
// sent back with a few of them changed.
//
// Source: the Thrift protocol's types (thrift-binary-protocol.md of Apache Thrift). Threads: a plain value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tidegate::catalog {

/// With the codes of the wire.
enum class ThriftType : uint8_t {
  kStop = 0,
  kBool = 2,
  kByte = 3,
  kDouble = 4,
  kI16 = 6,
  kI32 = 8,
  kI64 = 10,
  kString = 11,
  kStruct = 12,
  kMap = 13,
  kSet = 14,
  kList = 15,
};

struct ThriftValue {
  ThriftType type = ThriftType::kStruct;
  ThriftType key_type = ThriftType::kString;      // of a map
  ThriftType element_type = ThriftType::kString;  // of a list or set; of a map's values
  int64_t number = 0;                             // a bool (0, 1), an integer, the bits of a double
  std::string text{};                             // a string or binary
  std::vector<int16_t> ids{};                     // of a struct: the number of each of `items`
  std::vector<ThriftValue> items{};               // fields, elements, or the keys and values of a map by turns

  static ThriftValue Bool(bool value);
  static ThriftValue I16(int16_t value);
  static ThriftValue I32(int32_t value);
  static ThriftValue String(std::string_view value);
  static ThriftValue Strings(const std::vector<std::string>& values);
  static ThriftValue StringMap(const std::map<std::string, std::string>& values);
  static ThriftValue List(ThriftType element_type);

  /// A field of a struct; null where it has none of this number, or this is no struct.
  const ThriftValue* Find(int16_t id) const;
  /// The field of a struct, made if it is not there; a new one and one of another type are empty values of `type`.
  ThriftValue& Field(int16_t id, ThriftType type);
  void Set(int16_t id, ThriftValue value);

  /// "" and nothing where a field is missing or of another type.
  std::string TextAt(int16_t id) const;
  std::vector<std::string> StringsAt(int16_t id) const;
  std::map<std::string, std::string> StringMapAt(int16_t id) const;
  /// An empty struct.
  const ThriftValue& StructAt(int16_t id) const;
  /// The structs of a list.
  const std::vector<ThriftValue>& ItemsAt(int16_t id) const;

  friend bool operator==(const ThriftValue&, const ThriftValue&) = default;
};

}  // namespace tidegate::catalog
