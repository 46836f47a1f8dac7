// JsonService: a service of AWS whose API is JSON 1.1: each call one signed POST, whose operation stands in a header.
//
// Source: the AWS JSON 1.1 protocol (Smithy), as Glue and Athena speak it. Threads: safe.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tidegate/aws/signed_client.h"
#include "tidegate/base/json.h"
#include "tidegate/base/status.h"

namespace tidegate::aws {

/// What an error of a service asks of the caller.
struct ErrorMeaning {
  std::string_view name;  // "EntityNotFoundException"
  Code code;
  std::string_view advice;  // ends the message
};

struct JsonServiceSettings {
  std::string name{};                        // for messages: "Glue"
  std::string target{};                      // before the operation in x-amz-target: "AWSGlue"
  std::string signing_name{};                // "glue"
  std::span<const ErrorMeaning> meanings{};  // of this service; what all of them say is known here. Static
  std::string region{};
  std::string origin{};  // "https://glue.eu-central-1.amazonaws.com"
  std::shared_ptr<net::HttpClient> http{};
  std::shared_ptr<CredentialsProvider> credentials{};
  std::shared_ptr<Sleeper> sleeper{};
};

/// The meaning of an error, of `meanings` or of those that all services share; null where it has none.
const ErrorMeaning* FindMeaning(std::span<const ErrorMeaning> meanings, std::string_view name);

class JsonService {
 public:
  explicit JsonService(JsonServiceSettings settings);

  const JsonServiceSettings& settings() const { return settings_; }

  /// One call; throttling and passing faults are tried again with growing, jittered waits, with the same bytes each
  /// time. `about` stands in messages: "table 'sales.daily'". Errors: by the meanings; Unavailable; Corruption (the
  /// answer is no JSON object, or larger than 64 MiB); those of SignedClient.
  Result<Json> Call(std::string_view operation, const OrderedJson& request, std::string_view about);

  /// All pages of a call, one by one. Errors: those of Call; Corruption (a page that repeats itself); what `take`
  /// returned.
  Status EachPage(std::string_view operation, OrderedJson request, std::string_view about,
                  const std::function<Status(const Json& page)>& take);

 private:
  std::string What(std::string_view operation, std::string_view about) const;
  Status ErrorOf(const net::HttpReply& reply, const std::string& what) const;

  JsonServiceSettings settings_;
  SignedClient client_;
};

}  // namespace tidegate::aws
