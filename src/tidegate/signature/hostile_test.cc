// Files that lie or are broken: a message that names the file, or the same value for the same bytes; never a crash.
#include <arrow/array/array_base.h>
#include <arrow/array/builder_binary.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/properties.h>

#include <random>

#include "tidegate/parquet/test_objects.h"
#include "tidegate/signature/test_signing.h"

namespace tidegate::signature {
namespace {

using parquet::FromJson;
using parquet::MakeFile;
using testing::HasSubstr;

std::string SmallFile() {
  return MakeFile({{"i", FromJson(arrow::int64(), "[1, null, 3, 4]")},
                   {"s", FromJson(arrow::utf8(), R"(["a", "b", null, "a"])")},
                   {"l", FromJson(arrow::list(arrow::int32()), "[[1], [], null, [2, 3]]")}},
                  {.row_group_rows = 3});
}

TEST(HostileFile, ACutFileIsCorruptAndNamed) {
  Signers signers;
  const std::string whole = SmallFile();
  for (size_t size = 0; size < whole.size(); size += 37) {
    signers.WriteFile("cut.parquet", whole.substr(0, size));
    const auto signature = signers.SignFiles({"cut.parquet"});
    ASSERT_FALSE(signature.ok());
    EXPECT_EQ(signature.status().code(), Code::kCorruption) << signature.status().ToString();
    EXPECT_THAT(signature.status().message(), HasSubstr("cut.parquet"));
  }
}

/// Bytes of a file changed at random: a message that names it, or a signature, and never a crash.
void FlipBytes(const std::string& whole, int rounds) {
  Signers signers;
  const unsigned seed = 30;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < rounds; ++i) {
    std::string broken = whole;
    for (int flips = 1 + i % 3; flips > 0; --flips) broken[random() % broken.size()] = static_cast<char>(random());
    signers.WriteFile("broken.parquet", broken);
    const auto signature = signers.SignFiles({"broken.parquet"});
    if (!signature.ok()) {
      EXPECT_THAT(signature.status().message(), HasSubstr("broken.parquet")) << i;
    }
  }
}

TEST(HostileFile, FlippedBytesAreAMessageOrAnotherValueAndNeverACrash) { FlipBytes(SmallFile(), 1000); }

/// Both versions of pages, compressed by Snappy, with and without a dictionary, small enough that most flips hit data.
TEST(HostileFile, FlippedBytesOfSnappyPagesAreAMessageOrAnotherValueAndNeverACrash) {
  std::string numbers = "[", texts = "[";
  for (int i = 0; i < 400; ++i) {
    numbers += (i == 0 ? "" : ",") + (i % 9 == 0 ? "null" : std::to_string(i * i % 1000));
    texts += (i == 0 ? "\"" : ",\"") + std::string(static_cast<size_t>(i % 30), 'v') + std::to_string(i / 3) + "\"";
  }
  for (const auto version : {::parquet::ParquetDataPageVersion::V1, ::parquet::ParquetDataPageVersion::V2}) {
    for (const bool dictionary : {true, false}) {
      ::parquet::WriterProperties::Builder properties;
      properties.compression(::parquet::Compression::SNAPPY)->data_page_version(version)->data_pagesize(500);
      if (!dictionary) properties.disable_dictionary();
      FlipBytes(MakeFile({{"n", FromJson(arrow::int64(), numbers + "]")}, {"t", FromJson(arrow::utf8(), texts + "]")}},
                         {.properties = properties.build()}),
                1000);
    }
  }
}

TEST(HostileFile, TextThatIsNoUtf8IsSignedByItsBytes) {
  Signers signers;
  const auto file = [](const std::string& bytes) {
    arrow::StringBuilder builder;
    EXPECT_TRUE(builder.Append(bytes).ok());
    return MakeFile({{"x", builder.Finish().ValueOrDie()}});
  };
  signers.WriteFile("latin1", file("gr\xF6\xDF"
                                   "e"));
  signers.WriteFile("same", file("gr\xF6\xDF"
                                 "e"));
  signers.WriteFile("other", file("gr\xF6\xDE"
                                  "e"));
  const std::string signature = signers.ByParquet({"latin1"});
  EXPECT_TRUE(ContentSignature::Parse(signature).known) << signature;
  EXPECT_EQ(signature, signers.ByParquet({"same"}));
  EXPECT_NE(signature, signers.ByParquet({"other"}));
  EXPECT_THAT(signers.BySql("read_parquet(" + engine::SqlText(signers.Path("latin1")) + ")"),
              HasSubstr("nvalid"));  // DuckDB refuses
}

TEST(HostileFile, TwoColumnsOfOneNameHaveNoSignature) {
  Signers signers;
  signers.WriteFile("twice",
                    MakeFile({{"x", FromJson(arrow::int64(), "[1]")}, {"x", FromJson(arrow::int64(), "[2]")}}));
  const auto signature = signers.SignFiles({"twice"});
  ASSERT_FALSE(signature.ok());
  EXPECT_EQ(signature.status().code(), Code::kCorruption);
  EXPECT_THAT(signature.status().message(), testing::AllOf(HasSubstr("'twice'"), HasSubstr("'x'")));
}

TEST(HostileFile, AMapThatNamesAKeyTwiceKeepsBoth) {
  Signers signers;
  const auto type = arrow::map(arrow::utf8(), arrow::int32());
  signers.WriteFile("both", MakeFile({{"x", FromJson(type, R"([[["a", 1], ["a", 2]]])")}}));
  signers.WriteFile("turned", MakeFile({{"x", FromJson(type, R"([[["a", 2], ["a", 1]]])")}}));
  signers.WriteFile("one", MakeFile({{"x", FromJson(type, R"([[["a", 2]]])")}}));
  EXPECT_EQ(signers.ByParquet({"both"}), signers.ByParquet({"turned"}));
  EXPECT_NE(signers.ByParquet({"both"}), signers.ByParquet({"one"}));
}

TEST(HostileFile, OneLongTextThatManyRowsNameIsHashedAFewRowsAtATime) {
  Signers signers;
  const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  const std::string value = "\"" + std::string(3'000'000, 'v') + "\"";
  std::string codes = "[0";
  std::string values = "[" + value;
  for (int i = 1; i < 20; ++i) {
    codes += ", 0";
    values += ", " + value;
  }
  signers.WriteFile("coded", MakeFile({{"x", parquet::DictionaryFromJson(type, codes + "]", "[" + value + "]")}}));
  signers.WriteFile("plain", MakeFile({{"x", FromJson(arrow::utf8(), values + "]")}}));
  EXPECT_EQ(signers.ByParquet({"coded"}), signers.ByParquet({"plain"}));
}

}  // namespace
}  // namespace tidegate::signature
