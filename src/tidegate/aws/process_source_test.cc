#include "tidegate/aws/process_source.h"

#include "tidegate/aws/test_machine.h"

namespace tidegate::aws {
namespace {

using ::testing::HasSubstr;

class ProcessSourceTest : public ::testing::Test {
 protected:
  Result<Credentials> Fetch(const std::string& printed) {
    machine_.command = [printed](const std::vector<std::string>&) { return Result<std::string>(printed); };
    auto out = ProcessSource("profile 'x'", {"keys"}, machine_.Make()).Fetch();
    machine_.secrets.ExpectNoneIn(out.status().ToString());
    return out;
  }
  Machine machine_;
  const std::string secret_ = machine_.secrets.Make();
  const std::string token_ = machine_.secrets.Make();
};

TEST_F(ProcessSourceTest, TheKeysAreReadFromJson) {
  const auto lasting = Fetch(R"({"Version": 1, "AccessKeyId": "I", "SecretAccessKey": ")" + secret_ + "\"}\n");
  ASSERT_TRUE(lasting.ok()) << lasting.status().ToString();
  EXPECT_EQ(lasting->access_key_id, "I");
  EXPECT_FALSE(lasting->expires);
  const auto keys = Fetch(R"({"Version":1,"AccessKeyId":"I","SecretAccessKey":")" + secret_ + R"(","SessionToken":")" +
                          token_ + R"(","Expiration":"2026-11-03T05:00:00+01:00","More":[]})");
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_EQ(keys->secret_access_key, secret_);
  EXPECT_EQ(keys->session_token, token_);
  EXPECT_EQ(keys->expires, *ParseRfc3339("2026-11-03T04:00:00Z"));
}

TEST_F(ProcessSourceTest, WhatIsNoKeysIsRefusedUnseen) {
  const std::string keys = R"("AccessKeyId":"I","SecretAccessKey":")" + secret_ + "\"";
  const std::string whole = R"({"Version":1,)" + keys + "}";
  for (size_t cut = 0; cut < whole.size(); ++cut)
    EXPECT_EQ(Fetch(whole.substr(0, cut)).status().code(), Code::kCorruption);
  for (const std::string& text : std::vector<std::string>{
           "{" + keys + "}", R"({"Version":2,)" + keys + "}", R"({"Version":"1",)" + keys + "}",
           R"({"Version":1,"AccessKeyId":"I"})", R"({"Version":1,)" + keys + R"(,"Expiration":")" + token_ + "\"}",
           R"({"Version":1,)" + keys + R"(,"Expiration":5})", R"({"Version":1,)" + keys + R"(,"SessionToken":"a\nb"})",
           R"({"Version":1,)" + keys + R"(,"SessionToken":{}})",
           R"({"Version":1,)" + keys + ",\"" + token_ + "\":1,\"" + token_ + "\":2}", "[" + whole + "]", whole + "x",
           std::string(1000, '[')}) {
    EXPECT_EQ(Fetch(text).status().code(), Code::kCorruption) << text;
  }
}

TEST_F(ProcessSourceTest, AFailureOfTheCommandNamesTheProfile) {
  machine_.command = [](const std::vector<std::string>&) { return Result<std::string>(Unavailable("too slow")); };
  const Status status = ProcessSource("profile 'x'", {"keys"}, machine_.Make()).Fetch().status();
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("profile 'x': too slow"));
}

}  // namespace
}  // namespace tidegate::aws
