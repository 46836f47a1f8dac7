#include "tidegate/app/store_settings.h"

namespace tidegate::app {
namespace {

bool LiesBelow(const std::string& url, std::string place) {
  while (place.ends_with('/')) place.pop_back();
  return url == place || url.starts_with(place + "/");
}

void TakeIfSilent(const std::string& from, std::string& to) {
  if (to.empty()) to = from;
}

}  // namespace

StoreSettings SettingsFor(const std::string& url, const StoreSettings& flags,
                          const std::vector<StoreSection>& sections) {
  const StoreSection* best = nullptr;
  for (const StoreSection& section : sections) {
    if (LiesBelow(url, section.url) && (best == nullptr || section.url.size() > best->url.size())) best = &section;
  }
  StoreSettings out = flags;
  if (best == nullptr) return out;
  const StoreSettings& section = best->settings;
  // Who asks is one choice: a flag for it sets aside all that the section says of it.
  const bool identity_is_said = out.anonymous || !out.s3.profile.empty() || !out.web_identity.empty();
  if (!identity_is_said) {
    out.anonymous = section.anonymous;
    out.s3.profile = section.s3.profile;
    out.web_identity = section.web_identity;
  }
  TakeIfSilent(section.s3.region, out.s3.region);
  TakeIfSilent(section.s3.endpoint_url, out.s3.endpoint_url);
  TakeIfSilent(section.s3.addressing_style, out.s3.addressing_style);
  TakeIfSilent(section.s3.ca_bundle, out.s3.ca_bundle);
  out.requester_pays = out.requester_pays || section.requester_pays;
  return out;
}

}  // namespace tidegate::app
