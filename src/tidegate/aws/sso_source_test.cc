#include "tidegate/aws/sso_source.h"

#include "tidegate/aws/test_machine.h"
#include "tidegate/base/json.h"

namespace tidegate::aws {
namespace {

using ::testing::HasSubstr;

// printf %s my-session | sha1sum, and of https://x.awsapps.com/start
constexpr const char* kSessionCache = "/home/me/.aws/sso/cache/9e28173066ce536e277c5fb355efd9c64f398167.json";
constexpr const char* kUrlCache = "/home/me/.aws/sso/cache/3947de8b16688092197fa616c34e01335f21d256.json";

class SsoSourceTest : public ::testing::Test {
 protected:
  SsoSourceTest() {
    machine_.http->answer = [this](const SentRequest& sent) {
      if (sent.request.path == "/token") return ReplyWith(oidc_status_, oidc_reply_);
      return ReplyWith(portal_status_, portal_reply_);
    };
    portal_reply_ = R"({"roleCredentials":{"accessKeyId":"ASIA","secretAccessKey":")" + secret_ +
                    R"(","sessionToken":")" + session_ + R"(","expiration":1793678400000}})";
    oidc_reply_ = R"({"accessToken":")" + new_access_ + R"(","expiresIn":3600,"refreshToken":")" + new_refresh_ +
                  R"(","tokenType":"Bearer"})";
    Cache("2026-11-03T04:00:00Z");
  }
  void Cache(const std::string& expires, const std::string& registration = "2027-01-01T00:00:00Z") {
    machine_.files[kSessionCache] =
        R"({"startUrl":"https://x.awsapps.com/start","region":"eu-west-1","accessToken":")" + access_ +
        R"(","expiresAt":")" + expires + R"(","clientId":"client","clientSecret":")" + client_secret_ +
        R"(","registrationExpiresAt":")" + registration + R"(","refreshToken":")" + refresh_ + "\"}";
  }
  Result<Credentials> Fetch() {
    SsoSource source(settings_, *ParseUrl("https://portal.sso.eu-west-1.amazonaws.com", "x"),
                     *ParseUrl("https://oidc.eu-west-1.amazonaws.com", "x"), machine_.Make());
    auto out = source.Fetch();
    machine_.secrets.ExpectNoneIn(out.status().ToString() + source.Describe());
    return out;
  }

  Machine machine_;
  const std::string secret_ = machine_.secrets.Make(), session_ = machine_.secrets.Make(),
                    access_ = machine_.secrets.Make(), refresh_ = machine_.secrets.Make(),
                    client_secret_ = machine_.secrets.Make(), new_access_ = machine_.secrets.Make(),
                    new_refresh_ = machine_.secrets.Make();
  SsoSettings settings_{"vendor",    "my-session",   "https://x.awsapps.com/start",
                        "eu-west-1", "123456789012", "Reader Role"};
  int portal_status_ = 200, oidc_status_ = 200;
  std::string portal_reply_, oidc_reply_;
};

TEST_F(SsoSourceTest, TheCachedTokenIsChangedForKeys) {
  const auto keys = Fetch();
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_EQ(keys->access_key_id, "ASIA");
  EXPECT_EQ(keys->secret_access_key, secret_);
  EXPECT_EQ(keys->session_token, session_);
  EXPECT_EQ(keys->expires, *ParseRfc3339("2026-11-03T04:00:00Z"));
  ASSERT_EQ(machine_.http->sent.size(), 1u);
  EXPECT_EQ(machine_.http->sent[0].Url(),
            "GET "
            "https://portal.sso.eu-west-1.amazonaws.com/federation/"
            "credentials?account_id=123456789012&role_name=Reader%20Role");
  EXPECT_EQ(machine_.http->sent[0].Header("x-amz-sso_bearer_token"), access_);
}

TEST_F(SsoSourceTest, ATokenThatIsAboutToRunOutIsRenewedAlsoInTheCache) {
  Cache("2026-11-03T03:04:00Z");
  ASSERT_TRUE(Fetch().ok());
  ASSERT_EQ(machine_.http->sent.size(), 2u);
  EXPECT_EQ(machine_.http->sent[0].Url(), "POST https://oidc.eu-west-1.amazonaws.com/token");
  const Json form = *ParseJson(machine_.http->sent[0].body);
  EXPECT_EQ(form["grantType"], "refresh_token");
  EXPECT_EQ(form["clientId"], "client");
  EXPECT_EQ(form["clientSecret"], client_secret_);
  EXPECT_EQ(form["refreshToken"], refresh_);
  EXPECT_EQ(machine_.http->sent[1].Header("x-amz-sso_bearer_token"), new_access_);
  const Json cached = *ParseJson(machine_.files[kSessionCache]);
  EXPECT_EQ(cached["accessToken"], new_access_);
  EXPECT_EQ(cached["refreshToken"], new_refresh_);
  EXPECT_EQ(cached["expiresAt"], "2026-11-03T04:00:00Z");
  EXPECT_EQ(cached["startUrl"], "https://x.awsapps.com/start");
}

TEST_F(SsoSourceTest, ACacheThatCannotBeWrittenIsAWarning) {
  Cache("2026-11-03T03:04:00Z");
  machine_.disk_full = true;
  EXPECT_TRUE(Fetch().ok());
  EXPECT_THAT(machine_.secrets.log, HasSubstr("the renewed login is not kept"));
}

TEST_F(SsoSourceTest, ATokenThatCannotBeRenewedYetIsUsedToItsEnd) {
  Cache("2026-11-03T03:04:00Z");
  oidc_status_ = 503;
  ASSERT_TRUE(Fetch().ok());
  Cache("2026-11-03T02:59:00Z");
  EXPECT_EQ(Fetch().status().code(), Code::kUnavailable);
}

TEST_F(SsoSourceTest, WhereTheLoginIsOverTheMessageSaysHowToLogIn) {
  const auto expect_login = [this](const char* why) {
    const Status status = Fetch().status();
    EXPECT_EQ(status.code(), Code::kUnauthenticated);
    EXPECT_THAT(status.message(), HasSubstr(why));
    EXPECT_THAT(status.message(), HasSubstr("run `aws sso login --profile 'vendor'`"));
  };
  Cache("2026-11-03T02:59:00Z", "2026-11-01T00:00:00Z");
  expect_login("ran out for good");
  Cache("2026-11-03T02:59:00Z");
  oidc_status_ = 400;
  oidc_reply_ = R"({"error":"invalid_grant"})";
  expect_login("could not be renewed: status 400");
  Cache("2026-11-03T04:00:00Z");
  portal_status_ = 401;
  expect_login("not accepted any more");
  machine_.files.erase(kSessionCache);
  expect_login("nobody is logged in");
  for (const std::string& text :
       std::vector<std::string>{"", "{}", "[]", R"({"accessToken":")" + access_,
                                R"({"accessToken":"a b","expiresAt":"2026-11-03T04:00:00Z"})",
                                R"({"accessToken":")" + access_ + R"(","expiresAt":")" + access_ + "\"}"}) {
    machine_.files[kSessionCache] = text;
    expect_login("the cached login cannot be read");
  }
}

TEST_F(SsoSourceTest, TheOlderFormIsKeptByUrlAndNotRenewed) {
  settings_.session = "";
  machine_.files[kUrlCache] = R"({"accessToken":")" + access_ + R"(","expiresAt":"2026-11-03T03:04:00UTC"})";
  ASSERT_TRUE(Fetch().ok());
  EXPECT_EQ(machine_.http->sent.size(), 1u);
  machine_.clock->Set(*ParseRfc3339("2026-11-03T03:05:00Z"));
  EXPECT_THAT(Fetch().status().message(), HasSubstr("the login ran out at 2026-11-03T03:04:00Z"));
}

TEST_F(SsoSourceTest, ARoleThatIsNotAssignedIsTold) {
  portal_status_ = 403;
  portal_reply_ = access_;
  EXPECT_EQ(Fetch().status().code(), Code::kPermissionDenied);
  EXPECT_THAT(Fetch().status().message(), HasSubstr("'Reader Role' of account '123456789012'"));
  portal_status_ = 500;
  EXPECT_EQ(Fetch().status().code(), Code::kUnavailable);
}

TEST_F(SsoSourceTest, RepliesThatAreCutOrForgedAreRefused) {
  const std::string whole = portal_reply_;
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    portal_reply_ = whole.substr(0, cut);
    EXPECT_EQ(Fetch().status().code(), Code::kCorruption);
  }
  for (const char* expiration : {"-1", "\"soon\"", "9223372036854775807", "18446744073709551615", "1e300", "null"}) {
    portal_reply_ = R"({"roleCredentials":{"accessKeyId":"A","secretAccessKey":"B","sessionToken":"C","expiration":)" +
                    std::string(expiration) + "}}";
    EXPECT_EQ(Fetch().status().code(), Code::kCorruption) << expiration;
  }
  Cache("2026-11-03T02:59:00Z");
  for (const char* reply :
       {"", "{}", R"({"accessToken":"a\nb","expiresIn":5})", R"({"accessToken":"a","expiresIn":-5})",
        R"({"accessToken":"a","expiresIn":9223372036854775807})"}) {
    oidc_reply_ = reply;
    EXPECT_EQ(Fetch().status().code(), Code::kCorruption) << reply;
  }
}

}  // namespace
}  // namespace tidegate::aws
