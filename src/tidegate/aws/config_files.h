// The two files that AWS tools share: ~/.aws/config and ~/.aws/credentials.
// Source: "Shared config and credentials files" of the AWS SDKs and Tools reference guide.
//
// Pure, but for LoadConfigFiles. Errors name file and line and never show what the line holds: it may be a secret.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "tidegate/aws/surroundings.h"
#include "tidegate/base/status.h"

namespace tidegate::aws {

inline constexpr size_t kMaxConfigBytes = 1 << 20;

struct ConfigSection {
  std::map<std::string, std::string> values = {};                         // names in lower case
  std::map<std::string, std::map<std::string, std::string>> nested = {};  // "s3" -> "endpoint_url" -> …

  /// "" where it is not there.
  std::string Value(const std::string& name) const;
  std::string Nested(const std::string& outer, const std::string& name) const;
};

struct ConfigFiles {
  std::string config_path{};
  std::string credentials_path{};
  std::map<std::string, ConfigSection> profiles = {};
  std::map<std::string, ConfigSection> sso_sessions = {};
  std::map<std::string, ConfigSection> services = {};

  /// Null where there is none.
  const ConfigSection* Profile(const std::string& name) const;
};

enum class ConfigFileKind { kConfig, kCredentials };

/// Add what a text says to `out`; later settings replace earlier ones. Sections of other kinds are passed over.
/// `source` names the file in errors. Errors: InvalidArgument (no section above a line, a line without "=", a header
/// without "]", longer than kMaxConfigBytes, a byte 0).
Status ParseConfigText(std::string_view text, ConfigFileKind kind, const std::string& source, ConfigFiles& out);

/// Both files, from AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE or from ~/.aws. A file that is not there is empty;
/// the credentials file wins where both name a setting of a profile. Errors: as ParseConfigText; PermissionDenied.
Result<ConfigFiles> LoadConfigFiles(const Surroundings& surroundings);

/// The profile whose settings hold: the one that was asked for, else AWS_PROFILE, else "default".
std::string ProfileName(const std::string& asked, const VariableLookup& variable);

}  // namespace tidegate::aws
