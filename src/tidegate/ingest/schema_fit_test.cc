#include "tidegate/ingest/schema_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::ingest {
namespace {

using contract::TableMode;
using schema::Field;
using schema::Kind;
using schema::Schema;
using schema::Type;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Field Column(const std::string& name, Type type) {
  Field out;
  out.name = name;
  out.type = std::move(type);
  return out;
}

std::vector<std::string> Names(const Schema& schema) {
  std::vector<std::string> out;
  for (const Field& field : schema.fields) out.push_back(field.name);
  return out;
}

class SchemaFitTest : public ::testing::Test {
 protected:
  Schema Grown(const Schema& from, const std::vector<Field>& columns) {
    auto out = Grow(from, columns, &last_id_, &reason_);
    EXPECT_TRUE(out.ok()) << out.status().ToString();
    return *out;
  }

  Schema start_ = InitialSchema(TableMode::kParts);
  int last_id_ = 3;
  std::string reason_;
};

TEST_F(SchemaFitTest, ConstantsBeginEveryTableAndStayLast) {  // C-26
  EXPECT_THAT(Names(start_), ElementsAre("contract_version", "etl_date", "etl_hour"));
  EXPECT_THAT(Names(InitialSchema(TableMode::kFull)),
              ElementsAre("contract_version", "snapshot_date", "snapshot_hour"));
  const Schema grown = Grown(start_, {Column("id", Kind::kLong)});
  EXPECT_THAT(Names(grown), ElementsAre("id", "contract_version", "etl_date", "etl_hour"));
  EXPECT_EQ(grown.Find("id")->id, 4);
}

TEST_F(SchemaFitTest, TypesWidenAndNeverNarrow) {  // C-25
  Schema grown = Grown(start_, {Column("a", Kind::kInt), Column("b", Kind::kDouble), Column("c", Type::Decimal(9, 2))});
  const int id = grown.Find("a")->id;
  grown = Grown(grown, {Column("a", Kind::kLong), Column("b", Kind::kFloat), Column("c", Type::Decimal(12, 2))});
  EXPECT_EQ(grown.Find("a")->type, Type(Kind::kLong));
  EXPECT_EQ(grown.Find("a")->id, id);
  EXPECT_EQ(grown.Find("b")->type, Type(Kind::kDouble));
  EXPECT_EQ(grown.Find("c")->type, Type::Decimal(12, 2));
}

TEST_F(SchemaFitTest, AnyOtherChangeOfTypeIsRefusedAndNamesBoth) {  // C-25
  const Schema grown = Grown(start_, {Column("a", Kind::kInt)});
  const auto refused = Grow(grown, {Column("a", Kind::kString)}, &last_id_, &reason_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(reason_, "type");
  EXPECT_THAT(refused.status().message(), HasSubstr("int"));
  EXPECT_THAT(refused.status().message(), HasSubstr("string"));
}

TEST_F(SchemaFitTest, NamesThatDifferOnlyInCaseAreRefused) {  // C-25
  EXPECT_FALSE(Grow(start_, {Column("a", Kind::kInt), Column("A", Kind::kInt)}, &last_id_, &reason_).ok());
  EXPECT_EQ(reason_, "column_case");
  const Schema grown = Grown(start_, {Column("a", Kind::kInt)});
  EXPECT_FALSE(Grow(grown, {Column("A", Kind::kInt)}, &last_id_, &reason_).ok());
}

TEST_F(SchemaFitTest, StructsGrowByNameAndKeepTheirIds) {
  const Type point = Type::Struct({Column("x", Kind::kInt)});
  const Type wider = Type::Struct({Column("y", Kind::kString), Column("x", Kind::kLong)});
  Schema grown = Grown(start_, {Column("p", point)});
  const int x = grown.Find("p")->type.children[0].id;
  grown = Grown(grown, {Column("p", wider)});
  const auto& children = grown.Find("p")->type.children;
  ASSERT_EQ(children.size(), 2u);
  EXPECT_EQ(children[0].name, "x");
  EXPECT_EQ(children[0].id, x);
  EXPECT_EQ(children[0].type, Type(Kind::kLong));
  EXPECT_GT(children[1].id, x);
}

TEST_F(SchemaFitTest, AFullCopyBringsItsOwnSchema) {  // C-25: a column whose type changed gets a new id
  const Schema before = Grown(start_, {Column("a", Kind::kInt), Column("b", Kind::kInt), Column("gone", Kind::kInt)});
  int copy_ids = 3;
  std::string reason;
  const Schema copy = *Grow(start_, {Column("a", Kind::kLong), Column("b", Kind::kString)}, &copy_ids, &reason);
  const Schema adapted = Adapt(before, copy, &last_id_);
  EXPECT_EQ(adapted.Find("a")->id, before.Find("a")->id);
  EXPECT_GT(adapted.Find("b")->id, before.Find("gone")->id);
  EXPECT_EQ(adapted.Find("gone"), nullptr);
  EXPECT_EQ(adapted.Find("etl_date")->id, before.Find("etl_date")->id);
}

TEST_F(SchemaFitTest, TheMappingNamesEveryColumnAndKeepsEarlierOnes) {
  const Schema grown = Grown(start_, {Column("l", Type::List(Column("element", Kind::kInt)))});
  const auto mapping = MappingOf(grown, {{99, {"old"}, {}}, {98, {"l"}, {}}});
  ASSERT_EQ(mapping.size(), 5u);
  EXPECT_EQ(mapping[0].names, std::vector<std::string>{"l"});
  ASSERT_EQ(mapping[0].children.size(), 1u);
  EXPECT_NE(mapping[0].children[0].field_id, mapping[0].field_id);
  EXPECT_EQ(mapping[4].field_id, 99);
}

TEST_F(SchemaFitTest, ReservedNamesAreFoundInAnyCase) {
  EXPECT_THAT(
      ReservedColumns({Column("ETL_Date", Kind::kString), Column("snapshot_date", Kind::kString)}, TableMode::kParts),
      ElementsAre("ETL_Date"));
}

TEST_F(SchemaFitTest, TheHourOfV1IsNull) {  // C-26
  EXPECT_EQ(PartitionValues({contract::Version::kV1, "__initial__", ""}),
            (std::vector<std::optional<std::string>>{"v1", "__initial__", std::nullopt}));
  EXPECT_EQ(PartitionValues({contract::Version::kV2, "2026-11-03", "03"}),
            (std::vector<std::optional<std::string>>{"v2", "2026-11-03", "03"}));
}

}  // namespace
}  // namespace tidegate::ingest
