#include "tidegate/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::schema {
namespace {

using testing::HasSubstr;

Field MakeField(int id, std::string name, Type type, bool required = false) {
  Field field;
  field.id = id;
  field.name = std::move(name);
  field.type = std::move(type);
  field.required = required;
  return field;
}

Schema WideSchema() {
  Schema schema;
  schema.schema_id = 3;
  int id = 0;
  for (const Kind kind :
       {Kind::kBoolean, Kind::kInt, Kind::kLong, Kind::kFloat, Kind::kDouble, Kind::kDate, Kind::kTime,
        Kind::kTimestamp, Kind::kTimestampTz, Kind::kString, Kind::kUuid, Kind::kBinary}) {
    ++id;
    schema.fields.push_back(MakeField(id, "c" + std::to_string(id), Type(kind), id % 2 == 0));
  }
  schema.fields.push_back(MakeField(20, "price", Type::Decimal(9, 2)));
  schema.fields.push_back(MakeField(21, "code", Type::Fixed(16)));
  schema.fields.push_back(MakeField(22, "tags", Type::List(MakeField(23, "element", Kind::kString, true))));
  schema.fields.push_back(
      MakeField(24, "where", Type::Struct({MakeField(25, "x", Kind::kDouble), MakeField(26, "y", Kind::kDouble)})));
  schema.fields.push_back(MakeField(
      27, "sizes", Type::Map(MakeField(28, "key", Kind::kString), MakeField(29, "value", Kind::kLong, true))));
  return schema;
}

Result<Schema> Parse(const std::string& text) {
  TG_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  return FromJson(json);
}

std::string OneField(const std::string& type) {
  return R"({"type":"struct","schema-id":0,"fields":[{"id":1,"name":"a","required":false,"type":)" + type + "}]}";
}

TEST(SchemaJsonTest, EveryTypeSurvivesARoundTrip) {
  const Schema schema = WideSchema();
  const Result<Schema> back = Parse(ToJson(schema).dump());
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_EQ(*back, schema);
}

TEST(SchemaJsonTest, TheTextIsTheSpecsForm) {
  Schema schema;
  schema.schema_id = 1;
  schema.fields = {MakeField(1, "id", Kind::kLong, true), MakeField(2, "l", Type::List(MakeField(3, "", Kind::kInt)))};
  EXPECT_EQ(ToJson(schema).dump(),
            R"({"type":"struct","schema-id":1,"fields":[{"id":1,"name":"id","required":true,"type":"long"},)"
            R"({"id":2,"name":"l","required":false,"type":{"type":"list","element-id":3,"element":"int",)"
            R"("element-required":false}}]})");
}

TEST(SchemaJsonTest, DecimalIsReadWithAndWithoutABlank) {
  for (const char* text : {R"t("decimal(38, 10)")t", R"t("decimal(38,10)")t", R"t("decimal( 38 , 10 )")t"}) {
    const Result<Schema> schema = Parse(OneField(text));
    ASSERT_TRUE(schema.ok()) << text << schema.status().ToString();
    EXPECT_EQ(schema->fields[0].type, Type::Decimal(38, 10));
  }
}

TEST(SchemaJsonTest, ForeignExtraFieldsAreNoError) {
  const auto schema = Parse(
      R"({"type":"struct","identifier-field-ids":[1],"fields":[{"id":1,"name":"a","required":true,"type":"int","doc":"x"}]})");
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  EXPECT_EQ(schema->schema_id, 0);
}

TEST(SchemaJsonTest, MalformedSchemasAreCorruption) {
  const std::string cases[] = {
      "[]",
      "{}",
      R"({"fields":1})",
      R"({"fields":[1]})",
      R"({"schema-id":-1,"fields":[]})",
      R"({"schema-id":99999999999,"fields":[]})",
      R"({"fields":[{"id":1,"name":"a","type":"int"}]})",
      R"({"fields":[{"id":1,"required":true,"type":"int"}]})",
      R"({"fields":[{"id":1,"name":7,"required":true,"type":"int"}]})",
      R"({"fields":[{"id":1,"name":"a","required":true}]})",
      R"({"fields":[{"id":0,"name":"a","required":true,"type":"int"}]})",
      R"({"fields":[{"id":18446744073709551615,"name":"a","required":true,"type":"int"}]})",
      R"({"fields":[{"id":2147483546,"name":"a","required":true,"type":"int"}]})",
      R"({"fields":[{"id":1,"name":"a","required":true,"type":"int"},{"id":1,"name":"b","required":true,"type":"int"}]})",
      R"({"fields":[{"id":1,"name":"a","required":true,"type":"int"},{"id":2,"name":"a","required":true,"type":"int"}]})",
      OneField("7"),
      OneField(R"({"type":"heap"})"),
      OneField("{}"),
      OneField(R"t("decimal(39,1)")t"),
      OneField(R"t("decimal(9")t"),
      OneField(R"t("decimal(3,4)")t"),
      OneField(R"t("decimal(99999999999999,4)")t"),
      OneField(R"t("fixed[x]")t"),
      OneField(R"t("fixed[-1]")t"),
      OneField(R"({"type":"list","element-id":1})"),
      OneField(R"({"type":"list","element-id":2,"element-required":true})"),
      OneField(R"({"type":"map","key-id":2,"key":"string","value-id":3,"value":"int"})"),
      OneField(R"({"type":"map","key-id":2,"key":"string","value-id":2,"value":"int","value-required":true})"),
  };
  for (const std::string& text : cases) EXPECT_EQ(Parse(text).status().code(), Code::kCorruption) << text;
}

TEST(SchemaJsonTest, AnUnknownTypeIsUnsupportedAndNamesTheField) {
  const Status status = Parse(OneField(R"t("timestamp_ns")t")).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("field 'a'"));
  EXPECT_THAT(status.message(), HasSubstr("timestamp_ns"));
}

TEST(SchemaJsonTest, NestingIsBounded) {
  const auto nested = [](int levels) {
    Json type = "int";
    for (int i = 0; i < levels; ++i) {
      type = Json{{"type", "list"}, {"element-id", 1000 + i}, {"element-required", false}, {"element", type}};
    }
    return Json{{"fields", Json::array({{{"id", 1}, {"name", "a"}, {"required", false}, {"type", type}}})}};
  };
  EXPECT_TRUE(FromJson(nested(63)).ok());
  EXPECT_EQ(FromJson(nested(64)).status().code(), Code::kCorruption);
  EXPECT_EQ(FromJson(nested(300)).status().code(), Code::kCorruption);
}

TEST(SchemaTest, TypeNamesAreIcebergsWords) {
  EXPECT_EQ(TypeName(Kind::kLong), "long");
  EXPECT_EQ(TypeName(Type::Decimal(9, 2)), "decimal(9,2)");
  EXPECT_EQ(TypeName(Type::Fixed(4)), "fixed[4]");
  EXPECT_EQ(TypeName(Type::List(MakeField(1, "", Kind::kInt))), "list<int>");
  EXPECT_EQ(TypeName(Type::Struct({MakeField(1, "a", Kind::kInt), MakeField(2, "b\n", Kind::kString)})),
            "struct<a: int, 'b\\x0A': string>");
  EXPECT_EQ(TypeName(Type::Map(MakeField(1, "", Kind::kString), MakeField(2, "", Kind::kDate))), "map<string, date>");
}

TEST(SchemaTest, FindLooksAtTheTopLevelOnly) {
  const Schema schema = WideSchema();
  ASSERT_NE(schema.Find("where"), nullptr);
  EXPECT_EQ(schema.Find("where")->id, 24);
  EXPECT_EQ(schema.Find("x"), nullptr);
  EXPECT_EQ(schema.Find("WHERE"), nullptr);
}

TEST(SchemaTest, MaxIdCountsNestedFields) {
  EXPECT_EQ(WideSchema().MaxId(), 29);
  EXPECT_EQ(Schema().MaxId(), 0);
}

TEST(SchemaTest, SameShapeIgnoresIdsButNotNamesOrTypes) {
  const Type a = Type::Struct({MakeField(1, "x", Kind::kInt)});
  EXPECT_TRUE(SameShape(a, Type::Struct({MakeField(9, "x", Kind::kInt)})));
  EXPECT_FALSE(a == Type::Struct({MakeField(9, "x", Kind::kInt)}));
  EXPECT_FALSE(SameShape(a, Type::Struct({MakeField(1, "y", Kind::kInt)})));
  EXPECT_FALSE(SameShape(a, Type::Struct({MakeField(1, "x", Kind::kLong)})));
  EXPECT_FALSE(SameShape(a, Type::Struct({})));
  EXPECT_FALSE(SameShape(Type::Decimal(9, 2), Type::Decimal(9, 3)));
}

// C-25
TEST(CanPromoteTest, AllowsIcebergsPromotionsAndNothingElse) {
  EXPECT_TRUE(CanPromote(Kind::kInt, Kind::kInt));
  EXPECT_TRUE(CanPromote(Kind::kInt, Kind::kLong));
  EXPECT_TRUE(CanPromote(Kind::kFloat, Kind::kDouble));
  EXPECT_TRUE(CanPromote(Type::Decimal(9, 2), Type::Decimal(18, 2)));
  EXPECT_FALSE(CanPromote(Kind::kLong, Kind::kInt));
  EXPECT_FALSE(CanPromote(Kind::kDouble, Kind::kFloat));
  EXPECT_FALSE(CanPromote(Kind::kInt, Kind::kDouble));
  EXPECT_FALSE(CanPromote(Kind::kDate, Kind::kTimestamp));
  EXPECT_FALSE(CanPromote(Kind::kTimestamp, Kind::kTimestampTz));
  EXPECT_FALSE(CanPromote(Type::Decimal(9, 2), Type::Decimal(18, 3)));
  EXPECT_FALSE(CanPromote(Type::Decimal(18, 2), Type::Decimal(9, 2)));
  EXPECT_FALSE(CanPromote(Type::Fixed(4), Type::Fixed(8)));
}

// C-25
TEST(CanPromoteTest, NestedTypesPromoteChildByChild) {
  const auto list = [](Kind kind, bool required = false) { return Type::List(MakeField(1, "", kind, required)); };
  EXPECT_TRUE(CanPromote(list(Kind::kInt), list(Kind::kLong)));
  EXPECT_TRUE(CanPromote(list(Kind::kInt, true), list(Kind::kInt, false)));
  EXPECT_FALSE(CanPromote(list(Kind::kInt, false), list(Kind::kInt, true)));
  const Type narrow = Type::Struct({MakeField(1, "a", Kind::kInt)});
  const Type wide = Type::Struct({MakeField(2, "b", Kind::kString), MakeField(1, "a", Kind::kLong)});
  EXPECT_TRUE(CanPromote(narrow, wide));
  EXPECT_FALSE(CanPromote(wide, narrow));
  EXPECT_FALSE(CanPromote(narrow, Type::Struct({MakeField(1, "a", Kind::kInt), MakeField(2, "b", Kind::kInt, true)})));
  const auto map = [](Kind value) { return Type::Map(MakeField(1, "", Kind::kString), MakeField(2, "", value)); };
  EXPECT_TRUE(CanPromote(map(Kind::kFloat), map(Kind::kDouble)));
  EXPECT_FALSE(CanPromote(map(Kind::kFloat), map(Kind::kInt)));
}

TEST(AssignIdsTest, FillsOnlyMissingIdsAndReturnsTheLast) {
  Schema schema;
  schema.fields = {MakeField(4, "kept", Kind::kInt),
                   MakeField(0, "s", Type::Struct({MakeField(0, "x", Kind::kInt), MakeField(7, "y", Kind::kInt)})),
                   MakeField(0, "l", Type::List(MakeField(0, "", Kind::kInt)))};
  EXPECT_EQ(AssignIds(schema, 10), 14);
  EXPECT_EQ(schema.fields[0].id, 4);
  EXPECT_EQ(schema.fields[1].id, 11);
  EXPECT_EQ(schema.fields[2].id, 12);
  EXPECT_EQ(schema.fields[1].type.children[0].id, 13);
  EXPECT_EQ(schema.fields[1].type.children[1].id, 7);
  EXPECT_EQ(schema.fields[2].type.children[0].id, 14);
  EXPECT_EQ(AssignIds(schema, 20), 20);
}

}  // namespace
}  // namespace tidegate::schema
