// From a profile of ~/.aws/config to the source of its keys: keys that stand in it, a role, SSO, a command.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidegate/aws/config_files.h"
#include "tidegate/aws/key_source.h"
#include "tidegate/aws/surroundings.h"

namespace tidegate::aws {

/// Does a profile name any source of keys? One with a region alone does not.
bool NamesSource(const ConfigSection& profile);

class ProfileSources {
 public:
  /// `region` of STS, where the user asked for one; "" else.
  ProfileSources(const Surroundings& surroundings, const ConfigFiles& files, std::string region);

  /// In this order: a role (role_arn), SSO, keys, a command (credential_process). Errors: as MakeCredentialsProvider.
  Result<std::unique_ptr<KeySource>> Make(const std::string& profile);

 private:
  using Made = Result<std::unique_ptr<KeySource>>;

  Made MakeBase(const std::string& profile);
  Made WithoutRole(const std::string& profile, const ConfigSection& settings);
  Made Role(const std::string& profile, const ConfigSection& settings);
  Made WebIdentity(const std::string& profile, const ConfigSection& settings);
  Made BaseOf(const std::string& profile, const ConfigSection& settings);
  Made NamedSource(const std::string& source, const ConfigSection& settings);
  Made Sso(const std::string& profile, const ConfigSection& settings);
  Made Process(const std::string& profile, const ConfigSection& settings);

  const Surroundings& surroundings_;
  const ConfigFiles& files_;
  std::string region_;
  std::vector<std::string> path_;  // profiles that led here, to find circles
};

}  // namespace tidegate::aws
