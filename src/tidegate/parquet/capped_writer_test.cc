#include "tidegate/parquet/capped_writer.h"

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/c/abi.h>
#include <arrow/c/bridge.h>
#include <arrow/io/memory.h>
#include <arrow/result.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <cerrno>
#include <random>

#include "tidegate/parquet/file_info.h"
#include "tidegate/parquet/test_objects.h"

namespace tidegate::parquet {
namespace {

using ::testing::HasSubstr;

/// Fills a C stream with the table's rows in batches.
void Export(const std::shared_ptr<arrow::Table>& table, int64_t batch_rows, ArrowArrayStream* out) {
  const auto batches = std::make_shared<arrow::TableBatchReader>(table);
  batches->set_chunksize(batch_rows);
  ASSERT_TRUE(arrow::ExportRecordBatchReader(batches, out).ok());
}

struct Output {
  Result<std::vector<WrittenFile>> result = Internal("not run");
  std::vector<std::string> files;  // in the order of their split numbers
};

Output Write(const std::shared_ptr<arrow::Table>& table, const CappedWriterOptions& options,
             int64_t batch_rows = 2048) {
  ArrowArrayStream stream{};
  Export(table, batch_rows, &stream);
  Finished finished;
  Output output;
  output.result = WriteCapped(&stream, options, [&](int split) -> Result<std::unique_ptr<store::ObjectWriter>> {
    return std::unique_ptr<store::ObjectWriter>(
        std::make_unique<BytesWriter>(std::to_string(1'000'000 + split), finished));
  });
  EXPECT_EQ(stream.release, nullptr);  // released in every case
  for (auto& [key, bytes] : finished) output.files.push_back(std::move(bytes));
  return output;
}

std::shared_ptr<arrow::Table> ReadAll(const std::vector<std::string>& files) {
  std::vector<std::shared_ptr<arrow::Table>> tables;
  for (const std::string& file : files) tables.push_back(ReadBack(file));
  return arrow::ConcatenateTables(tables).ValueOrDie()->CombineChunks().ValueOrDie();
}

void ExpectSameRows(const arrow::Table& got, const arrow::Table& wanted) {
  ASSERT_EQ(got.num_rows(), wanted.num_rows());
  ASSERT_EQ(got.num_columns(), wanted.num_columns());
  for (int i = 0; i < got.num_columns(); ++i) {
    EXPECT_TRUE(got.column(i)->Equals(*wanted.column(i))) << wanted.field(i)->ToString();
  }
}

// ---- random tables

class RandomTable {
 public:
  explicit RandomTable(uint32_t seed) : random_(seed) {}

  std::shared_ptr<arrow::Table> Make(int64_t rows) {
    const uint32_t columns = 1 + random_() % 6;
    Columns table;
    for (uint32_t i = 0; i < columns; ++i) table.emplace_back("column_" + std::to_string(i), Column(rows));
    return MakeTable(table);
  }

 private:
  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }

  std::string Text() {
    std::string text = "\"";
    const uint32_t length = Below(20) == 0 ? Below(600) : Below(max_text_);
    for (uint32_t i = 0; i < length; ++i) text += static_cast<char>('a' + Below(letters_));
    return text + "\"";
  }

  std::string Int() { return std::to_string(static_cast<int32_t>(random_()) >> Below(32)); }

  std::string Ints() {
    std::string list = "[";
    for (uint32_t n = Below(6); n > 0; --n) list += Int() + (n > 1 ? "," : "");
    return list + "]";
  }

  std::string Value(int kind) {
    switch (kind) {
      case 0:
      case 1:
      case 2:
        return Int();
      case 3:
        return Below(2) == 0 ? "true" : "false";
      case 4:
        return "\"" + std::to_string(Below(1000)) + ".25\"";
      case 5:
        return Ints();
      case 6:
        return "{\"a\": " + Int() + ", \"b\": " + Text() + "}";
      case 7:
        return "[[" + Text() + ", " + Int() + "]]";
      default:
        return Text();
    }
  }

  std::shared_ptr<arrow::DataType> TypeOf(int kind) {
    switch (kind) {
      case 0:
        return arrow::int32();
      case 1:
        return arrow::int64();
      case 2:
        return arrow::timestamp(arrow::TimeUnit::MICRO);
      case 3:
        return arrow::boolean();
      case 4:
        return arrow::decimal128(20, 2);
      case 5:
        return arrow::list(arrow::field("element", arrow::int32()));
      case 6:
        return arrow::struct_({arrow::field("a", arrow::int64()), arrow::field("b", arrow::utf8())});
      case 7:
        return arrow::map(arrow::utf8(), arrow::int32());
      default:
        return arrow::utf8();
    }
  }

  std::shared_ptr<arrow::Array> Column(int64_t rows) {
    const int kind = static_cast<int>(Below(11));
    max_text_ = 1 + Below(80);
    letters_ = Below(3) == 0 ? 1 : 26;
    const uint32_t nulls = Below(4);
    std::string json = "[";
    for (int64_t i = 0; i < rows; ++i) {
      if (i > 0) json += ",";
      json += nulls > 0 && Below(nulls + 1) == 0 ? "null" : Value(kind);
    }
    return FromJson(TypeOf(kind), json + "]");
  }

  std::mt19937 random_;
  uint32_t max_text_ = 1;
  uint32_t letters_ = 26;
};

TEST(CappedWriterTest, RandomTablesUnderTinyCapsKeepEveryRowAndEveryCap) {  // C-3
  const std::string compressions[] = {"snappy", "zstd", "none"};
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    CappedWriterOptions options;
    options.max_file_bytes = 6'000 + random() % 194'000;
    options.row_group_rows = 1 + random() % 3000;
    options.compression = compressions[random() % 3];
    const auto table = RandomTable(seed).Make(1 + random() % 900);
    const Output output = Write(table, options, 1 + random() % 700);
    ASSERT_TRUE(output.result.ok()) << output.result.status().ToString();
    ASSERT_EQ(output.result->size(), output.files.size());
    for (size_t i = 0; i < output.files.size(); ++i) {
      EXPECT_LE(output.files[i].size(), options.max_file_bytes);
      EXPECT_EQ((*output.result)[i].object.size_bytes, output.files[i].size());
      EXPECT_EQ((*output.result)[i].rows, ReadBack(output.files[i])->num_rows());
    }
    ExpectSameRows(*ReadAll(output.files), *table);
  }
}

std::shared_ptr<arrow::Table> NoisyTable(int64_t rows, uint32_t seed) {
  std::mt19937 random(seed);
  std::string ids = "[", texts = "[";
  for (int64_t i = 0; i < rows; ++i) {
    ids += (i > 0 ? "," : "") + std::to_string(random());
    texts += i > 0 ? ",\"" : "\"";
    for (int n = 0; n < 24; ++n) texts += static_cast<char>('0' + random() % 75 % 43 + (random() % 2) * 32);
    texts += "\"";
  }
  for (char& c : texts) {
    if (c == '\\') c = '/';
  }
  return MakeTable({{"id", FromJson(arrow::int64(), ids + "]")}, {"text", FromJson(arrow::utf8(), texts + "]")}});
}

TEST(CappedWriterTest, FilesOfLargeDataAreCloseToTheCap) {
  const auto table = NoisyTable(120'000, 9);
  for (const std::string compression : {"snappy", "zstd", "none"}) {
    CappedWriterOptions options;
    options.max_file_bytes = 1'000'000;
    options.compression = compression;
    const Output output = Write(table, options);
    ASSERT_TRUE(output.result.ok()) << output.result.status().ToString();
    ASSERT_GE(output.files.size(), 3u);
    for (size_t i = 0; i + 1 < output.files.size(); ++i) {
      EXPECT_GE(output.files[i].size(), options.max_file_bytes * 85 / 100) << compression << " " << i;
      EXPECT_LE(output.files[i].size(), options.max_file_bytes);
    }
    ExpectSameRows(*ReadAll(output.files), *table);
  }
}

TEST(CappedWriterTest, RowGroupsHaveTheAskedNumberOfRows) {
  CappedWriterOptions options;
  options.row_group_rows = 1000;
  const Output output = Write(NoisyTable(2500, 1), options, 300);
  ASSERT_EQ(output.files.size(), 1u);
  const auto file = ::parquet::ParquetFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(output.files[0])));
  int64_t largest = 0;
  for (int i = 0; i < file->metadata()->num_row_groups(); ++i) {
    largest = std::max(largest, file->metadata()->RowGroup(i)->num_rows());
  }
  EXPECT_EQ(largest, 1000);
  EXPECT_LE(file->metadata()->num_row_groups(), 4);
}

TEST(CappedWriterTest, AStreamWithoutRowsIsOneFileWithoutRows) {
  const Output output = Write(MakeTable({{"id", FromJson(arrow::uint16(), "[]")}}), {});
  ASSERT_TRUE(output.result.ok());
  ASSERT_EQ(output.files.size(), 1u);
  EXPECT_EQ(ReadBack(output.files[0])->num_rows(), 0);
  EXPECT_TRUE(ReadBack(output.files[0])->field(0)->type()->Equals(arrow::int32()));
}

TEST(CappedWriterTest, ARowThatCannotFitIsNamed) {
  std::string text;
  std::mt19937 random(4);
  for (int i = 0; i < 20'000; ++i) text += static_cast<char>('a' + random() % 26);
  const auto table = MakeTable({{"t", FromJson(arrow::utf8(), "[\"a\", \"b\", \"" + text + "\", \"c\"]")}});
  CappedWriterOptions options;
  options.max_file_bytes = 10'000;
  const Output output = Write(table, options);
  EXPECT_EQ(output.result.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(output.result.status().message(), HasSubstr("row 3,"));
  EXPECT_THAT(output.result.status().message(), HasSubstr("cap 10000"));
  for (const std::string& file : output.files) EXPECT_LE(file.size(), options.max_file_bytes);
}

TEST(CappedWriterTest, ARowWhoseBoundIsTooLargeButWhichFitsIsWritten) {
  const auto table = MakeTable({{"t", FromJson(arrow::utf8(), "[\"" + std::string(50'000, 'x') + "\", \"y\"]")}});
  CappedWriterOptions options;
  options.max_file_bytes = 20'000;
  const Output output = Write(table, options);
  ASSERT_TRUE(output.result.ok()) << output.result.status().ToString();
  ExpectSameRows(*ReadAll(output.files), *table);
}

TEST(CappedWriterTest, AFooterLargerThanTheCapIsRefused) {
  CappedWriterOptions options;
  options.max_file_bytes = 200;
  const Output output = Write(MakeTable({{std::string(300, 'n'), FromJson(arrow::int32(), "[]")}}), options);
  EXPECT_EQ(output.result.status().code(), Code::kInvalidArgument);
  EXPECT_TRUE(output.files.empty());
}

void ExpectWritten(const std::shared_ptr<arrow::Array>& given, const std::shared_ptr<arrow::Array>& wanted) {
  const Output output = Write(MakeTable({{"c", given}}), {});
  ASSERT_TRUE(output.result.ok()) << output.result.status().ToString();
  ASSERT_EQ(output.files.size(), 1u);
  const auto got = ReadBack(output.files[0])->column(0)->chunk(0);
  EXPECT_TRUE(got->Equals(*wanted)) << given->type()->ToString() << "\n" << got->ToString();
  BytesReader reader(output.files[0]);
  EXPECT_THAT(ReadFileInfo(reader).value().obstacles, ::testing::IsEmpty()) << given->type()->ToString();
}

TEST(CappedWriterTest, TypesOfEnginesBecomeTypesThatEveryReaderGetsRight) {  // C-28
  const auto micros = arrow::timestamp(arrow::TimeUnit::MICRO);
  ExpectWritten(FromJson(arrow::timestamp(arrow::TimeUnit::SECOND), "[1, null]"), FromJson(micros, "[1000000, null]"));
  ExpectWritten(FromJson(arrow::timestamp(arrow::TimeUnit::MILLI), "[1, null]"), FromJson(micros, "[1000, null]"));
  ExpectWritten(FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[5000, null]"), FromJson(micros, "[5, null]"));
  ExpectWritten(FromJson(arrow::timestamp(arrow::TimeUnit::MICRO, "Europe/Paris"), "[5]"),
                FromJson(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[5]"));
  ExpectWritten(FromJson(arrow::int8(), "[-1]"), FromJson(arrow::int32(), "[-1]"));
  ExpectWritten(FromJson(arrow::uint32(), "[4294967295]"), FromJson(arrow::int64(), "[4294967295]"));
  ExpectWritten(FromJson(arrow::uint64(), "[18446744073709551615]"),
                FromJson(arrow::decimal128(20, 0), R"(["18446744073709551615"])"));
  ExpectWritten(FromJson(arrow::large_utf8(), R"(["a", null])"), FromJson(arrow::utf8(), R"(["a", null])"));
  ExpectWritten(FromJson(arrow::utf8_view(), R"(["a", "a text longer than twelve bytes"])"),
                FromJson(arrow::utf8(), R"(["a", "a text longer than twelve bytes"])"));
  ExpectWritten(FromJson(arrow::binary_view(), R"(["a"])"), FromJson(arrow::binary(), R"(["a"])"));
  ExpectWritten(DictionaryFromJson(arrow::dictionary(arrow::uint8(), arrow::utf8()), "[1, null, 0]", R"(["x", "y"])"),
                FromJson(arrow::utf8(), R"(["y", null, "x"])"));
  ExpectWritten(FromJson(arrow::time64(arrow::TimeUnit::NANO), "[1000]"),
                FromJson(arrow::time64(arrow::TimeUnit::MICRO), "[1]"));
  const auto list = arrow::list(arrow::field("element", arrow::int32()));
  ExpectWritten(FromJson(arrow::large_list(arrow::int32()), "[[1], [], null]"), FromJson(list, "[[1], [], null]"));
  ExpectWritten(FromJson(arrow::fixed_size_list(arrow::uint8(), 2), "[[1, 2], null]"),
                FromJson(list, "[[1, 2], null]"));
  ExpectWritten(FromJson(arrow::decimal128(9, 2), R"(["-1.50"])"), FromJson(arrow::decimal128(9, 2), R"(["-1.50"])"));
}

TEST(CappedWriterTest, DigitsBelowTheMicrosecondAreAnErrorNotACut) {
  const auto table = MakeTable({{"at", FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[1001]")}});
  const Status status = Write(table, {}).result.status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("'at'"));
}

TEST(CappedWriterTest, AHugeintOf39DigitsIsAnErrorNotAWrongNumber) {
  const auto wide = FromJson(arrow::decimal128(38, 0), R"(["0"])");
  auto data = wide->data()->Copy();
  std::string bytes(16, '\xff');
  bytes[15] = '\x7f';  // 2^127 - 1
  data->buffers[1] = arrow::Buffer::FromString(bytes);
  const auto table = MakeTable({{"huge", arrow::MakeArray(data)}});
  const Status status = Write(table, {}).result.status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("'huge'"));
}

TEST(CappedWriterTest, TypesWithoutACounterpartAreNamedWithAdvice) {
  const std::vector<std::shared_ptr<arrow::Array>> refused = {FromJson(arrow::month_day_nano_interval(), "[[1, 2, 3]]"),
                                                              FromJson(arrow::duration(arrow::TimeUnit::MICRO), "[1]"),
                                                              FromJson(arrow::null(), "[null]"),
                                                              FromJson(arrow::decimal256(50, 0), R"(["1"])")};
  for (const auto& array : refused) {
    const Status status = Write(MakeTable({{"odd", array}}), {}).result.status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << array->type()->ToString();
    EXPECT_THAT(status.message(), HasSubstr("'odd'"));
    EXPECT_THAT(status.message(), HasSubstr("cast it"));
  }
}

TEST(CappedWriterTest, NothingForeignIsInTheFiles) {
  const Output output = Write(MakeTable({{"id", FromJson(arrow::int32(), "[1]")}}), {});
  EXPECT_THAT(output.files.at(0), ::testing::Not(HasSubstr("ARROW:schema")));
  BytesReader reader(output.files.at(0));
  const FileInfo info = ReadFileInfo(reader).value();
  EXPECT_THAT(info.created_by, ::testing::StartsWith("tidegate version "));
  EXPECT_TRUE(info.metrics.at("id").lower_bound.has_value());
}

TEST(CappedWriterTest, WrongOptionsAreRefusedAndTheStreamReleased) {
  const auto table = MakeTable({{"id", FromJson(arrow::int32(), "[1]")}});
  EXPECT_EQ(Write(table, {.compression = "lzo"}).result.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Write(table, {.row_group_rows = 0}).result.status().code(), Code::kInvalidArgument);
  const auto twice = MakeTable({{"id", FromJson(arrow::int32(), "[1]")}, {"id", FromJson(arrow::int32(), "[1]")}});
  EXPECT_EQ(Write(twice, {}).result.status().code(), Code::kInvalidArgument);
}

TEST(CappedWriterTest, ErrorsOfTheStoreAreHandedOnAndNothingIsFinished) {
  for (uint64_t after : {0u, 100u, 3000u}) {
    ArrowArrayStream stream{};
    Export(NoisyTable(500, 2), 100, &stream);
    Finished finished;
    const auto result = WriteCapped(&stream, {}, [&](int) -> Result<std::unique_ptr<store::ObjectWriter>> {
      auto writer = std::make_unique<BytesWriter>("f", finished);
      writer->FailAfter(after, Unavailable("append: 'f': try again"));
      return std::unique_ptr<store::ObjectWriter>(std::move(writer));
    });
    EXPECT_EQ(result.status(), Unavailable("append: 'f': try again"));
    EXPECT_TRUE(finished.empty());
  }
}

/// A stream that fails after its schema.
class FailingStream {
 public:
  explicit FailingStream(int error) : error_(error) {
    stream_.get_schema = [](ArrowArrayStream*, ArrowSchema* out) {
      return arrow::ExportSchema(*arrow::schema({arrow::field("id", arrow::int32())}), out).ok() ? 0 : EINVAL;
    };
    stream_.get_next = [](ArrowArrayStream* self, ArrowArray*) {
      return static_cast<FailingStream*>(self->private_data)->error_;
    };
    stream_.get_last_error = [](ArrowArrayStream*) { return "Conversion Error: not a number"; };
    stream_.release = [](ArrowArrayStream* self) { self->release = nullptr; };
    stream_.private_data = this;
  }
  ArrowArrayStream* get() { return &stream_; }

 private:
  int error_;
  ArrowArrayStream stream_{};
};

TEST(CappedWriterTest, TheStreamsOwnErrorIsHandedOn) {
  const std::pair<int, Code> cases[] = {
      {EINVAL, Code::kInvalidArgument}, {ECANCELED, Code::kCancelled}, {EIO, Code::kInternal}};
  for (const auto& [error, code] : cases) {
    FailingStream stream(error);
    const auto result = WriteCapped(stream.get(), {}, [](int) -> Result<std::unique_ptr<store::ObjectWriter>> {
      return Internal("no file is needed");
    });
    EXPECT_EQ(result.status(), Status(code, "Conversion Error: not a number"));
    EXPECT_EQ(stream.get()->release, nullptr);
  }
}

}  // namespace
}  // namespace tidegate::parquet
