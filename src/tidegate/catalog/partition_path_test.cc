#include "tidegate/catalog/partition_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::catalog {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

const std::vector<HiveColumn> kDay = {{"day", "string"}};
const std::vector<HiveColumn> kTwo = {{"day", "date"}, {"region", "string"}};

TEST(PartitionPathTest, EscapesAsHiveDoes) {  // C-59
  EXPECT_EQ(*PartitionPath(kTwo, {"2026-11-01", "eu"}), "day=2026-11-01/region=eu");
  EXPECT_EQ(*PartitionPath(kDay, {"a b"}), "day=a b");
  EXPECT_EQ(*PartitionPath(kDay, {"a/b:c=d%e'f\"g"}), "day=a%2Fb%3Ac%3Dd%25e%27f%22g");
  EXPECT_EQ(*PartitionPath(kDay, {"[{^#*?\\]\x01\x7F"}), "day=%5B%7B%5E%23%2A%3F%5C%5D%01%7F");
  EXPECT_EQ(*PartitionPath(kDay, {"Zürich"}), "day=Zürich");
  EXPECT_EQ(*PartitionPath(kTwo, {std::nullopt, "x"}), "day=__HIVE_DEFAULT_PARTITION__/region=x");
}

TEST(PartitionPathTest, RefusesWhatReadersCouldNotTellFromNull) {
  EXPECT_THAT(PartitionPath(kDay, {""}).status().message(), HasSubstr("like a null"));
  EXPECT_THAT(PartitionPath(kDay, {"__HIVE_DEFAULT_PARTITION__"}).status().message(), HasSubstr("publish null"));
  EXPECT_EQ(PartitionPath(kTwo, {"x"}).status().code(), Code::kInvalidArgument);
}

TEST(PartitionPathTest, ReadsWhatAPersonTypes) {
  EXPECT_THAT(*ParsePartitionPath(kTwo, "day=2026-11-01/region=a%2Fb"), ElementsAre("2026-11-01", "a/b"));
  EXPECT_THAT(*ParsePartitionPath(kTwo, "region=eu/day=2026-11-01"), ElementsAre("2026-11-01", "eu"));
  EXPECT_THAT(*ParsePartitionPath(kDay, "day=a=b:c"), ElementsAre(Optional(std::string("a=b:c"))));
  EXPECT_THAT(*ParsePartitionPath(kDay, "day=__HIVE_DEFAULT_PARTITION__"), ElementsAre(std::nullopt));
  for (const char* wrong : {"", "day", "date=1", "day=1/day=2", "day=", "day=%4", "day=%zz"}) {
    EXPECT_EQ(ParsePartitionPath(kDay, wrong).status().code(), Code::kInvalidArgument) << wrong;
  }
  EXPECT_THAT(ParsePartitionPath(kTwo, "day=1").status().message(), HasSubstr("write it as day=…/region=…"));
}

TEST(PartitionPathTest, PathsAreReadBack) {
  std::string every;
  for (int byte = 1; byte < 256; ++byte) every += static_cast<char>(byte);
  for (const std::string& value : {every, std::string("%41"), std::string("a=b/c"), std::string("ü ")}) {
    EXPECT_THAT(*ParsePartitionPath(kDay, *PartitionPath(kDay, {value})), ElementsAre(Optional(value)));
  }
}

}  // namespace
}  // namespace tidegate::catalog
