#include "tidegate/athena/query_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::athena {
namespace {

using ::testing::HasSubstr;

QueryReport Failed(const std::string& reason, int64_t category = 2, bool retryable = false) {
  QueryReport out{.id = "q-1", .state = QueryState::kFailed, .reason = reason, .category = category};
  out.error_type = 1000;
  out.retryable = retryable;
  return out;
}

TEST(QueryReportTest, AReportIsRead) {
  const auto report = ReadQueryReport(*ParseJson(R"({"QueryExecution": {"QueryExecutionId": "q-1",
      "Status": {"State": "FAILED", "StateChangeReason": "SYNTAX_ERROR: x",
                 "AthenaError": {"ErrorCategory": 2, "ErrorType": 1006, "Retryable": true}},
      "ResultConfiguration": {"OutputLocation": "s3://r/q-1"},
      "Statistics": {"DataManifestLocation": "s3://r/q-1-manifest.csv", "DataScannedInBytes": 7}}})"));
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->state, QueryState::kFailed);
  EXPECT_EQ(report->reason, "SYNTAX_ERROR: x");
  EXPECT_EQ(report->error_type, 1006);
  EXPECT_TRUE(report->retryable);
  EXPECT_EQ(report->scanned_bytes, 7);
  EXPECT_EQ(ManifestLocation(*report), "s3://r/q-1-manifest.csv");
}

TEST(QueryReportTest, AnAnswerWithoutAStateIsBroken) {
  EXPECT_EQ(ReadQueryReport(*ParseJson("{}")).status().code(), Code::kCorruption);
  EXPECT_EQ(ReadQueryReport(*ParseJson(R"({"QueryExecution": {"Status": {"State": "PERHAPS"}}})")).status().code(),
            Code::kCorruption);
  EXPECT_EQ(ReadQueryReport(*ParseJson(R"({"QueryExecution": 7})")).status().code(), Code::kCorruption);
}

TEST(QueryReportTest, EachFailureSaysWhatToDo) {
  struct Case {
    const char* reason;
    Code code;
    const char* advice;
  };
  for (const Case& one : {
           Case{"SYNTAX_ERROR: line 1:8: Column 'x' cannot be resolved", Code::kInvalidArgument, "mend the statement"},
           Case{"TABLE_NOT_FOUND: line 1:15: Table 'c.d.t' does not exist", Code::kInvalidArgument, "check the names"},
           Case{"HIVE_PATH_ALREADY_EXISTS: Target directory already exists", Code::kPreconditionFailed, "run again"},
           Case{"HIVE_BAD_DATA: Malformed Parquet file", Code::kCorruption, "a file that the statement reads"},
           Case{"Access Denied (Service: Amazon S3; Status Code: 403)", Code::kPermissionDenied, "permissions.md"},
           Case{"Bytes scanned limit was exceeded", Code::kInvalidArgument, "the workgroup bounds"},
           Case{"Query exhausted resources at this scale factor", Code::kUnavailable, "hold less in memory"},
       }) {
    const Status why = WhyFailed(Failed(one.reason));
    EXPECT_EQ(why.code(), one.code) << one.reason;
    EXPECT_THAT(why.message(), HasSubstr(one.advice));
    EXPECT_THAT(why.message(), HasSubstr("q-1"));
    EXPECT_THAT(why.message(), HasSubstr("error category 2, type 1000"));
  }
}

TEST(QueryReportTest, WhatIsNotKnownGoesByItsCategory) {
  EXPECT_EQ(WhyFailed(Failed("NEW_ERROR: x", 2)).code(), Code::kInvalidArgument);
  EXPECT_EQ(WhyFailed(Failed("NEW_ERROR: x", 2, true)).code(), Code::kUnavailable);
  EXPECT_EQ(WhyFailed(Failed("", 1)).code(), Code::kUnavailable);
}

TEST(QueryReportTest, ACancelledQueryWasStoppedOrReadTooMuch) {
  QueryReport report{.id = "q-1", .state = QueryState::kCancelled};
  EXPECT_EQ(WhyFailed(report).code(), Code::kCancelled);
  report.reason = "Bytes scanned limit was exceeded";
  EXPECT_EQ(WhyFailed(report).code(), Code::kInvalidArgument);
}

TEST(QueryReportTest, AManifestThatAthenaDoesNotNameLiesBesideTheResult) {
  QueryReport report{.id = "q-1"};
  report.output = "s3://r/a/q-1";
  EXPECT_EQ(ManifestLocation(report), "s3://r/a/q-1-manifest.csv");
  report.output = "s3://r/a/q-1.csv";
  EXPECT_EQ(ManifestLocation(report), "s3://r/a/q-1-manifest.csv");
  report.output = "s3://r/a";
  EXPECT_EQ(ManifestLocation(report), "s3://r/a/q-1-manifest.csv");
}

}  // namespace
}  // namespace tidegate::athena
