#include "tidegate/app/store_settings.h"

#include <gtest/gtest.h>

namespace tidegate::app {
namespace {

StoreSection Section(const std::string& url, const std::string& profile, const std::string& region = "") {
  StoreSection out;
  out.url = url;
  out.settings.s3.profile = profile;
  out.settings.s3.region = region;
  return out;
}

TEST(SettingsForTest, TakesTheSectionWhoseUrlIsTheLongest) {
  const std::vector<StoreSection> sections = {Section("s3://b", "wide"), Section("s3://b/p/", "narrow"),
                                              Section("s3://other", "other")};
  EXPECT_EQ(SettingsFor("s3://b", {}, sections).s3.profile, "wide");
  EXPECT_EQ(SettingsFor("s3://b/x", {}, sections).s3.profile, "wide");
  EXPECT_EQ(SettingsFor("s3://b/p", {}, sections).s3.profile, "narrow");
  EXPECT_EQ(SettingsFor("s3://b/p/q", {}, sections).s3.profile, "narrow");
  EXPECT_EQ(SettingsFor("s3://bb", {}, sections).s3.profile, "");
}

TEST(SettingsForTest, AFlagWinsOverASection) {
  StoreSettings flags;
  flags.s3.region = "eu-west-1";
  const StoreSettings out = SettingsFor("s3://b", flags, {Section("s3://b", "vendor", "us-west-2")});
  EXPECT_EQ(out.s3.region, "eu-west-1");
  EXPECT_EQ(out.s3.profile, "vendor");
}

TEST(SettingsForTest, WhoAsksIsOneChoice) {
  StoreSection section = Section("s3://b", "");
  section.settings.web_identity = {.role_arn = "role", .token_file = "/token"};
  StoreSettings flags;
  flags.s3.profile = "mine";
  EXPECT_TRUE(SettingsFor("s3://b", flags, {section}).web_identity.empty());
  flags = {};
  flags.anonymous = true;
  EXPECT_TRUE(SettingsFor("s3://b", flags, {section}).web_identity.empty());
  EXPECT_FALSE(SettingsFor("s3://b", {}, {section}).web_identity.empty());
}

}  // namespace
}  // namespace tidegate::app
