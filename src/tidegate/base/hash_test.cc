#include "tidegate/base/hash.h"

#include <gtest/gtest.h>

namespace tidegate {
namespace {

TEST(HashTest, AgreesWithThePublishedValueForTheEmptyInput) {
  EXPECT_EQ(HashBytes("").ToHex(), "99aa06d3014798d86001c324468d497f");
}

TEST(HashTest, SeedChangesTheHash) { EXPECT_NE(HashBytes("a", 1), HashBytes("a", 2)); }

TEST(HashTest, UuidsAreVersionFourAndDiffer) {
  const std::string uuid = NewUuid();
  ASSERT_EQ(uuid.size(), 36u);
  EXPECT_EQ(uuid[14], '4');
  EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
  EXPECT_NE(uuid, NewUuid());
}

}  // namespace
}  // namespace tidegate
