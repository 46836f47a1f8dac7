#include "tidegate/signature/sign_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::signature {
namespace {

bool ComesThrough(const std::string& type) {
  const auto comes = ComeThroughStreams({{"id", "INTEGER"}, {"x", type}});
  EXPECT_TRUE(comes.ok()) << comes.status().ToString();
  return comes.ok() && *comes;
}

// What of these comes through is shown by the written cases (same_content_test.cc), which sign each in every way.
TEST(SignStream, TypesThatBecomeOthersOnTheWayAreNotSignedThere) {
  for (const char* type : {"UUID", "HUGEINT", "UHUGEINT", "TIME WITH TIME ZONE", "TIME_NS", "UUID[]", "STRUCT(a UUID)",
                           "MAP(VARCHAR, HUGEINT)"}) {
    EXPECT_FALSE(ComesThrough(type)) << type;
  }
  for (const char* type :
       {"BIGINT", "UBIGINT", "DECIMAL(38,10)", "DOUBLE", "VARCHAR", "BLOB", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_NS",
        "TIMESTAMP WITH TIME ZONE", "INTEGER[]", "STRUCT(a INTEGER[])"}) {
    EXPECT_TRUE(ComesThrough(type)) << type;
  }
}

TEST(SignStream, ATypeWithoutASignatureIsRefusedWithTheColumn) {
  const auto comes = ComeThroughStreams({{"when", "INTERVAL"}});
  ASSERT_FALSE(comes.ok());
  EXPECT_EQ(comes.status().code(), Code::kUnsupported);
  EXPECT_THAT(comes.status().message(), testing::HasSubstr("when"));
}

}  // namespace
}  // namespace tidegate::signature
