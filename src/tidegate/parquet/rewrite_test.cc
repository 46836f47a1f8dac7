#include "tidegate/parquet/rewrite.h"

#include <arrow/array/array_base.h>
#include <arrow/extension/uuid.h>
#include <arrow/io/memory.h>
#include <arrow/pretty_print.h>
#include <arrow/result.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/schema.h>

#include "tidegate/parquet/file_info.h"
#include "tidegate/parquet/test_objects.h"

namespace tidegate::parquet {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<std::string> Rewrite(const std::string& bytes, const RewriteRequest& request = {}) {
  BytesReader reader(bytes);
  Finished finished;
  BytesWriter writer("copy.parquet", finished);
  TG_RETURN_IF_ERROR(RewriteFile(reader, request, writer));
  EXPECT_TRUE(finished.empty());  // finishing is the caller's
  return writer.bytes();
}

std::string Rewritten(const std::string& bytes, const RewriteRequest& request = {}) {
  const Result<std::string> copy = Rewrite(bytes, request);
  EXPECT_TRUE(copy.ok()) << copy.status().ToString();
  return copy.ok() ? *copy : "";
}

/// The copy can be adopted as it is, has the columns that file_info promised, and holds these values.
void ExpectColumn(const std::string& source, const std::shared_ptr<arrow::Array>& expected) {
  const std::string copy = Rewritten(source);
  BytesReader before(source), after(copy);
  const FileInfo promised = ReadFileInfo(before).value();
  const FileInfo got = ReadFileInfo(after).value();
  EXPECT_THAT(got.obstacles, IsEmpty());
  EXPECT_TRUE(got.columns == promised.columns) << schema::TypeName(got.columns[0].type);
  const auto table = ReadBack(copy);
  ASSERT_EQ(table->num_columns(), 1);
  EXPECT_TRUE(table->column(0)->chunk(0)->Equals(*expected)) << table->column(0)->ToString() << "\n"
                                                             << expected->ToString();
}

TEST(RewriteTest, TimestampsAndTimesBecomeMicroseconds) {  // C-28
  const auto micros = arrow::timestamp(arrow::TimeUnit::MICRO);
  const auto zoned = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  ExpectColumn(MakeFile({{"t", FromJson(arrow::timestamp(arrow::TimeUnit::MILLI), "[-1, null, 1700000000123]")}}),
               FromJson(micros, "[-1000, null, 1700000000123000]"));
  ExpectColumn(
      MakeFile({{"t", FromJson(arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), "[-1000, 1700000000123456000]")}}),
      FromJson(zoned, "[-1, 1700000000123456]"));
  ExpectColumn(MakeFile({{"t", FromJson(arrow::time32(arrow::TimeUnit::MILLI), "[86399999]")}}),
               FromJson(arrow::time64(arrow::TimeUnit::MICRO), "[86399999000]"));
  ExpectColumn(
      MakeFile({{"t", FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[1700000000123456000]")}}, {.int96 = true}),
      FromJson(micros, "[1700000000123456]"));
}

TEST(RewriteTest, ValuesThatMicrosecondsCannotHoldAreCorruptionNotACut) {  // C-25
  const Status digits =
      Rewrite(MakeFile({{"at", FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[1001]")}})).status();
  EXPECT_EQ(digits.code(), Code::kInvalidArgument);
  EXPECT_THAT(digits.message(), HasSubstr("column 'at'"));
  EXPECT_THAT(digits.message(), HasSubstr("part.parquet"));
  const auto far = FromJson(arrow::timestamp(arrow::TimeUnit::MILLI), "[9223372036854775807]");
  EXPECT_EQ(Rewrite(MakeFile({{"at", far}})).status().code(), Code::kInvalidArgument);
}

TEST(RewriteTest, UnsignedIntegersBecomeTheNextWiderSignedType) {
  ExpectColumn(MakeFile({{"n", FromJson(arrow::uint8(), "[255, null]")}}), FromJson(arrow::int32(), "[255, null]"));
  ExpectColumn(MakeFile({{"n", FromJson(arrow::uint16(), "[65535]")}}), FromJson(arrow::int32(), "[65535]"));
  ExpectColumn(MakeFile({{"n", FromJson(arrow::uint32(), "[4294967295]")}}), FromJson(arrow::int64(), "[4294967295]"));
  ExpectColumn(MakeFile({{"n", FromJson(arrow::uint64(), "[18446744073709551615, null, 0]")}}),
               FromJson(arrow::decimal128(20, 0), R"(["18446744073709551615", null, "0"])"));
}

TEST(RewriteTest, NestedValuesAreConvertedInPlace) {
  const auto type = arrow::struct_(
      {arrow::field("at", arrow::timestamp(arrow::TimeUnit::MILLI)), arrow::field("n", arrow::list(arrow::uint8()))});
  const std::string copy =
      Rewritten(MakeFile({{"s", FromJson(type, R"([{"at": 5, "n": [1, null]}, null, {"at": null, "n": null}])")}}));
  BytesReader reader(copy);
  const FileInfo info = ReadFileInfo(reader).value();
  EXPECT_THAT(info.obstacles, IsEmpty());
  EXPECT_EQ(schema::TypeName(info.columns[0].type), "struct<at: timestamp, n: list<int>>");
  const auto wanted = arrow::struct_({arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO)),
                                      arrow::field("n", arrow::list(arrow::field("element", arrow::int32())))});
  const auto expected = FromJson(wanted, R"([{"at": 5000, "n": [1, null]}, null, {"at": null, "n": null}])");
  EXPECT_TRUE(ReadBack(copy)->column(0)->chunk(0)->Equals(*expected));
}

TEST(RewriteTest, ListsGetTheStandardForm) {
  const auto values = FromJson(arrow::list(arrow::utf8()), R"([["a", null], [], null])");
  ExpectColumn(MakeFile({{"tags", values}}, {.old_list_names = true}),
               FromJson(arrow::list(arrow::field("element", arrow::utf8())), R"([["a", null], [], null])"));
}

TEST(RewriteTest, MapsKeepTheirEntries) {
  const auto type = arrow::map(arrow::utf8(), arrow::uint8());
  const std::string copy = Rewritten(MakeFile({{"m", FromJson(type, R"([[["a", 1], ["b", null]], [], null])")}}));
  const auto wanted = arrow::map(arrow::utf8(), arrow::int32());
  EXPECT_TRUE(ReadBack(copy)->column(0)->chunk(0)->Equals(*FromJson(wanted, R"([[["a", 1], ["b", null]], [], null])")))
      << ReadBack(copy)->ToString();
}

TEST(RewriteTest, FieldIdsAndForeignMetadataAreLeftOut) {
  const auto id = arrow::key_value_metadata({"PARQUET:field_id"}, {"7"});
  const auto schema = arrow::schema({arrow::field("a", arrow::int32(), true, id)});
  const auto table = arrow::Table::Make(schema, {FromJson(arrow::int32(), "[1, 2]")});
  const std::string source = MakeFile(*table, {.store_schema = true});
  BytesReader before(source);
  ASSERT_EQ(ReadFileInfo(before).value().obstacles.size(), 1u);
  ExpectColumn(source, FromJson(arrow::int32(), "[1, 2]"));
  EXPECT_THAT(Rewritten(source), ::testing::Not(HasSubstr("ARROW:schema")));
}

TEST(RewriteTest, UuidsJsonAndEnumsKeepTheirMeaning) {
  const auto storage = FromJson(arrow::fixed_size_binary(16), R"(["0123456789abcdef", null])");
  const auto uuids = arrow::ExtensionType::WrapArray(arrow::extension::uuid(), storage);
  const std::string copy = Rewritten(MakeFile({{"u", uuids}, {"n", FromJson(arrow::uint8(), "[1, 2]")}}));
  BytesReader reader(copy);
  EXPECT_EQ(schema::TypeName(ReadFileInfo(reader).value().columns[0].type), "uuid");
}

std::string EnumFile() {
  using ::parquet::LogicalType;
  using ::parquet::schema::GroupNode;
  using ::parquet::schema::PrimitiveNode;
  const auto node =
      PrimitiveNode::Make("state", ::parquet::Repetition::REQUIRED, LogicalType::Enum(), ::parquet::Type::BYTE_ARRAY);
  const auto root =
      std::static_pointer_cast<GroupNode>(GroupNode::Make("root", ::parquet::Repetition::REQUIRED, {node}));
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto file = ::parquet::ParquetFileWriter::Open(sink, root);
  auto* column = static_cast<::parquet::ByteArrayWriter*>(file->AppendRowGroup()->NextColumn());
  const ::parquet::ByteArray values[] = {::parquet::ByteArray("open"), ::parquet::ByteArray("shut")};
  column->WriteBatch(2, nullptr, nullptr, values);
  file->Close();
  return sink->Finish().ValueOrDie()->ToString();
}

TEST(RewriteTest, EnumsBecomeText) { ExpectColumn(EnumFile(), FromJson(arrow::utf8(), R"(["open", "shut"])")); }

TEST(RewriteTest, RowsStayInPlaceOverRowGroups) {
  std::string json = "[0";
  for (int i = 1; i < 1000; ++i) json += "," + std::to_string(i * 7919 % 251);
  const auto values = FromJson(arrow::uint32(), json + "]");
  ExpectColumn(MakeFile({{"n", values}}, {.row_group_rows = 77}), FromJson(arrow::int64(), json + "]"));
}

TEST(RewriteTest, ReservedColumnsAreDroppedWhateverTheirCase) {  // C-26
  const std::string copy =
      Rewritten(MakeFile({{"ETL_Date", FromJson(arrow::utf8(), R"(["x"])")}, {"id", FromJson(arrow::int32(), "[1]")}}),
                {{"etl_date", "etl_hour"}});
  BytesReader reader(copy);
  const FileInfo info = ReadFileInfo(reader).value();
  ASSERT_EQ(info.columns.size(), 1u);
  EXPECT_EQ(info.columns[0].name, "id");
}

TEST(RewriteTest, ColumnsOfNothingButNullsAreLeftOut) {
  const std::string copy =
      Rewritten(MakeFile({{"void", FromJson(arrow::null(), "[null]")}, {"id", FromJson(arrow::int32(), "[1]")}}));
  EXPECT_EQ(ReadBack(copy)->schema()->field_names(), std::vector<std::string>{"id"});
}

TEST(RewriteTest, TypesWithoutACounterpartAreNamed) {
  const std::string bytes =
      MakeFile({{"half", FromJson(arrow::float16(), "[1]")}, {"id", FromJson(arrow::int32(), "[1]")}});
  const Status status = Rewrite(bytes).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("'half'"));
  EXPECT_TRUE(Rewrite(bytes, {{"half"}}).ok());  // not if it is dropped anyway
  EXPECT_EQ(Rewrite(bytes, {{"half", "ID"}}).status().code(), Code::kUnsupported);
}

TEST(RewriteTest, AFileWithoutRowsStaysOne) {
  ExpectColumn(MakeFile({{"n", FromJson(arrow::uint8(), "[1]")->Slice(0, 1)}}), FromJson(arrow::int32(), "[1]"));
  const std::string copy = Rewritten(MakeFile({{"n", FromJson(arrow::uint8(), "[]")}}));
  BytesReader reader(copy);
  EXPECT_EQ(ReadFileInfo(reader).value().rows, 0);
}

TEST(RewriteTest, ErrorsOfEitherStoreAreHandedOn) {
  const std::string bytes = MakeFile({{"n", FromJson(arrow::uint8(), "[1, 2]")}});
  BytesReader reader(bytes);
  Finished finished;
  BytesWriter full("copy", finished);
  full.FailAfter(10, PermissionDenied("append: 'copy': no"));
  EXPECT_EQ(RewriteFile(reader, {}, full), PermissionDenied("append: 'copy': no"));
  BytesReader failing(bytes);
  failing.FailFrom(2, PreconditionFailed("read: replaced"));
  BytesWriter writer("copy", finished);
  EXPECT_EQ(RewriteFile(failing, {}, writer), PreconditionFailed("read: replaced"));
}

}  // namespace
}  // namespace tidegate::parquet
