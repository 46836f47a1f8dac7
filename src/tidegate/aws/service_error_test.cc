#include "tidegate/aws/service_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::aws {
namespace {

using testing::HasSubstr;

TEST(ServiceErrorTest, ReadsTheFormsOfEachService) {
  const std::vector<std::string> forms = {
      "<?xml version=\"1.0\"?>\n<Error><Code>Some</Code><Message>words &amp; "
      "more</Message><Region>r</Region><RequestId>id</RequestId></Error>",
      "<ErrorResponse xmlns=\"x\"><Error><Type>Sender</Type><Code>Some</Code><Message>words &amp; "
      "more</Message></Error></ErrorResponse>",
      "<Response><Errors><Error><Code>Some</Code><Message>words &amp; more</Message></Error></Errors></Response>",
      R"({"__type": "com.amazonaws.glue#Some", "Message": "words & more"})",
      R"({"code": "Some", "message": "words & more"})"};
  for (const std::string& form : forms) {
    const ServiceError error = ReadServiceError({.status = 400, .body = form});
    EXPECT_EQ(error.code, "Some") << form;
    EXPECT_EQ(error.message, "words & more") << form;
    EXPECT_EQ(error.status, 400);
  }
  const ServiceError first = ReadServiceError({.status = 400, .body = forms[0]});
  EXPECT_EQ(first.region, "r");
  EXPECT_EQ(first.request_id, "id");
}

TEST(ServiceErrorTest, HeadersTellRegionAndRequest) {
  const ServiceError error =
      ReadServiceError({.status = 301, .headers = {{"x-amz-bucket-region", "eu-west-3"}, {"x-amz-request-id", "R"}}});
  EXPECT_EQ(error.region, "eu-west-3");
  EXPECT_EQ(error.request_id, "R");
  EXPECT_EQ(error.code, "");
}

TEST(ServiceErrorTest, NonsenseStaysEmptyAndIsNeverAFault) {
  for (const std::string& body :
       std::vector<std::string>{"", "<", "<html><body>proxy", "{", "{\"code\": 7}", "\xFF\xFE", "<Error/>",
                                "<Error><Code>", std::string(1 << 20, '<')}) {
    EXPECT_EQ(ReadServiceError({.status = 502, .body = body}).code, "");
  }
}

TEST(ServiceErrorTest, WhatPassesByItselfIsToldFromWhatDoesNot) {
  for (const int status : {408, 429, 500, 502, 503, 504}) EXPECT_TRUE(IsTransient({.status = status})) << status;
  for (const int status : {400, 401, 403, 404, 405, 409, 411, 412, 416, 501})
    EXPECT_FALSE(IsTransient({.status = status})) << status;
  for (const char* code : {"SlowDown", "RequestTimeout", "ThrottlingException", "ConditionalRequestConflict"}) {
    EXPECT_TRUE(IsTransient({.status = 400, .code = code})) << code;
  }
  EXPECT_TRUE(IsExpired({.status = 400, .code = "ExpiredToken"}));
  EXPECT_FALSE(IsExpired({.status = 403, .code = "AccessDenied"}));
  EXPECT_TRUE(IsClockSkew({.status = 403, .code = "RequestTimeTooSkewed"}));
}

TEST(ServiceErrorTest, ForeignWordsAreQuoted) {
  const std::string text =
      Describe({.status = 500, .code = "Odd\x1b[31m", .message = "line\nbreak", .request_id = "r\n"});
  EXPECT_THAT(text, testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, testing::Not(HasSubstr("\n")));
  EXPECT_THAT(text, HasSubstr("HTTP 500"));
}

}  // namespace
}  // namespace tidegate::aws
