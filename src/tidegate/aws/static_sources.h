// Keys that lie ready: in the environment, in a profile. Read anew each time, since other tools replace them.
#pragma once

#include <string>

#include "tidegate/aws/config_files.h"
#include "tidegate/aws/key_source.h"
#include "tidegate/aws/surroundings.h"

namespace tidegate::aws {

/// Does the environment hold at least one half of a pair of keys?
bool NamesKeys(const VariableLookup& variable);
/// Does the profile?
bool NamesKeys(const ConfigSection& profile);

/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_CREDENTIAL_EXPIRATION.
class EnvironmentKeys final : public KeySource {
 public:
  explicit EnvironmentKeys(const Surroundings& surroundings) : surroundings_(surroundings) {}

  /// Errors: Unauthenticated (one half of the pair is not set); Corruption.
  Result<Credentials> Fetch() override;
  std::string Describe() const override { return "environment variables"; }

 private:
  Surroundings surroundings_;
};

/// aws_access_key_id, aws_secret_access_key, aws_session_token.
class ProfileKeys final : public KeySource {
 public:
  ProfileKeys(std::string profile, const Surroundings& surroundings);

  /// Errors: as EnvironmentKeys, and those of LoadConfigFiles.
  Result<Credentials> Fetch() override;
  std::string Describe() const override;

 private:
  std::string profile_;
  Surroundings surroundings_;
};

}  // namespace tidegate::aws
