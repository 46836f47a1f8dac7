#include "tidegate/contract/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tidegate::contract {
namespace {

using Kind = ParsedKey::Kind;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Folder FullV1() { return {{"shop", "customers"}, TableMode::kFull, {Version::kV1, "2026-11-02", ""}}; }
Folder PartsV1() { return {{"shop", "orders"}, TableMode::kParts, {Version::kV1, "2026-11-02", ""}}; }
Folder InitialV1() { return {{"shop", "orders"}, TableMode::kParts, {Version::kV1, "__initial__", ""}}; }
Folder FullV2() { return {{"shop", "customers"}, TableMode::kFull, {Version::kV2, "2026-11-03", "03"}}; }
Folder PartsV2() { return {{"shop", "orders"}, TableMode::kParts, {Version::kV2, "2026-11-03", "03"}}; }

TEST(IsNameTest, ANameIsLettersDigitsUnderscoresAndHyphens) {  // C-5
  for (const char* name : {"a", "Z", "7", "claudia_messages", "a-b", "0a", "A_"}) EXPECT_TRUE(IsName(name)) << name;
}

TEST(IsNameTest, AnythingElseIsNoName) {  // C-5
  for (const char* name :
       {"", "_a", "-a", ".", "..", "a.b", "a b", "a/b", "naïve", "a\tb", "a;b", "a\n", "a=b", "a%20"}) {
    EXPECT_FALSE(IsName(name)) << name;
  }
  EXPECT_FALSE(IsName(std::string_view("a\0b", 3)));
}

TEST(ParseTableNameTest, ReadsSchemaAndTable) {
  const auto name = ParseTableName("datamart_claudia.claudia_messages");
  ASSERT_TRUE(name.ok());
  EXPECT_EQ(*name, (TableName{"datamart_claudia", "claudia_messages"}));
  EXPECT_EQ(name->ToString(), "datamart_claudia.claudia_messages");
}

TEST(ParseTableNameTest, RefusesWhatIsNoPairOfNamesAndQuotesIt) {
  EXPECT_THAT(ParseTableName("orders").status().message(), HasSubstr("schema.table, with a dot: 'orders'"));
  EXPECT_THAT(ParseTableName("sh\nop.orders").status().message(), HasSubstr("'sh\\x0Aop' in the table name"));
  EXPECT_THAT(ParseTableName("shop.or ders").status().message(), HasSubstr("'or ders' in the table name"));
  for (const char* text : {"", ".", "shop.", ".orders", "a.b.c", "_manifests.x"}) {
    EXPECT_EQ(ParseTableName(text).status().code(), Code::kInvalidArgument) << text;
  }
}

TEST(DeliveryTest, OrdersInitialThenDaysOfV1ThenHoursOfV2) {  // C-20
  const std::vector<Delivery> in_order = {
      {Version::kV1, "__initial__", ""},  {Version::kV1, "2025-12-31", ""},
      {Version::kV1, "2026-11-02", ""},   {Version::kV2, "2024-01-01", "23"},  // v2 is after v1 whatever the date says
      {Version::kV2, "2026-11-03", "03"}, {Version::kV2, "2026-11-03", "09"},
      {Version::kV2, "2026-11-03", "10"}, {Version::kV2, "2026-11-04", "00"}};
  for (size_t i = 0; i < in_order.size(); ++i) {
    for (size_t j = 0; j < in_order.size(); ++j) {
      EXPECT_EQ(in_order[i] <=> in_order[j], i <=> j) << in_order[i].ToString() << " and " << in_order[j].ToString();
      EXPECT_EQ(in_order[i] == in_order[j], i == j);
    }
  }
}

TEST(DeliveryTest, TextAndDeliveryAreInverse) {
  for (const char* text : {"v1/2026-11-02", "v1/__initial__", "v2/2026-11-03/03", "v2/2026-11-03/00"}) {
    const auto delivery = ParseDelivery(text);
    ASSERT_TRUE(delivery.ok()) << text;
    EXPECT_EQ(delivery->ToString(), text);
  }
  EXPECT_EQ(ParseDelivery("v2/2026-11-03/03")->hour, "03");  // C-6: text, never 3
  EXPECT_TRUE(ParseDelivery("v1/__initial__")->is_initial());
  EXPECT_FALSE(ParseDelivery("v1/2026-11-02")->is_initial());
}

TEST(ParseDeliveryTest, RefusesOtherShapes) {
  for (const char* text : {"", "v1", "v1/", "v2/2026-11-03", "v1/2026-11-03/03", "v2/2026-11-03/3", "v2/2026-11-03/24",
                           "v2/__initial__/03", "v2/__initial__", "v3/2026-11-03", "2026-11-03", "v1/2026-02-30",
                           "v1/2026-11-02/", "v2/2026-11-03/03/"}) {
    const auto delivery = ParseDelivery(text);
    ASSERT_FALSE(delivery.ok()) << text;
    EXPECT_EQ(delivery.status().code(), Code::kInvalidArgument);
  }
  EXPECT_THAT(ParseDelivery("v1/\x1b[31m").status().message(), HasSubstr("'v1/\\x1B[31m'"));
}

TEST(FolderTest, PathsHaveTheShapesOfTheContract) {  // C-1, C-2
  EXPECT_EQ(FullV1().Path(), "v1/shop/customers/snapshot_date=2026-11-02");
  EXPECT_EQ(PartsV1().Path(), "v1/shop/orders/etl_date=2026-11-02");
  EXPECT_EQ(InitialV1().Path(), "v1/shop/orders/etl_date=__initial__");
  EXPECT_EQ(FullV2().Path(), "v2/shop/customers/snapshot_date=2026-11-03/snapshot_hour=03");
  EXPECT_EQ(PartsV2().Path(), "v2/shop/orders/etl_date=2026-11-03/etl_hour=03");
}

TEST(ParseFolderTest, ReadsEveryPathWithAndWithoutASlash) {
  for (const Folder& folder : {FullV1(), PartsV1(), InitialV1(), FullV2(), PartsV2()}) {
    for (const std::string& path : {folder.Path(), folder.Path() + "/"}) {
      const auto parsed = ParseFolder(path);
      ASSERT_TRUE(parsed.ok()) << path << ": " << parsed.status().message();
      EXPECT_EQ(*parsed, folder);
    }
  }
}

struct WrongFolder {
  const char* path;
  const char* why;
};

TEST(ParseFolderTest, SaysWhichPartIsWrong) {
  const WrongFolder wrong[] = {
      {"", "neither v1/ nor v2/"},
      {"v3/shop/orders/etl_date=2026-11-03", "neither v1/ nor v2/"},
      {"v1", "ends before the table"},
      {"v1/shop", "ends before the table"},
      {"v1/sh op/orders/etl_date=2026-11-03", "'sh op' is refused"},
      {"v1/_manifests/orders/snapshot_date=2026-11-03", "'_manifests' is refused"},
      {"v1/shop/../etl_date=2026-11-03", "'..' is refused"},
      {"v1/shop/orders", "ends before the date"},
      {"v1/shop/orders/date=2026-11-03", "'date=2026-11-03' is neither snapshot_date= nor etl_date="},
      {"v1/shop/orders/etl_date=2026-02-30", "'2026-02-30' is not a day"},
      {"v1/shop/orders/snapshot_date=__initial__", "__initial__ exists only"},
      {"v2/shop/orders/etl_date=__initial__/etl_hour=03", "__initial__ exists only"},
      {"v2/shop/orders/etl_date=2026-11-03", "etl_hour=HH follows"},
      {"v2/shop/orders/snapshot_date=2026-11-03", "snapshot_hour=HH follows"},
      {"v2/shop/orders/etl_date=2026-11-03/etl_hour=3", "'etl_hour=3' is not etl_hour= with an hour"},
      {"v2/shop/orders/etl_date=2026-11-03/snapshot_hour=03", "'snapshot_hour=03' is not etl_hour="},
      {"v1/shop/orders/etl_date=2026-11-03/etl_hour=03", "goes on after the partition"},
      {"v2/shop/orders/etl_date=2026-11-03/etl_hour=03/x.parquet", "goes on after the partition"},
      {"v1/shop/orders/etl_date=2026-11-03//", "goes on after the partition"},
  };
  for (const auto& [path, why] : wrong) {
    const auto folder = ParseFolder(path);
    ASSERT_FALSE(folder.ok()) << path;
    EXPECT_EQ(folder.status().code(), Code::kInvalidArgument);
    EXPECT_THAT(folder.status().message(), AllOf(HasSubstr(why), HasSubstr("a folder looks like"))) << path;
  }
}

TEST(KeysTest, ManifestAndStateKeysStandWhereTheContractSays) {  // C-30, C-6
  EXPECT_EQ(ManifestKey({Version::kV1, "2026-11-02", ""}), "v1/_manifests/snapshot_date=2026-11-02/manifest.json");
  EXPECT_EQ(ManifestKey({Version::kV2, "2026-11-03", "03"}),
            "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json");
  EXPECT_EQ(StateKey(Version::kV1, {"shop", "orders"}), "v1/shop/orders/_STATE");
  EXPECT_EQ(StateKey(Version::kV2, {"shop", "orders"}), "v2/shop/orders/_STATE");
}

TEST(KeysTest, DataFileNamesHaveFourAndTwoDigitsOrMore) {  // C-1, C-3
  EXPECT_EQ(DataFileName(0, 0), "0000_part_00.parquet");
  EXPECT_EQ(DataFileName(9999, 99), "9999_part_99.parquet");
  EXPECT_EQ(DataFileName(12345, 678), "12345_part_678.parquet");
  EXPECT_EQ(kMaxFileBytes, 256'000'000u);
}

TEST(NamesTest, VersionsAndModesHaveNames) {
  EXPECT_EQ(VersionName(Version::kV1), "v1");
  EXPECT_EQ(VersionName(Version::kV2), "v2");
  EXPECT_EQ(ModeName(TableMode::kFull), "full");
  EXPECT_EQ(ModeName(TableMode::kParts), "parts");
}

TEST(ParseKeyTest, DataAndSealsKnowTheirFolder) {  // C-1, C-2, C-6
  for (const Folder& folder : {FullV1(), PartsV1(), InitialV1(), FullV2(), PartsV2()}) {
    const ParsedKey data = ParseKey(folder.Path() + "/0000_part_00.parquet");
    EXPECT_EQ(data.kind, Kind::kData) << folder.Path();
    EXPECT_EQ(data.folder, folder);
    EXPECT_EQ(data.file, "0000_part_00.parquet");
    const ParsedKey seal = ParseKey(folder.Path() + "/_SUCCESS");
    EXPECT_EQ(seal.kind, Kind::kSuccess) << folder.Path();
    EXPECT_EQ(seal.folder, folder);
    EXPECT_EQ(seal.file, "_SUCCESS");
  }
}

TEST(ParseKeyTest, EveryParquetNameInAFolderIsData) {  // C-6
  for (const char* file : {"x.parquet", "part-0001-c000.snappy.parquet", "a b.parquet", "ü.parquet", "a\nb.parquet"}) {
    EXPECT_EQ(ParseKey(PartsV2().Path() + "/" + file).kind, Kind::kData) << file;
  }
}

TEST(ParseKeyTest, AnyOtherFileInAFolderIsStrayAndQuoted) {  // C-6
  for (const char* file : {"x.csv", "x.PARQUET", "parquet", "x.parquet.crc", "SUCCESS", "manifest.json"}) {
    const ParsedKey key = ParseKey(PartsV2().Path() + "/" + file);
    EXPECT_EQ(key.kind, Kind::kStray) << file;
    EXPECT_EQ(key.folder, PartsV2());
    EXPECT_EQ(key.file, file);
    EXPECT_THAT(key.detail, HasSubstr(PartsV2().Path() + " holds '" + file + "'"));
  }
  EXPECT_THAT(ParseKey(PartsV2().Path() + "/\x1b[2J").detail, AllOf(HasSubstr("\\x1B[2J"), Not(HasSubstr("\x1b"))));
}

TEST(ParseKeyTest, ManifestsKnowTheirDelivery) {  // C-30
  for (const Delivery& delivery :
       {Delivery{Version::kV1, "2026-11-02", ""}, Delivery{Version::kV2, "2026-11-03", "03"}}) {
    const ParsedKey key = ParseKey(ManifestKey(delivery));
    EXPECT_EQ(key.kind, Kind::kManifest);
    EXPECT_EQ(key.folder.delivery, delivery);
    EXPECT_EQ(key.file, "manifest.json");
  }
}

struct KeyOfKind {
  const char* key;
  Kind kind;
};

TEST(ParseKeyTest, ControlKeysAreNeverData) {  // C-6
  const char* keys[] = {
      "v1/shop/orders/_STATE",
      "v1/shop/orders/_SUCCESS",
      "v1/shop/orders/etl_date=2026-11-01/.0000_part_00.parquet",
      "v1/shop/orders/etl_date=2026-11-01/_committed_1.parquet",
      "v1/shop/orders/etl_date=2026-11-01/.parquet",
      "v1/shop/orders/etl_date=2026-11-01/_success",
      "v1/shop/orders/etl_date=2026-11-01/_temporary/0/0000_part_00.parquet",
      "v2/shop/orders/etl_date=2026-11-03/etl_hour=03/_temporary/0/x.parquet",
      "v1/shop/orders/_temporary/0/x.parquet",
      "v1/shop/_scratch/etl_date=2026-11-01/0000_part_00.parquet",
      "v1/.trash/orders/etl_date=2026-11-01/_SUCCESS",
      "v1/shop/_list",
      "v1/_x",
      // What lies under _manifests and is no manifest: not a schema, not a bad name (C-5).
      "v1/_manifests",
      "v1/_manifests/manifest.json",
      "v1/_manifests/snapshot_date=2026-02-30/manifest.json",
      "v1/_manifests/snapshot_date=2026-11-02/snapshot_hour=03/manifest.json",
      "v1/_manifests/snapshot_date=2026-11-02/other.json",
      "v1/_manifests/etl_date=2026-11-02/manifest.json",
      "v1/_manifests/etl_date=__initial__/manifest.json",
      "v2/_manifests/snapshot_date=2026-11-03/manifest.json",
      "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=3/manifest.json",
      "v2/_manifests/snapshot_date=2026-11-03/etl_hour=03/manifest.json",
      "v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/x/manifest.json",
  };
  for (const char* key : keys) EXPECT_EQ(ParseKey(key).kind, Kind::kControl) << key;
}

TEST(ParseKeyTest, WhatFitsNoRuleIsForeign) {
  const char* keys[] = {
      "",
      "/",
      "v1",
      "v2/",
      "notes.txt",
      "v3/shop/orders/etl_date=2026-11-01/_SUCCESS",
      "V1/shop/orders/etl_date=2026-11-01/x.parquet",
      "/v1/shop/orders/etl_date=2026-11-01/x.parquet",
      "v1/readme.txt",
      "v1/shop/readme.txt",
      "v1/shop/orders/0000_part_00.parquet",
      "v1/shop/orders/",
      "v1/shop/orders/etl_date=2026-11-01",
      "v1/shop/orders/etl_date=2026-11-01/",
      "v2/shop/orders/etl_date=2026-11-03/etl_hour=03",
      "v2/shop/orders/etl_date=2026-11-03/etl_hour=03/",
      "v1/shop/orders/date=2026-11-01/x.parquet",
      "v1/shop/orders/etl_date=2026-13-01/x.parquet",
      "v1/shop/orders/snapshot_date=2026-02-30/x.parquet",
      "v1/shop/orders/snapshot_date=2026-02-30/_SUCCESS",
      "v1/shop/orders/etl_date=2026-11-1/x.parquet",
      "v1/shop/orders/etl_date=20261101/x.parquet",
      "v1/shop/orders/ETL_DATE=2026-11-01/x.parquet",
      "v1/shop/orders/etl_date=/x.parquet",
      "v1/shop/orders/etl_date=2026-11-01 /x.parquet",
      // v1 and v2 do not mix, nor do the two kinds of table.
      "v1/shop/orders/etl_date=2026-11-01/etl_hour=03/x.parquet",
      "v1/shop/orders/etl_date=2026-11-01/etl_hour=03/_SUCCESS",
      "v2/shop/orders/etl_date=2026-11-03/x.parquet",
      "v2/shop/orders/etl_date=2026-11-03/_SUCCESS",
      "v2/shop/orders/snapshot_date=2026-11-03/etl_hour=03/x.parquet",
      "v2/shop/orders/etl_date=2026-11-03/snapshot_hour=03/x.parquet",
      // Hours are two digits of text.
      "v2/shop/orders/etl_date=2026-11-03/etl_hour=3/x.parquet",
      "v2/shop/orders/etl_date=2026-11-03/etl_hour=24/x.parquet",
      "v2/shop/orders/etl_date=2026-11-03/etl_hour=003/x.parquet",
      "v2/shop/orders/etl_date=2026-11-03/etl_hour=/_SUCCESS",
      // __initial__ is of v1's parts tables only.
      "v1/shop/orders/snapshot_date=__initial__/x.parquet",
      "v2/shop/orders/etl_date=__initial__/x.parquet",
      "v2/shop/orders/etl_date=__initial__/etl_hour=03/x.parquet",
      // Deeper than a folder.
      "v1/shop/orders/etl_date=2026-11-01/sub/x.parquet",
      "v2/shop/orders/etl_date=2026-11-03/etl_hour=03/sub/_SUCCESS",
      "v1/shop/orders/etl_date=2026-11-01//x.parquet",
  };
  for (const char* key : keys) EXPECT_EQ(ParseKey(key).kind, Kind::kForeign) << key;
}

struct RefusedKey {
  const char* key;
  const char* name;
  const char* detail;
};

TEST(ParseKeyTest, BadNamesAreRefusedAndQuoted) {  // C-5
  const RefusedKey refused[] = {
      {"v1/shop/bad name/etl_date=2026-11-01/x.parquet", "bad name", "the table name 'bad name' is refused"},
      {"v1/shop/-lead/etl_date=2026-11-01/_SUCCESS", "-lead", "the table name '-lead' is refused"},
      {"v1/shop/naïve/etl_date=2026-11-01/x.parquet", "naïve", "the table name 'naïve' is refused"},
      {"v1/shop/tab\there/etl_date=2026-11-01/x.parquet", "tab\there", "the table name 'tab\\x09here' is refused"},
      {"v1/shop/semi;colon/etl_date=2026-11-01/x.parquet", "semi;colon", "'semi;colon'"},
      {"v1/sh op/orders/etl_date=2026-11-01/x.parquet", "sh op", "the schema name 'sh op' is refused"},
      {"v2/sh op/bad name/etl_date=2026-11-03/etl_hour=03/x.parquet", "sh op", "the schema name 'sh op' is refused"},
      {"v2/shop/../etl_date=2026-11-03/etl_hour=03/x.parquet", "..", "the table name '..' is refused"},
      {"v1/../../x.parquet", "..", "the schema name '..' is refused"},
      {"v1/./orders/etl_date=2026-11-01/x.parquet", ".", "the schema name '.' is refused"},
      {"v1//orders/etl_date=2026-11-01/x.parquet", "", "the schema name '' is refused"},
      {"v1/shop/orders.bak/etl_date=2026-11-01/x.parquet", "orders.bak", "'orders.bak'"},
      {"v1/shop/\x1b[31m/etl_date=2026-11-01/x.parquet", "\x1b[31m", "'\\x1B[31m'"},
  };
  for (const auto& [text, name, detail] : refused) {
    const ParsedKey key = ParseKey(text);
    EXPECT_EQ(key.kind, Kind::kBadName) << text;
    EXPECT_EQ(key.bad_name, name);
    EXPECT_THAT(key.detail, HasSubstr(detail));
  }
}

TEST(ParseKeyTest, EveryFolderSurvivesItsPath) {
  for (const char* hour : {"00", "03", "09", "10", "19", "20", "23"}) {
    for (const TableMode mode : {TableMode::kFull, TableMode::kParts}) {
      const Folder folder{{"a", "b-c_d"}, mode, {Version::kV2, "2028-02-29", hour}};
      EXPECT_EQ(ParseKey(folder.Path() + "/_SUCCESS").folder, folder);
    }
  }
}

}  // namespace
}  // namespace tidegate::contract
