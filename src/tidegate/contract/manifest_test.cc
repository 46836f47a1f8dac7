#include "tidegate/contract/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

namespace tidegate::contract {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const Delivery kDay{Version::kV1, "2026-11-02", ""};
const Delivery kHour{Version::kV2, "2026-11-03", "03"};
const TableName kOrders{"shop", "orders"};
const TableName kCustomers{"shop", "customers"};
const TableName kLog{"lab", "log"};
const TableName kCarts{"shop", "carts"};

std::string Golden(const std::string& name) {
  std::ifstream file(std::string(TIDEGATE_CONTRACT_TESTDATA) + "/" + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

UtcTime At(std::string_view text) { return ParseRfc3339(text).value(); }

DeliveredTable Full(const TableName& table) {
  DeliveredTable delivered;
  delivered.table = table;
  delivered.mode = TableMode::kFull;
  return delivered;
}

DeliveredTable Parts(const TableName& table, bool reseed = false) {
  DeliveredTable delivered = Full(table);
  delivered.mode = TableMode::kParts;
  delivered.reseed = reseed;
  return delivered;
}

ParsedManifest Parse(std::string_view text, const Delivery& delivery = kHour) {
  auto parsed = ParseManifest(delivery, text);
  EXPECT_TRUE(parsed.ok()) << parsed.status().ToString() << "\n" << text;
  return parsed.ok() ? std::move(parsed).value() : ParsedManifest{};
}

/// Parse a manifest that delivers one table, given as the fields of its entry.
ParsedManifest ParseOne(const std::string& fields) {
  return Parse(R"({"tables_delivered": [{"table": "shop.orders", )" + fields + "}]}");
}

// ---- Writing

TEST(WriteManifestTest, WritesTheGoldenBytesOfV1) {  // C-31
  Manifest manifest;
  manifest.delivery = kDay;
  DeliveredTable orders = Parts(kOrders, true);
  orders.reseed_from = Delivery{Version::kV1, "__initial__", ""};
  orders.delivered_through = At("2026-11-02T07:00:00Z");  // v1 has no such field
  manifest.delivered = {orders, Full(kCustomers)};
  manifest.missing = {{kCarts, "query failed"}};
  EXPECT_EQ(WriteManifest(manifest), Golden("manifest_v1.json"));
}

TEST(WriteManifestTest, WritesTheGoldenBytesOfACompleteHour) {  // C-31
  Manifest manifest;
  manifest.delivery = kHour;
  manifest.complete = false;  // not looked at
  DeliveredTable log = Parts(kLog);
  log.delivered_through = At("2026-11-03T03:00:00Z");
  DeliveredTable customers = Full(kCustomers);
  customers.reseed = true;  // of parts tables only, as is the next
  customers.delivered_through = At("2026-11-03T03:00:00Z");
  customers.reseed_from = kHour;
  manifest.delivered = {customers, log};
  EXPECT_EQ(WriteManifest(manifest), Golden("manifest_v2_complete.json"));
}

TEST(WriteManifestTest, WritesTheGoldenBytesOfAnIncompleteHour) {  // C-31, C-33
  Manifest manifest;
  manifest.delivery = {Version::kV2, "2026-11-03", "15"};
  manifest.complete = true;  // not looked at
  DeliveredTable orders = Parts(kOrders, true);
  orders.delivered_through = At("2026-11-03T15:00:00.25Z");
  orders.reseed_from = Delivery{Version::kV2, "2026-11-03", "04"};
  manifest.delivered = {orders};
  manifest.missing = {{kCustomers, ""}, {kCarts, "disk \"a\\b\" is full\n"}};
  manifest.pending = {{kLog, "open transaction"}};
  EXPECT_EQ(WriteManifest(manifest), Golden("manifest_v2_incomplete.json"));
}

TEST(WriteManifestTest, WritesTheGoldenBytesOfAnHourWithoutTables) {
  Manifest manifest;
  manifest.delivery = {Version::kV2, "2026-11-04", "00"};
  EXPECT_EQ(WriteManifest(manifest), Golden("manifest_v2_empty.json"));
}

TEST(WriteManifestTest, CompleteFollowsMissingAndPending) {  // C-33
  Manifest manifest;
  manifest.delivery = kHour;
  EXPECT_THAT(WriteManifest(manifest), HasSubstr(R"("complete": true)"));
  manifest.pending = {{kLog, ""}};
  EXPECT_THAT(WriteManifest(manifest), HasSubstr(R"("complete": false)"));
  manifest.pending.clear();
  manifest.missing = {{kLog, ""}};
  EXPECT_THAT(WriteManifest(manifest), HasSubstr(R"("complete": false)"));
}

TEST(WriteManifestTest, OrderOfTheArgumentDoesNotMatter) {
  Manifest one;
  one.delivery = kHour;
  one.delivered = {Full(kCustomers), Parts(kOrders), Parts(kLog)};
  Manifest two = one;
  std::reverse(two.delivered.begin(), two.delivered.end());
  EXPECT_EQ(WriteManifest(one), WriteManifest(two));
}

TEST(WriteManifestTest, WritesAPendingTableOfV1AsMissing) {
  Manifest manifest;
  manifest.delivery = kDay;
  manifest.pending = {{kLog, "late"}};
  const std::string text = WriteManifest(manifest);
  EXPECT_THAT(text, Not(HasSubstr("tables_pending")));
  EXPECT_THAT(Parse(text, kDay).manifest.missing, ElementsAre(AbsentTable{kLog, "late"}));
}

TEST(WriteManifestTest, ReasonsThatAreNotUtf8AreMendedNotThrown) {
  Manifest manifest;
  manifest.delivery = kHour;
  manifest.missing = {{kLog, "bad \xff byte"}};
  EXPECT_EQ(Parse(WriteManifest(manifest)).manifest.missing[0].reason, "bad \xEF\xBF\xBD byte");
}

Manifest RandomManifest(std::mt19937_64& random) {
  const auto chance = [&](unsigned n) { return random() % n == 0; };
  const bool v2 = !chance(3);
  Manifest manifest;
  manifest.delivery =
      v2 ? Delivery{Version::kV2, "2026-11-1" + std::to_string(random() % 10), "0" + std::to_string(random() % 10)}
         : kDay;
  for (int i = 0; i < 12; ++i) {
    const TableName table{"s" + std::to_string(i % 3), "t" + std::to_string(i)};
    const AbsentTable absent{table, chance(2) ? "" : "why \"\n\\ ü " + std::to_string(random())};
    const size_t where = random() % 5;
    if (where == 0) manifest.missing.push_back(absent);
    if (where == 1 && v2) manifest.pending.push_back(absent);
    if (where == 2) manifest.delivered.push_back(Full(table));
    if (where < 3) continue;
    DeliveredTable parts = Parts(table, chance(2));
    if (chance(2)) parts.reseed_from = chance(2) ? manifest.delivery : Delivery{Version::kV1, "__initial__", ""};
    if (v2 && chance(2)) parts.delivered_through = UtcTime(std::chrono::microseconds(random() % 4'000'000'000'000'000));
    manifest.delivered.push_back(parts);
  }
  const auto by_name = [](const auto& a, const auto& b) { return a.table < b.table; };
  std::sort(manifest.delivered.begin(), manifest.delivered.end(), by_name);
  std::sort(manifest.missing.begin(), manifest.missing.end(), by_name);
  std::sort(manifest.pending.begin(), manifest.pending.end(), by_name);
  manifest.complete = manifest.missing.empty() && manifest.pending.empty();
  return manifest;
}

TEST(WriteManifestTest, WhatIsWrittenReadsBackTheSameWithoutANote) {
  const unsigned seed = 20261103;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200; ++i) {
    const Manifest manifest = RandomManifest(random);
    const std::string text = WriteManifest(manifest);
    const ParsedManifest parsed = Parse(text, manifest.delivery);
    ASSERT_EQ(parsed.manifest, manifest) << text;
    ASSERT_THAT(parsed.notes, IsEmpty()) << text;
    ASSERT_EQ(WriteManifest(parsed.manifest), text);
  }
}

// ---- Reading

TEST(ParseManifestTest, AnEmptyObjectIsACompleteDeliveryOfNothing) {  // C-32
  const ParsedManifest parsed = Parse("{}");
  EXPECT_EQ(parsed.manifest.delivery, kHour);
  EXPECT_TRUE(parsed.manifest.complete);
  EXPECT_THAT(parsed.manifest.delivered, IsEmpty());
  EXPECT_THAT(parsed.notes, IsEmpty());
}

TEST(ParseManifestTest, ReadsAnObjectKeyedByTableName) {  // C-32
  const ParsedManifest parsed = Parse(R"({
    "snapshot_date": "2026-11-03", "snapshot_hour": "03", "complete": false, "producer": {"build": [1, 2]},
    "tables_delivered": {
      "shop.orders": {"mode": "incremental_append", "read": "union_all_partitions",
                      "delivered_through": "2026-11-03T03:00:00Z", "rows": 1},
      "shop.customers": {"mode": "full_refresh", "read": "latest_snapshot"},
      "log": {"schema": "lab"},
      "lab.plain": null},
    "tables_missing": {"shop.carts": {"reason": "locked"}, "lab.x": "disk full"}})");
  DeliveredTable orders = Parts(kOrders);
  orders.delivered_through = At("2026-11-03T03:00:00Z");
  DeliveredTable log;
  log.table = kLog;
  DeliveredTable plain;
  plain.table = {"lab", "plain"};
  EXPECT_EQ(parsed.manifest.delivered, (std::vector<DeliveredTable>{log, plain, Full(kCustomers), orders}));
  EXPECT_THAT(parsed.manifest.missing,
              ElementsAre(AbsentTable{{"lab", "x"}, "disk full"}, AbsentTable{kCarts, "locked"}));
  EXPECT_FALSE(parsed.manifest.complete);
  EXPECT_THAT(parsed.notes, IsEmpty());
}

TEST(ParseManifestTest, ReadsNamesInEverySpelling) {  // C-32
  const ParsedManifest parsed = Parse(R"({"tables_pending": [
    "a.bare", {"table": "b.one_field"}, {"name": "c.by_name"}, {"schema": "d", "table": "two_fields"},
    {"schema": "e", "name": "schema_and_name"}, {"schema": "f", "table": "f.twice"}]})");
  std::vector<std::string> names;
  for (const AbsentTable& table : parsed.manifest.pending) names.push_back(table.table.ToString());
  EXPECT_THAT(names, ElementsAre("a.bare", "b.one_field", "c.by_name", "d.two_fields", "e.schema_and_name", "f.twice"));
  EXPECT_THAT(parsed.notes, IsEmpty());
}

TEST(ParseManifestTest, NullsCountAsAbsent) {  // C-32
  const ParsedManifest parsed = Parse(R"({"complete": null, "snapshot_date": null, "tables_delivered": null,
    "tables_pending": [{"table": "shop.orders", "schema": null, "reason": null}]})");
  EXPECT_THAT(parsed.manifest.pending, ElementsAre(AbsentTable{kOrders, ""}));
  EXPECT_THAT(parsed.notes, IsEmpty());
  const ParsedManifest one = ParseOne(R"("mode": null, "read": null, "reseed": null, "delivered_through": null)");
  EXPECT_EQ(one.manifest.delivered[0].mode, std::nullopt);
  EXPECT_THAT(one.notes, IsEmpty());
}

TEST(ParseManifestTest, OddEntriesAreNotedAndTheRestIsRead) {  // C-5, C-32
  const ParsedManifest parsed = Parse(R"({"tables_delivered": [
    7, null, [], {}, {"table": 5}, {"schema": "shop"}, "orders", "sh op.orders", {"schema": "shop", "table": "or\u001bders"},
    {"schema": "shop", "table": "lab.log"}, "shop.orders"]})");
  ASSERT_THAT(parsed.manifest.delivered, SizeIs(1));
  EXPECT_EQ(parsed.manifest.delivered[0].table, kOrders);
  ASSERT_THAT(parsed.notes, SizeIs(10));
  for (const std::string& note : parsed.notes)
    EXPECT_THAT(note, HasSubstr("tables_delivered has an entry that is passed over"));
  EXPECT_THAT(parsed.notes[0], HasSubstr("names no table"));
  EXPECT_THAT(parsed.notes[6], HasSubstr("with a dot: 'orders'"));
  EXPECT_THAT(parsed.notes[7], HasSubstr("'sh op'"));
  EXPECT_THAT(parsed.notes[8], AllOf(HasSubstr("or\\x1Bders"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(parsed.notes[9], HasSubstr("schema 'shop' and table 'lab.log', which disagree"));
}

TEST(ParseManifestTest, AListThatIsNoListIsNoted) {
  const ParsedManifest parsed =
      Parse(R"({"tables_delivered": 7, "tables_missing": "shop.orders", "tables_pending": true})");
  EXPECT_TRUE(parsed.manifest.complete);
  EXPECT_THAT(parsed.notes, ElementsAre("tables_delivered is 7, neither a list nor an object; passed over",
                                        "tables_missing is 'shop.orders', neither a list nor an object; passed over",
                                        "tables_pending is true, neither a list nor an object; passed over"));
}

TEST(ParseManifestTest, ATableNamedTwiceCountsOnce) {
  const ParsedManifest parsed = Parse(R"({"tables_delivered": [
    {"table": "shop.orders", "reseed": true}, {"schema": "shop", "table": "orders", "reseed": false}]})");
  ASSERT_THAT(parsed.manifest.delivered, SizeIs(1));
  EXPECT_TRUE(parsed.manifest.delivered[0].reseed);
  EXPECT_THAT(parsed.notes, ElementsAre("tables_delivered: 'shop.orders': is named twice; the first counts"));
}

TEST(ParseManifestTest, EqualNamesInTwoSchemasAreTwoTables) {  // C-5
  const ParsedManifest parsed = Parse(R"({"tables_delivered": [
    {"schema": "shop", "table": "log"}, {"schema": "lab", "table": "log", "reseed": true}]})");
  EXPECT_THAT(parsed.notes, IsEmpty());
  EXPECT_TRUE(parsed.manifest.FindDelivered(kLog)->reseed);
  EXPECT_FALSE(parsed.manifest.FindDelivered({"shop", "log"})->reseed);
  EXPECT_EQ(parsed.manifest.FindDelivered(kOrders), nullptr);
}

TEST(ParseManifestTest, ModeComesFromModeElseFromRead) {  // C-31, C-34
  EXPECT_EQ(ParseOne(R"("mode": "full_refresh")").manifest.delivered[0].mode, TableMode::kFull);
  EXPECT_EQ(ParseOne(R"("mode": "incremental_append")").manifest.delivered[0].mode, TableMode::kParts);
  EXPECT_EQ(ParseOne(R"("read": "latest_snapshot")").manifest.delivered[0].mode, TableMode::kFull);
  EXPECT_EQ(ParseOne(R"("read": "union_all_partitions")").manifest.delivered[0].mode, TableMode::kParts);
  EXPECT_EQ(ParseOne(R"("rows": 1)").manifest.delivered[0].mode, std::nullopt);
}

TEST(ParseManifestTest, ModeWinsOverReadAndThatIsNoted) {
  const ParsedManifest parsed = ParseOne(R"("mode": "incremental_append", "read": "latest_snapshot")");
  EXPECT_EQ(parsed.manifest.delivered[0].mode, TableMode::kParts);
  EXPECT_THAT(parsed.notes, ElementsAre("tables_delivered: 'shop.orders': mode and read disagree; mode counts"));
}

TEST(ParseManifestTest, AnUnknownModeIsNotedAndReadCounts) {
  const ParsedManifest parsed = ParseOne(R"("mode": "upsert", "read": "union_all_partitions")");
  EXPECT_EQ(parsed.manifest.delivered[0].mode, TableMode::kParts);
  EXPECT_THAT(parsed.notes, ElementsAre(HasSubstr("mode is 'upsert', neither full_refresh nor incremental_append")));
  EXPECT_THAT(ParseOne(R"("read": ["x"])").notes, ElementsAre(HasSubstr("read is a list")));
  EXPECT_THAT(ParseOne(R"("read": {})").notes, ElementsAre(HasSubstr("read is an object")));
}

TEST(ParseManifestTest, AReseedInAnotherSpellingIsObeyedAndNoted) {  // C-35
  EXPECT_TRUE(ParseOne(R"("reseed": true)").manifest.delivered[0].reseed);
  EXPECT_FALSE(ParseOne(R"("reseed": false)").manifest.delivered[0].reseed);
  EXPECT_FALSE(ParseOne(R"("rows": 1)").manifest.delivered[0].reseed);
  for (const char* yes : {R"("true")", R"("True")", "1", "1.0"}) {
    const ParsedManifest parsed = ParseOne(std::string(R"("reseed": )") + yes);
    EXPECT_TRUE(parsed.manifest.delivered[0].reseed) << yes;
    EXPECT_THAT(parsed.notes, ElementsAre(HasSubstr("taken as true"))) << yes;
  }
  for (const char* no : {R"("false")", R"("")", R"("yes, maybe")", "0", "2", "[]", "{}", "[true]"}) {
    const ParsedManifest parsed = ParseOne(std::string(R"("reseed": )") + no);
    EXPECT_FALSE(parsed.manifest.delivered[0].reseed) << no;
    EXPECT_THAT(parsed.notes, ElementsAre(HasSubstr("taken as false"))) << no;
  }
}

TEST(ParseManifestTest, AReseedOfAFullTableIsKeptAndNoted) {
  const ParsedManifest parsed = ParseOne(R"("mode": "full_refresh", "reseed": true)");
  EXPECT_TRUE(parsed.manifest.delivered[0].reseed);
  EXPECT_THAT(parsed.notes, ElementsAre(HasSubstr("means nothing on a full table")));
  EXPECT_THAT(ParseOne(R"("mode": "full_refresh", "reseed": false)").notes, IsEmpty());
}

TEST(ParseManifestTest, DeliveredThroughIsAnInstant) {  // C-36, C-7
  const auto through = [](const std::string& text) {
    return ParseOne(R"("delivered_through": ")" + text + "\"").manifest.delivered[0].delivered_through;
  };
  EXPECT_EQ(through("2026-11-03T03:00:00Z"), At("2026-11-03T03:00:00Z"));
  EXPECT_EQ(through("2026-11-03T00:00:00-03:00"), At("2026-11-03T03:00:00Z"));
  EXPECT_EQ(through("2026-11-03T03:00:00.123456Z"), At("2026-11-03T03:00:00.123456Z"));
}

TEST(ParseManifestTest, ATimeThatIsNoneIsNoted) {
  for (const char* text : {R"("2026-11-03")", R"("2026-11-03T03:00:00")", R"("soon")", "1793674800", "{}"}) {
    const ParsedManifest parsed = ParseOne(std::string(R"("delivered_through": )") + text);
    EXPECT_EQ(parsed.manifest.delivered[0].delivered_through, std::nullopt) << text;
    EXPECT_THAT(parsed.notes, ElementsAre(HasSubstr("no RFC 3339 time"))) << text;
  }
}

TEST(ParseManifestTest, ReseedFromIsAFolderWithoutItsTable) {  // A-6
  const auto from = [](const std::string& text) {
    return ParseOne(R"("reseed": true, "reseed_from": ")" + text + "\"").manifest.delivered[0].reseed_from;
  };
  EXPECT_EQ(from("v2/etl_date=2026-11-03/etl_hour=04"), (Delivery{Version::kV2, "2026-11-03", "04"}));
  EXPECT_EQ(from("v1/etl_date=2026-11-01"), (Delivery{Version::kV1, "2026-11-01", ""}));
  EXPECT_EQ(from("v1/etl_date=__initial__"), (Delivery{Version::kV1, "__initial__", ""}));
}

TEST(ParseManifestTest, AnotherReseedFromIsNoted) {
  for (const char* text : {R"("v2/etl_date=2026-11-03")", R"("v2/etl_date=2026-11-03/etl_hour=4")", R"("2026-11-03")",
                           R"("v1/etl_date=2026-11-01/")", R"("v1/snapshot_date=2026-11-01")", R"("v1")", "4",
                           R"("v1/shop/orders/etl_date=2026-11-01")", R"("v1/../etl_date=2026-11-01")"}) {
    const ParsedManifest parsed = ParseOne(std::string(R"("reseed_from": )") + text);
    EXPECT_EQ(parsed.manifest.delivered[0].reseed_from, std::nullopt) << text;
    EXPECT_THAT(parsed.notes, ElementsAre(HasSubstr("reseed_from is"))) << text;
  }
}

TEST(ParseManifestTest, APendingTableIsNotMissingToo) {  // C-33
  const ParsedManifest parsed = Parse(R"({"complete": false,
    "tables_missing": [{"table": "lab.log", "reason": "a"}, "shop.carts"], "tables_pending": [{"table": "lab.log", "reason": "b"}]})");
  EXPECT_THAT(parsed.manifest.missing, ElementsAre(AbsentTable{kCarts, ""}));
  EXPECT_THAT(parsed.manifest.pending, ElementsAre(AbsentTable{kLog, "b"}));
  EXPECT_THAT(parsed.notes, ElementsAre("tables_missing: 'lab.log': is also pending; taken as pending"));
}

TEST(ParseManifestTest, ATableBothDeliveredAndAbsentIsNoted) {  // C-34
  const ParsedManifest parsed = Parse(
      R"({"tables_delivered": ["shop.orders", "lab.log"], "tables_missing": ["shop.orders"], "tables_pending": ["lab.log"]})");
  EXPECT_THAT(parsed.manifest.delivered, SizeIs(2));
  EXPECT_THAT(parsed.manifest.missing, SizeIs(1));
  EXPECT_THAT(parsed.notes, ElementsAre("tables_missing: 'shop.orders': is also in tables_delivered; its seal decides",
                                        "tables_pending: 'lab.log': is also in tables_delivered; its seal decides"));
}

TEST(ParseManifestTest, AReasonThatIsNoTextIsNoted) {
  const ParsedManifest parsed = Parse(R"({"tables_missing": [{"table": "shop.orders", "reason": {"code": 5}}]})");
  EXPECT_THAT(parsed.manifest.missing, ElementsAre(AbsentTable{kOrders, ""}));
  EXPECT_THAT(parsed.notes, ElementsAre(HasSubstr("a reason that is no text but an object")));
}

TEST(ParseManifestTest, CompleteIsSaidOrFollows) {  // C-33
  EXPECT_TRUE(Parse(R"({"complete": true})").manifest.complete);
  EXPECT_FALSE(Parse(R"({"complete": false})").manifest.complete);
  EXPECT_FALSE(Parse(R"({"tables_missing": ["shop.orders"]})").manifest.complete);
  EXPECT_FALSE(Parse(R"({"tables_pending": ["shop.orders"]})").manifest.complete);
}

TEST(ParseManifestTest, CompleteThatCannotBeIsNoted) {  // C-33
  const ParsedManifest lie = Parse(R"({"complete": true, "tables_missing": ["shop.orders"]})");
  EXPECT_FALSE(lie.manifest.complete);
  EXPECT_THAT(lie.notes, ElementsAre("complete is true, but tables are missing or pending; taken as false"));
  const ParsedManifest text = Parse(R"({"complete": "false"})");
  EXPECT_TRUE(text.manifest.complete);
  EXPECT_THAT(text.notes, ElementsAre("complete is 'false', not a JSON boolean; passed over"));
}

TEST(ParseManifestTest, TheKeyWinsOverTheFieldsInside) {
  const ParsedManifest parsed = Parse(R"({"snapshot_date": "2026-11-04", "snapshot_hour": 3})");
  EXPECT_EQ(parsed.manifest.delivery, kHour);
  EXPECT_THAT(parsed.notes,
              ElementsAre("snapshot_date is '2026-11-04', but the manifest's key says '2026-11-03'; the key counts",
                          "snapshot_hour is 3, but the manifest's key says '03'; the key counts"));
  EXPECT_THAT(Parse(R"({"snapshot_date": "2026-11-02", "snapshot_hour": "07"})", kDay).notes,
              IsEmpty());  // v1 has no hour
}

TEST(ParseManifestTest, WhatIsNoJsonObjectCannotBeRead) {  // C-33
  for (const char* text : {"", "[]", "null", "7", "\"x\"", R"({"complete": tru)", "{} {}", R"({"a": 1, "a": 2})",
                           "\xff\xfe", R"({"tables_delivered": [)"}) {
    const auto parsed = ParseManifest(kHour, text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.status().code(), Code::kCorruption) << text;
  }
}

TEST(ParseManifestTest, ATooLargeManifestIsNotParsed) {
  const auto parsed = ParseManifest(kHour, "{}" + std::string(kMaxManifestBytes - 1, ' '));
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.status().code(), Code::kCorruption);
  EXPECT_THAT(parsed.status().message(), HasSubstr("larger than 16.0 MB"));
  EXPECT_TRUE(ParseManifest(kHour, "{}" + std::string(kMaxManifestBytes - 2, ' ')).ok());
}

TEST(ParseManifestTest, NotesAreBounded) {
  std::string list = "0";
  for (size_t i = 1; i < kMaxManifestNotes + 7; ++i) list += ",0";
  const ParsedManifest parsed = Parse(R"({"tables_delivered": [)" + list + "]}");
  ASSERT_THAT(parsed.notes, SizeIs(kMaxManifestNotes + 1));
  EXPECT_EQ(parsed.notes.back(), "and 7 more of the kind");
}

TEST(ParseManifestTest, DeepNestingEndsInAnErrorNotInACrash) {
  EXPECT_FALSE(ParseManifest(kHour, R"({"x": )" + std::string(1'000'000, '[')).ok());
  EXPECT_FALSE(ParseManifest(kHour, R"({"x": )" + std::string(200, '[') + std::string(200, ']') + "}").ok());
}

TEST(ParseManifestTest, ManglingAManifestNeverCrashes) {
  const unsigned seed = 4711;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::string whole = Golden("manifest_v2_incomplete.json");
  size_t read = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string text = whole;
    for (size_t n = random() % 4; n > 0; --n) text[random() % text.size()] = static_cast<char>(random());
    if (random() % 4 == 0) text.resize(random() % text.size());
    const auto parsed = ParseManifest(kHour, text);
    if (parsed.ok()) ++read;
    EXPECT_EQ(parsed.status().code(), parsed.ok() ? Code::kOk : Code::kCorruption);
  }
  EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace tidegate::contract
