// GlueCatalog against scripted answers: what a real server seldom does.
#include "tidegate/catalog/glue/glue_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "tidegate/aws/test_keys.h"
#include "tidegate/catalog/glue/glue_json.h"

namespace tidegate::catalog {
namespace {

using ::testing::HasSubstr;

class NoSleep final : public aws::Sleeper {
 public:
  Status Sleep(std::chrono::milliseconds) override { return {}; }
};

/// Gives the answers in turn, and keeps what was asked.
class Script final : public net::HttpClient {
 public:
  net::HttpOutcome Send(const net::HttpRequest& request) override {
    asked.push_back(std::string(request.body));
    net::HttpReply reply = answers.empty() ? net::HttpReply{.status = 500} : answers.front();
    if (!answers.empty()) answers.pop_front();
    return {.reply = std::move(reply)};
  }
  void Answer(const std::string& body, int status = 200) {
    net::HttpReply reply{.status = status};
    reply.body = body;
    answers.push_back(std::move(reply));
  }
  std::deque<net::HttpReply> answers;
  std::vector<std::string> asked;
};

constexpr const char* kTable =
    R"({"Table": {"Name": "t", "DatabaseName": "d", "TableType": "EXTERNAL_TABLE", "PartitionKeys": [{"Name": "day", "Type": "string"}],
        "StorageDescriptor": {"Columns": [], "Location": "s3://w", "SerdeInfo": {"SerializationLibrary": "x.parquet.Y", "Parameters": {"k": "v"}}}}})";

std::string PartitionText(const std::string& day, const std::string& location) {
  return R"({"Values": [")" + day +
         R"("], "DatabaseName": "d", "TableName": "t", "CreationTime": 1, "StorageDescriptor": {"Location": ")" +
         location +
         R"(", "SerdeInfo": {"SerializationLibrary": "x.parquet.Y", "Parameters": {"k": "v"}}}, "Parameters": {}})";
}

class GlueCatalogScriptTest : public testing::Test {
 protected:
  GlueSettings Settings() {
    GlueSettings out{.region = "eu-central-1", .origin = "https://glue"};
    out.http = script_;
    out.credentials = std::make_shared<aws::TestKeys>();
    out.sleeper = std::make_shared<NoSleep>();
    return out;
  }

  const HiveName name_{"d", "t"};
  std::shared_ptr<Script> script_ = std::make_shared<Script>();
  GlueCatalog catalog_{Settings()};
};

TEST_F(GlueCatalogScriptTest, ErrorsOfSingleEntriesAreTheirs) {
  const HivePartition one = *ReadGluePartition(*ParseJson(PartitionText("1", "s3://w/1")));
  const HivePartition two = *ReadGluePartition(*ParseJson(PartitionText("2", "s3://w/2")));
  script_->Answer(kTable);
  script_->Answer(R"({"Partitions": [)" + PartitionText("2", "s3://w/2") + "," + PartitionText("1", "s3://w/1") + "]}");
  script_->Answer(
      R"({"Errors": [{"PartitionValueList": ["2"], "ErrorDetail": {"ErrorCode": "AccessDeniedException", "ErrorMessage": "no"}}]})");
  const auto done = catalog_.UpdatePartitions(name_, {one, two});
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_TRUE(done->at(0).ok());
  EXPECT_EQ(done->at(1).code(), Code::kPermissionDenied);
}

TEST_F(GlueCatalogScriptTest, AnErrorThatNamesNobodyIsEverybodys) {
  const HivePartition one = *ReadGluePartition(*ParseJson(PartitionText("1", "s3://w/1")));
  script_->Answer(kTable);
  script_->Answer(R"({"Partitions": [)" + PartitionText("1", "s3://w/1") + "]}");
  script_->Answer(R"({"Errors": [{"ErrorDetail": {"ErrorCode": "InternalServiceException"}}]})");
  const auto done = catalog_.UpdatePartitions(name_, {one});
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->at(0).code(), Code::kUnavailable);
}

TEST_F(GlueCatalogScriptTest, PartitionsThatGlueLeftOutAreAskedForAgain) {
  const HivePartition one = *ReadGluePartition(*ParseJson(PartitionText("1", "s3://w/1")));
  const HivePartition two = *ReadGluePartition(*ParseJson(PartitionText("2", "s3://w/2")));
  script_->Answer(kTable);
  script_->Answer(R"({"Partitions": [)" + PartitionText("2", "s3://w/2") +
                  R"(], "UnprocessedKeys": [{"Values": ["1"]}]})");
  script_->Answer(R"({"Partitions": [)" + PartitionText("1", "s3://w/1") + R"(], "UnprocessedKeys": []})");
  script_->Answer("{}");
  const auto done = catalog_.UpdatePartitions(name_, {one, two});
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_TRUE(done->at(0).ok() && done->at(1).ok());
  EXPECT_THAT(script_->asked.at(2), HasSubstr(R"("PartitionsToGet":[{"Values":["1"]}])"));
}

TEST_F(GlueCatalogScriptTest, WhereGlueAnswersForNoneThatIsAnError) {
  const HivePartition one = *ReadGluePartition(*ParseJson(PartitionText("1", "s3://w/1")));
  script_->Answer(kTable);
  script_->Answer(R"({"Partitions": [], "UnprocessedKeys": [{"Values": ["1"]}]})");
  const auto done = catalog_.UpdatePartitions(name_, {one});
  EXPECT_EQ(done.status().code(), Code::kUnavailable);
}

TEST_F(GlueCatalogScriptTest, WhatIsNotOursInAPartitionIsKept) {
  HivePartition one = *ReadGluePartition(*ParseJson(PartitionText("1", "s3://w/1")));
  one.location = "s3://w/new";
  script_->Answer(kTable);
  script_->Answer(R"({"Partitions": [)" + PartitionText("1", "s3://w/1") + "]}");
  script_->Answer("{}");
  ASSERT_TRUE(catalog_.UpdatePartitions(name_, {one}).ok());
  EXPECT_THAT(script_->asked.at(2), HasSubstr(R"("Parameters":{"k":"v"})"));
  EXPECT_THAT(script_->asked.at(2), HasSubstr("s3://w/new"));
  EXPECT_THAT(script_->asked.at(2), testing::Not(HasSubstr("CreationTime")));
}

TEST_F(GlueCatalogScriptTest, AllPagesAreRead) {
  script_->Answer(kTable);
  script_->Answer(R"({"Partitions": [)" + PartitionText("2", "s3://w/2") + R"(], "NextToken": "more"})");
  script_->Answer(R"({"Partitions": [)" + PartitionText("1", "s3://w/1") + "]}");
  const auto all = catalog_.ListPartitions(name_);
  ASSERT_TRUE(all.ok()) << all.status().ToString();
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(all->at(0).location, "s3://w/1");
  EXPECT_THAT(script_->asked.at(2), HasSubstr(R"("NextToken":"more")"));
}

TEST_F(GlueCatalogScriptTest, APageThatRepeatsItselfEnds) {
  script_->Answer(kTable);
  for (int i = 0; i < 3; ++i) script_->Answer(R"({"Partitions": [], "NextToken": "again"})");
  EXPECT_EQ(catalog_.ListPartitions(name_).status().code(), Code::kCorruption);
}

TEST_F(GlueCatalogScriptTest, ThrottlingIsWaitedFor) {
  script_->Answer(R"({"__type": "ThrottlingException", "message": "Rate exceeded"})", 400);
  script_->Answer(R"({"__type": "ThrottlingException", "message": "Rate exceeded"})", 400);
  script_->Answer(kTable);
  EXPECT_TRUE(catalog_.GetTable(name_).ok());
  EXPECT_EQ(script_->asked.size(), 3U);
}

TEST_F(GlueCatalogScriptTest, RefusalsSayWhatToDo) {
  script_->Answer(R"({"__type": "AccessDeniedException", "Message": "not authorized"})", 400);
  const auto table = catalog_.GetTable(name_);
  EXPECT_EQ(table.status().code(), Code::kPermissionDenied);
  EXPECT_THAT(table.status().message(), HasSubstr("docs/permissions.md"));
  EXPECT_THAT(table.status().message(), HasSubstr("GetTable of table 'd.t'"));
  script_->Answer("no JSON");
  EXPECT_EQ(catalog_.GetTable(name_).status().code(), Code::kCorruption);
}

TEST_F(GlueCatalogScriptTest, KindsOfTablesAreTold) {
  const auto kind = [](const std::string& fields) {
    return ReadGlueTable(*ParseJson(R"({"Name": "t", )" + fields + "}"))->kind;
  };
  EXPECT_EQ(kind(R"("TableType": "EXTERNAL_TABLE")"), TableKind::kExternal);
  EXPECT_EQ(kind(R"("TableType": "EXTERNAL_TABLE", "Parameters": {"table_type": "ICEBERG"})"), TableKind::kIceberg);
  EXPECT_EQ(kind(R"("TableType": "VIRTUAL_VIEW")"), TableKind::kView);
  EXPECT_EQ(kind(R"("TableType": "MANAGED_TABLE")"), TableKind::kManaged);
  EXPECT_EQ(kind(R"("StorageDescriptor": 7)"), TableKind::kOther);
}

}  // namespace
}  // namespace tidegate::catalog
