#include "tidegate/signature/signature_sql.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/signature/test_signing.h"

namespace tidegate::signature {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SignatureSql, NestedTextsAreThoseOfTheDocument) {
  Signers signers;
  EXPECT_THAT(signers.NestedTexts("SELECT * FROM (VALUES (1, 'ab'), (2, NULL)) t(id, name)"),
              ElementsAre("1;s2:ab", "2;n"));
  EXPECT_THAT(signers.NestedTexts("SELECT 0.05::DECIMAL(9,4) a, true b, -17 c, 0.1::DOUBLE d, '\\x00\\xFF'::BLOB e"),
              ElementsAre("0.05;t-17;d3FB999999999999Ax00FF;"));
  EXPECT_THAT(
      signers.NestedTexts("SELECT '1969-12-31'::DATE a, '12:00:00'::TIME b, '1969-12-31 23:59:59.999999'::TIMESTAMP c, "
                          "'1969-12-31 23:59:59.999998999'::TIMESTAMP_NS d"),
      ElementsAre("D-1;T43200000000;P-1;P-2.999;"));
  EXPECT_THAT(
      signers.NestedTexts("SELECT [1, NULL] a, []::INT[] b, {'b': NULL::INT, 'a': 1} c, MAP {'b': 2, 'a': 1} d"),
      ElementsAre("[1;n][]{s1:a1;s1:bn}<s1:a1;s1:b2;>"));
}

TEST(SignatureSql, ATypeWithoutASignatureIsRefusedWithTheColumn) {
  const auto sql = SignatureSql({{"id", "INTEGER"}, {"it's", "INTERVAL"}}, "t");
  ASSERT_FALSE(sql.ok());
  EXPECT_EQ(sql.status().code(), Code::kUnsupported);
  EXPECT_THAT(sql.status().message(),
              testing::AllOf(HasSubstr("it\\x27s"), HasSubstr("INTERVAL"), HasSubstr("leave the column out")));
  EXPECT_TRUE(SignatureSql({{"id", "INTEGER"}, {"it's", "INTERVAL"}}, "t", {.leave_out = {"it's"}}).ok());
}

TEST(SignatureSql, NoColumnsOrOneTwiceIsAnError) {
  EXPECT_EQ(SignatureSql({}, "t").status().code(), Code::kInvalidArgument);
  EXPECT_EQ(SignatureSql({{"a", "INTEGER"}}, "t", {.leave_out = {"a"}}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(SignatureSql({{"a", "INTEGER"}, {"a", "INTEGER"}}, "t").status().code(), Code::kCorruption);
}

TEST(SignatureSql, AThousandColumnsAreNoTrouble) {
  Signers signers;
  std::string query = "SELECT 0 c0";
  for (int i = 1; i < 1000; ++i) query += ", " + std::to_string(i) + " c" + std::to_string(i);
  EXPECT_TRUE(ContentSignature::Parse(signers.Sign(query)).known);
}

}  // namespace
}  // namespace tidegate::signature
