#include "tidegate/table/avro.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <functional>

namespace tidegate::table {
namespace {

using testing::HasSubstr;

constexpr char kPairSchema[] = R"({"type":"record","name":"row","fields":[{"name":"n","type":"long","field-id":1},)"
                               R"({"name":"text","type":["null","string"],"default":null,"field-id":2}]})";

std::string Number(int64_t value) {
  std::string out;
  uint64_t bits = static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
  for (; bits >= 0x80; bits >>= 7) out += static_cast<char>(bits | 0x80);
  return out + static_cast<char>(bits);
}

std::string Sized(const std::string& bytes) { return Number(static_cast<int64_t>(bytes.size())) + bytes; }

const std::string kSync(16, 's');

std::string Header(const std::string& schema, const std::string& codec = "null") {
  return std::string("Obj\1", 4) + Number(2) + Sized("avro.schema") + Sized(schema) + Sized("avro.codec") +
         Sized(codec) + Number(0) + kSync;
}

/// A file of one block, put together by hand: what other writers, or nobody, would write.
std::string File(const std::string& schema, int64_t rows, const std::string& block, const std::string& codec = "null") {
  return Header(schema, codec) + Number(rows) + Sized(block) + kSync;
}

std::string Record(const std::string& fields) { return R"({"type":"record","name":"row","fields":[)" + fields + "]}"; }

std::string OneField(const std::string& type) { return Record(R"({"name":"a","type":)" + type + "}"); }

Status ReadAll(
    const std::string& file, const std::function<void(const AvroRecord&)>& look = [](const AvroRecord&) {}) {
  TG_ASSIGN_OR_RETURN(const AvroReader reader, AvroReader::Open(file));
  return reader.ForEach([&](const AvroRecord& row) {
    look(row);
    return Status::Ok();
  });
}

std::string RawDeflate(const std::string& plain) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(AvroTest, WhatIsWrittenIsReadBack) {
  AvroWriter writer(kPairSchema, {{"who", "we"}});
  const std::vector<int64_t> numbers = {0, -1, 1, 63, -64, 64, INT64_MAX, INT64_MIN};
  for (const int64_t number : numbers) {
    writer.Long(number);
    if (number < 0) {
      writer.Null();
    } else {
      writer.Some();
      writer.Bytes(std::to_string(number));
    }
    writer.EndRow();
  }
  const std::string file = writer.Finish();
  const Result<AvroReader> reader = AvroReader::Open(file);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  EXPECT_EQ(reader->metadata().at("who"), "we");
  size_t i = 0;
  const Status status = reader->ForEach([&](const AvroRecord& row) {
    EXPECT_EQ(*row.Long(1, "n"), numbers.at(i));
    const auto text = row.FindText(2, "text");
    EXPECT_EQ(text->has_value(), numbers[i] >= 0);
    if (*text) {
      EXPECT_EQ(**text, std::to_string(numbers[i]));
    }
    ++i;
    return Status::Ok();
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(i, numbers.size());
}

TEST(AvroTest, ManyRowsSpanBlocksAndTheBytesAreDeterministic) {
  const auto write = [] {
    AvroWriter writer(kPairSchema, {});
    for (int i = 0; i < 20'000; ++i) {
      writer.Long(i);
      writer.Some();
      writer.Bytes(std::string(40, 'x'));
      writer.EndRow();
    }
    return writer.Finish();
  };
  const std::string file = write();
  EXPECT_EQ(file, write());
  int64_t rows = 0;
  EXPECT_TRUE(ReadAll(file, [&](const AvroRecord& row) { EXPECT_EQ(*row.Long(1, "n"), rows++); }).ok());
  EXPECT_EQ(rows, 20'000);
}

TEST(AvroTest, FieldsAreFoundByIdAndByNameOnlyWhereThereIsNoId) {
  const std::string schema = Record(R"({"name":"x","type":"long","field-id":7},{"name":"y","type":"long"})");
  const Status status = ReadAll(File(schema, 1, Number(1) + Number(2)), [](const AvroRecord& row) {
    EXPECT_EQ(*row.Long(7, "renamed"), 1);
    EXPECT_EQ(*row.Long(9, "y"), 2);
    EXPECT_EQ(row.Find(8, "x"), nullptr);
    EXPECT_EQ(row.Long(8, "x").status().code(), Code::kCorruption);
    EXPECT_EQ(row.Text(8, "x").status().code(), Code::kCorruption);
    EXPECT_EQ(row.FindText(7, "x").status().code(), Code::kCorruption);
    EXPECT_EQ(row.FindRecord(7, "x").status().code(), Code::kCorruption);
    EXPECT_FALSE(row.FindRecord(8, "x")->has_value());
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
}

TEST(AvroTest, EveryTypeIsReadOver) {
  const std::string schema = Record(
      R"({"name":"b","type":"boolean"},{"name":"f","type":"float"},{"name":"d","type":{"type":"double"}},)"
      R"({"name":"dec","type":{"type":"fixed","name":"dec_t","size":3,"logicalType":"decimal","precision":5}},)"
      R"({"name":"again","type":"dec_t"},{"name":"e","type":{"type":"enum","name":"e_t","symbols":["A","B"]}},)"
      R"({"name":"l","type":{"type":"array","items":"int"}},{"name":"m","type":{"type":"map","values":"long"}},)"
      R"({"name":"u","type":["null","bytes","long"]},{"name":"nothing","type":"null"},{"name":"last","type":"string"})");
  const std::string sized_block = Number(-2) + Number(2) + Number(5) + Number(6) + Number(1) + Number(7) + Number(0);
  const std::string row = std::string("\1", 1) + std::string(4, '\0') + std::string(8, '\0') + "abc" + "def" +
                          Number(1) + sized_block + Number(1) + Sized("k") + Number(9) + Number(0) + Number(2) +
                          Number(-5) + Sized("end");
  const Status status = ReadAll(File(schema, 1, row), [](const AvroRecord& record) {
    EXPECT_EQ(std::get<bool>(record.Find(-1, "b")->data), true);
    EXPECT_EQ(std::get<double>(record.Find(-1, "f")->data), 0.0);
    EXPECT_EQ(*record.Text(-1, "again"), "def");
    EXPECT_EQ(*record.Long(-1, "e"), 1);
    EXPECT_EQ(std::get<AvroValue::Items>(record.Find(-1, "l")->data).size(), 3u);
    const AvroValue& pair = std::get<AvroValue::Items>(record.Find(-1, "m")->data).at(0);
    EXPECT_EQ(std::get<std::string>(std::get<AvroValue::Items>(pair.data)[0].data), "k");
    EXPECT_EQ(*record.Long(-1, "u"), -5);
    EXPECT_EQ(record.Find(-1, "nothing"), nullptr);
    EXPECT_EQ(*record.Text(-1, "last"), "end");
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
}

TEST(AvroTest, NamesResolveInTheirNamespace) {
  const std::string schema =
      R"({"type":"record","name":"row","namespace":"a.b","fields":[{"name":"x","type":{"type":"record","name":"inner",)"
      R"("fields":[{"name":"n","type":"long"}]}},{"name":"y","type":"inner"},{"name":"z","type":"a.b.inner"}]})";
  EXPECT_TRUE(ReadAll(File(schema, 1, Number(1) + Number(2) + Number(3))).ok());
}

TEST(AvroTest, TheSinksErrorEndsTheReading) {
  const std::string file = File(kPairSchema, 2, Number(1) + Number(0) + Number(2) + Number(0));
  const auto reader = AvroReader::Open(file);
  int calls = 0;
  const Status status = reader->ForEach([&](const AvroRecord&) {
    ++calls;
    return Cancelled("enough");
  });
  EXPECT_EQ(status.code(), Code::kCancelled);
  EXPECT_EQ(calls, 1);
}

TEST(AvroHostileTest, ATruncatedFileIsCorruptionAtEveryLength) {
  AvroWriter writer(kPairSchema, {});
  for (int i = 0; i < 50; ++i) {
    writer.Long(i);
    writer.Null();
    writer.EndRow();
  }
  const std::string file = writer.Finish();
  for (size_t length = 0; length < file.size(); ++length) {
    const std::string part = file.substr(0, length);
    const Status status = ReadAll(part);
    // A cut between two blocks is a shorter file, as Avro has no end mark; here that is the end of the header.
    if (!status.ok())
      EXPECT_EQ(status.code(), Code::kCorruption) << length << ": " << status.ToString();
    else
      EXPECT_TRUE(part.ends_with(file.substr(file.size() - 16))) << length;
  }
}

TEST(AvroHostileTest, BadSchemasAreCorruption) {
  const std::string schemas[] = {
      "",
      "7",
      "\"row\"",
      "\"long\"",
      "[]",
      "{}",
      R"({"type":"record","name":"r"})",
      R"({"type":"record","fields":[]})",
      Record("7"),
      Record("{}"),
      Record(R"({"type":"long"})"),
      OneField("7"),
      OneField("\"nowhere\""),
      OneField(R"({"type":"array"})"),
      OneField(R"({"type":"fixed","name":"f"})"),
      OneField(R"({"type":"fixed","name":"f","size":-1})"),
      OneField(R"({"type":"enum","name":"e"})"),
      OneField(R"({"type":"fixed","name":"row","size":1})"),
      Record(R"({"name":"a","type":"long","field-id":-1})"),
      Record(R"({"name":"a","type":"long","field-id":"x"})"),
      R"({"type":"record","name":"r","namespace":7,"fields":[]})",
  };
  for (const std::string& schema : schemas) {
    EXPECT_EQ(ReadAll(File(schema, 0, "")).code(), Code::kCorruption) << schema;
  }
  std::string deep = "\"long\"";
  for (int i = 0; i < 40; ++i) deep = R"({"type":"array","items":)" + deep + "}";
  EXPECT_TRUE(ParseAvroSchema(OneField(deep)).ok());
  for (int i = 0; i < 400; ++i) deep = R"({"type":"array","items":)" + deep + "}";
  EXPECT_EQ(ParseAvroSchema(OneField(deep)).status().code(), Code::kCorruption);
  std::string wide = R"(["long")";
  for (int i = 0; i < 20'000; ++i) wide += R"(,"long")";
  EXPECT_EQ(ParseAvroSchema(OneField(wide + "]")).status().code(), Code::kCorruption);
}

TEST(AvroHostileTest, LengthsAndCountsThatLieAreCorruption) {
  const std::string huge = Number(INT64_MAX);
  const std::string list = OneField(R"({"type":"array","items":"long"})");
  const std::string files[] = {
      "Obj\2",
      std::string("Obj\1", 4) + huge,
      std::string("Obj\1", 4) + Number(INT64_MIN) + Number(0),
      std::string("Obj\1", 4) + Number(-1) + Number(-1),
      Header(kPairSchema) + huge + Sized("") + kSync,
      Header(kPairSchema) + Number(1) + huge + kSync,
      Header(kPairSchema) + Number(1) + Number(-1) + kSync,
      Header(kPairSchema) + std::string(11, '\xFF'),
      Header(kPairSchema) + Number(0) + Sized("") + std::string(16, 'x'),
      File(kPairSchema, -1, ""),
      File(kPairSchema, 1, ""),
      File(kPairSchema, 1, Number(1) + Number(7)),
      File(kPairSchema, 1, Number(1) + Number(1) + huge),
      File(kPairSchema, 1, Number(1) + Number(1) + Number(-3)),
      File(kPairSchema, 1, Number(1) + Number(0) + "x"),
      File(list, 1, huge),
      File(list, 1, Number(INT64_MIN) + Number(0)),
      File(list, 1, Number(5) + Number(1)),
      File(OneField("\"int\""), 1, huge),
      File(OneField("\"boolean\""), 1, "\2"),
      File(OneField("\"double\""), 1, "x"),
      File(OneField(R"({"type":"enum","name":"e","symbols":["A"]})"), 1, Number(1)),
      File(OneField(R"({"type":"fixed","name":"f","size":9223372036854775807})"), 1, "x"),
  };
  for (const std::string& file : files)
    EXPECT_EQ(ReadAll(file).code(), Code::kCorruption) << testing::PrintToString(file);
}

TEST(AvroHostileTest, ValuesThatTakeNoBytesAreBounded) {
  // Each record holds the one before twice: values double, and none takes a byte.
  std::string fields = R"({"name":"f0","type":{"type":"record","name":"r0","fields":[{"name":"n","type":"null"}]}})";
  for (int i = 1; i < 40; ++i) {
    const std::string before = R"("r)" + std::to_string(i - 1) + "\"";
    fields += R"(,{"name":"f)" + std::to_string(i) + R"(","type":{"type":"record","name":"r)" + std::to_string(i) +
              R"(","fields":[{"name":"a","type":)" + before + R"(},{"name":"b","type":)" + before + "}]}}";
  }
  const Status status = ReadAll(File(Record(fields), 1, "x"));
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("more values"));
}

TEST(AvroHostileTest, ATypeThatHoldsItselfIsBounded) {
  const Status status = ReadAll(File(Record(R"({"name":"x","type":"row"})"), 1, "x"));
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("nested deeper"));
}

TEST(AvroHostileTest, ADecompressionBombIsCorruption) {
  const std::string bomb = RawDeflate(std::string(size_t{200} << 20, '\0'));
  ASSERT_LT(bomb.size(), size_t{1} << 20);
  const Status status = ReadAll(File(kPairSchema, 1, bomb, "deflate"));
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("unpacks to more than"));
  EXPECT_EQ(ReadAll(File(kPairSchema, 1, "\xFF\xFF", "deflate")).code(), Code::kCorruption);
}

TEST(AvroTest, OtherCodecsAreUnsupported) {
  const Status status = ReadAll(File(kPairSchema, 0, "", "zstandard"));
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("'zstandard'"));
}

}  // namespace
}  // namespace tidegate::table
