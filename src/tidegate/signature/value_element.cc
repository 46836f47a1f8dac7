#include "tidegate/signature/value_element.h"

#include <array>

namespace tidegate::signature {
namespace {

constexpr std::array<std::string_view, 11> kNames = {"null", "boolean", "",          "float", "text",  "binary",
                                                     "date", "time",    "timestamp", "uuid",  "nested"};

std::array<Element, kNames.size()> KindElements() {
  std::array<Element, kNames.size()> elements;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (!kNames[i].empty()) elements[i] = TagElement(kNames[i]);
  }
  return elements;
}

}  // namespace

const Element& KindElement(Kind kind) {
  static const auto kElements = KindElements();
  return kElements[static_cast<size_t>(kind)];
}

}  // namespace tidegate::signature
