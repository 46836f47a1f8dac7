#include "tidegate/aws/s3_settings.h"

#include <utility>

#include "tidegate/aws/endpoints.h"
#include "tidegate/aws/instance_source.h"
#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

Result<AddressingStyle> ParseStyle(const std::string& text, const std::string& where) {
  if (text.empty() || text == "auto") return AddressingStyle::kAuto;
  if (text == "path") return AddressingStyle::kPath;
  if (text == "virtual") return AddressingStyle::kVirtual;
  return InvalidArgument(where + " must be auto, path or virtual: " + Quoted(text));
}

/// The endpoint, checked, without a '/' at its end.
Result<std::string> CheckedEndpoint(const std::string& text, const std::string& where) {
  if (text.empty()) return std::string();
  TG_ASSIGN_OR_RETURN(const Url url, ParseUrl(text, where));
  if (!url.query.empty()) return InvalidArgument(where + " must not have a query: " + Quoted(text));
  std::string out = url.origin + url.path;
  while (out.ends_with('/')) out.pop_back();
  return out;
}

Result<std::string> Endpoint(const S3Flags& flags, const VariableLookup& variable, const ConfigFiles& files,
                             const std::string& profile) {
  if (!flags.endpoint_url.empty()) return CheckedEndpoint(flags.endpoint_url, "the endpoint asked for");
  std::string where;
  const std::string configured = ConfiguredEndpoint("s3", variable, files, profile, &where);
  return CheckedEndpoint(configured, where);
}

Result<AddressingStyle> Style(const S3Flags& flags, const ConfigSection& settings, const std::string& profile) {
  if (!flags.addressing_style.empty()) return ParseStyle(flags.addressing_style, "the addressing style asked for");
  return ParseStyle(settings.Nested("s3", "addressing_style"), "s3.addressing_style of profile " + Quoted(profile));
}

}  // namespace

Result<S3Settings> ResolveS3Settings(const S3Flags& flags, const VariableLookup& variable, const ConfigFiles& files) {
  static const ConfigSection kNone;
  S3Settings out;
  out.profile = ProfileName(flags.profile, variable);
  const ConfigSection* found = files.Profile(out.profile);
  const ConfigSection& settings = found == nullptr ? kNone : *found;
  TG_ASSIGN_OR_RETURN(out.endpoint_url, Endpoint(flags, variable, files, out.profile));
  TG_ASSIGN_OR_RETURN(out.region, ConfiguredRegion(flags.region, variable, files, out.profile));
  if (out.region.empty() && !out.endpoint_url.empty()) out.region = "us-east-1";
  TG_ASSIGN_OR_RETURN(out.addressing_style, Style(flags, settings, out.profile));
  out.ca_bundle = flags.ca_bundle;
  if (out.ca_bundle.empty()) out.ca_bundle = variable("AWS_CA_BUNDLE").value_or(settings.Value("ca_bundle"));
  out.ca_bundle = ExpandHome(variable, out.ca_bundle);
  return out;
}

std::string FindRegion(const S3Settings& settings, const IdentityOptions& identity, const Surroundings& surroundings) {
  if (!settings.region.empty() || !UsesInstanceRole(identity, surroundings)) return settings.region;
  const Result<ConfigFiles> files = LoadConfigFiles(surroundings);
  const ConfigSection* profile = files.ok() ? files->Profile(settings.profile) : nullptr;
  const auto service =
      InstanceMetadata::Make(surroundings, profile == nullptr ? "" : profile->Value(kInstanceEndpoint));
  if (!service.ok()) return "";
  const Result<std::string> region = (*service)->Region();
  return region.ok() ? *region : "";
}

}  // namespace tidegate::aws
