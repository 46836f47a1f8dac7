// What the search for an identity takes from outside: environment, files, commands, time and the network. A port, so
// that tests need neither a machine nor an account.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidegate/aws/retry.h"
#include "tidegate/base/cancel.h"
#include "tidegate/base/status.h"
#include "tidegate/base/time.h"
#include "tidegate/net/http.h"

namespace tidegate::aws {

/// The value of an environment variable. Nothing: it is not set, or empty.
using VariableLookup = std::function<std::optional<std::string>(const std::string& name)>;

struct Surroundings {
  VariableLookup variable = {};

  /// The bytes of a file. Errors: NotFound (there is none), PermissionDenied, InvalidArgument (longer than max_bytes).
  std::function<Result<std::string>(const std::string& path, size_t max_bytes)> read_file = {};

  /// Put a file in place of one that is there, as a whole, readable for its owner alone.
  std::function<Status(const std::string& path, const std::string& bytes)> replace_file = {};

  /// What a command prints on stdout; see RunCommand.
  std::function<Result<std::string>(const std::vector<std::string>& argv)> run = {};

  std::shared_ptr<Sleeper> sleeper = {};  // waits between two tries
  std::shared_ptr<const Clock> clock = {};
  std::shared_ptr<net::HttpClient> http = {};           // for services: STS, SSO
  std::shared_ptr<net::HttpClient> metadata_http = {};  // for metadata of the machine: see MetadataHttpOptions
};

/// How a client for metadata services is made (MakeHttpClient): they are near or not there at all.
net::HttpOptions MetadataHttpOptions(const CancelFlag* cancel);

/// This process's environment, the machine's files, commands and clock. `cancel` ends waiting; may be null.
Surroundings RealSurroundings(std::shared_ptr<net::HttpClient> http, std::shared_ptr<net::HttpClient> metadata_http,
                              const CancelFlag* cancel);

/// "~/x" below $HOME; other paths as they are.
std::string ExpandHome(const VariableLookup& variable, const std::string& path);

}  // namespace tidegate::aws
