// The test vectors, for everyone who computes signatures: testdata/vectors.json.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tidegate/base/json.h"
#include "tidegate/signature/md5.h"
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

/// The sums of the rows' texts, by the document's words and nothing else of ours.
std::string SignatureOf(const std::vector<std::string>& texts, const std::string& names) {
  uint64_t upper = 0;
  uint64_t lower = 0;
  for (const std::string& text : texts) {
    const std::string hash = Md5Hex(text);
    upper += std::stoull(hash.substr(0, 16), nullptr, 16);
    lower += std::stoull(hash.substr(16), nullptr, 16);
  }
  return "tgs1:" + std::to_string(texts.size()) + ":" + std::to_string(upper) + ":" + std::to_string(lower) + ":" +
         Md5Hex(names);
}

TEST(SignatureVectors, EachIsReproducedInEveryWay) {
  Signers signers;
  const Json vectors = Vectors();
  ASSERT_GE(vectors.at("vectors").size(), 15u);
  for (const Json& vector : vectors.at("vectors")) {
    const std::string query = vector.at("duckdb");
    SCOPED_TRACE(query);
    const auto texts = vector.at("rows").get<std::vector<std::string>>();
    EXPECT_EQ(SignatureOf(texts, vector.at("names")), vector.at("signature"));
    EXPECT_THAT(signers.RowTexts(query), testing::UnorderedElementsAreArray(texts));
    for (const auto& [way, signature] : signers.AllWays(RowSet(query)))
      EXPECT_EQ(signature, vector.at("signature")) << way;
  }
}

}  // namespace
}  // namespace tidegate::signature
