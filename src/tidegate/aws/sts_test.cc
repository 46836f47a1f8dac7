#include "tidegate/aws/sts.h"

#include "tidegate/aws/test_machine.h"

namespace tidegate::aws {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kRole = "arn:aws:iam::123456789012:role/reader";

class StsTest : public ::testing::Test {
 protected:
  Sts Make() { return {machine_.Make(), *ParseUrl("https://sts.eu-west-1.amazonaws.com", "x"), "eu-west-1"}; }
  Result<Credentials> ByToken() {
    auto out = Make().AssumeRoleWithWebIdentity(role_, token_);
    machine_.secrets.ExpectNoneIn(out.status().ToString());
    return out;
  }
  Result<Credentials> ByKeys() {
    auto out = Make().AssumeRole(role_, {"AKIDBASE", secret_, session_});
    machine_.secrets.ExpectNoneIn(out.status().ToString());
    return out;
  }
  void Answer(int status, const std::string& body) {
    machine_.http->answer = [status, body](const SentRequest&) { return ReplyWith(status, body); };
  }
  std::string Good(const std::string& action) {
    return StsKeys(action, "ASIANEW", new_secret_, new_token_, "2026-11-03T04:00:00Z");
  }

  Machine machine_;
  const std::string token_ = machine_.secrets.Make();
  const std::string secret_ = machine_.secrets.Make();
  const std::string session_ = machine_.secrets.Make();
  const std::string new_secret_ = machine_.secrets.Make();
  const std::string new_token_ = machine_.secrets.Make();
  RoleRequest role_{kRole};
};

TEST_F(StsTest, ATokenIsChangedForKeysWithoutASignature) {
  Answer(200, Good("AssumeRoleWithWebIdentity"));
  role_.session_name = "night";
  role_.duration_seconds = 3600;
  const auto keys = ByToken();
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_EQ(keys->access_key_id, "ASIANEW");
  EXPECT_EQ(keys->secret_access_key, new_secret_);
  EXPECT_EQ(keys->session_token, new_token_);
  EXPECT_EQ(keys->expires, *ParseRfc3339("2026-11-03T04:00:00Z"));
  const SentRequest& sent = machine_.http->sent.at(0);
  EXPECT_EQ(sent.Url(), "POST https://sts.eu-west-1.amazonaws.com/");
  EXPECT_EQ(sent.Header("authorization"), "");
  EXPECT_EQ(
      sent.body,
      "Action=AssumeRoleWithWebIdentity&DurationSeconds=3600&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Freader"
      "&RoleSessionName=night&Version=2011-06-15&WebIdentityToken=" +
          token_);
}

TEST_F(StsTest, KeysAreChangedForKeysWithASignature) {
  Answer(200, Good("AssumeRole"));
  role_.external_id = "a b&c";
  const auto keys = ByKeys();
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_EQ(keys->secret_access_key, new_secret_);
  const SentRequest& sent = machine_.http->sent.at(0);
  EXPECT_THAT(sent.Header("authorization"),
              StartsWith("AWS4-HMAC-SHA256 Credential=AKIDBASE/20261103/eu-west-1/sts/aws4_request, "
                         "SignedHeaders=content-type;host;"));
  EXPECT_EQ(sent.Header("x-amz-security-token"), session_);
  EXPECT_THAT(sent.body, HasSubstr("ExternalId=a%20b%26c"));
  EXPECT_THAT(sent.body, HasSubstr("RoleSessionName=tidegate-1793674800"));
}

TEST_F(StsTest, AnExternalIdIsNotSentWithAToken) {
  Answer(200, Good("AssumeRoleWithWebIdentity"));
  role_.external_id = "x";
  ASSERT_TRUE(ByToken().ok());
  EXPECT_THAT(machine_.http->sent.at(0).body, Not(HasSubstr("ExternalId")));
}

TEST_F(StsTest, ARefusalOfATokenSaysWhatToDo) {
  const struct {
    const char* code;
    int status;
    Code expected;
    const char* words;
  } kCases[] = {
      {"AccessDenied", 403, Code::kPermissionDenied, "the role does not trust the token"},
      {"ExpiredTokenException", 400, Code::kUnauthenticated, "the token has run out"},
      {"InvalidIdentityToken", 400, Code::kUnauthenticated, "the token is not accepted"},
      {"InvalidParameterValue", 400, Code::kUnauthenticated, "the token is not accepted"},
      {"IDPRejectedClaim", 403, Code::kUnauthenticated, "let it give a new one"},
      {"RegionDisabledException", 403, Code::kPermissionDenied, "name another region"},
      {"ValidationError", 400, Code::kInvalidArgument, "check the role's ARN"},
      {"Unheard", 400, Code::kUnauthenticated, "check the endpoint"},
      {"Unheard", 403, Code::kPermissionDenied, "trust policy"},
  };
  for (const auto& [code, status, expected, words] : kCases) {
    Answer(status, StsError(code, "because \x01 of " + token_));
    const Status refusal = ByToken().status();
    EXPECT_EQ(refusal.code(), expected) << code;
    EXPECT_THAT(refusal.message(), HasSubstr(words));
    EXPECT_THAT(refusal.message(), HasSubstr(code));
    EXPECT_THAT(refusal.message(), StartsWith("STS at https://sts.eu-west-1.amazonaws.com gives no keys: "));
  }
  EXPECT_EQ(machine_.sleeper->naps, 0);
}

TEST_F(StsTest, ARefusalOfKeysSaysWhatToDo) {
  Answer(403, StsError("AccessDenied", "User x may not, " + secret_ + " " + session_));
  EXPECT_EQ(ByKeys().status().code(), Code::kPermissionDenied);
  EXPECT_THAT(ByKeys().status().message(), HasSubstr("must both allow sts:AssumeRole"));
  Answer(403, StsError("ExpiredToken", ""));
  EXPECT_THAT(ByKeys().status().message(), HasSubstr("the keys that ask have run out"));
  Answer(403, StsError("InvalidClientTokenId", ""));
  EXPECT_THAT(ByKeys().status().message(), HasSubstr("are not known"));
  Answer(403, StsError("SignatureDoesNotMatch", ""));
  EXPECT_THAT(ByKeys().status().message(), HasSubstr("the clock is wrong"));
}

TEST_F(StsTest, FaultsThatPassAreTriedAgainThreeTimes) {
  for (const auto& [status, body] :
       std::vector<std::pair<int, std::string>>{{500, ""},
                                                {503, "<html>"},
                                                {429, ""},
                                                {400, StsError("Throttling", "")},
                                                {400, StsError("IDPCommunicationError", "")}}) {
    machine_.http->sent.clear();
    Answer(status, body);
    (void)ByToken();
    EXPECT_EQ(machine_.http->sent.size(), 4u) << body;
  }
  machine_.http->sent.clear();
  machine_.http->answer = nullptr;
  EXPECT_EQ(ByToken().status().code(), Code::kUnavailable);
  EXPECT_EQ(machine_.http->sent.size(), 4u);
  machine_.http->answer = [this](const SentRequest&) {
    return machine_.http->sent.size() % 2 == 0 ? ReplyWith(200, Good("AssumeRole")) : NoAnswer();
  };
  EXPECT_TRUE(ByKeys().ok());
}

TEST_F(StsTest, AReplyThatIsNoneOfStsIsRefused) {
  const std::string whole = Good("AssumeRoleWithWebIdentity");
  for (size_t cut = 0; cut + 1 < whole.size(); cut += 3) {
    Answer(200, whole.substr(0, cut));
    EXPECT_EQ(ByToken().status().code(), Code::kCorruption) << cut;
  }
  for (const std::string& body :
       {std::string("{}"), std::string(100'000, '<'), "<a>" + std::string(1000, 'x'), Good("AssumeRole"),
        StsKeys("AssumeRoleWithWebIdentity", "ID", secret_, token_, "soon " + token_),
        StsKeys("AssumeRoleWithWebIdentity", "ID", secret_, "a&#10;X-Evil: b", "2026-11-03T04:00:00Z"),
        StsKeys("AssumeRoleWithWebIdentity", "ID/x", secret_, token_, "2026-11-03T04:00:00Z"),
        StsKeys("AssumeRoleWithWebIdentity", "", secret_, token_, "2026-11-03T04:00:00Z"),
        StsKeys("AssumeRoleWithWebIdentity", "ID", "", token_, "2026-11-03T04:00:00Z"),
        StsKeys("AssumeRoleWithWebIdentity", "ID", secret_, std::string(70'000, 'x'), "2026-11-03T04:00:00Z")}) {
    Answer(200, body);
    EXPECT_EQ(ByToken().status().code(), Code::kCorruption) << body.substr(0, 300);
  }
}

TEST_F(StsTest, EntitiesOfADocumentAreNotFollowed) {
  Answer(200, "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>" +
                  StsKeys("AssumeRoleWithWebIdentity", "ID", "&e;", "T", "2026-11-03T04:00:00Z"));
  const auto keys = ByToken();
  ASSERT_TRUE(keys.ok());
  EXPECT_EQ(keys->secret_access_key, "&e;");
}

TEST_F(StsTest, NoReplyMayBeLong) {
  Answer(200, Good("AssumeRole"));
  ASSERT_TRUE(ByKeys().ok());
  EXPECT_LE(machine_.http->sent.at(0).request.max_body_bytes, 256u << 10);
}

TEST_F(StsTest, ARoleThatCannotBeIsRefusedBeforeItIsAskedFor) {
  EXPECT_TRUE(CheckRoleRequest(role_, "x").ok());
  EXPECT_THAT(CheckRoleRequest({"reader"}, "profile 'x'").message(),
              HasSubstr("profile 'x': a role is named by its ARN"));
  EXPECT_FALSE(CheckRoleRequest({"arn:aws:iam::1:role/a b"}, "x").ok());
  EXPECT_FALSE(CheckRoleRequest({kRole, "a b"}, "x").ok());
  EXPECT_FALSE(CheckRoleRequest({kRole, std::string(65, 'a')}, "x").ok());
  EXPECT_FALSE(CheckRoleRequest({kRole, "", "", 899}, "x").ok());
  EXPECT_FALSE(CheckRoleRequest({kRole, "", "", 43'201}, "x").ok());
}

}  // namespace
}  // namespace tidegate::aws
