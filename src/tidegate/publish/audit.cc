#include "tidegate/publish/audit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tidegate/base/text.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"

namespace tidegate::publish {
namespace {

using engine::SqlName;
using engine::SqlText;

/// A query whose rows break an audit.
struct Check {
  std::string audit;
  std::string query;
  std::string found;  // "rows with a null"
};

std::string From(const std::string& condition) {
  return "SELECT 1 FROM " + std::string(kBuildRelation) + " WHERE " + condition;
}

Check UniqueCheck(const std::vector<std::string>& key) {
  std::vector<std::string> names;
  names.reserve(key.size());
  for (const std::string& column : key) names.push_back(SqlName(column));
  const std::string list = Join(names, ", ");
  return {"unique " + Join(key, ", "),
          "SELECT " + list + " FROM " + kBuildRelation + " GROUP BY " + list + " HAVING count(*) > 1",
          "keys that stand more than once"};
}

Check AcceptedCheck(const std::string& column, const std::vector<std::string>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const std::string& value : values) texts.push_back(SqlText(value));
  return {"accepted " + column, From("CAST(" + SqlName(column) + " AS VARCHAR) NOT IN (" + Join(texts, ", ") + ")"),
          "rows with another value"};
}

std::vector<Check> ChecksOf(const Audits& audits) {
  std::vector<Check> out;
  out.reserve(audits.not_null.size() + audits.unique.size() + audits.accepted.size() + audits.no_rows.size());
  for (const std::string& column : audits.not_null) {
    out.push_back({"not_null " + column, From(SqlName(column) + " IS NULL"), "rows with a null"});
  }
  for (const auto& key : audits.unique) out.push_back(UniqueCheck(key));
  for (const auto& [column, values] : audits.accepted) out.push_back(AcceptedCheck(column, values));
  for (const std::string& query : audits.no_rows) out.push_back({"no_rows " + query, query, "rows"});
  return out;
}

AuditResult Bound(const std::string& audit, bool passed, int64_t rows) {
  return {audit, HumanCount(rows) + " rows", passed};
}

std::string Percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %%", share * 100);
  return text;
}

void CheckBounds(const Audits& audits, int64_t rows, std::optional<int64_t> current, std::vector<AuditResult>& out) {
  if (audits.min_rows) out.push_back(Bound("min_rows " + HumanCount(*audits.min_rows), rows >= *audits.min_rows, rows));
  if (audits.max_rows) out.push_back(Bound("max_rows " + HumanCount(*audits.max_rows), rows <= *audits.max_rows, rows));
  if (!current) return;
  const auto now = static_cast<double>(rows), before = static_cast<double>(*current);
  const std::string change = HumanCount(rows) + " rows, " + HumanCount(*current) + " in the current run";
  if (audits.max_shrink) {
    out.push_back({"max_shrink " + Percent(*audits.max_shrink), change, now >= before * (1 - *audits.max_shrink)});
  }
  if (audits.max_growth) {
    out.push_back({"max_growth " + Percent(*audits.max_growth), change, now <= before * (1 + *audits.max_growth)});
  }
}

}  // namespace

Result<std::vector<AuditResult>> RunAudits(const Audits& audits, int64_t rows, std::optional<int64_t> current_rows,
                                           const CountRows& count) {
  std::vector<AuditResult> out;
  CheckBounds(audits, rows, current_rows, out);
  for (const Check& check : ChecksOf(audits)) {
    const auto broken = count(check.query);
    if (!broken.ok()) return broken.status().WithContext("audit " + Quoted(check.audit));
    out.push_back({check.audit, HumanCount(*broken) + " " + check.found, *broken == 0});
  }
  return out;
}

std::string WhyFailed(const std::vector<AuditResult>& results) {
  const auto failed = [](const AuditResult& one) { return !one.passed; };
  const auto first = std::find_if(results.begin(), results.end(), failed);
  if (first == results.end()) return "";
  const auto more = std::count_if(first + 1, results.end(), failed);
  return first->audit + ": " + first->result + (more > 0 ? ", and " + std::to_string(more) + " more failed" : "");
}

}  // namespace tidegate::publish
