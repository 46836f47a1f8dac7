#include "tidegate/aws/credential_chain.h"

#include "tidegate/aws/test_machine.h"

namespace tidegate::aws {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kConfig = "/home/me/.aws/config";
constexpr const char* kCredentials = "/home/me/.aws/credentials";
constexpr const char* kRole = "arn:aws:iam::123456789012:role/reader";

class CredentialChainTest : public ::testing::Test {
 protected:
  CredentialChainTest() {
    machine_.http->answer = [this](const SentRequest& sent) {
      const bool by_token = sent.body.find("Action=AssumeRoleWithWebIdentity") != std::string::npos;
      const std::string id = "ASIA" + std::to_string(machine_.http->sent.size());
      return ReplyWith(200, StsKeys(by_token ? "AssumeRoleWithWebIdentity" : "AssumeRole", id, secret_, token_,
                                    "2026-11-03T04:00:00Z"));
    };
    machine_.command = [this](const std::vector<std::string>&) { return Result<std::string>(token_ + "\n"); };
  }

  /// The provider. Whatever it or its absence says has no secret in it.
  Result<std::unique_ptr<CredentialsProvider>> Make() {
    auto out = MakeCredentialsProvider(options_, machine_.Make());
    machine_.secrets.ExpectNoneIn(out.ok() ? (*out)->Describe() : out.status().ToString());
    return out;
  }
  /// "<id of the key> by <description>", or the error.
  std::string Identity() {
    const auto provider = Make();
    if (!provider.ok()) return provider.status().ToString();
    const auto keys = (*provider)->Get();
    machine_.secrets.ExpectNoneIn(keys.status().ToString());
    if (!keys.ok()) return keys.status().ToString();
    return (*keys ? (*keys)->access_key_id : "nothing") + " by " + (*provider)->Describe();
  }
  Code Failure() {
    const auto provider = Make();
    if (!provider.ok()) return provider.status().code();
    const auto keys = (*provider)->Get();
    machine_.secrets.ExpectNoneIn(keys.status().ToString());
    return keys.status().code();
  }
  void SetKeys(const std::string& id) {
    machine_.variables["AWS_ACCESS_KEY_ID"] = id;
    machine_.variables["AWS_SECRET_ACCESS_KEY"] = secret_;
  }
  std::string ProfileKeys(const std::string& name, const std::string& id) {
    return "[" + name + "]\naws_access_key_id = " + id + "\naws_secret_access_key = " + secret_ + "\n";
  }

  Machine machine_;
  const std::string secret_ = machine_.secrets.Make();
  const std::string token_ = machine_.secrets.Make();
  IdentityOptions options_;
};

TEST_F(CredentialChainTest, AnonymousAsksNothing) {
  options_.anonymous = true;
  SetKeys("AKIDENV");
  machine_.files[kConfig] = "broken";
  EXPECT_EQ(Identity(), "nothing by anonymous: requests are not signed");
}

TEST_F(CredentialChainTest, KeysOfTheEnvironmentWinOverAProfileThatIsOnlyTheUsualOne) {
  machine_.files[kCredentials] = ProfileKeys("default", "AKIDDEFAULT") + ProfileKeys("x", "AKIDX");
  EXPECT_EQ(Identity(), "AKIDDEFAULT by profile 'default'");
  machine_.variables["AWS_PROFILE"] = "x";
  EXPECT_EQ(Identity(), "AKIDX by profile 'x'");
  SetKeys("AKIDENV");
  EXPECT_EQ(Identity(), "AKIDENV by environment variables");
}

TEST_F(CredentialChainTest, AProfileThatTheUserNamesWinsOverTheEnvironment) {
  machine_.files[kCredentials] = ProfileKeys("x", "AKIDX");
  SetKeys("AKIDENV");
  machine_.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  options_.profile = "x";
  EXPECT_EQ(Identity(), "AKIDX by profile 'x'");
}

TEST_F(CredentialChainTest, HalfAPairOfKeysIsAnErrorAndNotPassedOver) {
  machine_.files[kCredentials] = ProfileKeys("default", "AKIDDEFAULT");
  machine_.variables["AWS_SECRET_ACCESS_KEY"] = secret_;
  EXPECT_THAT(Identity(), HasSubstr("AWS_SECRET_ACCESS_KEY is set and AWS_ACCESS_KEY_ID is not"));
  machine_.variables.erase("AWS_SECRET_ACCESS_KEY");
  machine_.variables["AWS_ACCESS_KEY_ID"] = "AKID";
  EXPECT_THAT(Identity(), HasSubstr("AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not"));
  options_.profile = "x";
  machine_.files[kCredentials] = "[x]\naws_access_key_id = AKIDX\n";
  EXPECT_THAT(Identity(), HasSubstr("profile 'x': aws_access_key_id is set and aws_secret_access_key is not"));
}

TEST_F(CredentialChainTest, KeysOfTheEnvironmentMayHaveATokenAndAnEnd) {
  SetKeys("AKIDENV");
  machine_.variables["AWS_SESSION_TOKEN"] = token_;
  machine_.variables["AWS_CREDENTIAL_EXPIRATION"] = "2026-11-03T05:00:00Z";
  const auto provider = Make();
  const Credentials keys = **(*provider)->Get();
  EXPECT_EQ(keys.session_token, token_);
  EXPECT_EQ(keys.expires, *ParseRfc3339("2026-11-03T05:00:00Z"));
  machine_.variables["AWS_CREDENTIAL_EXPIRATION"] = token_;
  EXPECT_EQ(Failure(), Code::kCorruption);
  machine_.variables["AWS_CREDENTIAL_EXPIRATION"] = "2026-11-03T02:59:59Z";
  EXPECT_THAT(Identity(), HasSubstr("ran out at 2026-11-03T02:59:59Z"));
}

TEST_F(CredentialChainTest, KeysThatBreakAHeaderAreRefusedUnseen) {
  SetKeys("AKIDENV");
  machine_.variables["AWS_SESSION_TOKEN"] = token_ + "\r\nX-Evil: 1";
  EXPECT_EQ(Failure(), Code::kCorruption);
}

TEST_F(CredentialChainTest, KeysThatWereReplacedInTheFileAreReadOnRefresh) {
  machine_.files[kCredentials] = ProfileKeys("default", "AKIDOLD");
  const auto provider = *Make();
  EXPECT_EQ((**provider->Get()).access_key_id, "AKIDOLD");
  machine_.files[kCredentials] = ProfileKeys("default", "AKIDNEW");
  EXPECT_EQ((**provider->Get()).access_key_id, "AKIDOLD");
  machine_.clock->Set(machine_.clock->Now() + std::chrono::minutes(1));
  provider->Refresh();
  EXPECT_EQ((**provider->Get()).access_key_id, "AKIDNEW");
  machine_.files.erase(kCredentials);
  machine_.clock->Set(machine_.clock->Now() + std::chrono::minutes(1));
  provider->Refresh();
  EXPECT_EQ(provider->Get().status().code(), Code::kNotFound);
}

TEST_F(CredentialChainTest, AProfileThatWasNamedMustBeThere) {
  options_.profile = "none";
  EXPECT_EQ(Failure(), Code::kNotFound);
  EXPECT_THAT(Identity(), HasSubstr("there is no profile 'none' in '/home/me/.aws/config'"));
  options_.profile = "";
  machine_.variables["AWS_PROFILE"] = "gone";
  EXPECT_THAT(Identity(), HasSubstr("there is no profile 'gone'"));
}

TEST_F(CredentialChainTest, ABrokenFileIsAnErrorAndNotPassedOver) {
  machine_.files[kCredentials] = "[default]\n" + secret_;
  EXPECT_EQ(Failure(), Code::kInvalidArgument);
}

TEST_F(CredentialChainTest, WithoutAnySourceTheMessageSaysWhereWeLooked) {
  machine_.variables["AWS_EC2_METADATA_DISABLED"] = "true";
  EXPECT_EQ(Failure(), Code::kUnauthenticated);
  EXPECT_THAT(Identity(), HasSubstr("no identity for AWS was found"));
  EXPECT_THAT(Identity(), HasSubstr("AWS_EC2_METADATA_DISABLED"));
  machine_.variables.erase("AWS_EC2_METADATA_DISABLED");
  EXPECT_EQ(Failure(), Code::kUnauthenticated);  // nobody answers
  EXPECT_THAT(Identity(), HasSubstr("profile 'default' of '/home/me/.aws/config'"));
}

TEST_F(CredentialChainTest, AProfileWithARegionAloneLeavesTheSearchOpen) {
  machine_.files[kConfig] = "[default]\nregion = eu-west-1\n";
  machine_.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/v2/keys";
  EXPECT_THAT((*Make())->Describe(), HasSubstr("container role"));
}

// Roles

TEST_F(CredentialChainTest, ARoleIsTakenWithTheKeysOfAnotherProfile) {
  machine_.files[kConfig] =
      std::string("[profile vendor]\nregion = eu-west-1\nrole_arn = ") + kRole +
      "\nsource_profile = base\nexternal_id = e\nduration_seconds = 1800\nrole_session_name = night\n";
  machine_.files[kCredentials] = ProfileKeys("base", "AKIDBASE");
  options_.profile = "vendor";
  EXPECT_EQ(Identity(), std::string("ASIA1 by profile 'vendor' (role '") + kRole + "', from profile 'base')");
  const SentRequest& sent = machine_.http->sent.at(0);
  EXPECT_EQ(sent.request.origin, "https://sts.eu-west-1.amazonaws.com");
  EXPECT_THAT(sent.Header("authorization"), HasSubstr("Credential=AKIDBASE/20261103/eu-west-1/sts"));
  EXPECT_THAT(sent.body, HasSubstr("ExternalId=e&"));
  EXPECT_THAT(sent.body, HasSubstr("DurationSeconds=1800"));
  EXPECT_THAT(sent.body, HasSubstr("RoleSessionName=night"));
}

TEST_F(CredentialChainTest, RolesMayFollowOneAnother) {
  machine_.files[kConfig] = std::string("[profile a]\nrole_arn = ") + kRole +
                            "a\nsource_profile = b\n[profile b]\nrole_arn = " + kRole + "b\nsource_profile = c\n";
  machine_.files[kCredentials] = ProfileKeys("c", "AKIDC");
  options_.profile = "a";
  options_.region = "us-east-2";
  EXPECT_THAT(Identity(), HasSubstr("ASIA2 by profile 'a' (role"));
  EXPECT_THAT(machine_.http->sent.at(0).Header("authorization"), HasSubstr("Credential=AKIDC/"));
  EXPECT_THAT(machine_.http->sent.at(1).Header("authorization"), HasSubstr("Credential=ASIA1/20261103/us-east-2/sts"));
  EXPECT_EQ(machine_.http->sent.at(1).Header("x-amz-security-token"), token_);
}

TEST_F(CredentialChainTest, ACircleOfProfilesIsRefusedAndShown) {
  machine_.files[kConfig] = std::string("[profile a]\nrole_arn = ") + kRole +
                            "\nsource_profile = b\n[profile b]\nrole_arn = " + kRole +
                            "\nsource_profile = a\n[profile self]\nrole_arn = " + kRole + "\nsource_profile = self\n";
  options_.profile = "a";
  EXPECT_EQ(Failure(), Code::kInvalidArgument);
  EXPECT_THAT(Identity(), HasSubstr("lead in a circle: 'a -> b -> a'"));
  options_.profile = "self";
  EXPECT_THAT(Identity(), HasSubstr("'self -> self'"));
  machine_.files[kCredentials] = ProfileKeys("self", "AKIDSELF");
  EXPECT_THAT(Identity(), HasSubstr("ASIA1 by profile 'self' (role"));
}

TEST_F(CredentialChainTest, ALongRowOfProfilesEnds) {
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += "[profile p" + std::to_string(i) + "]\nrole_arn = " + kRole + "\nsource_profile = p" +
            std::to_string(i + 1) + "\n";
  }
  machine_.files[kConfig] = text;
  options_.profile = "p0";
  EXPECT_EQ(Failure(), Code::kNotFound);
}

TEST_F(CredentialChainTest, ARoleMayBeTakenWithWhatTheMachineHas) {
  machine_.files[kConfig] = std::string("[profile a]\nrole_arn = ") + kRole + "\ncredential_source = Environment\n";
  SetKeys("AKIDENV");
  options_.profile = "a";
  EXPECT_THAT(Identity(), HasSubstr("from environment variables"));
  EXPECT_THAT(machine_.http->sent.at(0).Header("authorization"), HasSubstr("Credential=AKIDENV/"));
  machine_.files[kConfig] =
      std::string("[profile a]\nrole_arn = ") + kRole + "\ncredential_source = Ec2InstanceMetadata\n";
  EXPECT_THAT((*Make())->Describe(), HasSubstr("from role of this machine"));
  machine_.files[kConfig] = std::string("[profile a]\nrole_arn = ") + kRole + "\ncredential_source = EcsContainer\n";
  EXPECT_EQ(Failure(), Code::kInvalidArgument);
  machine_.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://127.0.0.1:1/x";
  EXPECT_THAT((*Make())->Describe(), HasSubstr("from container role"));
}

TEST_F(CredentialChainTest, AProfileThatCannotBeFollowedIsRefusedWithTheReason) {
  const std::pair<std::string, std::string> kCases[] = {
      {"", "does not say with whose keys"},
      {"source_profile = b\ncredential_source = Environment\n", "has both"},
      {"credential_source = Moon\n", "'Moon'"},
      {"source_profile = none\n", "there is no profile 'none'"},
      {"source_profile = b\nmfa_serial = arn:aws:iam::1:mfa/me\n", "needs an MFA code"},
      {"source_profile = b\nduration_seconds = long\n", "no whole number"},
      {"source_profile = b\nduration_seconds = 60\n", "from 900 to 43200"},
      {"source_profile = b\nregion = x/y\n", "region of profile 'a' is no region"},
      {"source_profile = b\nendpoint_url = x\n", "endpoint_url of profile 'a' is no URL"},
  };
  options_.profile = "a";
  for (const auto& [settings, words] : kCases) {
    machine_.files[kConfig] = std::string("[profile a]\nrole_arn = ") + kRole + "\n" + settings;
    machine_.files[kCredentials] = ProfileKeys("b", "AKIDB");
    EXPECT_THAT(Identity(), HasSubstr(words));
  }
  machine_.files[kConfig] = "[profile a]\nlogin_session = arn:x\n";
  EXPECT_EQ(Failure(), Code::kUnsupported);
}

TEST_F(CredentialChainTest, BaseKeysThatWereRefusedAreFetchedAgainOnce) {
  machine_.files[kConfig] = std::string("[profile a]\nrole_arn = ") + kRole + "\nsource_profile = b\n";
  machine_.files[kCredentials] = ProfileKeys("b", "AKIDOLD");
  options_.profile = "a";
  machine_.http->answer = [this](const SentRequest& sent) {
    if (sent.Header("authorization").find("AKIDNEW") != std::string::npos) {
      return ReplyWith(200, StsKeys("AssumeRole", "ASIA", secret_, token_, "2026-11-03T04:00:00Z"));
    }
    machine_.files[kCredentials] = ProfileKeys("b", "AKIDNEW");
    machine_.clock->Set(machine_.clock->Now() + std::chrono::seconds(10));
    return ReplyWith(403, StsError("ExpiredToken", "old"));
  };
  EXPECT_THAT(Identity(), HasSubstr("ASIA by profile 'a'"));
  machine_.http->answer = [](const SentRequest&) { return ReplyWith(403, StsError("InvalidClientTokenId", "no")); };
  machine_.http->sent.clear();
  EXPECT_EQ(Failure(), Code::kUnauthenticated);
  EXPECT_EQ(machine_.http->sent.size(), 2u);
}

// Web identity

TEST_F(CredentialChainTest, WebIdentityOfTheEnvironment) {
  machine_.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/var/token";
  machine_.variables["AWS_ROLE_ARN"] = kRole;
  machine_.variables["AWS_ROLE_SESSION_NAME"] = "pod";
  machine_.variables["AWS_REGION"] = "cn-north-1";
  machine_.files["/var/token"] = token_ + "\n";
  machine_.files[kCredentials] = ProfileKeys("default", "AKIDDEFAULT");
  EXPECT_EQ(Identity(),
            std::string("ASIA1 by web identity of the environment (role '") + kRole + "', token file '/var/token')");
  EXPECT_EQ(machine_.http->sent.at(0).request.origin, "https://sts.cn-north-1.amazonaws.com.cn");
  EXPECT_THAT(machine_.http->sent.at(0).body, HasSubstr("RoleSessionName=pod"));
  EXPECT_THAT(machine_.http->sent.at(0).body, HasSubstr("WebIdentityToken=" + token_));
  machine_.variables.erase("AWS_ROLE_ARN");
  EXPECT_THAT(Identity(), HasSubstr("AWS_ROLE_ARN is not"));
}

TEST_F(CredentialChainTest, WebIdentityOfAProfile) {
  machine_.files[kConfig] = std::string("[profile a]\nrole_arn = ") + kRole + "\nweb_identity_token_file = ~/token\n";
  machine_.files["/home/me/token"] = token_;
  options_.profile = "a";
  EXPECT_EQ(Identity(), std::string("ASIA1 by profile 'a' (web identity, role '") + kRole + "', token file '~/token')");
}

TEST_F(CredentialChainTest, ACommandMayPrintTheToken) {
  options_.web_identity = {kRole, "", "gcloud auth print-identity-token '--audiences=a b' " + secret_, ""};
  SetKeys("AKIDENV");
  EXPECT_EQ(Identity(), std::string("ASIA1 by web identity (role '") + kRole + "', token from a command)");
  EXPECT_THAT(machine_.ran.at(0), ElementsAre("gcloud", "auth", "print-identity-token", "--audiences=a b", secret_));
}

TEST_F(CredentialChainTest, TheTokenIsReadAnewForEachExchange) {
  options_.web_identity = {kRole, "/token", "", ""};
  machine_.variables["AWS_ENDPOINT_URL_STS"] = "http://127.0.0.1:8333";
  machine_.files["/token"] = token_;
  const auto provider = *Make();
  EXPECT_EQ((**provider->Get()).access_key_id, "ASIA1");
  const std::string next = machine_.secrets.Make();
  machine_.files["/token"] = next;
  machine_.clock->Set(*ParseRfc3339("2026-11-03T03:56:00Z"));
  EXPECT_EQ((**provider->Get()).access_key_id, "ASIA2");
  EXPECT_THAT(machine_.http->sent.at(1).body, HasSubstr(next));
  EXPECT_EQ(machine_.http->sent.at(1).Url(), "POST http://127.0.0.1:8333/");
}

TEST_F(CredentialChainTest, WhatIsNoTokenIsNotSent) {
  options_.web_identity = {kRole, "/token", "", ""};
  EXPECT_EQ(Failure(), Code::kNotFound);
  for (const std::string& text : {std::string(), std::string("\n"), token_ + " " + token_, token_ + "\n" + token_,
                                  "\x7F" + token_, std::string(20'001, 'x'), std::string(30'000, 'x')}) {
    machine_.files["/token"] = text;
    EXPECT_NE(Failure(), Code::kOk);
  }
  options_.web_identity = {kRole, "", "gcloud", ""};
  machine_.command = [](const std::vector<std::string>&) {
    return Result<std::string>(Status(Code::kUnauthenticated, "code 1"));
  };
  EXPECT_EQ(Failure(), Code::kUnauthenticated);
  EXPECT_TRUE(machine_.http->sent.empty());
}

TEST_F(CredentialChainTest, SettingsThatContradictEachOtherAreRefused) {
  const WebIdentitySettings kCases[] = {
      {kRole, "/token", "gcloud", ""},   {kRole, "", "", ""},         {"", "/token", "", ""}, {"x", "/token", "", ""},
      {kRole, "/token", "", "bad name"}, {kRole, "", "gcloud '", ""},
  };
  for (const WebIdentitySettings& web : kCases) {
    options_.web_identity = web;
    EXPECT_EQ(Failure(), Code::kInvalidArgument);
  }
  options_.web_identity = {kRole, "/token", "", ""};
  options_.profile = "x";
  EXPECT_EQ(Failure(), Code::kInvalidArgument);
}

TEST_F(CredentialChainTest, ExpiredAndForgedTokensAreTold) {
  options_.web_identity = {kRole, "/token", "", ""};
  machine_.files["/token"] = token_;
  machine_.http->answer = [this](const SentRequest&) {
    return ReplyWith(400, StsError("ExpiredTokenException", token_));
  };
  EXPECT_THAT(Identity(), HasSubstr("the token has run out"));
  EXPECT_THAT(Identity(), HasSubstr("token file '/token'"));
  machine_.http->answer = [this](const SentRequest&) {
    return ReplyWith(400, StsError("InvalidIdentityToken", token_));
  };
  EXPECT_THAT(Identity(), HasSubstr("the token is not accepted"));
}

// SSO and commands, as profiles name them; how they work is tested with their sources.

TEST_F(CredentialChainTest, ASessionOfSsoIsFoundByItsName) {
  machine_.files[kConfig] =
      "[profile a]\nsso_session = s\nsso_account_id = 123456789012\nsso_role_name = r\n"
      "[sso-session s]\nsso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\n";
  options_.profile = "a";
  EXPECT_EQ((*Make())->Describe(), "profile 'a' (SSO, role 'r' of account '123456789012')");
  EXPECT_THAT(Identity(), HasSubstr("aws sso login --profile 'a'"));
  machine_.files[kConfig] = "[profile a]\nsso_session = s\nsso_account_id = 1\nsso_role_name = r\n";
  EXPECT_EQ(Failure(), Code::kNotFound);
  machine_.files[kConfig] =
      "[profile a]\nsso_start_url = https://x\nsso_region = eu-west-1/\nsso_account_id = 1\nsso_role_name = r\n";
  EXPECT_THAT(Identity(), HasSubstr("SSO needs"));
}

TEST_F(CredentialChainTest, ACommandOfAProfileIsRun) {
  machine_.files[kConfig] = "[profile a]\ncredential_process = /bin/keys --who \"a b\"\n";
  machine_.command = [this](const std::vector<std::string>&) {
    return Result<std::string>(R"({"Version":1,"AccessKeyId":"AKIDCMD","SecretAccessKey":")" + secret_ + "\"}");
  };
  options_.profile = "a";
  EXPECT_EQ(Identity(), "AKIDCMD by profile 'a' (command '/bin/keys')");
  EXPECT_THAT(machine_.ran.at(0), ElementsAre("/bin/keys", "--who", "a b"));
  machine_.files[kConfig] = "[profile a]\ncredential_process = '/bin/keys " + secret_ + "\n";
  EXPECT_EQ(Failure(), Code::kInvalidArgument);
}

// The machine's own role

TEST_F(CredentialChainTest, TheMachinesRoleIsTheLastResort) {
  machine_.metadata->answer = [this](const SentRequest& sent) {
    if (sent.request.method == "PUT") return ReplyWith(200, "T");
    if (sent.request.path.ends_with('/')) return ReplyWith(200, "role");
    return ReplyWith(200, R"({"Code":"Success","AccessKeyId":"ASIAEC2","SecretAccessKey":")" + secret_ +
                              R"(","Token":")" + token_ + R"(","Expiration":"2026-11-03T09:00:00Z"})");
  };
  EXPECT_TRUE(UsesInstanceRole(options_, machine_.Make()));
  EXPECT_EQ(Identity(), "ASIAEC2 by role of this machine (instance metadata)");
  const auto provider = *Make();
  ASSERT_TRUE(provider->Get().ok());
  machine_.metadata->answer = nullptr;
  machine_.clock->Set(*ParseRfc3339("2026-11-03T10:00:00Z"));
  EXPECT_EQ(provider->Get().status().code(), Code::kUnavailable);  // it is there: the fault passes
  SetKeys("AKIDENV");
  EXPECT_FALSE(UsesInstanceRole(options_, machine_.Make()));
}

}  // namespace
}  // namespace tidegate::aws
