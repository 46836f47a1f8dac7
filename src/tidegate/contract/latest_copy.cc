#include "tidegate/contract/latest_copy.h"

#include <algorithm>
#include <functional>

namespace tidegate::contract {

std::vector<Delivery> CopiesNewestFirst(std::vector<Delivery> sealed, Version in_use) {
  const auto in_v2 = [](const Delivery& copy) { return copy.version == Version::kV2; };
  const bool take_v2 = in_use == Version::kV2 && std::any_of(sealed.begin(), sealed.end(), in_v2);
  std::erase_if(sealed, [&](const Delivery& copy) { return in_v2(copy) != take_v2; });
  std::sort(sealed.begin(), sealed.end(), std::greater<>());
  return sealed;
}

std::optional<Delivery> LatestCopy(std::vector<Delivery> sealed, Version in_use) {
  std::vector<Delivery> copies = CopiesNewestFirst(std::move(sealed), in_use);
  if (copies.empty()) return std::nullopt;
  return std::move(copies.front());
}

}  // namespace tidegate::contract
