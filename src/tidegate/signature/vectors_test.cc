// The test vectors, for everyone who computes signatures: testdata/vectors.json. What they hold is checked by
// testdata/reference.py, which knows the document alone.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tidegate/base/json.h"
#include "tidegate/signature/test_signing.h"

namespace tidegate::signature {
namespace {

Json Vectors() {
  std::ifstream file(std::string(TIDEGATE_SIGNATURE_TESTDATA) + "/vectors.json", std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  auto parsed = ParseJson(text.str());
  EXPECT_TRUE(parsed.ok()) << parsed.status().ToString();
  return parsed.ok() ? *parsed : Json();
}

TEST(SignatureVectors, EachIsReproducedInEveryWay) {
  Signers signers;
  const Json vectors = Vectors();
  ASSERT_GE(vectors.at("vectors").size(), 15u);
  for (const Json& vector : vectors.at("vectors")) {
    const std::string query = vector.at("duckdb");
    SCOPED_TRACE(query);
    const Shown shown = vector.contains("duckdb_hands_arrow_another_type") ? Shown::kNotInArrow : Shown::kEverywhere;
    for (const auto& [way, signature] : signers.AllWays(RowSet(query, shown)))
      EXPECT_EQ(signature, vector.at("signature")) << way;
  }
}

}  // namespace
}  // namespace tidegate::signature
