#include "tidegate/aws/container_source.h"

#include "tidegate/aws/test_machine.h"

namespace tidegate::aws {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRelative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
constexpr const char* kFull = "AWS_CONTAINER_CREDENTIALS_FULL_URI";

class ContainerSourceTest : public ::testing::Test {
 protected:
  Result<Credentials> Fetch() {
    auto source = ContainerSource::Make(machine_.Make());
    if (!source.ok()) return source.status();
    auto out = (*source)->Fetch();
    machine_.secrets.ExpectNoneIn(out.status().ToString() + (*source)->Describe());
    return out;
  }
  void Answer(int status, const std::string& body) {
    machine_.metadata->answer = [status, body](const SentRequest&) { return ReplyWith(status, body); };
  }
  std::string Keys() {
    return R"({"RoleArn":"r","AccessKeyId":"ASIA","SecretAccessKey":")" + secret_ + R"(","Token":")" + token_ +
           R"(","Expiration":"2026-11-03T04:00:00Z"})";
  }
  Machine machine_;
  const std::string secret_ = machine_.secrets.Make();
  const std::string token_ = machine_.secrets.Make();
  const std::string agent_token_ = machine_.secrets.Make();
};

TEST_F(ContainerSourceTest, ARelativePathIsAskedOfTheAgentOfEcs) {
  machine_.variables[kRelative] = "/v2/credentials/1?x=y";
  machine_.variables[kFull] = "http://evil.example/";
  Answer(200, Keys());
  const auto keys = Fetch();
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_EQ(keys->access_key_id, "ASIA");
  EXPECT_EQ(keys->session_token, token_);
  EXPECT_EQ(keys->expires, *ParseRfc3339("2026-11-03T04:00:00Z"));
  EXPECT_EQ(machine_.metadata->sent.at(0).Url(), "GET http://169.254.170.2/v2/credentials/1?x=y");
  EXPECT_TRUE(machine_.http->sent.empty());
}

TEST_F(ContainerSourceTest, ARelativePathCannotNameAnotherHost) {
  for (const char* path : {"@evil.example/", ".evil.example/", "//evil.example/", ":80@evil.example/"}) {
    machine_.variables[kRelative] = path;
    machine_.metadata->sent.clear();
    Answer(200, Keys());
    (void)Fetch();
    for (const SentRequest& sent : machine_.metadata->sent) EXPECT_EQ(sent.request.origin, "http://169.254.170.2");
  }
}

TEST_F(ContainerSourceTest, TheTokenOfTheFileWinsAndIsReadEachTime) {
  machine_.variables[kFull] = "http://169.254.170.23/v1/credentials";
  machine_.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "plain";
  Answer(200, Keys());
  ASSERT_TRUE(Fetch().ok());
  EXPECT_EQ(machine_.metadata->sent.at(0).Header("authorization"), "plain");
  machine_.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = "/token";
  machine_.files["/token"] = agent_token_ + "\n";
  ASSERT_TRUE(Fetch().ok());
  EXPECT_EQ(machine_.metadata->sent.at(1).Header("authorization"), agent_token_);
  machine_.files["/token"] = agent_token_ + "\r\nX-Evil: 1";
  EXPECT_EQ(Fetch().status().code(), Code::kInvalidArgument);
  machine_.files.erase("/token");
  EXPECT_EQ(Fetch().status().code(), Code::kNotFound);
}

TEST_F(ContainerSourceTest, OverHttpOnlyNearHostsAreAsked) {
  Answer(200, Keys());
  for (const char* near : {"http://localhost:8080/x", "http://127.0.0.1/x", "http://127.9.9.9/x", "http://[::1]:1/x",
                           "http://169.254.170.2/x", "http://[fd00:ec2::23]/x", "http://[fd00:0ec2:0::0023]/x",
                           "https://anywhere.example/x"}) {
    machine_.variables[kFull] = near;
    EXPECT_TRUE(Fetch().ok()) << near;
  }
  machine_.metadata->sent.clear();
  for (const char* far : {"http://evil.example/x", "http://169.254.169.254/x", "http://127.0.0.1.evil.example/x",
                          "http://localhost.evil.example/", "http://10.0.0.1/", "http://[fd00:ec2::24]/",
                          "http://0.0.0.0/", "http://2130706433/", "ftp://localhost/", "localhost"}) {
    machine_.variables[kFull] = far;
    EXPECT_EQ(Fetch().status().code(), Code::kInvalidArgument) << far;
  }
  EXPECT_TRUE(machine_.metadata->sent.empty());
}

TEST_F(ContainerSourceTest, RepliesWithoutKeysAreTold) {
  machine_.variables[kRelative] = "/x";
  Answer(403, token_);
  EXPECT_EQ(Fetch().status().code(), Code::kUnauthenticated);
  EXPECT_THAT(Fetch().status().message(), HasSubstr("status 403"));
  const std::string whole = Keys();
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    Answer(200, whole.substr(0, cut));
    EXPECT_EQ(Fetch().status().code(), Code::kCorruption);
  }
  machine_.metadata->sent.clear();
  Answer(500, "");
  EXPECT_EQ(Fetch().status().code(), Code::kUnavailable);
  EXPECT_EQ(machine_.metadata->sent.size(), 3u);
  machine_.metadata->answer = nullptr;
  EXPECT_EQ(Fetch().status().code(), Code::kUnavailable);
}

}  // namespace
}  // namespace tidegate::aws
