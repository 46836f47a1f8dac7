#include "tidegate/athena/athena_client.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "tidegate/base/cancel.h"
#include "tidegate/base/hash.h"
#include "tidegate/base/log.h"
#include "tidegate/base/text.h"

namespace tidegate::athena {
namespace {

constexpr std::chrono::milliseconds kFirstWait(100), kLongestWait(5000);
constexpr size_t kRowsOfAPage = 1000;

constexpr std::array<aws::ErrorMeaning, 4> kMeanings = {{
    {"InvalidRequestException", Code::kInvalidArgument,
     "mend what Athena names; where it misses an output location, set result_location in [athena] of the settings, or "
     "give the workgroup one"},
    {"TooManyRequestsException", Code::kUnavailable, "Athena's quota of queries is used up: run again later"},
    {"ThrottlingException", Code::kUnavailable, "Athena's quota of requests is used up: run again later"},
    {"InternalServerException", Code::kUnavailable, "run again"},
}};

aws::JsonServiceSettings ServiceOf(const AthenaSettings& settings) {
  aws::JsonServiceSettings out{.name = "Athena", .target = "AmazonAthena", .signing_name = "athena"};
  out.meanings = kMeanings;
  out.region = settings.region;
  out.origin = settings.origin;
  out.credentials = settings.credentials;
  out.http = settings.http;
  out.sleeper = settings.sleeper;
  return out;
}

/// Half of the wait is random, so that many clients do not ask in step.
std::chrono::milliseconds Jittered(std::chrono::milliseconds wait) {
  const auto half = static_cast<uint64_t>(wait.count() / 2);
  return std::chrono::milliseconds(half + RandomBits() % (half + 1));
}

TextRow ReadRow(const Json& row) {
  TextRow out;
  const auto data = row.is_object() ? row.find("Data") : row.end();
  if (!row.is_object() || data == row.end() || !data->is_array()) return out;
  for (const Json& cell : *data) {
    const auto value = cell.is_object() ? cell.find("VarCharValue") : cell.end();
    const bool there = cell.is_object() && value != cell.end() && value->is_string();
    out.push_back(there ? std::optional(value->get<std::string>()) : std::nullopt);
  }
  return out;
}

/// Null where the page has none.
const Json* RowsOf(const Json& page) {
  const auto set = page.find("ResultSet");
  if (set == page.end() || !set->is_object()) return nullptr;
  const auto rows = set->find("Rows");
  return rows != set->end() && rows->is_array() ? &*rows : nullptr;
}

}  // namespace

AthenaClient::AthenaClient(AthenaSettings settings) : settings_(std::move(settings)), service_(ServiceOf(settings_)) {}

Result<std::string> AthenaClient::Start(const std::string& statement, std::string_view about) {
  OrderedJson request{{"QueryString", statement}, {"ClientRequestToken", NewUuid()}};
  request["WorkGroup"] = settings_.workgroup;
  OrderedJson context = OrderedJson::object();
  if (!settings_.catalog.empty()) context["Catalog"] = settings_.catalog;
  if (!settings_.database.empty()) context["Database"] = settings_.database;
  if (!context.empty()) request["QueryExecutionContext"] = std::move(context);
  if (!settings_.result_location.empty()) {
    request["ResultConfiguration"] = OrderedJson{{"OutputLocation", settings_.result_location}};
  }
  const StopGrace grace;  // a query whose id is not known cannot be stopped
  TG_ASSIGN_OR_RETURN(const Json answer, service_.Call("StartQueryExecution", request, about));
  std::string id = TextOr(answer, "QueryExecutionId");
  if (id.empty()) return Corruption("Athena gives no id for the query of " + std::string(about));
  return id;
}

Result<QueryReport> AthenaClient::Wait(const std::string& id, std::string_view about) {
  for (auto wait = kFirstWait;; wait = std::min(wait * 2, kLongestWait)) {
    TG_ASSIGN_OR_RETURN(const Json answer, service_.Call("GetQueryExecution", {{"QueryExecutionId", id}}, about));
    TG_ASSIGN_OR_RETURN(QueryReport report, ReadQueryReport(answer));
    report.id = id;
    if (report.state != QueryState::kWaiting) return report;
    TG_RETURN_IF_ERROR(settings_.sleeper->Sleep(Jittered(wait)));
  }
}

Status AthenaClient::Stop(const std::string& id, std::string_view about) {
  const StopGrace grace;
  return service_.Call("StopQueryExecution", {{"QueryExecutionId", id}}, about).status();
}

Result<QueryReport> AthenaClient::Run(const std::string& statement, std::string_view about) {
  if (statement.size() > kMaxStatementBytes) {
    return InvalidArgument("the statement for " + std::string(about) + " has " +
                           HumanCount(static_cast<int64_t>(statement.size())) + " bytes, Athena takes " +
                           HumanCount(kMaxStatementBytes) + ": make it shorter, for example by a view");
  }
  TG_ASSIGN_OR_RETURN(const std::string id, Start(statement, about));
  Log(LogLevel::kDebug, "Athena: query " + Quoted(id, 80) + " for " + std::string(about));
  auto report = Wait(id, about);
  if (report.ok()) {
    if (report->state != QueryState::kSucceeded) return WhyFailed(*report).WithContext(about);
    Log(LogLevel::kDebug, "Athena: query " + Quoted(id, 80) + " read " +
                              HumanBytes(static_cast<uint64_t>(std::max<int64_t>(0, report->scanned_bytes))));
    return report;
  }
  // Nobody waits for it any more: it must not go on writing.
  const Status stopped = Stop(id, about);
  if (stopped.ok()) return report.status().WithContext("query " + Quoted(id, 80) + " was stopped");
  return report.status().WithContext("query " + Quoted(id, 80) + " could not be stopped, it may still run (" +
                                     stopped.message() + ")");
}

Result<std::vector<TextRow>> AthenaClient::Rows(const QueryReport& query, size_t max_rows) {
  std::vector<TextRow> out;
  bool first = true;
  const auto take = [&](const Json& page) -> Status {
    const Json* rows = RowsOf(page);
    if (rows == nullptr) return Corruption("Athena gives no rows for query " + Quoted(query.id, 80));
    for (const Json& row : *rows) {
      if (!first) out.push_back(ReadRow(row));
      first = false;
      if (out.size() > max_rows) {
        return InvalidArgument("more than " + HumanCount(static_cast<int64_t>(max_rows)) + " rows");
      }
    }
    return {};
  };
  OrderedJson request{{"QueryExecutionId", query.id}, {"MaxResults", kRowsOfAPage}};
  TG_RETURN_IF_ERROR(service_.EachPage("GetQueryResults", std::move(request), "query " + Quoted(query.id, 80), take));
  return out;
}

Result<std::optional<int64_t>> AthenaClient::WrittenRows(const QueryReport& query) {
  TG_ASSIGN_OR_RETURN(const Json answer, service_.Call("GetQueryResults", {{"QueryExecutionId", query.id}},
                                                       "query " + Quoted(query.id, 80)));
  const auto count = answer.find("UpdateCount");
  // 0 stands there also where nothing was counted.
  if (count == answer.end() || !count->is_number_integer() || count->get<int64_t>() <= 0) {
    return std::optional<int64_t>();
  }
  return std::optional(count->get<int64_t>());
}

}  // namespace tidegate::athena
