#include "tidegate/aws/profile_sources.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "tidegate/aws/cached_provider.h"
#include "tidegate/aws/command.h"
#include "tidegate/aws/container_source.h"
#include "tidegate/aws/endpoints.h"
#include "tidegate/aws/instance_source.h"
#include "tidegate/aws/process_source.h"
#include "tidegate/aws/role_sources.h"
#include "tidegate/aws/sso_source.h"
#include "tidegate/aws/static_sources.h"
#include "tidegate/aws/sts.h"
#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

bool NamesSso(const ConfigSection& settings) {
  return !settings.Value("sso_session").empty() || !settings.Value("sso_start_url").empty();
}

std::string Named(const std::string& profile) { return "profile " + Quoted(profile); }

Result<std::optional<int>> ReadDuration(const ConfigSection& settings, const std::string& profile) {
  const std::string text = settings.Value("duration_seconds");
  if (text.empty()) return std::optional<int>();
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc() && end == text.data() + text.size()) return std::optional<int>(seconds);
  return InvalidArgument(Named(profile) + ": duration_seconds is no whole number: " + Quoted(text));
}

Result<RoleRequest> ReadRole(const ConfigSection& settings, const std::string& profile) {
  RoleRequest out;
  out.role_arn = settings.Value("role_arn");
  out.session_name = settings.Value("role_session_name");
  out.external_id = settings.Value("external_id");
  TG_ASSIGN_OR_RETURN(out.duration_seconds, ReadDuration(settings, profile));
  TG_RETURN_IF_ERROR(CheckRoleRequest(out, Named(profile)));
  return out;
}

/// Settings of a profile that tidegate cannot follow, with the way round it.
Status CheckSupported(const ConfigSection& settings, const std::string& profile) {
  const std::string way_round =
      "; put the keys of that identity into the environment: run `aws configure "
      "export-credentials --profile " +
      Quoted(profile) + " --format env` and set what it prints";
  if (!settings.Value("role_arn").empty() && !settings.Value("mfa_serial").empty()) {
    return Unsupported(Named(profile) + " needs an MFA code (mfa_serial), which tidegate does not ask for" + way_round);
  }
  if (!settings.Value("login_session").empty()) {
    return Unsupported(Named(profile) + " uses `aws login` (login_session), which tidegate does not know" + way_round);
  }
  return {};
}

Result<Sts> MakeSts(const Surroundings& surroundings, const ConfigFiles& files, const std::string& asked_region,
                    const std::string& profile) {
  TG_ASSIGN_OR_RETURN(const std::string region, ConfiguredRegion(asked_region, surroundings.variable, files, profile));
  TG_ASSIGN_OR_RETURN(Url url, ServiceUrl("sts", "sts", region, surroundings.variable, files, profile));
  return Sts(surroundings, std::move(url), region);
}

}  // namespace

bool NamesSource(const ConfigSection& profile) {
  return NamesKeys(profile) || NamesSso(profile) || !profile.Value("role_arn").empty() ||
         !profile.Value("credential_process").empty() || !profile.Value("login_session").empty();
}

ProfileSources::ProfileSources(const Surroundings& surroundings, const ConfigFiles& files, std::string region)
    : surroundings_(surroundings), files_(files), region_(std::move(region)) {}

ProfileSources::Made ProfileSources::Make(const std::string& profile) {
  const ConfigSection* settings = files_.Profile(profile);
  if (settings == nullptr) {
    return NotFound("there is no " + Named(profile) + " in " + Quoted(files_.config_path) + " or " +
                    Quoted(files_.credentials_path) + "; check the name, or make it with `aws configure --profile " +
                    Quoted(profile) + "`");
  }
  path_.push_back(profile);
  TG_RETURN_IF_ERROR(CheckSupported(*settings, profile));
  if (!settings->Value("role_arn").empty()) return Role(profile, *settings);
  return WithoutRole(profile, *settings);
}

/// The profile whose keys take a role: keys that stand in it go before its own role, so that a profile may name itself.
ProfileSources::Made ProfileSources::MakeBase(const std::string& profile) {
  const ConfigSection* settings = files_.Profile(profile);
  if (settings != nullptr && NamesKeys(*settings)) {
    return std::unique_ptr<KeySource>(std::make_unique<ProfileKeys>(profile, surroundings_));
  }
  if (std::find(path_.begin(), path_.end(), profile) == path_.end()) return Make(profile);
  std::vector<std::string> circle = path_;
  circle.push_back(profile);
  return InvalidArgument("the profiles' source_profile lead in a circle: " + Quoted(Join(circle, " -> ")) +
                         "; one of them must have keys of its own");
}

ProfileSources::Made ProfileSources::WithoutRole(const std::string& profile, const ConfigSection& settings) {
  if (NamesSso(settings)) return Sso(profile, settings);
  if (NamesKeys(settings)) return std::unique_ptr<KeySource>(std::make_unique<ProfileKeys>(profile, surroundings_));
  if (!settings.Value("credential_process").empty()) return Process(profile, settings);
  return Unauthenticated(Named(profile) + " names no keys, role, SSO session or command; see docs/identities.md");
}

ProfileSources::Made ProfileSources::Role(const std::string& profile, const ConfigSection& settings) {
  if (!settings.Value("web_identity_token_file").empty()) return WebIdentity(profile, settings);
  TG_ASSIGN_OR_RETURN(RoleRequest role, ReadRole(settings, profile));
  TG_ASSIGN_OR_RETURN(std::unique_ptr<KeySource> base, BaseOf(profile, settings));
  TG_ASSIGN_OR_RETURN(Sts sts, MakeSts(surroundings_, files_, region_, profile));
  std::string described = Named(profile) + " (role " + Quoted(role.role_arn) + ", from " + base->Describe() + ")";
  auto keys = std::make_unique<CachedProvider>(std::move(base), surroundings_.clock);
  return std::unique_ptr<KeySource>(
      std::make_unique<AssumedRole>(std::move(described), std::move(role), std::move(keys), std::move(sts)));
}

ProfileSources::Made ProfileSources::WebIdentity(const std::string& profile, const ConfigSection& settings) {
  TG_ASSIGN_OR_RETURN(RoleRequest role, ReadRole(settings, profile));
  TG_ASSIGN_OR_RETURN(Sts sts, MakeSts(surroundings_, files_, region_, profile));
  const std::string file = settings.Value("web_identity_token_file");
  std::string described =
      Named(profile) + " (web identity, role " + Quoted(role.role_arn) + ", token file " + Quoted(file) + ")";
  return std::unique_ptr<KeySource>(std::make_unique<WebIdentityRole>(
      std::move(described), std::move(role), TokenFromFile(surroundings_, file), std::move(sts)));
}

ProfileSources::Made ProfileSources::BaseOf(const std::string& profile, const ConfigSection& settings) {
  const std::string base = settings.Value("source_profile");
  const std::string source = settings.Value("credential_source");
  if (!base.empty() && !source.empty()) {
    return InvalidArgument(Named(profile) + " has both source_profile and credential_source; take one out");
  }
  if (!base.empty()) return MakeBase(base);
  if (!source.empty()) return NamedSource(source, settings);
  return InvalidArgument(Named(profile) +
                         " has a role_arn and does not say with whose keys to take it; add "
                         "source_profile, credential_source or web_identity_token_file");
}

ProfileSources::Made ProfileSources::NamedSource(const std::string& source, const ConfigSection& settings) {
  if (source == "Environment") return std::unique_ptr<KeySource>(std::make_unique<EnvironmentKeys>(surroundings_));
  if (source == "Ec2InstanceMetadata") return InstanceSource::Make(surroundings_, settings.Value(kInstanceEndpoint));
  if (source != "EcsContainer") {
    return InvalidArgument("credential_source is Environment, Ec2InstanceMetadata or EcsContainer: " + Quoted(source));
  }
  if (NamesContainer(surroundings_.variable)) return ContainerSource::Make(surroundings_);
  return InvalidArgument("credential_source is EcsContainer, and the environment names no agent of a container");
}

ProfileSources::Made ProfileSources::Sso(const std::string& profile, const ConfigSection& settings) {
  SsoSettings sso{profile,
                  settings.Value("sso_session"),
                  settings.Value("sso_start_url"),
                  settings.Value("sso_region"),
                  settings.Value("sso_account_id"),
                  settings.Value("sso_role_name")};
  if (!sso.session.empty()) {
    const auto session = files_.sso_sessions.find(sso.session);
    if (session == files_.sso_sessions.end()) {
      return NotFound(Named(profile) + ": there is no [sso-session …] of the name " + Quoted(sso.session) + " in " +
                      Quoted(files_.config_path));
    }
    sso.start_url = session->second.Value("sso_start_url");
    sso.region = session->second.Value("sso_region");
  }
  if (sso.start_url.empty() || sso.account_id.empty() || sso.role_name.empty() || !IsRegion(sso.region)) {
    return InvalidArgument(
        Named(profile) +
        ": SSO needs sso_start_url, sso_region, sso_account_id and sso_role_name; run `aws configure sso`");
  }
  TG_ASSIGN_OR_RETURN(Url portal, ServiceUrl("sso", "portal.sso", sso.region, surroundings_.variable, files_, profile));
  TG_ASSIGN_OR_RETURN(Url oidc, ServiceUrl("sso_oidc", "oidc", sso.region, surroundings_.variable, files_, profile));
  return std::unique_ptr<KeySource>(
      std::make_unique<SsoSource>(std::move(sso), std::move(portal), std::move(oidc), surroundings_));
}

ProfileSources::Made ProfileSources::Process(const std::string& profile, const ConfigSection& settings) {
  Result<std::vector<std::string>> argv = SplitCommandLine(settings.Value("credential_process"));
  if (!argv.ok()) return argv.status().WithContext(Named(profile) + ": credential_process");
  std::string described = Named(profile) + " (command " + Quoted((*argv)[0]) + ")";
  return std::unique_ptr<KeySource>(
      std::make_unique<ProcessSource>(std::move(described), *std::move(argv), surroundings_));
}

}  // namespace tidegate::aws
