#include "tidegate/app/publish_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<PublishSettings> Read(const std::string& text) {
  TG_ASSIGN_OR_RETURN(const toml::table root, contract::ParseToml(text, "tidegate.toml"));
  return ReadPublish(root, "tidegate.toml");
}

constexpr const char* kShort = R"(
[[publish]]
table = "sales.daily"
partition_by = ["day"]
location = "s3://bucket/daily"
select = "SELECT 1 AS a WHERE {day} IS NOT NULL"
)";

TEST(PublishSettingsTest, AShortSectionHasUsualValues) {
  const auto settings = Read(kShort);
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  EXPECT_EQ(settings->catalog_url, "hive.db");
  const auto definition = FindDefinition(*settings, "sales.daily");
  ASSERT_TRUE(definition.ok());
  EXPECT_EQ(definition->writer.compression, "snappy");
  EXPECT_EQ(definition->writer.max_file_bytes, 256'000'000U);
  EXPECT_EQ(definition->clean.keep_runs, 1);
  EXPECT_EQ(definition->clean.min_age, std::chrono::hours(24));
  EXPECT_THAT(definition->partition_columns, ElementsAre(catalog::HiveColumn{"day", "string"}));
}

TEST(PublishSettingsTest, APartitionMayBecomeEmptyOnlyWhereThatIsSaid) {
  const std::string shortly = kShort;
  EXPECT_EQ(Read(shortly)->tables.at(0).audits.min_rows, 1);
  EXPECT_EQ(Read(shortly + "[publish.audit]\nmin_rows = 0")->tables.at(0).audits.min_rows, 0);
  const std::string followed = "lake = 'x'\nfollow = 's.t'\npartition_of = ['day']";
  EXPECT_EQ(Read(shortly + followed)->tables.at(0).audits.min_rows, std::nullopt);
}

TEST(PublishSettingsTest, EachTableHasALocationOfItsOwn) {
  std::string other = std::string(kShort);
  other.replace(other.find("sales.daily"), 11, "sales.other");
  const Status status = Read(kShort + other).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("'sales.daily' lies at 's3://bucket/daily', too"));
  other.replace(other.find("bucket/daily"), 12, "bucket/other");
  EXPECT_TRUE(Read(kShort + other).ok());
}

TEST(PublishSettingsTest, ALongSectionIsRead) {
  const auto settings = Read(R"(
[hive_catalog]
url = "x.db"
[[publish]]
table = "sales.daily"
partition_by = ["day date", "region"]
location = "daily"
source = "source.duckdb"
select = "SELECT 1 AS a WHERE {day} = {region}"
compression = "zstd"
max_file = "64MB"
keep_runs = 3
min_age = "2h"
failed_age = "1d"
[publish.audit]
min_rows = 1
max_rows = 9
max_shrink = 0.5
max_growth = 2
not_null = ["a"]
unique = [["a", "b"], ["c"]]
accepted = { state = ["new", "done"] }
no_rows = ["FROM build WHERE a < 0"]
)");
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  EXPECT_EQ(settings->catalog_url, "x.db");
  const publish::Definition& d = settings->tables.at(0);
  EXPECT_EQ(d.partition_columns.at(0).type, "date");
  EXPECT_EQ(d.source, "source.duckdb");
  EXPECT_EQ(d.writer.compression, "zstd");
  EXPECT_EQ(d.writer.max_file_bytes, 64'000'000U);
  EXPECT_EQ(d.clean.keep_runs, 3);
  EXPECT_EQ(d.clean.min_age, std::chrono::hours(2));
  EXPECT_EQ(d.clean.failed_age, std::chrono::hours(24));
  EXPECT_EQ(d.audits.min_rows, 1);
  EXPECT_EQ(d.audits.max_rows, 9);
  EXPECT_EQ(d.audits.max_shrink, 0.5);
  EXPECT_EQ(d.audits.max_growth, 2);
  EXPECT_THAT(d.audits.not_null, ElementsAre("a"));
  EXPECT_THAT(d.audits.unique, ElementsAre(ElementsAre("a", "b"), ElementsAre("c")));
  EXPECT_THAT(d.audits.accepted.at("state"), ElementsAre("new", "done"));
  EXPECT_THAT(d.audits.no_rows, ElementsAre("FROM build WHERE a < 0"));
}

TEST(PublishSettingsTest, WhatIsWrongIsNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {"[publish]\ntable = 'a.b'", "double brackets"},
      {"[[publish]]\ntable = 'daily'", "write it as database.table"},
      {"[[publish]]\ntable = 'a.b'", "partition_by"},
      {"[[publish]]\ntable = 'a.b'\npartition_by = ['run']", "cannot be called run"},
      {"[[publish]]\ntable = 'a.b'\npartition_by = ['day']", "location"},
      {"[[publish]]\ntable = 'a.b'\npartition_by = ['day']\nlocation = 'x'", "one of the two"},
      {"[[publish]]\ntable = 'a.b'\npartition_by = ['day']\nlocation = 'x'\nselect = 'SELECT 1'", "does not use {day}"},
      {"[[publish]]\ntable = 'a.b'\npartition_by = ['day']\nlocation = 'x'\nselect_file = 'nowhere.sql'",
       "nowhere.sql"},
      {"[[publish]]\ncolour = 'red'", "unknown setting 'colour'"}};
  for (const auto& [text, what] : cases) EXPECT_THAT(Read(text).status().message(), HasSubstr(what)) << text;
  const std::string shortly = kShort;
  EXPECT_THAT(Read(shortly + "source = 'x'\nlake = 'y'").status().message(), HasSubstr("one of the two"));
  EXPECT_EQ(Read(shortly + "lake = 'y'\npartitions = 'SELECT 1'")->tables.at(0).partitions, "SELECT 1");
  for (const auto& [more, what] : std::vector<std::pair<std::string, std::string>>{
           {"follow = 'shop.orders'\npartition_of = ['x']", "say which as lake"},
           {"partition_of = ['x']", "belongs to follow"},
           {"lake = 'y'\nfollow = 'shop.orders'", "an expression for each column of partition_by, 1"},
           {"lake = 'y'\nfollow = 'shop.orders'\npartition_of = ['x']\npartitions = 'SELECT 1'",
            "leave partitions out"},
           {"lake = 'y'\nfollow = 'orders'\npartition_of = ['x']", "follow"}}) {
    EXPECT_THAT(Read(shortly + more).status().message(), HasSubstr(what)) << more;
  }
  EXPECT_THAT(Read(shortly + "compression = 'lzo'").status().message(), HasSubstr("snappy, zstd or none"));
  EXPECT_THAT(Read(shortly + "keep_runs = 0").status().message(), HasSubstr("keep_runs"));
  EXPECT_THAT(Read(shortly + "[publish.audit]\nmax_shrink = 2").status().message(), HasSubstr("from 0 to 1"));
  EXPECT_THAT(Read(shortly + "[publish.audit]\nunique = [1]").status().message(), HasSubstr("list of texts"));
  EXPECT_THAT(FindDefinition(*Read(shortly), "a.b").status().message(), HasSubstr("they have sales.daily"));
}

TEST(ReadPublish, ATableThatFollowsALakeNeedsNoSelect) {
  const std::string both =
      "[[publish]]\ntable = 'sales.a'\npartition_by = ['day']\nlocation = 'a'\nlake = 'b/lake'\nfollow = "
      "'shop.orders'\n"
      "partition_of = ['CAST(at AS DATE)']\n"
      "[[publish]]\ntable = 'sales.b'\npartition_by = ['day']\nlocation = 'b'\nlake = 'b/lake'\nfollow = "
      "'shop.orders'\n"
      "partition_of = ['d']\nselect = 'SELECT 1 WHERE {day} = 2'\n";
  const auto settings = Read(both + kShort);
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  EXPECT_THAT(settings->tables.at(0).select, HasSubstr("FROM \"shop\".\"orders\" WHERE"));
  EXPECT_EQ(settings->tables.at(1).select, "SELECT 1 WHERE {day} = 2");
  const auto followers = FindFollowers(*settings, "b/lake.shop.orders");
  ASSERT_TRUE(followers.ok());
  ASSERT_EQ(followers->size(), 2U);
  EXPECT_EQ(followers->at(1).table.table, "b");
  EXPECT_THAT(FindFollowers(*settings, "b/lake.shop.order").status().message(),
              HasSubstr("they follow b/lake.shop.orders"));
  EXPECT_THAT(FindFollowers(*Read(kShort), "x").status().message(), HasSubstr("none has a follow"));
}

TEST(PublishSettingsTest, AthenaHasASectionOfItsOwn) {
  const auto settings = Read(R"(
[athena]
workgroup = "etl"
result_location = "s3://bucket/results/"
database = "sales"
)" + std::string(kShort) + "engine = 'athena'");
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  EXPECT_EQ(settings->athena.workgroup, "etl");
  EXPECT_EQ(settings->athena.result_location, "s3://bucket/results/");
  EXPECT_EQ(settings->athena.database, "sales");
  EXPECT_EQ(settings->tables.at(0).engine, publish::BuildEngine::kAthena);
  EXPECT_EQ(Read(kShort)->athena.workgroup, "primary");
  EXPECT_EQ(Read(kShort)->tables.at(0).engine, publish::BuildEngine::kEmbedded);
}

TEST(PublishSettingsTest, WhatAthenaCannotDoIsRefused) {
  const std::string shortly = kShort;
  EXPECT_THAT(Read(shortly + "engine = 'spark'").status().message(), HasSubstr("\"embedded\" or \"athena\""));
  for (const char* more : {"source = 'x'", "lake = 'x'", "max_file = '1MB'", "compression = 'none'"}) {
    EXPECT_EQ(Read(shortly + "engine = 'athena'\n" + more).status().code(), Code::kInvalidArgument) << more;
  }
  std::string on_disk = shortly + "engine = 'athena'";
  on_disk.replace(on_disk.find("s3://bucket"), 11, "/data");
  EXPECT_THAT(Read(on_disk).status().message(), HasSubstr("location lies in S3"));
  EXPECT_THAT(Read("[athena]\nresult_location = 'results'").status().message(), HasSubstr("lies in S3"));
  EXPECT_THAT(Read("[athena]\noutput = 's3://b/'").status().message(), HasSubstr("output"));
}

}  // namespace
}  // namespace tidegate::app
