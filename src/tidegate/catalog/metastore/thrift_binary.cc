#include "tidegate/catalog/metastore/thrift_binary.h"

#include <algorithm>
#include <array>

#include "tidegate/base/text.h"

namespace tidegate::catalog {
namespace {

constexpr uint32_t kVersion = 0x80010000U, kVersionMask = 0xFFFF0000U;
constexpr size_t kStringPiece = 1 << 20;  // memory follows the bytes that came, not the length that was claimed

/// The bytes of an integer on the wire; 0 for other types.
int WidthOf(ThriftType type) {
  switch (type) {
    case ThriftType::kBool:
    case ThriftType::kByte:
      return 1;
    case ThriftType::kI16:
      return 2;
    case ThriftType::kI32:
      return 4;
    case ThriftType::kDouble:
    case ThriftType::kI64:
      return 8;
    default:
      return 0;
  }
}

bool IsType(uint8_t code) {
  constexpr std::string_view kCodes("\x02\x03\x04\x06\x08\x0A\x0B\x0C\x0D\x0E\x0F");
  return kCodes.find(static_cast<char>(code)) != std::string_view::npos;
}

class Writer {
 public:
  void Integer(int64_t value, int width) {
    for (int shift = (width - 1) * 8; shift >= 0; shift -= 8)
      out_ += static_cast<char>(static_cast<uint64_t>(value) >> shift);
  }
  void Text(std::string_view text) {
    Integer(static_cast<int64_t>(text.size()), 4);
    out_ += text;
  }
  void Value(const ThriftValue& value) {
    if (const int width = WidthOf(value.type); width > 0) return Integer(value.number, width);
    if (value.type == ThriftType::kString) return Text(value.text);
    if (value.type == ThriftType::kStruct) return Struct(value);
    const bool map = value.type == ThriftType::kMap;
    if (map) Type(value.key_type);
    Type(value.element_type);
    Integer(static_cast<int64_t>(value.items.size() / (map ? 2 : 1)), 4);
    for (const ThriftValue& item : value.items) Value(item);
  }
  std::string Take() { return std::move(out_); }

 private:
  void Type(ThriftType type) { Integer(static_cast<int64_t>(type), 1); }
  void Struct(const ThriftValue& value) {
    for (size_t i = 0; i < value.ids.size(); ++i) {
      Type(value.items[i].type);
      Integer(value.ids[i], 2);
      Value(value.items[i]);
    }
    Type(ThriftType::kStop);
  }

  std::string out_;
};

/// What the first bytes of a reply look like, if they are no version of ours.
Status OtherProtocol(uint32_t word) {
  const std::string said = "it answers in another protocol than plain Thrift: ";
  const auto first = static_cast<uint8_t>(word >> 24);
  if (first == 0x15 || first == 0x16) return Unsupported(said + "TLS, which is not supported");
  if (word == 0x48545450U) return Unsupported(said + "HTTP, which is not supported");
  if (first >= 1 && first <= 5) return Unsupported(said + "SASL, as with Kerberos, which is not supported");
  return Unsupported(said +
                     "check the host and the port; framed transport, compact protocol, TLS and Kerberos are not " +
                     "supported");
}

class Reader {
 public:
  Reader(ThriftInput& input, const ThriftLimits& limits) : input_(input), limits_(limits) {}

  Result<int64_t> Integer(int width) {
    std::array<char, 8> bytes{};
    TG_RETURN_IF_ERROR(Take(bytes.data(), static_cast<size_t>(width)));
    // The first byte has the sign.
    auto out = static_cast<int64_t>(static_cast<int8_t>(bytes[0]));
    for (int i = 1; i < width; ++i) {
      out = static_cast<int64_t>(static_cast<uint64_t>(out) << 8 | static_cast<uint8_t>(bytes[static_cast<size_t>(i)]));
    }
    return out;
  }

  Result<std::string> Text() {
    TG_ASSIGN_OR_RETURN(const int64_t size, Integer(4));
    if (size < 0 || static_cast<uint64_t>(size) > std::min(limits_.string, limits_.bytes - bytes_))
      return Corruption("a text of " + std::to_string(size) + " bytes is more than a message may hold");
    std::string out;
    for (auto left = static_cast<size_t>(size); left > 0;) {
      const size_t piece = std::min(left, kStringPiece), at = out.size();
      out.resize(at + piece);
      TG_RETURN_IF_ERROR(Take(out.data() + at, piece));
      left -= piece;
    }
    return out;
  }

  Result<ThriftValue> Value(ThriftType type, int depth) {
    ThriftValue out{.type = type};
    if (++values_ > limits_.values) return Corruption("more than " + std::to_string(limits_.values) + " values");
    if (const int width = WidthOf(type); width > 0) {
      TG_ASSIGN_OR_RETURN(out.number, Integer(width));
      return out;
    }
    if (type == ThriftType::kString) {
      TG_ASSIGN_OR_RETURN(out.text, Text());
      return out;
    }
    if (depth >= limits_.depth) return Corruption("nested deeper than " + std::to_string(limits_.depth));
    TG_RETURN_IF_ERROR(type == ThriftType::kStruct ? Struct(out, depth) : Container(out, depth));
    return out;
  }

 private:
  Status Take(char* to, size_t size) {
    bytes_ += size;
    if (bytes_ > limits_.bytes) return Corruption("longer than " + std::to_string(limits_.bytes) + " bytes");
    return input_.Read(to, size);
  }

  Result<ThriftType> Type() {
    TG_ASSIGN_OR_RETURN(const int64_t code, Integer(1));
    const auto byte = static_cast<uint8_t>(code);
    if (byte != 0 && !IsType(byte)) return Corruption("there is no type " + std::to_string(byte));
    return static_cast<ThriftType>(byte);
  }

  Status Struct(ThriftValue& out, int depth) {
    while (true) {
      TG_ASSIGN_OR_RETURN(const ThriftType type, Type());
      if (type == ThriftType::kStop) return {};
      TG_ASSIGN_OR_RETURN(const int64_t id, Integer(2));
      TG_ASSIGN_OR_RETURN(ThriftValue value, Value(type, depth + 1));
      out.ids.push_back(static_cast<int16_t>(id));
      out.items.push_back(std::move(value));
    }
  }

  Status Container(ThriftValue& out, int depth) {
    const bool map = out.type == ThriftType::kMap;
    if (map) {
      TG_ASSIGN_OR_RETURN(out.key_type, Type());
    }
    TG_ASSIGN_OR_RETURN(out.element_type, Type());
    TG_ASSIGN_OR_RETURN(const int64_t size, Integer(4));
    if (size < 0 || static_cast<uint64_t>(size) > limits_.values - values_)
      return Corruption("a container of " + std::to_string(size) + " is more than a message may hold");
    if (size > 0 && (out.element_type == ThriftType::kStop || (map && out.key_type == ThriftType::kStop)))
      return Corruption("a container of no type");
    for (int64_t i = 0; i < size; ++i) {
      if (map) {
        TG_ASSIGN_OR_RETURN(ThriftValue key, Value(out.key_type, depth + 1));
        out.items.push_back(std::move(key));
      }
      TG_ASSIGN_OR_RETURN(ThriftValue value, Value(out.element_type, depth + 1));
      out.items.push_back(std::move(value));
    }
    return {};
  }

  ThriftInput& input_;
  const ThriftLimits limits_;
  uint64_t bytes_ = 0, values_ = 0;
};

}  // namespace

std::string WriteThrift(const ThriftMessage& message) {
  Writer out;
  out.Integer(kVersion | static_cast<uint8_t>(message.kind), 4);
  out.Text(message.name);
  out.Integer(message.number, 4);
  out.Value(message.body);
  return out.Take();
}

Result<ThriftMessage> ReadThrift(ThriftInput& input, const ThriftLimits& limits) {
  Reader in(input, limits);
  TG_ASSIGN_OR_RETURN(const int64_t word, in.Integer(4));
  const auto version = static_cast<uint32_t>(word);
  const uint32_t kind = version & 0xFFU;
  if ((version & kVersionMask) != kVersion) return OtherProtocol(version);
  if (kind < 1 || kind > 3) return Corruption("there is no message of kind " + std::to_string(kind));
  ThriftMessage out{.kind = static_cast<ThriftKind>(kind)};
  TG_ASSIGN_OR_RETURN(out.name, in.Text());
  TG_ASSIGN_OR_RETURN(const int64_t number, in.Integer(4));
  out.number = static_cast<int32_t>(number);
  TG_ASSIGN_OR_RETURN(out.body, in.Value(ThriftType::kStruct, 0));
  return out;
}

}  // namespace tidegate::catalog
