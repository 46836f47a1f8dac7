#include "tidegate/publish/definition.h"

#include <set>

#include "tidegate/athena/sql_text.h"
#include "tidegate/base/text.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"

namespace tidegate::publish {
namespace {

/// Reads a SELECT from left to right, and fills its placeholders.
class Filler {
 public:
  Filler(const Definition& definition, const catalog::PartitionValues& values)
      : definition_(definition), values_(values) {}

  Result<std::string> Fill() {
    const std::string& select = definition_.select;
    for (size_t i = 0; i < select.size(); ++i) {
      const char c = select[i];
      const bool doubled = i + 1 < select.size() && select[i + 1] == c;
      if (c != '{' && c != '}') {
        out_ += c;
      } else if (doubled) {
        out_ += c;
        ++i;
      } else if (c == '{') {
        TG_RETURN_IF_ERROR(Placeholder(i));
      } else {
        return Wrong("a '}' without its '{': write }} for the character");
      }
    }
    TG_RETURN_IF_ERROR(AllUsed());
    return out_;
  }

 private:
  Status Wrong(const std::string& what) const {
    return InvalidArgument("the SELECT of " + Quoted(definition_.table.ToString()) + ": " + what);
  }

  /// From the '{' at `i`, which moves to its '}'.
  Status Placeholder(size_t& i) {
    const std::string& select = definition_.select;
    const size_t end = select.find('}', i);
    if (end == std::string::npos) return Wrong("a '{' without its '}': write {{ for the character");
    const std::string name = select.substr(i + 1, end - i - 1);
    if (i > 0 && select[i - 1] == '\'') {
      return Wrong("quotes around {" + name + "}: leave them out, it becomes a literal with its quotes");
    }
    for (size_t column = 0; column < definition_.partition_columns.size(); ++column) {
      if (definition_.partition_columns[column].name != name) continue;
      TG_ASSIGN_OR_RETURN(const std::string literal, Literal(column));
      out_ += literal;
      used_.insert(name);
      i = end;
      return {};
    }
    return Wrong("{" + name + "} is no partition column: write {{ for the character");
  }

  Result<std::string> Literal(size_t column) const {
    const std::optional<std::string>& value = values_[column];
    if (definition_.engine == BuildEngine::kAthena) {
      return athena::TypedLiteral(definition_.partition_columns[column].type, value);
    }
    return value ? engine::SqlText(*value) : "NULL";
  }

  Status AllUsed() const {
    for (const catalog::HiveColumn& column : definition_.partition_columns) {
      if (!used_.contains(column.name)) {
        return Wrong("it does not use {" + column.name + "}: every partition would get the same rows");
      }
    }
    return {};
  }

  const Definition& definition_;
  const catalog::PartitionValues& values_;
  std::string out_;
  std::set<std::string> used_;
};

}  // namespace

std::string FollowedRelation(const Definition& definition) {
  const size_t dot = definition.follow.find('.');
  return engine::SqlName(definition.follow.substr(0, dot)) + "." + engine::SqlName(definition.follow.substr(dot + 1));
}

std::string SelectOfFollowed(const Definition& definition) {
  std::vector<std::string> conditions;
  conditions.reserve(definition.partition_of.size());
  for (size_t i = 0; i < definition.partition_of.size(); ++i) {
    std::string expression = definition.partition_of[i];
    for (const char brace : {'{', '}'}) {
      for (size_t at = expression.find(brace); at != std::string::npos; at = expression.find(brace, at + 2)) {
        expression.insert(at, 1, brace);
      }
    }
    conditions.push_back("(" + expression + ") IS NOT DISTINCT FROM {" + definition.partition_columns[i].name + "}");
  }
  return "SELECT * FROM " + FollowedRelation(definition) + " WHERE " + Join(conditions, " AND ");
}

Result<std::string> SelectFor(const Definition& definition, const catalog::PartitionValues& values) {
  return Filler(definition, values).Fill();
}

}  // namespace tidegate::publish
