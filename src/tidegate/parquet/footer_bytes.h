// The footer as raw Thrift: leave out its key-value metadata.
//
// Arrow lets a file's "ARROW:schema" entry override the types that the Parquet schema declares (durations,
// dictionaries, extension types). Every other reader ignores it, so we read files as they do: without it.
#pragma once

#include <string>
#include <string_view>

#include "tidegate/base/status.h"

namespace tidegate::parquet {

/// The same footer (Thrift compact, struct FileMetaData) without field 5, key_value_metadata.
/// Errors: Corruption (without subject) where the bytes are not one well-formed struct.
Result<std::string> WithoutKeyValues(std::string_view footer);

}  // namespace tidegate::parquet
