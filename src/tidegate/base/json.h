// JSON from outside, read with limits. nlohmann-json is the type; this header is the only door to its parser.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"

namespace tidegate {

using Json = nlohmann::json;                 // objects sorted by key: what we write is deterministic
using OrderedJson = nlohmann::ordered_json;  // where a document fixes the order of fields

/// Parse a JSON text. Errors: Corruption (not JSON, nested deeper than 64, a repeated key in an object, bytes
/// after the value), with the byte position; never throws.
Result<Json> ParseJson(std::string_view text);

/// On one line; bytes that are no UTF-8 are replaced.
std::string DumpJson(const OrderedJson& json);

/// A field of an object that may be there; "" where it is not, or is no text.
std::string TextOr(const Json& object, const char* key);

/// A field of an object of ours, which must be there. Errors: Corruption, naming the field.
Result<std::string> RequireText(const Json& object, const char* key);
Result<int64_t> RequireInteger(const Json& object, const char* key);

/// An object of ours with "format": `known`. Errors: Corruption; Unsupported where a newer tidegate wrote it.
Status RequireFormat(const Json& document, int64_t known);

}  // namespace tidegate
