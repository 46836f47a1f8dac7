#include "tidegate/base/json.h"

#include <gtest/gtest.h>

namespace tidegate {
namespace {

TEST(JsonTest, ReadsAValue) {
  const auto value = ParseJson(R"({"a": [1, "x", null], "b": {"a": 1}})");
  ASSERT_TRUE(value.ok()) << value.status().ToString();
  EXPECT_EQ((*value)["a"][1], "x");
}

TEST(JsonTest, HostileTextIsAnError) {
  for (const std::string& text :
       {std::string(""), std::string("{"), std::string("{} x"), std::string("{\"a\":1,\"a\":2}"),
        std::string(100000, '['), std::string("\"\xFF\""), std::string("1e999999")}) {
    EXPECT_EQ(ParseJson(text).status().code(), Code::kCorruption) << text.substr(0, 20);
  }
}

TEST(JsonTest, RequiredFieldsAreThereAndOfTheirKind) {
  const Json object = *ParseJson(R"({"format": 1, "text": "x", "large": 18446744073709551615})");
  EXPECT_EQ(*RequireText(object, "text"), "x");
  EXPECT_EQ(RequireText(object, "format").status().code(), Code::kCorruption);
  EXPECT_EQ(RequireText(object, "none").status().code(), Code::kCorruption);
  EXPECT_EQ(*RequireInteger(object, "format"), 1);
  EXPECT_EQ(RequireInteger(object, "large").status().code(), Code::kCorruption);
  EXPECT_EQ(RequireInteger(object, "text").status().code(), Code::kCorruption);
  EXPECT_TRUE(RequireFormat(object, 1).ok());
  EXPECT_EQ(RequireFormat(object, 2).code(), Code::kUnsupported);
  EXPECT_EQ(RequireFormat(Json::array(), 1).code(), Code::kCorruption);
}

}  // namespace
}  // namespace tidegate
