// AthenaClient: runs statements in Amazon Athena and waits for their end.
//
// Guarantees
// - A statement whose start was asked for several times, as replies were lost, runs once: all carry one token.
// - Where the user asks to stop, the query is stopped, too.
//
// Source: Athena's API reference. Threads: safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/athena/query_report.h"
#include "tidegate/aws/json_service.h"
#include "tidegate/base/status.h"

namespace tidegate::athena {

/// Athena takes no longer ones.
inline constexpr size_t kMaxStatementBytes = 262'144;

struct AthenaSettings {
  std::string region{};
  std::string origin{};  // "https://athena.eu-central-1.amazonaws.com"
  std::string workgroup = "primary";
  std::string result_location{};  // "s3://…"; "": the workgroup says
  std::string catalog{};          // "": AwsDataCatalog
  std::string database{};         // for names without one; "" is none
  std::shared_ptr<aws::CredentialsProvider> credentials{};
  std::shared_ptr<net::HttpClient> http{};
  std::shared_ptr<aws::Sleeper> sleeper{};
};

using TextRow = std::vector<std::optional<std::string>>;

class AthenaClient {
 public:
  explicit AthenaClient(AthenaSettings settings);

  const AthenaSettings& settings() const { return settings_; }

  /// Runs a statement to its end. `about` stands in messages: "the build of day=2026-11-01". Errors: InvalidArgument
  /// (longer than kMaxStatementBytes: nothing was sent); those of WhyFailed; Cancelled (the query was stopped); those
  /// of JsonService.
  Result<QueryReport> Run(const std::string& statement, std::string_view about);

  /// The rows of a SELECT that has ended, without the line of names that Athena puts first, at most `max_rows`.
  Result<std::vector<TextRow>> Rows(const QueryReport& query, size_t max_rows);

  /// The rows that a statement wrote; nothing where Athena does not count them.
  Result<std::optional<int64_t>> WrittenRows(const QueryReport& query);

 private:
  Result<std::string> Start(const std::string& statement, std::string_view about);
  Result<QueryReport> Wait(const std::string& id, std::string_view about);
  Status Stop(const std::string& id, std::string_view about);

  AthenaSettings settings_;
  aws::JsonService service_;
};

}  // namespace tidegate::athena
