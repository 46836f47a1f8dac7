#include "tidegate/aws/endpoints.h"

#include <algorithm>
#include <utility>

#include "tidegate/base/text.h"

namespace tidegate::aws {
namespace {

bool IsTrue(std::string_view text) { return ToLower(text) == "true"; }

bool IsPort(std::string_view text) {
  if (text.empty() || text.size() > 5) return false;
  int port = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    port = port * 10 + (c - '0');
  }
  return port >= 1 && port <= 65535;
}

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

/// Host and port of "host:port" or "[::1]:port".
bool SplitAuthority(std::string_view authority, std::string& host) {
  std::string_view behind;
  if (authority.starts_with('[')) {
    const size_t end = authority.find(']');
    if (end == std::string_view::npos || end == 1) return false;
    host = authority.substr(1, end - 1);
    behind = authority.substr(end + 1);
    if (host.find_first_not_of("0123456789abcdefABCDEF:.") != std::string::npos) return false;
  } else {
    const size_t colon = authority.find(':');
    host = authority.substr(0, colon);
    if (colon != std::string_view::npos) behind = authority.substr(colon);
    if (host.empty() || !std::all_of(host.begin(), host.end(), IsHostCharacter)) return false;
  }
  return behind.empty() || (behind[0] == ':' && IsPort(behind.substr(1)));
}

/// "sso_oidc" -> "SSO_OIDC"
std::string ToUpper(std::string_view ascii) {
  std::string out(ascii);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

}  // namespace

Result<Url> ParseUrl(std::string_view text, std::string_view name) {
  const auto wrong = [&] {
    const bool may_hold_password = text.find('@') != std::string_view::npos;
    return InvalidArgument(std::string(name) + " is no URL such as https://host:port" +
                           (may_hold_password ? ", without user and password" : ": " + Quoted(text)));
  };
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F && c != '\\'; });
  const size_t scheme = text.find("://");
  if (!plain || text.size() > 2048 || scheme == std::string_view::npos || text.find('#') != std::string_view::npos) {
    return wrong();
  }
  const std::string protocol = ToLower(text.substr(0, scheme));
  if (protocol != "http" && protocol != "https") return wrong();
  std::string_view rest = text.substr(scheme + 3);
  const size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view authority = rest.substr(0, end);
  Url out;
  if (!SplitAuthority(authority, out.host)) return wrong();
  out.origin = protocol + "://" + std::string(authority);
  rest.remove_prefix(end);
  const size_t question = rest.find('?');
  out.path = rest.substr(0, question);
  if (question != std::string_view::npos) out.query = rest.substr(question + 1);
  if (out.path.empty()) out.path = "/";
  return out;
}

bool IsRegion(std::string_view text) {
  if (text.empty() || text.size() > 63 || text.front() == '-' || text.back() == '-') return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c != '.' && c != '_' && IsHostCharacter(c); });
}

std::string_view DnsSuffix(std::string_view region) {
  static constexpr std::pair<std::string_view, std::string_view> kSuffixes[] = {
      {"cn-", "amazonaws.com.cn"},
      {"eusc-", "amazonaws.eu"},
      {"us-isob-", "sc2s.sgov.gov"},
      {"us-iso-", "c2s.ic.gov"},
  };
  for (const auto& [prefix, suffix] : kSuffixes) {
    if (region.starts_with(prefix)) return suffix;
  }
  return "amazonaws.com";
}

std::string ConfiguredEndpoint(std::string_view service, const VariableLookup& variable, const ConfigFiles& files,
                               const std::string& profile, std::string* where) {
  static const ConfigSection kNone;
  const ConfigSection* found = files.Profile(profile);
  const ConfigSection& settings = found == nullptr ? kNone : *found;
  const auto ignore = variable("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
  if (IsTrue(ignore.value_or(settings.Value("ignore_configured_endpoint_urls")))) return "";
  for (const std::string& name : {"AWS_ENDPOINT_URL_" + ToUpper(service), std::string("AWS_ENDPOINT_URL")}) {
    *where = name;
    if (const auto url = variable(name)) return *url;
  }
  const std::string services = settings.Value("services");
  if (const auto section = files.services.find(services); !services.empty() && section != files.services.end()) {
    *where = "endpoint_url of [services " + Quoted(services) + "] in " + Quoted(files.config_path);
    std::string url = section->second.Nested(std::string(service), "endpoint_url");
    if (!url.empty()) return url;
  }
  *where = "endpoint_url of profile " + Quoted(profile);
  return settings.Value("endpoint_url");
}

Result<Url> ServiceUrl(std::string_view service, std::string_view host_label, std::string_view region,
                       const VariableLookup& variable, const ConfigFiles& files, const std::string& profile) {
  std::string where;
  const std::string configured = ConfiguredEndpoint(service, variable, files, profile, &where);
  if (!configured.empty()) return ParseUrl(configured, where);
  const std::string place = region.empty() ? "." : "." + std::string(region) + ".";
  return ParseUrl("https://" + std::string(host_label) + place + std::string(DnsSuffix(region)), service);
}

Result<std::string> ConfiguredRegion(const std::string& asked, const VariableLookup& variable, const ConfigFiles& files,
                                     const std::string& profile) {
  const ConfigSection* settings = files.Profile(profile);
  const std::pair<std::string, std::string> sources[] = {
      {"the region asked for", asked},
      {"AWS_REGION", variable("AWS_REGION").value_or("")},
      {"AWS_DEFAULT_REGION", variable("AWS_DEFAULT_REGION").value_or("")},
      {"region of profile " + Quoted(profile), settings == nullptr ? "" : settings->Value("region")},
  };
  for (const auto& [name, region] : sources) {
    if (region.empty()) continue;
    if (!IsRegion(region)) return InvalidArgument(name + " is no region such as eu-central-1: " + Quoted(region));
    return region;
  }
  return std::string();
}

}  // namespace tidegate::aws
