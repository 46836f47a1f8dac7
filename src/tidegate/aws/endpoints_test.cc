#include "tidegate/aws/endpoints.h"

#include "tidegate/aws/test_machine.h"

namespace tidegate::aws {
namespace {

using ::testing::HasSubstr;

TEST(EndpointsTest, AUrlIsCutIntoItsParts) {
  const Url url = *ParseUrl("HTTPS://host.example:8443/a/b?c=d", "x");
  EXPECT_EQ(url.origin, "https://host.example:8443");
  EXPECT_EQ(url.host, "host.example");
  EXPECT_EQ(url.path, "/a/b");
  EXPECT_EQ(url.query, "c=d");
  EXPECT_TRUE(url.tls());
  const Url six = *ParseUrl("http://[fd00:ec2::23]:80", "x");
  EXPECT_EQ(six.origin, "http://[fd00:ec2::23]:80");
  EXPECT_EQ(six.host, "fd00:ec2::23");
  EXPECT_EQ(six.path, "/");
  EXPECT_FALSE(six.tls());
  EXPECT_EQ(ParseUrl("http://h?q", "x")->query, "q");
}

TEST(EndpointsTest, WhatIsNoUrlIsRefused) {
  for (const char* text : {"", "host", "ftp://h", "http://", "http:///x", "http://h:", "http://h:0", "http://h:99999",
                           "http://h:8a", "http://h h", "http://h\n", "http://h/\r\nX: y", "http://h#f", "http://[::1",
                           "http://[]", "http://[::1]x", "http://h\\@evil", "file:///etc/passwd", "http://h%2f"}) {
    EXPECT_EQ(ParseUrl(text, "NAME").status().code(), Code::kInvalidArgument) << text;
  }
  EXPECT_THAT(ParseUrl("host", "NAME").status().message(), HasSubstr("NAME is no URL"));
  EXPECT_FALSE(ParseUrl("http://h/" + std::string(5000, 'x'), "x").ok());
}

TEST(EndpointsTest, APasswordInAUrlIsRefusedAndNotShown) {
  Secrets secrets;
  const Status status = ParseUrl("https://user:" + secrets.Make() + "@host", "x").status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  secrets.ExpectNoneIn(status.message());
}

TEST(EndpointsTest, ARegionIsALabelOfAHostName) {
  EXPECT_TRUE(IsRegion("eu-central-1"));
  for (const std::string text : {"", "a.b", "a/b", "-a", "a-", "a b", "evil.com/", "é"})
    EXPECT_FALSE(IsRegion(text)) << text;
  EXPECT_FALSE(IsRegion(std::string(64, 'a')));
}

TEST(EndpointsTest, EachPartitionHasItsOwnDomain) {
  EXPECT_EQ(DnsSuffix("eu-central-1"), "amazonaws.com");
  EXPECT_EQ(DnsSuffix("us-gov-west-1"), "amazonaws.com");
  EXPECT_EQ(DnsSuffix("cn-north-1"), "amazonaws.com.cn");
  EXPECT_EQ(DnsSuffix("eusc-de-east-1"), "amazonaws.eu");
  EXPECT_EQ(DnsSuffix("us-iso-east-1"), "c2s.ic.gov");
  EXPECT_EQ(DnsSuffix("us-isob-east-1"), "sc2s.sgov.gov");
}

class ServiceUrlTest : public ::testing::Test {
 protected:
  std::string Sts(const std::string& region) {
    const Surroundings surroundings = machine_.Make();
    const ConfigFiles files = *LoadConfigFiles(surroundings);
    const auto url = ServiceUrl("sts", "sts", region, surroundings.variable, files, "default");
    return url.ok() ? url->origin : url.status().message();
  }
  Machine machine_;
};

TEST_F(ServiceUrlTest, TheRegionNamesTheHost) {
  EXPECT_EQ(Sts("eu-west-1"), "https://sts.eu-west-1.amazonaws.com");
  EXPECT_EQ(Sts("cn-north-1"), "https://sts.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(Sts(""), "https://sts.amazonaws.com");
}

TEST_F(ServiceUrlTest, TheNearerSettingWins) {
  machine_.files["/home/me/.aws/config"] = "[default]\nendpoint_url = http://profile\n";
  EXPECT_EQ(Sts("eu-west-1"), "http://profile");
  machine_.files["/home/me/.aws/config"] += "services = v\n[services v]\nsts =\n  endpoint_url = http://services\n";
  EXPECT_EQ(Sts("eu-west-1"), "http://services");
  machine_.variables["AWS_ENDPOINT_URL"] = "http://all";
  EXPECT_EQ(Sts("eu-west-1"), "http://all");
  machine_.variables["AWS_ENDPOINT_URL_STS"] = "http://sts";
  EXPECT_EQ(Sts("eu-west-1"), "http://sts");
  machine_.variables["AWS_ENDPOINT_URL_STS"] = "nonsense";
  EXPECT_THAT(Sts("eu-west-1"), HasSubstr("AWS_ENDPOINT_URL_STS is no URL"));
  machine_.variables["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "True";
  EXPECT_EQ(Sts("eu-west-1"), "https://sts.eu-west-1.amazonaws.com");
}

}  // namespace
}  // namespace tidegate::aws
