#include "tidegate/catalog/metastore/thrift_value.h"

#include <algorithm>

namespace tidegate::catalog {
namespace {

const ThriftValue* FindOf(const ThriftValue& value, int16_t id, ThriftType type) {
  const ThriftValue* found = value.Find(id);
  return found != nullptr && found->type == type ? found : nullptr;
}

}  // namespace

ThriftValue ThriftValue::Bool(bool value) { return {.type = ThriftType::kBool, .number = value ? 1 : 0}; }

ThriftValue ThriftValue::I16(int16_t value) { return {.type = ThriftType::kI16, .number = value}; }

ThriftValue ThriftValue::I32(int32_t value) { return {.type = ThriftType::kI32, .number = value}; }

ThriftValue ThriftValue::String(std::string_view value) {
  return {.type = ThriftType::kString, .text = std::string(value)};
}

ThriftValue ThriftValue::Strings(const std::vector<std::string>& values) {
  ThriftValue out = List(ThriftType::kString);
  out.items.reserve(values.size());
  for (const std::string& value : values) out.items.push_back(String(value));
  return out;
}

ThriftValue ThriftValue::StringMap(const std::map<std::string, std::string>& values) {
  ThriftValue out{.type = ThriftType::kMap};
  out.items.reserve(values.size() * 2);
  for (const auto& [name, value] : values) {
    out.items.push_back(String(name));
    out.items.push_back(String(value));
  }
  return out;
}

ThriftValue ThriftValue::List(ThriftType element_type) {
  return {.type = ThriftType::kList, .element_type = element_type};
}

const ThriftValue* ThriftValue::Find(int16_t id) const {
  if (type != ThriftType::kStruct) return nullptr;
  const auto found = std::find(ids.begin(), ids.end(), id);
  return found == ids.end() ? nullptr : &items[static_cast<size_t>(found - ids.begin())];
}

ThriftValue& ThriftValue::Field(int16_t id, ThriftType field_type) {
  const auto found = std::find(ids.begin(), ids.end(), id);
  const auto at = static_cast<size_t>(found - ids.begin());
  if (found == ids.end()) {
    ids.push_back(id);
    items.push_back({.type = field_type});
  }
  if (items[at].type != field_type) items[at] = {.type = field_type};
  return items[at];
}

void ThriftValue::Set(int16_t id, ThriftValue value) { Field(id, value.type) = std::move(value); }

std::string ThriftValue::TextAt(int16_t id) const {
  const ThriftValue* found = FindOf(*this, id, ThriftType::kString);
  return found == nullptr ? "" : found->text;
}

std::vector<std::string> ThriftValue::StringsAt(int16_t id) const {
  std::vector<std::string> out;
  const std::vector<ThriftValue>& list = ItemsAt(id);
  out.reserve(list.size());
  for (const ThriftValue& item : list) out.push_back(item.text);
  return out;
}

std::map<std::string, std::string> ThriftValue::StringMapAt(int16_t id) const {
  std::map<std::string, std::string> out;
  const ThriftValue* found = FindOf(*this, id, ThriftType::kMap);
  if (found == nullptr) return out;
  for (size_t i = 0; i + 1 < found->items.size(); i += 2) out[found->items[i].text] = found->items[i + 1].text;
  return out;
}

const ThriftValue& ThriftValue::StructAt(int16_t id) const {
  static const ThriftValue kNone;
  const ThriftValue* found = FindOf(*this, id, ThriftType::kStruct);
  return found == nullptr ? kNone : *found;
}

const std::vector<ThriftValue>& ThriftValue::ItemsAt(int16_t id) const {
  static const std::vector<ThriftValue> kNone;
  const ThriftValue* found = FindOf(*this, id, ThriftType::kList);
  return found == nullptr ? kNone : found->items;
}

}  // namespace tidegate::catalog
