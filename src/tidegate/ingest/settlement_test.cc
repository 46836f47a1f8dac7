#include "tidegate/ingest/settlement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidegate/ingest/lake_marks.h"
#include "tidegate/ingest/shrink_guard.h"
#include "tidegate/store/memory/memory_object_store.h"

namespace tidegate::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;

const contract::TableName kOrders{"shop", "orders"};

Settlement Word(const std::string& hour, Verdict verdict, const std::string& reason = "as the vendor said") {
  return {*contract::ParseFolder("v2/shop/orders/etl_date=2026-11-03/etl_hour=" + hour), verdict, "1dc2862334822fff",
          reason, *ParseRfc3339("2026-11-03T09:12:00Z")};
}

TEST(SettlementTest, WhatIsWrittenIsReadBack) {
  for (const char* reason : {"plain", "with \"quotes\", \n lines and ü", ""}) {
    const Settlement word = Word("04", Verdict::kAccept, reason);
    const auto read = ParseSettlement(WriteSettlement(word));
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(*read, word);
  }
}

TEST(SettlementTest, ItsBytesAreTheDocuments) {  // docs/formats/settlement.md
  EXPECT_EQ(WriteSettlement(Word("04", Verdict::kSkip, "sent again in hour 06")),
            R"({"format":1,"folder":"v2/shop/orders/etl_date=2026-11-03/etl_hour=04","verdict":"skip",)"
            R"("fingerprint":"1dc2862334822fff","reason":"sent again in hour 06","at":"2026-11-03T09:12:00Z"})"
            "\n");
  EXPECT_EQ(SettlementKey(Word("04", Verdict::kSkip).folder),
            "_tidegate/settlements/shop/orders/v2/2026-11-03/04.json");
}

TEST(SettlementTest, ANewerFormatAndBrokenBytesAreErrors) {
  EXPECT_EQ(ParseSettlement(R"({"format": 2})").status().code(), Code::kUnsupported);
  for (const char* text : {"", "[]", "{", "{}", R"({"format": "1"})", R"({"format": 1, "folder": 3})",
                           R"({"format": 1, "folder": "v2/shop"})"}) {
    EXPECT_FALSE(ParseSettlement(text).ok()) << text;
  }
  std::string other = WriteSettlement(Word("04", Verdict::kSkip));
  other.replace(other.find("skip"), 4, "drop");
  EXPECT_THAT(ParseSettlement(other).status().message(), HasSubstr("accept or skip"));
}

TEST(SettlementTest, ASecondWordOnAFolderReplacesTheFirst) {
  store::MemoryObjectStore lake, empty;
  ASSERT_TRUE(Settle(lake, Word("04", Verdict::kSkip)).ok());
  ASSERT_TRUE(Settle(lake, Word("05", Verdict::kSkip)).ok());
  ASSERT_TRUE(Settle(lake, Word("04", Verdict::kAccept)).ok());
  const auto words = LoadSettlements(lake, kOrders);
  ASSERT_TRUE(words.ok()) << words.status().ToString();
  ASSERT_THAT(*words, ElementsAre(Key(*contract::ParseDelivery("v2/2026-11-03/04")),
                                  Key(*contract::ParseDelivery("v2/2026-11-03/05"))));
  EXPECT_EQ(words->begin()->second.verdict, Verdict::kAccept);
  EXPECT_THAT(*LoadSettlements(lake, {"shop", "order"}), IsEmpty());
  EXPECT_THAT(ListMarks(lake)->settled, ElementsAre(kOrders));
  EXPECT_THAT(ListMarks(empty)->settled, IsEmpty());
}

TEST(SettlementTest, AnObjectThatIsAboutAnotherFolderIsNamed) {
  store::MemoryObjectStore lake;
  const std::string key = SettlementKey(Word("04", Verdict::kSkip).folder);
  ASSERT_TRUE(lake.Put(key, WriteSettlement(Word("05", Verdict::kSkip)), store::PutMode::kOverwrite).ok());
  EXPECT_THAT(LoadSettlements(lake, kOrders).status().message(), HasSubstr(key));
  ASSERT_TRUE(lake.Put(key, std::string(100'000, ' '), store::PutMode::kOverwrite).ok());
  EXPECT_EQ(LoadSettlements(lake, kOrders).status().code(), Code::kCorruption);
}

TEST(ShrinkGuardTest, HoldsCopiesThatLoseTooMuch) {  // C-29
  const ShrinkGuard guard;
  EXPECT_TRUE(guard.Holds(1'001, 0));
  EXPECT_FALSE(guard.Holds(999, 0));
  EXPECT_TRUE(guard.Holds(1'000, 0)) << "it loses more than half";
  EXPECT_TRUE(guard.Holds(1'000, 499));
  EXPECT_FALSE(guard.Holds(1'000, 500));
  EXPECT_FALSE(guard.Holds(999, 1));
  EXPECT_FALSE(guard.Holds(0, 0));
  EXPECT_FALSE(guard.Holds(10, 5'000));
}

}  // namespace
}  // namespace tidegate::ingest
