// One question to a service that gives keys, asked a few times where the fault passes.
#pragma once

#include <functional>
#include <string>

#include "tidegate/aws/surroundings.h"
#include "tidegate/base/status.h"
#include "tidegate/net/http.h"

namespace tidegate::aws {

/// No reply with keys or tokens is longer.
inline constexpr uint64_t kMaxReplyBytes = 256 << 10;

struct ServiceQuestion {
  net::HttpClient* client = nullptr;
  Sleeper* sleeper = nullptr;
  std::string what{};                              // for messages: "STS at https://…"
  int attempts = 4;                                // in all
  std::function<net::HttpRequest()> request = {};  // built for each attempt: signatures age
};

/// The reply, whatever its status; after the last attempt also one that says try again.
/// Errors: those of HttpFailure, with `what` before; Cancelled.
Result<net::HttpReply> Ask(const ServiceQuestion& question);

}  // namespace tidegate::aws
