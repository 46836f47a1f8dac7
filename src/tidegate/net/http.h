// HTTP/1.1 over libcurl: one request, one reply. No retries, no redirects, no knowledge of any service: whoever sends
// decides what a status means and whether to try again.
//
// Guarantees
// - Connections are kept and used again, also by other threads. A request that fails gives its connection up.
// - A request ends: connecting, silence and a body that stalls each have a limit (HttpOptions).
// - The path and the query are sent byte for byte as given: they are signed before.
// - Proxies as curl has them: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY.
//
// Threads: safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"

namespace tidegate::net {

struct HttpHeader {
  std::string name{};
  std::string value{};
};

struct HttpRequest {
  std::string method = "GET";
  std::string origin{};  // "https://host:port"
  std::string path = "/";
  std::string query{};  // without '?'; "" is none
  std::vector<HttpHeader> headers = {};
  std::string_view body = {};  // must live until the call returns
  std::span<char> out = {};    // where the body of a 2xx goes, if not into HttpReply::body; more bytes are an error
  uint64_t max_body_bytes = 64 << 20;       // of HttpReply::body of a 2xx; more is Corruption. Of others: 1 MiB
  std::chrono::milliseconds time_limit{0};  // for the whole exchange; 0: none but those of HttpOptions
};

struct HttpReply {
  int status = 0;
  std::vector<HttpHeader> headers = {};  // names in lower case
  std::string body{};                    // where the body did not go into HttpRequest::out
  uint64_t body_bytes = 0;               // of the body, wherever it went

  bool ok() const { return status >= 200 && status < 300; }
  /// The value of a header ("" where it is not there); `name` in lower case.
  std::string_view Header(std::string_view name) const;
};

/// A header such as "Tue, 03 Nov 2026 03:00:00 GMT"; nothing where it is no such time.
std::optional<UtcTime> ParseHttpDate(std::string_view text);

/// Why no whole reply came.
struct HttpFailure {
  Status status;  // Unavailable, Cancelled, Corruption (body too large), InvalidArgument (URL), Unauthenticated (TLS)
  bool may_have_arrived = true;  // false: the server never got the request, so nothing was done there
};

/// What the exchange came to: a whole reply, whatever its status, or a failure.
struct HttpOutcome {
  std::optional<HttpReply> reply = {};
  HttpFailure failure = {};
};

/// The port: tests and recorders stand in for the network.
class HttpClient {
 public:
  virtual ~HttpClient() = default;
  virtual HttpOutcome Send(const HttpRequest& request) = 0;
};

struct HttpOptions {
  std::chrono::milliseconds connect_limit{10'000};
  std::chrono::milliseconds stall_limit{30'000};  // no byte in either direction for so long
  std::string ca_bundle{};                        // a file of certificates in PEM; "": the system's
  bool use_proxy = true;                          // false: never, as for metadata services of a machine
  const CancelFlag* cancel = nullptr;             // ends a request that is under way; may be null
};

/// Errors: NotFound where the CA file cannot be read.
Result<std::unique_ptr<HttpClient>> MakeHttpClient(HttpOptions options);

}  // namespace tidegate::net
