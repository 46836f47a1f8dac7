#include "tidegate/aws/instance_source.h"

#include "tidegate/aws/test_machine.h"

namespace tidegate::aws {
namespace {

using ::testing::HasSubstr;

class InstanceSourceTest : public ::testing::Test {
 protected:
  InstanceSourceTest() {
    keys_ = R"({"Code":"Success","Type":"AWS-HMAC","AccessKeyId":"ASIA","SecretAccessKey":")" + secret_ +
            R"(","Token":")" + token_ + R"(","Expiration":"2026-11-03T09:00:00Z"})";
    machine_.metadata->answer = [this](const SentRequest& sent) {
      if (sent.request.method == "PUT") return ReplyWith(token_status_, v2_token_);
      if (sent.Header("x-aws-ec2-metadata-token") != v2_token_) return ReplyWith(401, "");
      if (sent.request.path.ends_with("/security-credentials/")) return ReplyWith(role_status_, role_);
      return ReplyWith(keys_status_, keys_);
    };
  }
  Result<Credentials> Fetch() {
    auto source = InstanceSource::Make(machine_.Make(), profile_endpoint_);
    if (!source.ok()) return source.status();
    auto out = (*source)->Fetch();
    machine_.secrets.ExpectNoneIn(out.status().ToString() + (*source)->Describe());
    return out;
  }

  Machine machine_;
  const std::string secret_ = machine_.secrets.Make();
  const std::string token_ = machine_.secrets.Make();
  const std::string v2_token_ = machine_.secrets.Make();
  int token_status_ = 200, role_status_ = 200, keys_status_ = 200;
  std::string role_ = "my role\nother\n", keys_, profile_endpoint_;
};

TEST_F(InstanceSourceTest, EveryQuestionCarriesAToken) {
  role_ = "my+role\nother\n";
  const auto keys = Fetch();
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_EQ(keys->access_key_id, "ASIA");
  EXPECT_EQ(keys->secret_access_key, secret_);
  EXPECT_EQ(keys->session_token, token_);
  const auto& sent = machine_.metadata->sent;
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[0].Url(), "PUT http://169.254.169.254/latest/api/token");
  EXPECT_EQ(sent[0].Header("x-aws-ec2-metadata-token-ttl-seconds"), "300");
  EXPECT_EQ(sent[1].Url(), "GET http://169.254.169.254/latest/meta-data/iam/security-credentials/");
  EXPECT_EQ(sent[2].Url(), "GET http://169.254.169.254/latest/meta-data/iam/security-credentials/my%2Brole");
  EXPECT_LE(sent[0].request.time_limit, std::chrono::seconds(1));
}

TEST_F(InstanceSourceTest, VersionOneIsNeverAsked) {
  token_status_ = 404;
  EXPECT_EQ(Fetch().status().code(), Code::kUnauthenticated);
  EXPECT_EQ(machine_.metadata->sent.size(), 1u);
  token_status_ = 200;
  machine_.metadata->answer = [](const SentRequest&) { return ReplyWith(200, "two words"); };
  EXPECT_EQ(Fetch().status().code(), Code::kUnauthenticated);
}

TEST_F(InstanceSourceTest, NoAnswerIsTakenAfterTwoTries) {
  machine_.metadata->answer = nullptr;
  EXPECT_EQ(Fetch().status().code(), Code::kUnavailable);
  EXPECT_EQ(machine_.metadata->sent.size(), 2u);
}

TEST_F(InstanceSourceTest, AMachineWithoutARoleIsTold) {
  role_status_ = 404;
  EXPECT_THAT(Fetch().status().message(), HasSubstr("attach an instance profile"));
  role_status_ = 200;
  role_ = "";
  EXPECT_THAT(Fetch().status().message(), HasSubstr("attach an instance profile"));
  role_ = "r";
  keys_ = R"({"Code":"AssumeRoleUnauthorizedAccess","Message":")" + token_ + "\"}";
  EXPECT_THAT(Fetch().status().message(), HasSubstr("check the role's trust policy"));
  keys_status_ = 500;
  EXPECT_EQ(Fetch().status().code(), Code::kUnavailable);
}

TEST_F(InstanceSourceTest, RepliesThatAreCutOrNoKeysAreRefused) {
  role_ = "r";
  const std::string whole = keys_;
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    keys_ = whole.substr(0, cut);
    EXPECT_EQ(Fetch().status().code(), Code::kCorruption);
  }
  role_ = std::string(5000, 'r');
  EXPECT_FALSE(Fetch().ok());
}

TEST_F(InstanceSourceTest, TheEndpointCanBeSet) {
  role_ = "r";
  const auto origin = [&] {
    machine_.metadata->sent.clear();
    const auto keys = Fetch();
    return keys.ok() ? machine_.metadata->sent.at(0).Url() : keys.status().ToString();
  };
  machine_.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"] = "IPv6";
  EXPECT_EQ(origin(), "PUT http://[fd00:ec2::254]/latest/api/token");
  profile_endpoint_ = "http://127.0.0.1:2/";
  EXPECT_EQ(origin(), "PUT http://127.0.0.1:2/latest/api/token");
  machine_.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = "http://127.0.0.1:1/a/";
  EXPECT_EQ(origin(), "PUT http://127.0.0.1:1/a/latest/api/token");
  machine_.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = "nonsense";
  EXPECT_EQ(Fetch().status().code(), Code::kInvalidArgument);
}

TEST_F(InstanceSourceTest, TheRegionIsRead) {
  const auto metadata = *InstanceMetadata::Make(machine_.Make(), "");
  keys_ = "eu-central-1";
  EXPECT_EQ(*metadata->Region(), "eu-central-1");
  EXPECT_EQ(machine_.metadata->sent.at(1).request.path, "/latest/meta-data/placement/region");
  keys_ = "evil.example/";
  EXPECT_EQ(metadata->Region().status().code(), Code::kCorruption);
}

}  // namespace
}  // namespace tidegate::aws
