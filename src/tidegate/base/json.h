// JSON from outside, read with limits. nlohmann-json is the type; this header is the only door to its parser.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "tidegate/base/status.h"

namespace tidegate {

using Json = nlohmann::json;                 // objects sorted by key: what we write is deterministic
using OrderedJson = nlohmann::ordered_json;  // where a document fixes the order of fields

/// Parse a JSON text. Errors: Corruption (not JSON, nested deeper than 64, a repeated key in an object, bytes
/// after the value), with the byte position; never throws.
Result<Json> ParseJson(std::string_view text);

}  // namespace tidegate
