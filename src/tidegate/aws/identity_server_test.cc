// Against a server that checks tokens and signatures: tests/servers/test_identities.py starts it, its issuer and this
// program, and says in TIDEGATE_TEST_STS where the server is, in …_KEY and …_SECRET who its owner is, and in
// TIDEGATE_TEST_TOKENS where the tokens lie, each in a file of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tidegate/aws/credential_chain.h"
#include "tidegate/aws/sigv4.h"
#include "tidegate/aws/surroundings.h"

namespace tidegate::aws {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTaken = "arn:aws:iam::role/taken";  // trusts keys, and no tokens
constexpr const char* kRole = "arn:aws:iam::role/reader";

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

class IdentityServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    endpoint_ = Variable("TIDEGATE_TEST_STS");
    if (endpoint_.empty()) GTEST_SKIP() << "no server: tests/servers/test_identities.py starts one";
    auto http = net::MakeHttpClient({});
    auto metadata = net::MakeHttpClient(MetadataHttpOptions(nullptr));
    ASSERT_TRUE(http.ok() && metadata.ok());
    http_ = std::move(*http);
    surroundings_ = RealSurroundings(http_, std::move(*metadata), nullptr);
    surroundings_.variable = [this](const std::string& name) -> std::optional<std::string> {
      if (name == "AWS_ENDPOINT_URL_STS") return endpoint_;
      return std::nullopt;
    };
  }

  static std::string Path(const std::string& token) { return Variable("TIDEGATE_TEST_TOKENS") + "/" + token; }
  static std::string Text(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }

  Result<std::optional<Credentials>> Keys(const WebIdentitySettings& web) {
    IdentityOptions options;
    options.web_identity = web;
    auto provider = MakeCredentialsProvider(options, surroundings_);
    if (!provider.ok()) return provider.status();
    return (*provider)->Get();
  }

  /// The status of a signed question for the list of a bucket.
  int ListStatus(const Credentials& keys) {
    net::HttpRequest request;
    request.origin = endpoint_;
    request.path = "/mine";
    request.query = EncodeQuery({{"list-type", "2"}});
    SignRequest(keys, {"us-east-1", "s3"}, surroundings_.clock->Now(), Sha256Hex(""), request);
    const net::HttpOutcome outcome = http_->Send(request);
    return outcome.reply ? outcome.reply->status : 0;
  }

  std::string endpoint_;
  std::shared_ptr<net::HttpClient> http_;
  Surroundings surroundings_;
};

TEST_F(IdentityServerTest, AGoodTokenOfAFileGivesKeysThatOpenTheBucket) {
  const auto keys = Keys({kRole, Path("good"), "", ""});
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_TRUE((*keys)->expires);
  EXPECT_EQ(ListStatus(**keys), 200);
  Credentials changed = **keys;
  changed.secret_access_key.back() ^= 1;
  EXPECT_EQ(ListStatus(changed), 403);
}

TEST_F(IdentityServerTest, ACommandMayPrintTheToken) {
  const auto keys = Keys({kRole, "", "cat " + Path("good"), "night"});
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_EQ(ListStatus(**keys), 200);
}

TEST_F(IdentityServerTest, OtherTokensAreRefusedInWordsThatHelp) {
  for (const std::string token : {"expired", "forged", "unsigned", "altered", "stranger", "audience"}) {
    const auto keys = Keys({kRole, Path(token), "", ""});
    ASSERT_FALSE(keys.ok()) << token;
    EXPECT_THAT(keys.status().code(), ::testing::AnyOf(Code::kUnauthenticated, Code::kPermissionDenied)) << token;
    EXPECT_THAT(keys.status().message(), HasSubstr(kRole)) << token;
    EXPECT_THAT(keys.status().message(), Not(HasSubstr(Text(Path(token))))) << token;
    RecordProperty(token, keys.status().ToString());
  }
}

/// A profile that takes a role with keys of the server's owner.
class RoleServerTest : public IdentityServerTest {
 protected:
  Result<std::optional<Credentials>> Take(const std::string& role, const std::string& secret) {
    const std::string config = "[profile a]\nregion = us-east-1\nsource_profile = b\nrole_arn = " + role +
                               "\n[profile b]\naws_access_key_id = " + Variable("TIDEGATE_TEST_STS_KEY") +
                               "\naws_secret_access_key = " + secret + "\n";
    surroundings_.read_file = [config](const std::string& path, size_t) {
      return path.ends_with("config") ? Result<std::string>(config) : NotFound("no file");
    };
    IdentityOptions options;
    options.profile = "a";
    auto provider = MakeCredentialsProvider(options, surroundings_);
    if (!provider.ok()) return provider.status();
    return (*provider)->Get();
  }
};

TEST_F(RoleServerTest, KeysAreChangedForThoseOfARole) {
  const auto keys = Take(kTaken, Variable("TIDEGATE_TEST_STS_SECRET"));
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_FALSE((*keys)->session_token.empty());
  EXPECT_EQ(ListStatus(**keys), 200);
}

TEST_F(RoleServerTest, AWrongSignatureOrARoleForOthersIsRefused) {
  const std::string secret = Variable("TIDEGATE_TEST_STS_SECRET");
  EXPECT_EQ(Take(kRole, secret).status().code(), Code::kPermissionDenied);
  const Status wrong = Take(kTaken, secret + "x").status();
  EXPECT_EQ(wrong.code(), Code::kUnauthenticated);
  EXPECT_THAT(wrong.message(), Not(HasSubstr(secret)));
  RecordProperty("wrong", wrong.ToString());
}

TEST_F(IdentityServerTest, ARoleThatIsNotThereIsRefused) {
  EXPECT_FALSE(Keys({"arn:aws:iam::role/nobody", Path("good"), "", ""}).ok());
}

}  // namespace
}  // namespace tidegate::aws
