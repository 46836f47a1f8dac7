#include "tidegate/signature/element.h"

#include <algorithm>
#include <string>

#include "tidegate/signature/content_signature.h"

namespace tidegate::signature {
namespace {

constexpr size_t kMostBytes = 32;
constexpr size_t kWordBytes = 8;

/// base^power modulo a prime.
template <typename F>
constexpr uint64_t Power(uint64_t base, uint64_t power) {
  uint64_t result = 1;
  for (; power > 0; power >>= 1, base = F::Times(base, base)) {
    if ((power & 1) != 0) result = F::Times(result, base);
  }
  return result;
}

/// x^(prime - 2) is what gives 1 when multiplied by x.
constexpr Element kTenth = {Power<FieldP>(10, FieldP::kPrime - 2), Power<FieldQ>(10, FieldQ::kPrime - 2)};
static_assert(kTenth * Element{10, 10} == Element{1, 1});

constexpr Element kWord = ElementOf(Int128{1} << 64);

uint64_t WordAt(const uint8_t* bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < kWordBytes; ++i) word = word << 8 | bytes[i];
  return word;
}

}  // namespace

Element ElementOfWide(const uint8_t* bytes, size_t size) {
  uint8_t whole[kMostBytes];
  std::fill_n(whole, kMostBytes - size, (bytes[0] & 0x80) != 0 ? uint8_t{0xFF} : uint8_t{0});
  std::copy_n(bytes, size, whole + kMostBytes - size);
  Element element = ElementOf(static_cast<int64_t>(WordAt(whole)));
  for (size_t at = kWordBytes; at < kMostBytes; at += kWordBytes)
    element = element * kWord + ElementOf(WordAt(whole + at));
  return element;
}

Element TenTo(int exponent) {
  const Element factor = exponent < 0 ? kTenth : Element{10, 10};
  Element result = {1, 1};
  for (int i = exponent < 0 ? -exponent : exponent; i > 0; --i) result = result * factor;
  return result;
}

Element HashElement(std::string_view bytes) { return ElementOf(Md5Of(bytes)); }

Element ColumnKey(std::string_view name) {
  const Element hash = HashElement(name);
  return {std::max<uint64_t>(hash.p, 1), std::max<uint64_t>(hash.q, 1)};
}

Element TagElement(std::string_view name) {
  return HashElement(std::string(kSignatureVersion) + " " + std::string(name));
}

const Element& RowStart() {
  static const Element kStart = TagElement("row");
  return kStart;
}

}  // namespace tidegate::signature
