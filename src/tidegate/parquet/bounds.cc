#include "tidegate/parquet/bounds.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tidegate/parquet/memcmp_order.h"

namespace tidegate::parquet {
namespace {

using schema::Kind;

constexpr size_t kKeptCodePoints = 16;
constexpr size_t kKeptBytes = 16;
constexpr size_t kDecimalBytes = 16;
constexpr uint32_t kLastCodePoint = 0x10FFFF;
constexpr uint32_t kFirstSurrogate = 0xD800;
constexpr uint32_t kLastSurrogate = 0xDFFF;

/// Plain encoding and Iceberg's form are both little-endian, as is x86-64.
template <typename T>
std::optional<T> Load(std::string_view plain) {
  if (plain.size() != sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, plain.data(), sizeof value);
  return value;
}

template <typename T>
std::string Store(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Big-endian two's complement without the leading bytes that only repeat the sign.
std::string WithoutSignBytes(std::string_view big_endian) {
  while (big_endian.size() > 1) {
    const auto first = static_cast<unsigned char>(big_endian[0]);
    const bool next_is_negative = (static_cast<unsigned char>(big_endian[1]) & 0x80) != 0;
    const bool repeats_sign = next_is_negative ? first == 0xff : first == 0x00;
    if (!repeats_sign) break;
    big_endian.remove_prefix(1);
  }
  return std::string(big_endian);
}

/// The code point at the start of `text` and its length in bytes; length 0: not valid UTF-8.
struct CodePoint {
  uint32_t value = 0;
  size_t length = 0;
};

CodePoint NextCodePoint(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
  uint32_t value = first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    value = (value << 6) | (next & 0x3f);
  }
  const uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  const bool surrogate = value >= kFirstSurrogate && value <= kLastSurrogate;
  if (value < least || value > kLastCodePoint || surrogate) return {};
  return {value, length};
}

void AppendCodePoint(uint32_t value, std::string& out) {
  if (value < 0x80) {
    out += static_cast<char>(value);
  } else if (value < 0x800) {
    out += static_cast<char>(0xc0 | (value >> 6));
  } else if (value < 0x10000) {
    out += static_cast<char>(0xe0 | (value >> 12));
    out += static_cast<char>(0x80 | ((value >> 6) & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (value >> 18));
    out += static_cast<char>(0x80 | ((value >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((value >> 6) & 0x3f));
  }
  if (value >= 0x80) out += static_cast<char>(0x80 | (value & 0x3f));
}

std::optional<std::string> BytesAfter(std::string_view prefix) {
  std::string after(prefix);
  while (!after.empty() && static_cast<unsigned char>(after.back()) == 0xff) after.pop_back();
  if (after.empty()) return std::nullopt;
  after.back() = static_cast<char>(static_cast<unsigned char>(after.back()) + 1);
  return after;
}

}  // namespace

std::optional<std::string_view> CutText(std::string_view text, size_t code_points) {
  size_t end = 0;
  for (size_t i = 0; i < code_points && end < text.size(); ++i) {
    const CodePoint next = NextCodePoint(text.substr(end));
    if (next.length == 0) return std::nullopt;
    end += next.length;
  }
  return text.substr(0, end);
}

std::optional<std::string> TextAfter(std::string_view prefix) {
  std::vector<uint32_t> code_points;
  while (!prefix.empty()) {
    const CodePoint next = NextCodePoint(prefix);
    if (next.length == 0) return std::nullopt;
    code_points.push_back(next.value);
    prefix.remove_prefix(next.length);
  }
  while (!code_points.empty() && code_points.back() == kLastCodePoint) code_points.pop_back();
  if (code_points.empty()) return std::nullopt;
  uint32_t& last = code_points.back();
  last = last + 1 == kFirstSurrogate ? kLastSurrogate + 1 : last + 1;
  std::string after;
  for (const uint32_t value : code_points) AppendCodePoint(value, after);
  return after;
}

std::optional<Bounds::Value> Bounds::DecodeFloating(double value) const {
  if (std::isnan(value)) return std::nullopt;
  Value decoded;
  AppendOrderedDouble(value, decoded.order);
  decoded.bytes = type_.kind == Kind::kFloat ? Store(static_cast<float>(value)) : Store(value);
  return decoded;
}

std::optional<Bounds::Value> Bounds::DecodeDecimal(std::string_view plain) const {
  if (plain.empty() || plain.size() > kDecimalBytes) return std::nullopt;
  if (as_integer_ && plain.size() != sizeof(int32_t) && plain.size() != sizeof(int64_t)) return std::nullopt;
  const std::string big_endian = as_integer_ ? std::string(plain.rbegin(), plain.rend()) : std::string(plain);
  const bool negative = (static_cast<unsigned char>(big_endian[0]) & 0x80) != 0;
  Value decoded;
  decoded.order.assign(kDecimalBytes - big_endian.size(), negative ? '\xff' : '\0');
  decoded.order += big_endian;
  decoded.order[0] = static_cast<char>(decoded.order[0] ^ '\x80');
  decoded.bytes = WithoutSignBytes(big_endian);
  return decoded;
}

std::optional<Bounds::Value> Bounds::Decode(std::string_view plain) const {
  Value decoded;
  switch (type_.kind) {
    case Kind::kBoolean: {
      if (plain.size() != 1) return std::nullopt;
      decoded.bytes = decoded.order = std::string(1, plain[0] != 0 ? '\1' : '\0');
      return decoded;
    }
    case Kind::kInt:
    case Kind::kDate: {
      const auto value = Load<int32_t>(plain);
      if (!value) return std::nullopt;
      AppendOrderedInt(*value, decoded.order);
      break;
    }
    case Kind::kLong:
    case Kind::kTime:
    case Kind::kTimestamp:
    case Kind::kTimestampTz: {
      const auto value = Load<int64_t>(plain);
      if (!value) return std::nullopt;
      AppendOrderedInt(*value, decoded.order);
      break;
    }
    case Kind::kFloat: {
      const auto value = Load<float>(plain);
      return value ? DecodeFloating(*value) : std::nullopt;
    }
    case Kind::kDouble: {
      const auto value = Load<double>(plain);
      return value ? DecodeFloating(*value) : std::nullopt;
    }
    case Kind::kDecimal:
      return DecodeDecimal(plain);
    case Kind::kString:
    case Kind::kBinary:
      decoded.order = plain;
      break;
    default:
      return std::nullopt;  // readers do not agree on the order of the rest
  }
  decoded.bytes = plain;
  return decoded;
}

void Bounds::Add(std::string_view min, std::string_view max) {
  std::optional<Value> low = Decode(min);
  std::optional<Value> high = Decode(max);
  if (!low || !high || high->order < low->order) return AddUnknown();
  if (!min_ || low->order < min_->order) min_ = std::move(low);
  if (!max_ || high->order > max_->order) max_ = std::move(high);
}

std::optional<std::string> Bounds::lower() const {
  if (unknown_ || !min_) return std::nullopt;
  if (type_.kind == Kind::kBinary) return min_->bytes.substr(0, kKeptBytes);
  if (type_.kind == Kind::kString) {
    const auto cut = CutText(min_->bytes, kKeptCodePoints);
    return cut ? std::optional(std::string(*cut)) : std::nullopt;
  }
  // The least zero is -0.0, whichever zero a writer put into its statistics.
  if (type_.kind == Kind::kFloat && *Load<float>(min_->bytes) == 0.0f) return Store(-0.0f);
  if (type_.kind == Kind::kDouble && *Load<double>(min_->bytes) == 0.0) return Store(-0.0);
  return min_->bytes;
}

std::optional<std::string> Bounds::upper() const {
  if (unknown_ || !max_) return std::nullopt;
  const std::string& bytes = max_->bytes;
  if (type_.kind == Kind::kBinary) {
    return bytes.size() <= kKeptBytes ? std::optional(bytes) : BytesAfter(bytes.substr(0, kKeptBytes));
  }
  if (type_.kind == Kind::kString) {
    const auto cut = CutText(bytes, kKeptCodePoints);
    if (!cut) return std::nullopt;
    return cut->size() == bytes.size() ? std::optional(bytes) : TextAfter(*cut);
  }
  if (type_.kind == Kind::kFloat && *Load<float>(bytes) == 0.0f) return Store(0.0f);
  if (type_.kind == Kind::kDouble && *Load<double>(bytes) == 0.0) return Store(0.0);
  return bytes;
}

}  // namespace tidegate::parquet
