#include "tidegate/signature/duckdb_type.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::signature {
namespace {

constexpr int kDeepest = 64;

struct PlainType {
  SqlKind kind;
  int bits = 0;
};

const std::map<std::string_view, PlainType>& PlainTypes() {
  static const std::map<std::string_view, PlainType> kTypes = {
      {"\"NULL\"", {SqlKind::kNull}},
      {"BOOLEAN", {SqlKind::kBool}},
      {"TINYINT", {SqlKind::kInteger, 8}},
      {"SMALLINT", {SqlKind::kInteger, 16}},
      {"INTEGER", {SqlKind::kInteger, 32}},
      {"BIGINT", {SqlKind::kInteger, 64}},
      {"HUGEINT", {SqlKind::kInteger, 128}},
      {"UTINYINT", {SqlKind::kInteger, 8}},
      {"USMALLINT", {SqlKind::kInteger, 16}},
      {"UINTEGER", {SqlKind::kInteger, 32}},
      {"UBIGINT", {SqlKind::kInteger, 64}},
      {"UHUGEINT", {SqlKind::kInteger, 128}},
      {"FLOAT", {SqlKind::kFloat}},
      {"DOUBLE", {SqlKind::kFloat}},
      {"VARCHAR", {SqlKind::kText}},
      {"ENUM", {SqlKind::kText}},  // as the engine names it, without its values
      {"JSON", {SqlKind::kText}},
      {"BLOB", {SqlKind::kBinary}},
      {"DATE", {SqlKind::kDate}},
      {"TIME", {SqlKind::kTime}},
      {"TIME_NS", {SqlKind::kTimeNanos}},
      {"TIME WITH TIME ZONE", {SqlKind::kTimeWithOffset}},
      {"TIMESTAMP", {SqlKind::kTimestamp}},
      {"TIMESTAMP_S", {SqlKind::kTimestamp}},
      {"TIMESTAMP_MS", {SqlKind::kTimestamp}},
      {"TIMESTAMP_NS", {SqlKind::kTimestampNanos}},
      {"TIMESTAMP WITH TIME ZONE", {SqlKind::kTimestamp}},
      {"UUID", {SqlKind::kUuid}},
  };
  return kTypes;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) {}

  Result<DuckDbType> ParseAll() {
    TG_ASSIGN_OR_RETURN(DuckDbType type, ParseType(0));
    if (!rest_.empty()) return Refuse();
    return type;
  }

 private:
  Status Refuse() const {
    return Unsupported("a type without a signature: " + Quoted(text_) + "; leave the column out, or cast it");
  }

  bool Take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  Result<DuckDbType> ParseType(int depth) {
    if (depth > kDeepest) return Refuse();
    TG_ASSIGN_OR_RETURN(DuckDbType type, ParseWithoutLists(depth));
    while (Take("[")) {
      while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') rest_.remove_prefix(1);  // an array's length
      if (!Take("]")) return Refuse();
      DuckDbType list{.kind = SqlKind::kList};
      list.children.push_back(std::move(type));
      type = std::move(list);
    }
    return type;
  }

  Result<DuckDbType> ParseWithoutLists(int depth) {
    if (Take("DECIMAL(")) return ParseDecimal();
    if (Take("ENUM(")) return ParseEnum();
    if (Take("STRUCT(")) return ParseStruct(depth);
    if (Take("MAP(")) return ParseMap(depth);
    const size_t end = std::min(rest_.find_first_of("([,)"), rest_.size());
    const auto plain = PlainTypes().find(rest_.substr(0, end));
    if (plain == PlainTypes().end()) return Refuse();
    rest_.remove_prefix(end);
    return DuckDbType{.kind = plain->second.kind, .width = plain->second.bits};
  }

  bool TakeNumber(int& number) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }

  Result<DuckDbType> ParseDecimal() {
    DuckDbType type{.kind = SqlKind::kDecimal};
    if (!TakeNumber(type.width) || !Take(",") || !TakeNumber(type.scale) || !Take(")")) return Refuse();
    return type;
  }

  /// What stands in quotes, which are doubled inside. Requires: the first quote was taken.
  Result<std::string> ParseQuoted(char quote) {
    std::string text;
    while (!rest_.empty()) {
      const char c = rest_[0];
      rest_.remove_prefix(1);
      if (c == quote && !Take(std::string_view(&quote, 1))) return text;
      text += c;
    }
    return Refuse();
  }

  Result<DuckDbType> ParseEnum() {
    do {
      if (!Take("'")) return Refuse();
      TG_RETURN_IF_ERROR(ParseQuoted('\'').status());
    } while (Take(", "));
    if (!Take(")")) return Refuse();
    return DuckDbType{.kind = SqlKind::kText};
  }

  Result<std::string> ParseName() {
    if (Take("\"")) return ParseQuoted('"');
    const size_t end = rest_.find_first_of(" ,()[]");
    if (end == std::string_view::npos || end == 0 || rest_[end] != ' ') return Refuse();
    std::string name(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return name;
  }

  Result<DuckDbType> ParseStruct(int depth) {
    DuckDbType type{.kind = SqlKind::kStruct};
    do {
      TG_ASSIGN_OR_RETURN(std::string name, ParseName());
      if (!Take(" ")) return Refuse();  // a struct whose fields have no names
      TG_ASSIGN_OR_RETURN(DuckDbType child, ParseType(depth + 1));
      type.names.push_back(std::move(name));
      type.children.push_back(std::move(child));
    } while (Take(", "));
    if (!Take(")")) return Refuse();
    return type;
  }

  Result<DuckDbType> ParseMap(int depth) {
    DuckDbType type{.kind = SqlKind::kMap};
    TG_ASSIGN_OR_RETURN(DuckDbType key, ParseType(depth + 1));
    if (!Take(", ")) return Refuse();
    TG_ASSIGN_OR_RETURN(DuckDbType value, ParseType(depth + 1));
    if (!Take(")")) return Refuse();
    type.children.push_back(std::move(key));
    type.children.push_back(std::move(value));
    return type;
  }

  std::string_view text_;
  std::string_view rest_;
};

}  // namespace

Result<DuckDbType> DuckDbType::Parse(std::string_view name) { return Parser(name).ParseAll(); }

}  // namespace tidegate::signature
