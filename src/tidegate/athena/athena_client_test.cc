// AthenaClient against a server on loopback that answers as a script says.
#include "tidegate/athena/athena_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "tidegate/aws/test_keys.h"
#include "tidegate/base/cancel.h"
#include "tidegate/net/test_http_server.h"

namespace tidegate::athena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Notes how long it was asked to wait, and does not.
class NoSleep final : public aws::Sleeper {
 public:
  Status Sleep(std::chrono::milliseconds time) override {
    waits.push_back(time);
    if (cancel != nullptr && waits.size() >= cancel_at) cancel->Cancel();
    return cancel == nullptr ? Status() : cancel->Check();
  }
  std::vector<std::chrono::milliseconds> waits;
  CancelFlag* cancel = nullptr;
  size_t cancel_at = 1;
};

std::string StateText(const std::string& state, const std::string& more = "") {
  return R"({"QueryExecution": {"QueryExecutionId": "q-1", "Status": {"State": ")" + state + "\"" + more + "}}}";
}

constexpr const char* kStarted = R"({"QueryExecutionId": "q-1"})";

class AthenaClientTest : public testing::Test {
 protected:
  net::CannedReply Reply(const std::string& request) {
    const std::lock_guard lock(mutex_);
    const size_t at = request.find("AmazonAthena.") + std::string("AmazonAthena.").size();
    operations_.push_back(request.substr(at, request.find_first_of("\r\n", at) - at));
    bodies_.push_back(request.substr(request.find("\r\n\r\n") + 4));
    if (answers_.empty()) return net::PlainReply("{}", "500 Internal");
    net::CannedReply reply = answers_.front();
    answers_.erase(answers_.begin());
    return reply;
  }

  void Answer(const std::string& body, const std::string& status = "200 OK") {
    answers_.push_back(net::PlainReply(body, status));
  }

  std::vector<std::string> Operations() {
    const std::lock_guard lock(mutex_);
    return operations_;
  }
  std::vector<std::string> Bodies() {
    const std::lock_guard lock(mutex_);
    return bodies_;
  }

  AthenaClient Client() {
    AthenaSettings settings{.region = "eu-central-1", .origin = server_.origin()};
    settings.result_location = "s3://results/";
    settings.database = "sales";
    settings.credentials = std::make_shared<aws::TestKeys>();
    settings.http = *net::MakeHttpClient({.use_proxy = false, .cancel = &cancel_});
    settings.sleeper = sleeper_;
    return AthenaClient(std::move(settings));
  }

  CancelFlag cancel_;
  std::shared_ptr<NoSleep> sleeper_ = std::make_shared<NoSleep>();
  std::mutex mutex_;
  std::vector<net::CannedReply> answers_;
  std::vector<std::string> operations_, bodies_;
  net::TestHttpServer server_{[this](const std::string& request) { return Reply(request); }};
};

TEST_F(AthenaClientTest, AQueryIsStartedAndWaitedFor) {
  Answer(kStarted);
  Answer(StateText("QUEUED"));
  Answer(StateText("RUNNING"));
  Answer(StateText("SUCCEEDED"));
  const auto done = Client().Run("SELECT 1", "a test");
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->id, "q-1");
  EXPECT_THAT(Operations(),
              ElementsAre("StartQueryExecution", "GetQueryExecution", "GetQueryExecution", "GetQueryExecution"));
  const std::string start = Bodies().front();
  EXPECT_THAT(start, HasSubstr(R"("WorkGroup":"primary")"));
  EXPECT_THAT(start, HasSubstr(R"("QueryExecutionContext":{"Database":"sales"})"));
  EXPECT_THAT(start, HasSubstr(R"("ResultConfiguration":{"OutputLocation":"s3://results/"})"));
}

TEST_F(AthenaClientTest, WaitsGrowToFiveSecondsAndAreJittered) {
  Answer(kStarted);
  for (int i = 0; i < 12; ++i) Answer(StateText("RUNNING"));
  Answer(StateText("SUCCEEDED"));
  ASSERT_TRUE(Client().Run("SELECT 1", "a test").ok());
  int64_t longest = 100;
  for (const auto wait : sleeper_->waits) {
    EXPECT_GE(wait.count(), longest / 2);
    EXPECT_LE(wait.count(), longest);
    longest = std::min<int64_t>(2 * longest, 5000);
  }
  EXPECT_EQ(sleeper_->waits.size(), 12U);
}

TEST_F(AthenaClientTest, AStartWhoseReplyWasLostIsAskedForAgainWithTheSameToken) {
  answers_.push_back({"", net::CannedReply::After::kReset});
  Answer(R"({"__type": "TooManyRequestsException", "message": "slow down"})", "400 Bad Request");
  Answer(kStarted);
  Answer(StateText("SUCCEEDED"));
  ASSERT_TRUE(Client().Run("SELECT 1", "a test").ok());
  const auto bodies = Bodies();
  ASSERT_EQ(bodies.size(), 4U);
  EXPECT_EQ(bodies[0], bodies[1]);
  EXPECT_EQ(bodies[0], bodies[2]);
  EXPECT_THAT(bodies[0], HasSubstr("ClientRequestToken"));
}

TEST_F(AthenaClientTest, TwoQueriesHaveTwoTokens) {
  for (int i = 0; i < 2; ++i) {
    Answer(kStarted);
    Answer(StateText("SUCCEEDED"));
  }
  AthenaClient client = Client();
  ASSERT_TRUE(client.Run("SELECT 1", "a test").ok());
  ASSERT_TRUE(client.Run("SELECT 1", "a test").ok());
  EXPECT_NE(Bodies()[0], Bodies()[2]);
}

TEST_F(AthenaClientTest, AStatementThatIsTooLongIsNotSent) {
  const auto done = Client().Run(std::string(kMaxStatementBytes + 1, 'x'), "a test");
  EXPECT_EQ(done.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(done.status().message(), HasSubstr("262,145 bytes, Athena takes 262,144"));
  EXPECT_TRUE(Operations().empty());
}

TEST_F(AthenaClientTest, WhoStopsStopsTheQuery) {
  sleeper_->cancel = &cancel_;
  sleeper_->cancel_at = 2;
  Answer(kStarted);
  Answer(StateText("RUNNING"));
  Answer(StateText("RUNNING"));
  Answer("{}");
  const auto done = Client().Run("SELECT 1", "a test");
  EXPECT_EQ(done.status().code(), Code::kCancelled);
  EXPECT_THAT(done.status().message(), HasSubstr("query 'q-1' was stopped"));
  EXPECT_EQ(Operations().back(), "StopQueryExecution");
  EXPECT_EQ(Bodies().back(), R"({"QueryExecutionId":"q-1"})");
}

TEST_F(AthenaClientTest, AQueryThatCannotBeFollowedIsStopped) {
  Answer(kStarted);
  Answer("no JSON");
  Answer("{}");
  const auto done = Client().Run("SELECT 1", "a test");
  EXPECT_EQ(done.status().code(), Code::kCorruption);
  EXPECT_EQ(Operations().back(), "StopQueryExecution");
}

TEST_F(AthenaClientTest, AFailedQuerySaysWhy) {
  Answer(kStarted);
  Answer(StateText("FAILED", R"(, "StateChangeReason": "TABLE_NOT_FOUND: line 1:15: Table 'x' does not exist")"));
  const auto done = Client().Run("SELECT 1", "the build of x");
  EXPECT_EQ(done.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(done.status().message(), HasSubstr("the build of x: Athena, query 'q-1' failed"));
  EXPECT_THAT(Operations(), Not(testing::Contains("StopQueryExecution")));
}

TEST_F(AthenaClientTest, AMissingResultLocationSaysWhereToPutOne) {
  Answer(R"({"__type": "InvalidRequestException", "message": "No output location provided."})", "400 Bad Request");
  const auto done = Client().Run("SELECT 1", "a test");
  EXPECT_EQ(done.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(done.status().message(), HasSubstr("set result_location in [athena]"));
}

TEST_F(AthenaClientTest, ARefusalNamesThePermissions) {
  Answer(R"({"__type": "AccessDeniedException", "Message": "not authorized to perform: athena:StartQueryExecution"})",
         "400 Bad Request");
  const auto done = Client().Run("SELECT 1", "a test");
  EXPECT_EQ(done.status().code(), Code::kPermissionDenied);
  EXPECT_THAT(done.status().message(), HasSubstr("docs/permissions.md"));
}

TEST_F(AthenaClientTest, AllPagesOfRowsAreReadAndTheLineOfNamesIsNone) {
  const auto page = [](const std::string& cells, const std::string& more) {
    return R"({"ResultSet": {"Rows": [)" + cells + "]}" + more + "}";
  };
  Answer(page(R"({"Data": [{"VarCharValue": "day"}]}, {"Data": [{"VarCharValue": "1"}]})", R"(, "NextToken": "n")"));
  Answer(page(R"({"Data": [{}]}, {"Data": [{"VarCharValue": ""}]})", ""));
  const auto rows = Client().Rows({.id = "q-1"}, 100);
  ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  EXPECT_THAT(*rows, ElementsAre(TextRow{"1"}, TextRow{std::nullopt}, TextRow{""}));
}

TEST_F(AthenaClientTest, RowsAreBounded) {
  Answer(R"({"ResultSet": {"Rows": [{"Data": []}, {"Data": []}, {"Data": []}]}})");
  EXPECT_EQ(Client().Rows({.id = "q-1"}, 1).status().code(), Code::kInvalidArgument);
  Answer(R"({"ResultSet": {"Rows": 7}})");
  EXPECT_EQ(Client().Rows({.id = "q-1"}, 1).status().code(), Code::kCorruption);
}

TEST_F(AthenaClientTest, WrittenRowsAreKnownWhereAthenaCountsThem) {
  Answer(R"({"UpdateCount": 120})");
  EXPECT_EQ(**Client().WrittenRows({.id = "q-1"}), 120);
  Answer(R"({"UpdateCount": 0})");
  EXPECT_FALSE(Client().WrittenRows({.id = "q-1"})->has_value());
  Answer("{}");
  EXPECT_FALSE(Client().WrittenRows({.id = "q-1"})->has_value());
}

}  // namespace
}  // namespace tidegate::athena
