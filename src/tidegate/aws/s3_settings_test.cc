#include "tidegate/aws/s3_settings.h"

#include "tidegate/aws/test_machine.h"

namespace tidegate::aws {
namespace {

using ::testing::HasSubstr;

class S3SettingsTest : public ::testing::Test {
 protected:
  Result<S3Settings> Resolve() {
    const Surroundings surroundings = machine_.Make();
    return ResolveS3Settings(flags_, surroundings.variable, *LoadConfigFiles(surroundings));
  }
  void Config(const std::string& text) { machine_.files["/home/me/.aws/config"] = text; }

  Machine machine_;
  S3Flags flags_;
};

TEST_F(S3SettingsTest, WithoutSettingsItIsAmazonAndTheRegionIsOpen) {
  const auto settings = Resolve();
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->profile, "default");
  EXPECT_EQ(settings->region, "");
  EXPECT_EQ(settings->endpoint_url, "");
  EXPECT_EQ(settings->addressing_style, AddressingStyle::kAuto);
  EXPECT_EQ(settings->ca_bundle, "");
}

TEST_F(S3SettingsTest, TheNearerRegionWins) {
  Config("[default]\nregion = eu-west-4\n[profile x]\nregion = eu-west-5\n");
  EXPECT_EQ(Resolve()->region, "eu-west-4");
  machine_.variables["AWS_PROFILE"] = "x";
  EXPECT_EQ(Resolve()->region, "eu-west-5");
  machine_.variables["AWS_DEFAULT_REGION"] = "eu-west-3";
  EXPECT_EQ(Resolve()->region, "eu-west-3");
  machine_.variables["AWS_REGION"] = "eu-west-2";
  EXPECT_EQ(Resolve()->region, "eu-west-2");
  flags_.region = "eu-west-1";
  EXPECT_EQ(Resolve()->region, "eu-west-1");
}

TEST_F(S3SettingsTest, AnEndpointOfOnesOwnHasARegion) {
  flags_.endpoint_url = "http://127.0.0.1:9000/";
  EXPECT_EQ(Resolve()->region, "us-east-1");
  EXPECT_EQ(Resolve()->endpoint_url, "http://127.0.0.1:9000");
}

TEST_F(S3SettingsTest, TheNearerEndpointWins) {
  Config("[default]\nendpoint_url = http://profile/\n");
  EXPECT_EQ(Resolve()->endpoint_url, "http://profile");
  Config(
      "[default]\nendpoint_url = http://profile\nservices = v\n[services v]\ns3 =\n  endpoint_url = "
      "http://services/x/\n");
  EXPECT_EQ(Resolve()->endpoint_url, "http://services/x");
  machine_.variables["AWS_ENDPOINT_URL"] = "http://all";
  EXPECT_EQ(Resolve()->endpoint_url, "http://all");
  machine_.variables["AWS_ENDPOINT_URL_S3"] = "http://s3";
  EXPECT_EQ(Resolve()->endpoint_url, "http://s3");
  machine_.variables["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true";
  EXPECT_EQ(Resolve()->endpoint_url, "");
  flags_.endpoint_url = "http://flag";
  EXPECT_EQ(Resolve()->endpoint_url, "http://flag");
}

TEST_F(S3SettingsTest, AddressingAndCertificatesComeFromTheProfileToo) {
  Config("[default]\nca_bundle = ~/ca.pem\ns3 =\n  addressing_style = path\n");
  EXPECT_EQ(Resolve()->addressing_style, AddressingStyle::kPath);
  EXPECT_EQ(Resolve()->ca_bundle, "/home/me/ca.pem");
  machine_.variables["AWS_CA_BUNDLE"] = "/env.pem";
  EXPECT_EQ(Resolve()->ca_bundle, "/env.pem");
  flags_.addressing_style = "virtual";
  flags_.ca_bundle = "/flag.pem";
  EXPECT_EQ(Resolve()->addressing_style, AddressingStyle::kVirtual);
  EXPECT_EQ(Resolve()->ca_bundle, "/flag.pem");
}

TEST_F(S3SettingsTest, WhatCannotBeIsRefusedWithItsPlace) {
  machine_.variables["AWS_REGION"] = "evil.example/";
  EXPECT_THAT(Resolve().status().message(), HasSubstr("AWS_REGION is no region"));
  machine_.variables.erase("AWS_REGION");
  machine_.variables["AWS_ENDPOINT_URL_S3"] = "host:9000";
  EXPECT_THAT(Resolve().status().message(), HasSubstr("AWS_ENDPOINT_URL_S3 is no URL"));
  machine_.variables["AWS_ENDPOINT_URL_S3"] = "http://h/?x=y";
  EXPECT_THAT(Resolve().status().message(), HasSubstr("must not have a query"));
  machine_.variables.erase("AWS_ENDPOINT_URL_S3");
  Config("[default]\ns3 =\n  addressing_style = round\n");
  EXPECT_THAT(Resolve().status().message(), HasSubstr("s3.addressing_style of profile 'default'"));
}

TEST_F(S3SettingsTest, TheMachineTellsItsRegionOnlyWhereItsRoleIsUsed) {
  machine_.metadata->answer = [](const SentRequest& sent) {
    return ReplyWith(200, sent.request.method == "PUT" ? "T" : "eu-north-1\n");
  };
  EXPECT_EQ(FindRegion(*Resolve(), {}, machine_.Make()), "eu-north-1");
  machine_.metadata->answer = nullptr;
  EXPECT_EQ(FindRegion(*Resolve(), {}, machine_.Make()), "");
  machine_.metadata->sent.clear();
  machine_.variables["AWS_ACCESS_KEY_ID"] = "I";
  EXPECT_EQ(FindRegion(*Resolve(), {}, machine_.Make()), "");
  IdentityOptions anonymous;
  anonymous.anonymous = true;
  EXPECT_EQ(FindRegion(*Resolve(), anonymous, machine_.Make()), "");
  EXPECT_TRUE(machine_.metadata->sent.empty());
}

}  // namespace
}  // namespace tidegate::aws
