// Thrift's binary protocol: messages to bytes and back.
//
// Format: a message is its version and kind (0x8001 and the kind, 4 bytes), its name, its number, and a struct. All
// integers are big-endian. A string is its length (4 bytes) and its bytes. A struct is a list of fields (type, 1 byte;
// number, 2 bytes; value) that ends with a 0 byte. A list is the type of its elements, their number (4 bytes), and
// they. Only this strict form with a version is read. Source: thrift-binary-protocol.md of Apache Thrift.
//
// What is read is hostile: bytes, values, lengths and depth are bounded before memory is asked for. Threads: pure
// functions; an input has one reader.
#pragma once

#include <string>
#include <string_view>

#include "tidegate/base/status.h"
#include "tidegate/catalog/metastore/thrift_value.h"

namespace tidegate::catalog {

enum class ThriftKind : uint8_t { kCall = 1, kReply = 2, kException = 3 };

struct ThriftMessage {
  ThriftKind kind = ThriftKind::kCall;
  std::string name{};
  int32_t number = 0;
  ThriftValue body{};
};

/// Bytes in their order.
class ThriftInput {
 public:
  virtual ~ThriftInput() = default;
  /// Exactly `size` bytes. Errors: Unavailable (they end before).
  virtual Status Read(char* to, size_t size) = 0;
};

struct ThriftLimits {
  uint64_t bytes = 256 << 20;   // of a message
  uint64_t values = 2'000'000;  // of a message: fields and elements, each some hundred bytes of memory
  uint64_t string = 64 << 20;   // of a string
  int depth = 32;
};

std::string WriteThrift(const ThriftMessage& message);

/// Errors: Corruption (no such message, or over a limit); Unsupported (another protocol: the message says which it
/// looks like); those of the input.
Result<ThriftMessage> ReadThrift(ThriftInput& input, const ThriftLimits& limits = {});

}  // namespace tidegate::catalog
