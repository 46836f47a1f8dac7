#include "tidegate/signature/content_signature.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tidegate::signature {
namespace {

const std::string kText = "tgs2:2:4598730805371372327:18194137699072857826:932ae270a9301dcbd7f1638bb9cd63f1";

TEST(ContentSignature, ItsTextIsReadBack) {
  const ContentSignature parsed = ContentSignature::Parse(kText);
  ASSERT_TRUE(parsed.known);
  EXPECT_EQ(parsed.rows, 2);
  EXPECT_EQ(parsed.upper, 4598730805371372327u);
  EXPECT_EQ(parsed.lower, 18194137699072857826u);
  EXPECT_EQ(parsed.names, "932ae270a9301dcbd7f1638bb9cd63f1");
  EXPECT_EQ(parsed.ToString(), kText);
  EXPECT_EQ(parsed, ContentSignature::Parse(kText));
}

TEST(ContentSignature, EachPartCounts) {
  const ContentSignature one = ContentSignature::Parse(kText);
  for (const std::string other : {"tgs2:3:4598730805371372327:18194137699072857826:932ae270a9301dcbd7f1638bb9cd63f1",
                                  "tgs2:2:4598730805371372328:18194137699072857826:932ae270a9301dcbd7f1638bb9cd63f1",
                                  "tgs2:2:4598730805371372327:18194137699072857825:932ae270a9301dcbd7f1638bb9cd63f1",
                                  "tgs2:2:4598730805371372327:18194137699072857826:932ae270a9301dcbd7f1638bb9cd63f2"}) {
    const ContentSignature parsed = ContentSignature::Parse(other);
    EXPECT_TRUE(parsed.known) << other;
    EXPECT_FALSE(parsed == one) << other;
  }
}

TEST(ContentSignature, AnotherVersionOrFormIsUnknown) {
  const std::string names = ":932ae270a9301dcbd7f1638bb9cd63f1";
  for (const std::string& text : std::vector<std::string>{
           "", "unknown", "tgs0:2:1:2" + names, "tgs1:2:1:2" + names, "TGS2:2:1:2" + names, "tgs2:2:1:2",
           "tgs2:2:1:2" + names + ":", "tgs2:2:1:2" + names + "0", "tgs2:-2:1:2" + names, "tgs2:02:1:2" + names,
           "tgs2:2:1:18446744073709551616" + names, "tgs2:9223372036854775808:1:2" + names, "tgs2:2:+1:2" + names,
           "tgs2:2: 1:2" + names, "tgs2:2:1:2:932AE270A9301DCBD7F1638BB9CD63F1", "tgs2:2:1:2" + names + "\n"}) {
    EXPECT_FALSE(ContentSignature::Parse(text).known) << text;
  }
}

TEST(ContentSignature, UnknownIsEqualToNone) {
  const ContentSignature unknown = ContentSignature::Parse("tgs0:1");
  EXPECT_FALSE(unknown == unknown);
  EXPECT_FALSE(unknown == ContentSignature());
  EXPECT_FALSE(unknown == ContentSignature::Parse(kText));
  EXPECT_EQ(unknown.ToString(), "unknown");
}

}  // namespace
}  // namespace tidegate::signature
