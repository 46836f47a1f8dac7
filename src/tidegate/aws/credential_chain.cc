#include "tidegate/aws/credential_chain.h"

#include <utility>

#include "tidegate/aws/cached_provider.h"
#include "tidegate/aws/config_files.h"
#include "tidegate/aws/container_source.h"
#include "tidegate/aws/endpoints.h"
#include "tidegate/aws/instance_source.h"
#include "tidegate/aws/profile_sources.h"
#include "tidegate/aws/role_sources.h"
#include "tidegate/aws/static_sources.h"
#include "tidegate/aws/sts.h"
#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

using Made = Result<std::unique_ptr<KeySource>>;

enum class Kind {
  kWebIdentitySettings,
  kEnvironmentKeys,
  kEnvironmentWebIdentity,
  kProfile,
  kContainer,
  kInstance,
  kNone,
};

bool NamesWebIdentity(const VariableLookup& variable) { return variable("AWS_WEB_IDENTITY_TOKEN_FILE").has_value(); }

/// Did the user name a profile, by option or AWS_PROFILE? Then it has to be there.
bool NamesProfile(const IdentityOptions& options, const VariableLookup& variable) {
  return !options.profile.empty() || variable("AWS_PROFILE") || variable("AWS_DEFAULT_PROFILE");
}

Kind Choose(const IdentityOptions& options, const VariableLookup& variable, const ConfigFiles& files) {
  if (!options.web_identity.empty()) return Kind::kWebIdentitySettings;
  if (options.profile.empty() && NamesKeys(variable)) return Kind::kEnvironmentKeys;
  if (options.profile.empty() && NamesWebIdentity(variable)) return Kind::kEnvironmentWebIdentity;
  const ConfigSection* profile = files.Profile(ProfileName(options.profile, variable));
  const bool missing = profile == nullptr && NamesProfile(options, variable);
  if (missing || (profile != nullptr && NamesSource(*profile))) return Kind::kProfile;
  if (NamesContainer(variable)) return Kind::kContainer;
  return InstanceMetadataDisabled(variable) ? Kind::kNone : Kind::kInstance;
}

/// Where keys were looked for, for a message that none were found.
std::string WhereWeLooked(const IdentityOptions& options, const VariableLookup& variable, const ConfigFiles& files) {
  return "no identity for AWS was found: no keys in the environment (AWS_ACCESS_KEY_ID), no web identity, none in "
         "profile " +
         Quoted(ProfileName(options.profile, variable)) + " of " + Quoted(files.config_path) + " and " +
         Quoted(files.credentials_path) + ", no container role";
}

constexpr const char* kWhatToDo = "; log in with `aws configure` or `aws sso login`, or name a profile (AWS_PROFILE)";

/// The machine's role, asked because nothing else was named. That nobody answers then means that there is no identity;
/// once there were keys it is a fault that passes.
class LastResort final : public KeySource {
 public:
  LastResort(std::unique_ptr<KeySource> source, std::string looked)
      : source_(std::move(source)), looked_(std::move(looked)) {}

  Result<Credentials> Fetch() override {
    Result<Credentials> out = source_->Fetch();
    if (out.ok()) had_keys_ = true;
    if (out.ok() || had_keys_ || out.status().code() == Code::kCancelled) return out;
    return Unauthenticated(looked_ + ", and this machine has none to give" + kWhatToDo + ": " + out.status().message());
  }
  std::string Describe() const override { return source_->Describe(); }

 private:
  std::unique_ptr<KeySource> source_;
  std::string looked_;
  bool had_keys_ = false;
};

Status CheckOptions(const IdentityOptions& options) {
  const WebIdentitySettings& web = options.web_identity;
  if (!web.token_file.empty() && !web.token_command.empty()) {
    return InvalidArgument("web identity: a token file and a token command are both given; take one out");
  }
  if (web.empty() && !web.role_arn.empty()) {
    return InvalidArgument("web identity: a role is given and no token; add a token file or a token command");
  }
  if (!web.empty() && !options.profile.empty()) {
    return InvalidArgument("a profile (" + Quoted(options.profile) +
                           ") and a web identity are both given; take one out");
  }
  return {};
}

/// From the options and the environment alike.
Made MakeWebIdentity(const WebIdentitySettings& web, const std::string& where, const IdentityOptions& options,
                     const Surroundings& surroundings, const ConfigFiles& files) {
  RoleRequest role;
  role.role_arn = web.role_arn;
  role.session_name = web.session_name;
  TG_RETURN_IF_ERROR(CheckRoleRequest(role, where));
  const std::string profile = ProfileName(options.profile, surroundings.variable);
  TG_ASSIGN_OR_RETURN(const std::string region,
                      ConfiguredRegion(options.region, surroundings.variable, files, profile));
  TG_ASSIGN_OR_RETURN(Url url, ServiceUrl("sts", "sts", region, surroundings.variable, files, profile));
  std::string described = where + " (role " + Quoted(role.role_arn) + ", token ";
  TokenReader token;
  if (web.token_file.empty()) {
    TG_ASSIGN_OR_RETURN(token, TokenFromCommand(surroundings, web.token_command, where + ": the token command"));
    described += "from a command)";
  } else {
    token = TokenFromFile(surroundings, web.token_file);
    described += "file " + Quoted(web.token_file) + ")";
  }
  return std::unique_ptr<KeySource>(std::make_unique<WebIdentityRole>(
      std::move(described), std::move(role), std::move(token), Sts(surroundings, std::move(url), region)));
}

Made MakeEnvironmentWebIdentity(const IdentityOptions& options, const Surroundings& surroundings,
                                const ConfigFiles& files) {
  const VariableLookup& variable = surroundings.variable;
  WebIdentitySettings web;
  web.token_file = *variable("AWS_WEB_IDENTITY_TOKEN_FILE");
  web.role_arn = variable("AWS_ROLE_ARN").value_or("");
  web.session_name = variable("AWS_ROLE_SESSION_NAME").value_or("");
  if (web.role_arn.empty()) {
    return InvalidArgument("AWS_WEB_IDENTITY_TOKEN_FILE is set and AWS_ROLE_ARN is not; set both, or neither");
  }
  return MakeWebIdentity(web, "web identity of the environment", options, surroundings, files);
}

Made MakeInstance(const IdentityOptions& options, const Surroundings& surroundings, const ConfigFiles& files) {
  const ConfigSection* profile = files.Profile(ProfileName(options.profile, surroundings.variable));
  const std::string endpoint = profile == nullptr ? "" : profile->Value(kInstanceEndpoint);
  TG_ASSIGN_OR_RETURN(std::unique_ptr<KeySource> source, InstanceSource::Make(surroundings, endpoint));
  return std::unique_ptr<KeySource>(
      std::make_unique<LastResort>(std::move(source), WhereWeLooked(options, surroundings.variable, files)));
}

Made MakeSource(const IdentityOptions& options, const Surroundings& surroundings, const ConfigFiles& files) {
  const VariableLookup& variable = surroundings.variable;
  switch (Choose(options, variable, files)) {
    case Kind::kWebIdentitySettings:
      return MakeWebIdentity(options.web_identity, "web identity", options, surroundings, files);
    case Kind::kEnvironmentKeys:
      return std::unique_ptr<KeySource>(std::make_unique<EnvironmentKeys>(surroundings));
    case Kind::kEnvironmentWebIdentity:
      return MakeEnvironmentWebIdentity(options, surroundings, files);
    case Kind::kProfile:
      return ProfileSources(surroundings, files, options.region).Make(ProfileName(options.profile, variable));
    case Kind::kContainer:
      return ContainerSource::Make(surroundings);
    case Kind::kInstance:
      return MakeInstance(options, surroundings, files);
    case Kind::kNone:
      break;
  }
  return Unauthenticated(WhereWeLooked(options, variable, files) +
                         ", and the machine is not asked (AWS_EC2_METADATA_DISABLED)" + kWhatToDo);
}

}  // namespace

Result<std::unique_ptr<CredentialsProvider>> MakeCredentialsProvider(const IdentityOptions& options,
                                                                     const Surroundings& surroundings) {
  if (options.anonymous) return std::unique_ptr<CredentialsProvider>(std::make_unique<AnonymousProvider>());
  TG_RETURN_IF_ERROR(CheckOptions(options));
  TG_ASSIGN_OR_RETURN(const ConfigFiles files, LoadConfigFiles(surroundings));
  TG_ASSIGN_OR_RETURN(std::unique_ptr<KeySource> source, MakeSource(options, surroundings, files));
  return std::unique_ptr<CredentialsProvider>(std::make_unique<CachedProvider>(std::move(source), surroundings.clock));
}

bool UsesInstanceRole(const IdentityOptions& options, const Surroundings& surroundings) {
  if (options.anonymous) return false;
  const Result<ConfigFiles> files = LoadConfigFiles(surroundings);
  return files.ok() && Choose(options, surroundings.variable, *files) == Kind::kInstance;
}

}  // namespace tidegate::aws
