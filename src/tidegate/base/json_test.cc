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

}  // namespace
}  // namespace tidegate
