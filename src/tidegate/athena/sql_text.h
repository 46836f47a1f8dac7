// Text in Athena's two dialects: queries (Trino's SQL) and changes of tables (Hive's DDL). Pure.
//
// Source: Trino's SQL grammar (string and typed literals); Athena's user guide (reserved words and escapes in DDL).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidegate/base/status.h"

namespace tidegate::athena {

/// 'it''s'. Errors: InvalidArgument (not UTF-8, or a NUL byte: no literal of Athena holds it).
Result<std::string> TextLiteral(std::string_view text);

/// A value of a partition column of this Hive type as a literal: DATE '2026-11-01', BIGINT '7', 'text'; null is NULL.
/// Errors: those of TextLiteral; Unsupported (a type that no partition column of Athena has).
Result<std::string> TypedLiteral(std::string_view hive_type, const std::optional<std::string>& value);

/// `name` for DDL. Errors: InvalidArgument (a backtick, a control character).
Result<std::string> DdlName(std::string_view name);

/// 'text' for DDL. Errors: InvalidArgument: a quote, a backslash or a control character. Hive's DDL reads a doubled
/// quote as two literals in a row, which are one without it, and a backslash as an escape.
Result<std::string> DdlText(std::string_view text);

}  // namespace tidegate::athena
