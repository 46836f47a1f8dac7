// How stores in buckets are reached: flags of the command line, and [[store]] sections of tidegate.toml for single
// URLs. What neither says comes from where AWS tools look (aws/credential_chain.h). For people: docs/identities.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tidegate/aws/credential_chain.h"
#include "tidegate/aws/s3_settings.h"
#include "tidegate/base/status.h"

namespace tidegate::app {

/// "" and false: not said.
struct StoreSettings {
  aws::S3Flags s3 = {};
  aws::WebIdentitySettings web_identity = {};
  bool anonymous = false;
  bool requester_pays = false;
};

struct StoreSection {
  std::string url{};  // "s3://bucket", "gs://bucket/prefix": this and everything below it
  StoreSettings settings = {};
};

/// What `flags` say, and where they are silent, the section whose URL is the longest that `url` lies below.
StoreSettings SettingsFor(const std::string& url, const StoreSettings& flags,
                          const std::vector<StoreSection>& sections);

}  // namespace tidegate::app
