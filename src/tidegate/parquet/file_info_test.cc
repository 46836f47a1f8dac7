#include "tidegate/parquet/file_info.h"

#include <arrow/array/array_base.h>
#include <arrow/extension/uuid.h>
#include <arrow/io/memory.h>
#include <arrow/result.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <cstring>
#include <random>

#include "tidegate/parquet/key_scan.h"
#include "tidegate/parquet/position_delete_file.h"
#include "tidegate/parquet/rewrite.h"
#include "tidegate/parquet/test_objects.h"

namespace tidegate::parquet {
namespace {

using ::parquet::LogicalType;
using ::parquet::Repetition;
using ::parquet::schema::GroupNode;
using ::parquet::schema::NodePtr;
using ::parquet::schema::PrimitiveNode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

FileInfo Info(const std::string& bytes) {
  BytesReader reader(bytes);
  Result<FileInfo> info = ReadFileInfo(reader);
  EXPECT_TRUE(info.ok()) << info.status().ToString();
  return info.ok() ? std::move(info).value() : FileInfo{};
}

Status Refusal(const std::string& bytes, const std::string& key = "part.parquet") {
  BytesReader reader(bytes, key);
  return ReadFileInfo(reader).status();
}

/// A file without rows of any Parquet schema, also of those that Arrow's writer does not make.
std::string EmptyFile(const std::vector<NodePtr>& fields) {
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto root = std::static_pointer_cast<GroupNode>(GroupNode::Make("root", Repetition::REQUIRED, fields));
  ::parquet::ParquetFileWriter::Open(sink, root)->Close();
  return sink->Finish().ValueOrDie()->ToString();
}

NodePtr Leaf(const std::string& name, const std::shared_ptr<const LogicalType>& logical, ::parquet::Type::type physical,
             int length = -1, Repetition::type repetition = Repetition::OPTIONAL) {
  return PrimitiveNode::Make(name, repetition, logical, physical, length);
}

std::string TypeOf(const NodePtr& node) {
  const FileInfo info = Info(EmptyFile({node, Leaf("other", LogicalType::None(), ::parquet::Type::INT32)}));
  return info.columns.empty() ? "" : schema::TypeName(info.columns[0].type);
}

std::string ObstaclesOf(const NodePtr& node) {
  std::string names;
  const FileInfo info = Info(EmptyFile({node, Leaf("other", LogicalType::None(), ::parquet::Type::INT32)}));
  for (const ColumnObstacle& obstacle : info.obstacles) {
    names += obstacle.column + ": " + std::string(ObstacleName(obstacle.obstacle)) + "; ";
  }
  return names;
}

template <typename T>
std::string Bytes(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

TEST(FileInfoTest, TypesOfIcebergsMappingAreAdoptedAsTheyAre) {  // C-28
  using T = ::parquet::Type;
  const struct {
    NodePtr node;
    std::string type;
  } cases[] = {
      {Leaf("a", LogicalType::None(), T::BOOLEAN), "boolean"},
      {Leaf("a", LogicalType::None(), T::INT32), "int"},
      {Leaf("a", LogicalType::Int(8, true), T::INT32), "int"},
      {Leaf("a", LogicalType::Int(16, true), T::INT32), "int"},
      {Leaf("a", LogicalType::Int(64, true), T::INT64), "long"},
      {Leaf("a", LogicalType::None(), T::INT64), "long"},
      {Leaf("a", LogicalType::None(), T::INT96), "timestamp"},
      {Leaf("a", LogicalType::None(), T::FLOAT), "float"},
      {Leaf("a", LogicalType::None(), T::DOUBLE), "double"},
      {Leaf("a", LogicalType::Decimal(9, 2), T::INT32), "decimal(9,2)"},
      {Leaf("a", LogicalType::Decimal(18, 2), T::INT64), "decimal(18,2)"},
      {Leaf("a", LogicalType::Decimal(38, 0), T::FIXED_LEN_BYTE_ARRAY, 16), "decimal(38,0)"},
      {Leaf("a", LogicalType::Date(), T::INT32), "date"},
      {Leaf("a", LogicalType::Time(false, LogicalType::TimeUnit::MICROS), T::INT64), "time"},
      {Leaf("a", LogicalType::Timestamp(false, LogicalType::TimeUnit::MICROS), T::INT64), "timestamp"},
      {Leaf("a", LogicalType::Timestamp(true, LogicalType::TimeUnit::MICROS), T::INT64), "timestamptz"},
      {Leaf("a", LogicalType::String(), T::BYTE_ARRAY), "string"},
      {Leaf("a", LogicalType::Enum(), T::BYTE_ARRAY), "string"},
      {Leaf("a", LogicalType::JSON(), T::BYTE_ARRAY), "string"},
      {Leaf("a", LogicalType::BSON(), T::BYTE_ARRAY), "binary"},
      {Leaf("a", LogicalType::None(), T::BYTE_ARRAY), "binary"},
      {Leaf("a", LogicalType::UUID(), T::FIXED_LEN_BYTE_ARRAY, 16), "uuid"},
      {Leaf("a", LogicalType::None(), T::FIXED_LEN_BYTE_ARRAY, 7), schema::TypeName(schema::Type::Fixed(7))},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(TypeOf(c.node), c.type);
    EXPECT_EQ(ObstaclesOf(c.node), "") << c.type;
  }
}

TEST(FileInfoTest, OtherTypesNameTheirObstacleAndTheTypeTheyWillHave) {  // C-25, C-28
  using T = ::parquet::Type;
  using Unit = LogicalType::TimeUnit;
  const struct {
    NodePtr node;
    std::string type;
    std::string obstacle;
  } cases[] = {
      {Leaf("a", LogicalType::Timestamp(true, Unit::MILLIS), T::INT64), "timestamptz", "timestamp in milliseconds"},
      {Leaf("a", LogicalType::Timestamp(false, Unit::NANOS), T::INT64), "timestamp", "timestamp in nanoseconds"},
      {Leaf("a", LogicalType::Time(false, Unit::MILLIS), T::INT32), "time", "time in milliseconds"},
      {Leaf("a", LogicalType::Time(true, Unit::NANOS), T::INT64), "time", "time in nanoseconds"},
      {Leaf("a", LogicalType::Int(8, false), T::INT32), "int", "unsigned integer"},
      {Leaf("a", LogicalType::Int(32, false), T::INT32), "long", "unsigned integer"},
      {Leaf("a", LogicalType::Int(64, false), T::INT64), "decimal(20,0)", "unsigned integer"},
      {Leaf("a", LogicalType::Decimal(12, 3), T::BYTE_ARRAY), "decimal(12,3)", "decimal of varying length"},
      {Leaf("a", LogicalType::Decimal(40, 0), T::FIXED_LEN_BYTE_ARRAY, 17), "string", "unsupported type"},
      {Leaf("a", LogicalType::Interval(), T::FIXED_LEN_BYTE_ARRAY, 12), "string", "unsupported type"},
      {Leaf("a", LogicalType::Float16(), T::FIXED_LEN_BYTE_ARRAY, 2), "string", "unsupported type"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(TypeOf(c.node), c.type);
    EXPECT_EQ(ObstaclesOf(c.node), "a: " + c.obstacle + "; ");
  }
}

TEST(FileInfoTest, AColumnOfNothingButNullsHasNoTypeAndIsLeftOut) {
  const FileInfo info = Info(EmptyFile({Leaf("nothing", LogicalType::Null(), ::parquet::Type::INT32),
                                        Leaf("id", LogicalType::None(), ::parquet::Type::INT32)}));
  ASSERT_EQ(info.columns.size(), 1u);
  EXPECT_EQ(info.columns[0].name, "id");
  ASSERT_EQ(info.obstacles.size(), 1u);
  EXPECT_EQ(info.obstacles[0].obstacle, Obstacle::kNullType);
}

TEST(FileInfoTest, ANullColumnInsideAStructIsUnsupported) {
  const NodePtr nothing = Leaf("nothing", LogicalType::Null(), ::parquet::Type::INT32);
  EXPECT_EQ(ObstaclesOf(GroupNode::Make("s", Repetition::OPTIONAL, {nothing})), "s.nothing: unsupported type; ");
}

TEST(FileInfoTest, AStandardListIsNoObstacleAndEveryOtherFormIs) {  // C-28
  const auto element = [](const std::string& name) {
    return Leaf(name, LogicalType::String(), ::parquet::Type::BYTE_ARRAY);
  };
  const auto list = [](const std::string& middle, const NodePtr& element_node) {
    return GroupNode::Make("tags", Repetition::OPTIONAL,
                           {GroupNode::Make(middle, Repetition::REPEATED, {element_node})}, LogicalType::List());
  };
  const std::string refused = "tags: list or map in a non-standard form; ";
  EXPECT_EQ(ObstaclesOf(list("list", element("element"))), "");
  EXPECT_EQ(ObstaclesOf(list("list", element("item"))), refused);
  EXPECT_EQ(ObstaclesOf(list("bag", element("array_element"))), refused);
  const NodePtr repeated = Leaf("array", LogicalType::String(), ::parquet::Type::BYTE_ARRAY, -1, Repetition::REPEATED);
  const NodePtr two_level = GroupNode::Make("tags", Repetition::OPTIONAL, {repeated}, LogicalType::List());
  EXPECT_EQ(ObstaclesOf(two_level), refused);
  EXPECT_EQ(TypeOf(two_level), "list<string>");
  const NodePtr bare = Leaf("tags", LogicalType::String(), ::parquet::Type::BYTE_ARRAY, -1, Repetition::REPEATED);
  EXPECT_EQ(ObstaclesOf(bare), refused);
  EXPECT_EQ(TypeOf(bare), "list<string>");
}

TEST(FileInfoTest, FieldIdsAreAnObstacleAlsoWhenNested) {  // they would override the name mapping
  const NodePtr child =
      PrimitiveNode::Make("b", Repetition::OPTIONAL, LogicalType::None(), ::parquet::Type::INT32, -1, 0);
  EXPECT_EQ(ObstaclesOf(GroupNode::Make("a", Repetition::OPTIONAL, {child})), "a.b: field ids in the file; ");
}

TEST(FileInfoTest, ACodecThatNotEveryReaderBringsIsAnObstacle) {  // C-28
  using ::parquet::Compression;
  const auto obstacles = [](Compression::type codec) {
    ::parquet::WriterProperties::Builder properties;
    properties.compression(codec);
    const FileInfo info = Info(MakeFile({{"x", FromJson(arrow::int32(), "[1]")}}, {.properties = properties.build()}));
    return info.obstacles.empty() ? "" : info.obstacles[0].column + " " + info.obstacles[0].declared;
  };
  for (const auto common : {Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::GZIP, Compression::ZSTD}) {
    EXPECT_EQ(obstacles(common), "");
  }
  EXPECT_EQ(obstacles(Compression::BROTLI), "x brotli");
}

TEST(FileInfoTest, AnEncodingThatNotEveryReaderKnowsIsAnObstacle) {  // C-28
  const auto obstacles = [](const std::shared_ptr<arrow::Array>& values, auto set) {
    ::parquet::WriterProperties::Builder properties;
    properties.disable_dictionary();
    set(properties);
    const FileInfo info = Info(MakeFile({{"x", values}}, {.properties = properties.build()}));
    return info.obstacles.empty() ? "" : info.obstacles[0].column + " " + info.obstacles[0].declared;
  };
  const auto flags = FromJson(arrow::boolean(), "[true, null, false]");
  const auto numbers = FromJson(arrow::int32(), "[1, null, 2]");
  EXPECT_EQ(obstacles(flags, [](auto&) {}), "");
  EXPECT_EQ(obstacles(flags, [](auto& p) { p.data_page_version(::parquet::ParquetDataPageVersion::V2); }), "x RLE");
  EXPECT_EQ(obstacles(numbers, [](auto&) {}), "");
  EXPECT_EQ(obstacles(numbers, [](auto& p) { p.encoding(::parquet::Encoding::DELTA_BINARY_PACKED); }),
            "x DELTA_BINARY_PACKED");
}

TEST(FileInfoTest, NestedColumnsHaveLogicalPaths) {
  const auto type = arrow::struct_({arrow::field("tags", arrow::list(arrow::utf8())),
                                    arrow::field("prices", arrow::map(arrow::utf8(), arrow::float64()))});
  const FileInfo info = Info(MakeFile({{"s", FromJson(type, R"([{"tags": ["x"], "prices": [["a", 1.5]]}, null])")}}));
  EXPECT_THAT(info.obstacles, IsEmpty());
  ASSERT_EQ(info.columns.size(), 1u);
  EXPECT_EQ(schema::TypeName(info.columns[0].type), "struct<tags: list<string>, prices: map<string, double>>");
  std::vector<std::string> paths;
  for (const auto& [path, metrics] : info.metrics) {
    paths.push_back(path);
    EXPECT_FALSE(metrics.lower_bound.has_value()) << path;  // inside lists and maps: no bounds
  }
  EXPECT_THAT(paths, ElementsAre("s.prices.key", "s.prices.value", "s.tags.element"));
}

TEST(FileInfoTest, ArrowsOwnSchemaEntryDoesNotOverrideWhatTheFileDeclares) {
  const auto array = FromJson(arrow::duration(arrow::TimeUnit::MICRO), "[1, 2]");
  const FileInfo info = Info(MakeFile({{"d", array}}, {.store_schema = true}));
  ASSERT_EQ(info.columns.size(), 1u);
  EXPECT_EQ(schema::TypeName(info.columns[0].type), "long");
}

TEST(FileInfoTest, MetricsCoverAllRowGroups) {
  const FileInfo info = Info(MakeFile({{"id", FromJson(arrow::int32(), "[5, null, -3, 9, null, null]")},
                                       {"name", FromJson(arrow::utf8(), R"(["m", "b", null, "zz", "a", ""])")}},
                                      {.row_group_rows = 2}));
  EXPECT_EQ(info.rows, 6);
  EXPECT_EQ(info.split_offsets.size(), 3u);
  EXPECT_EQ(info.split_offsets[0], 4);
  const ColumnMetrics& id = info.metrics.at("id");
  EXPECT_EQ(id.value_count, 6);
  EXPECT_EQ(id.null_count, 3);
  EXPECT_EQ(id.lower_bound, Bytes<int32_t>(-3));
  EXPECT_EQ(id.upper_bound, Bytes<int32_t>(9));
  EXPECT_GT(id.compressed_bytes, 0u);
  const ColumnMetrics& name = info.metrics.at("name");
  EXPECT_EQ(name.null_count, 1);
  EXPECT_EQ(name.lower_bound, "");
  EXPECT_EQ(name.upper_bound, "zz");
}

TEST(FileInfoTest, BoundsAreIcebergsSingleValueForm) {
  const FileInfo info = Info(MakeFile({
      {"flag", FromJson(arrow::boolean(), "[false, true]")},
      {"long", FromJson(arrow::int64(), "[-1, 258]")},
      {"day", FromJson(arrow::date32(), "[0, 19000]")},
      {"at", FromJson(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[1, 1700000000000000]")},
      {"price", FromJson(arrow::decimal128(20, 2), R"(["-1.28", "327.68"])")},
      {"small", FromJson(arrow::float32(), "[-0.5, 2]")},
  }));
  EXPECT_EQ(info.metrics.at("flag").lower_bound, std::string(1, '\0'));
  EXPECT_EQ(info.metrics.at("flag").upper_bound, "\1");
  EXPECT_EQ(info.metrics.at("long").lower_bound, Bytes<int64_t>(-1));
  EXPECT_EQ(info.metrics.at("long").upper_bound, Bytes<int64_t>(258));
  EXPECT_EQ(info.metrics.at("day").upper_bound, Bytes<int32_t>(19000));
  EXPECT_EQ(info.metrics.at("at").upper_bound, Bytes<int64_t>(1700000000000000));
  EXPECT_EQ(info.metrics.at("price").lower_bound, "\x80");                          // -128 in one byte
  EXPECT_EQ(info.metrics.at("price").upper_bound, std::string("\x00\x80\x00", 3));  // 32768 needs a sign byte
  EXPECT_EQ(info.metrics.at("small").lower_bound, Bytes<float>(-0.5f));
}

TEST(FileInfoTest, NoBoundsWhereReadersCouldNotTrustThem) {
  const auto nanos = FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[1000, 2000]");
  EXPECT_FALSE(Info(MakeFile({{"t", nanos}}, {.int96 = true})).metrics.at("t").lower_bound.has_value());
  EXPECT_FALSE(Info(MakeFile({{"t", nanos}})).metrics.at("t").lower_bound.has_value());  // other unit in the lake
  const auto nan = FromJson(arrow::float64(), "[NaN, NaN]");
  EXPECT_FALSE(Info(MakeFile({{"x", nan}})).metrics.at("x").upper_bound.has_value());
  ::parquet::WriterProperties::Builder without;
  without.disable_statistics();
  const FileInfo info = Info(MakeFile({{"x", FromJson(arrow::int32(), "[1]")}}, {.properties = without.build()}));
  EXPECT_FALSE(info.metrics.at("x").lower_bound.has_value());
  EXPECT_FALSE(info.metrics.at("x").null_count.has_value());
}

TEST(FileInfoTest, APathThatTwoColumnsShareHasNoMetrics) {
  const auto inner = FromJson(arrow::struct_({arrow::field("b", arrow::int32())}), R"([{"b": 1}])");
  const FileInfo info = Info(MakeFile({{"a", inner}, {"a.b", FromJson(arrow::int32(), "[7]")}}));
  EXPECT_EQ(info.columns.size(), 2u);
  EXPECT_THAT(info.metrics, IsEmpty());
}

TEST(FileInfoTest, AnEmptyTableIsReadable) {
  const FileInfo info = Info(MakeFile({{"id", FromJson(arrow::int32(), "[]")}}));
  EXPECT_EQ(info.rows, 0);
  EXPECT_EQ(info.columns.size(), 1u);
  EXPECT_THAT(info.split_offsets, IsEmpty());
}

// ---- hostile files

TEST(HostileFileTest, TextIsCalledTextAndTheObjectIsNamed) {
  const Status status = Refusal("id,name\n1,Ada\n2,Grace\n", "v1/shop/orders/x\n.parquet");
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("not a Parquet file: begins with 'id,name\\x0A"));
  EXPECT_THAT(status.message(), HasSubstr("x\\x0A.parquet"));
}

TEST(HostileFileTest, EmptyTinyAndMarkerObjectsAreRefused) {
  EXPECT_THAT(Refusal("").message(), HasSubstr("the object is empty"));
  for (const std::string bytes : {"P", "PAR1", "PAR1PAR1", "_SUCCESS"}) {
    EXPECT_EQ(Refusal(bytes).code(), Code::kCorruption) << bytes;
  }
}

TEST(HostileFileTest, EncryptedFilesAreUnsupportedNotCorrupt) {
  const Status status = Refusal("PARE" + std::string(100, 'x') + "PARE");
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("encrypted"));
}

TEST(HostileFileTest, AFooterLengthThatLiesIsRefusedBeforeAnythingIsAllocated) {
  std::string bytes = MakeFile({{"id", FromJson(arrow::int32(), "[1, 2, 3]")}});
  for (const uint32_t length : {0xffffffffu, 0x7fffffffu, static_cast<uint32_t>(bytes.size() - 11), 0u, 1u}) {
    std::memcpy(bytes.data() + bytes.size() - 8, &length, sizeof length);
    EXPECT_EQ(Refusal(bytes).code(), Code::kCorruption) << length;
  }
}

std::string SmallFile() {
  std::string ids = "[0";
  std::string names = "[\"n\"";
  for (int i = 1; i < 300; ++i) {
    ids += "," + std::to_string(i * 7919 % 1000);
    names += ",\"name " + std::to_string(i % 37) + "\"";
  }
  const auto tags = FromJson(
      arrow::list(arrow::int32()), "[[1,2],[],null" + [] {
        std::string rest;
        for (int i = 3; i < 300; ++i) rest += ",[" + std::to_string(i) + "]";
        return rest;
      }() + "]");
  return MakeFile(
      {{"id", FromJson(arrow::int64(), ids + "]")}, {"name", FromJson(arrow::utf8(), names + "]")}, {"tags", tags}},
      {.row_group_rows = 128, .store_schema = true});
}

/// Everything that reads foreign files, over one object: nothing may crash, and each failure is of an honest kind.
void ReadEveryWay(const std::string& bytes) {
  const auto honest = [](const Status& status) {
    EXPECT_TRUE(status.ok() || status.code() == Code::kCorruption || status.code() == Code::kUnsupported ||
                status.code() == Code::kNotFound)
        << status.ToString();
  };
  BytesReader reader(bytes);
  const auto info = ReadFileInfo(reader);
  honest(info.status());
  honest(ScanKeys(reader, {{"id"}, {"name"}, 1}, [](std::span<const KeyRow>) { return Status(); }));
  Finished finished;
  BytesWriter writer("copy", finished);
  honest(RewriteFile(reader, {}, writer));
  honest(ReadPositionDeletes(reader).status());
}

TEST(HostileFileTest, TruncatedAnywhereIsCorruption) {
  const std::string whole = SmallFile();
  for (size_t i = 0; i < 200; ++i) {
    const size_t length = whole.size() * i / 200;
    EXPECT_EQ(Refusal(whole.substr(0, length)).code(), Code::kCorruption) << length;
  }
}

TEST(HostileFileTest, FlippedBytesInTheFooterNeverCrash) {
  const std::string whole = SmallFile();
  uint32_t footer = 0;
  std::memcpy(&footer, whole.data() + whole.size() - 8, sizeof footer);
  const uint32_t seed = 20261103;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 600; ++i) {
    std::string broken = whole;
    const int flips = 1 + static_cast<int>(random() % 3);
    for (int flip = 0; flip < flips; ++flip) {
      broken[whole.size() - 8 - footer + random() % footer] = static_cast<char>(random());
    }
    ReadEveryWay(broken);
  }
}

TEST(HostileFileTest, FlippedBytesInThePagesNeverCrash) {
  const std::string whole = SmallFile();
  uint32_t footer = 0;
  std::memcpy(&footer, whole.data() + whole.size() - 8, sizeof footer);
  const uint32_t seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 300; ++i) {
    std::string broken = whole;
    for (int flip = 0; flip < 3; ++flip)
      broken[4 + random() % (whole.size() - 12 - footer)] = static_cast<char>(random());
    ReadEveryWay(broken);
  }
}

TEST(HostileFileTest, ASchemaNestedTooDeepIsRefused) {
  NodePtr node = Leaf("leaf", LogicalType::None(), ::parquet::Type::INT32);
  for (int depth = 0; depth < 300; ++depth) node = GroupNode::Make("g", Repetition::OPTIONAL, {node});
  EXPECT_EQ(Refusal(EmptyFile({node})).code(), Code::kCorruption);
}

TEST(StoreErrorTest, ErrorsOfTheStorePassThroughUnchanged) {
  const std::string bytes = SmallFile();
  const Status replaced = PreconditionFailed("read object: 'part.parquet': it was replaced meanwhile");
  for (int nth = 1; nth <= 4; ++nth) {
    BytesReader reader(bytes);
    reader.FailFrom(nth, replaced);
    const Status status = ScanKeys(reader, {{"id", "name"}, {}, 1}, [](std::span<const KeyRow>) { return Status(); });
    EXPECT_EQ(status, replaced) << nth;
  }
}

TEST(StoreErrorTest, AnObjectThatEndsEarlyIsCorruption) {
  const std::string bytes = SmallFile();
  BytesReader reader(bytes);
  reader.EndEarly(bytes.size() / 2);
  const Status status = ReadFileInfo(reader).status();
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("ends before its size"));
}

}  // namespace
}  // namespace tidegate::parquet
