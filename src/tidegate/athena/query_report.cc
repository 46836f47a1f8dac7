#include "tidegate/athena/query_report.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "tidegate/base/text.h"

namespace tidegate::athena {
namespace {

constexpr size_t kMaxReason = 1500;
constexpr std::string_view kMend = "mend the statement";
constexpr std::string_view kMendNames =
    "check the names in the statement, and database and catalog in [athena] of the settings";
constexpr std::string_view kBrokenFile = "a file that the statement reads is broken, or has other types than its table";

struct Meaning {
  std::string_view name;
  Code code;
  std::string_view advice;
};

// Names of errors as Trino and its connector to Hive have them.
constexpr std::array<Meaning, 19> kMeanings = {{
    {"SYNTAX_ERROR", Code::kInvalidArgument, kMend},
    {"TYPE_MISMATCH", Code::kInvalidArgument, kMend},
    {"NOT_SUPPORTED", Code::kInvalidArgument, kMend},
    {"INVALID_CAST_ARGUMENT", Code::kInvalidArgument, kMend},
    {"DIVISION_BY_ZERO", Code::kInvalidArgument, kMend},
    {"DUPLICATE_COLUMN_NAME", Code::kInvalidArgument, "give each column of the SELECT a name of its own"},
    {"MISSING_COLUMN_NAME", Code::kInvalidArgument, "give each column of the SELECT a name, with AS"},
    {"CATALOG_NOT_FOUND", Code::kInvalidArgument, kMendNames},
    {"SCHEMA_NOT_FOUND", Code::kInvalidArgument, kMendNames},
    {"TABLE_NOT_FOUND", Code::kInvalidArgument, kMendNames},
    {"COLUMN_NOT_FOUND", Code::kInvalidArgument, kMendNames},
    {"FUNCTION_NOT_FOUND", Code::kInvalidArgument, kMend},
    {"HIVE_PATH_ALREADY_EXISTS", Code::kPreconditionFailed,
     "the folder of the new run was not empty: another program writes there; run again"},
    {"HIVE_BAD_DATA", Code::kCorruption, kBrokenFile},
    {"HIVE_CURSOR_ERROR", Code::kCorruption, kBrokenFile},
    {"HIVE_CANNOT_OPEN_SPLIT", Code::kCorruption, kBrokenFile},
    {"HIVE_PARTITION_SCHEMA_MISMATCH", Code::kCorruption, kBrokenFile},
    {"PERMISSION_DENIED", Code::kPermissionDenied, "see docs/permissions.md for what Athena needs"},
    {"EXCEEDED_TIME_LIMIT", Code::kUnavailable,
     "it took longer than Athena allows: let the SELECT read less, or ask AWS for a longer limit"},
}};

const Meaning* MeaningOf(std::string_view reason) {
  const std::string_view name = reason.substr(0, reason.find(':'));
  const auto found =
      std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& meaning) { return meaning.name == name; });
  return found == kMeanings.end() ? nullptr : &*found;
}

std::optional<QueryState> StateOf(const std::string& name) {
  if (name == "QUEUED" || name == "RUNNING") return QueryState::kWaiting;
  if (name == "SUCCEEDED") return QueryState::kSucceeded;
  if (name == "FAILED") return QueryState::kFailed;
  if (name == "CANCELLED") return QueryState::kCancelled;
  return std::nullopt;
}

/// Never null: an empty object where there is none.
const Json& ObjectIn(const Json& object, const char* field) {
  static const Json kNone = Json::object();
  const auto found = object.find(field);
  return found != object.end() && found->is_object() ? *found : kNone;
}

int64_t IntegerOr0(const Json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

bool Says(const std::string& reason, std::string_view words) {
  return ToLower(reason).find(words) != std::string::npos;
}

/// What has no name of its own: Athena's limits and refusals of S3 come as sentences.
Meaning MeaningOfSentence(const QueryReport& report) {
  if (Says(report.reason, "bytes scanned limit")) {
    return {"", Code::kInvalidArgument,
            "the workgroup bounds what one query may read: let the SELECT read less, by its partition columns, or ask "
            "for a higher limit of the workgroup"};
  }
  if (Says(report.reason, "access denied") || Says(report.reason, "not authorized")) {
    return {"", Code::kPermissionDenied, "see docs/permissions.md for what Athena needs"};
  }
  if (Says(report.reason, "exhausted resources")) {
    return {"", Code::kUnavailable, "run again, or let the SELECT hold less in memory at once"};
  }
  if (report.state == QueryState::kCancelled) return {"", Code::kCancelled, "somebody stopped it: run again"};
  constexpr int64_t kUserError = 2;
  if (report.category == kUserError && !report.retryable) return {"", Code::kInvalidArgument, kMend};
  return {"", Code::kUnavailable, "run again"};
}

}  // namespace

Result<QueryReport> ReadQueryReport(const Json& answer) {
  const Json& execution = ObjectIn(answer, "QueryExecution");
  const Json& status = ObjectIn(execution, "Status");
  const Json& error = ObjectIn(status, "AthenaError");
  QueryReport out;
  out.id = TextOr(execution, "QueryExecutionId");
  const auto state = StateOf(TextOr(status, "State"));
  if (!state) return Corruption("not a state of a query: " + Quoted(TextOr(status, "State")));
  out.state = *state;
  out.reason = TextOr(status, "StateChangeReason");
  if (out.reason.empty()) out.reason = TextOr(error, "ErrorMessage");
  out.category = IntegerOr0(error, "ErrorCategory");
  out.error_type = IntegerOr0(error, "ErrorType");
  const auto retryable = error.find("Retryable");
  out.retryable = retryable != error.end() && retryable->is_boolean() && retryable->get<bool>();
  out.output = TextOr(ObjectIn(execution, "ResultConfiguration"), "OutputLocation");
  const Json& statistics = ObjectIn(execution, "Statistics");
  out.manifest = TextOr(statistics, "DataManifestLocation");
  out.scanned_bytes = IntegerOr0(statistics, "DataScannedInBytes");
  return out;
}

Status WhyFailed(const QueryReport& report) {
  const Meaning* named = MeaningOf(report.reason);
  const Meaning meaning = named != nullptr ? *named : MeaningOfSentence(report);
  std::string text = "Athena, query " + Quoted(report.id, 80) +
                     (report.state == QueryState::kCancelled ? " was cancelled: " : " failed: ") +
                     (report.reason.empty() ? "it does not say why" : Quoted(report.reason, kMaxReason));
  if (report.category != 0) {
    text += " (error category " + std::to_string(report.category) + ", type " + std::to_string(report.error_type) + ")";
  }
  return {meaning.code, text + ": " + std::string(meaning.advice)};
}

std::string ManifestLocation(const QueryReport& report) {
  if (!report.manifest.empty()) return report.manifest;
  // The result of a SELECT is a file, "…/<id>.csv"; of other statements "…/<id>" or the folder of results.
  std::string base = report.output;
  if (const size_t at = base.rfind(report.id); at != std::string::npos && !report.id.empty()) base.erase(at);
  if (!base.empty() && base.back() != '/') base += '/';
  return base + report.id + "-manifest.csv";
}

}  // namespace tidegate::athena
