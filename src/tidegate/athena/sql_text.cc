#include "tidegate/athena/sql_text.h"

#include <algorithm>
#include <array>

#include "tidegate/base/text.h"

namespace tidegate::athena {
namespace {

std::string Doubled(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    out += c;
    if (c == quote) out += c;
  }
  return out + quote;
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

struct LiteralType {
  std::string_view hive;
  std::string_view athena;
};

constexpr std::array<LiteralType, 10> kTypes = {{{"tinyint", "TINYINT"},
                                                 {"smallint", "SMALLINT"},
                                                 {"int", "INTEGER"},
                                                 {"integer", "INTEGER"},
                                                 {"bigint", "BIGINT"},
                                                 {"float", "REAL"},
                                                 {"double", "DOUBLE"},
                                                 {"boolean", "BOOLEAN"},
                                                 {"date", "DATE"},
                                                 {"timestamp", "TIMESTAMP"}}};

}  // namespace

Result<std::string> TextLiteral(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    return InvalidArgument("a value with a NUL byte cannot stand in a statement: " + Quoted(text));
  }
  return Doubled(text, '\'');
}

Result<std::string> TypedLiteral(std::string_view hive_type, const std::optional<std::string>& value) {
  const std::string type = ToLower(Trim(hive_type));
  const std::string base = type.substr(0, type.find('('));
  const auto found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const LiteralType& one) { return one.hive == base; });
  const bool text = base == "string" || base == "varchar" || base == "char";
  if (!text && base != "decimal" && found == kTypes.end()) {
    return Unsupported("a partition column of type " + Quoted(hive_type) +
                       " cannot be a literal in Athena: use string");
  }
  if (!value) return std::string("NULL");
  TG_ASSIGN_OR_RETURN(const std::string quoted, TextLiteral(*value));
  if (text) return quoted;
  if (base == "decimal") return "DECIMAL " + quoted;
  return std::string(found->athena) + " " + quoted;
}

Result<std::string> DdlName(std::string_view name) {
  if (name.empty() || name.find('`') != std::string_view::npos || std::any_of(name.begin(), name.end(), IsControl)) {
    return InvalidArgument("not a name that a statement of Athena can hold: " + Quoted(name));
  }
  return Doubled(name, '`');
}

Result<std::string> DdlText(std::string_view text) {
  if (text.find_first_of("'\\") != std::string_view::npos || std::any_of(text.begin(), text.end(), IsControl)) {
    return InvalidArgument(
        "a statement of Athena cannot hold this value, as it has a quote, a backslash or a control character: " +
        Quoted(text, 1200) + ": use the catalog glue://, which needs no statements");
  }
  return "'" + std::string(text) + "'";
}

}  // namespace tidegate::athena
