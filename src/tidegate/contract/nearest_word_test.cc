#include "tidegate/contract/nearest_word.h"

#include <gtest/gtest.h>

namespace tidegate::contract {
namespace {

const std::vector<std::string_view> kWords = {"key", "mode", "event_time", "append_only"};

TEST(NearestWordTest, FindsTheWordOneOrTwoLettersAway) {
  EXPECT_EQ(NearestWord("evnt_time", kWords), "event_time");    // one is missing
  EXPECT_EQ(NearestWord("event_timee", kWords), "event_time");  // one too many
  EXPECT_EQ(NearestWord("append-only", kWords), "append_only");
  EXPECT_EQ(NearestWord("even_tiem", kWords), "");  // three changes
  EXPECT_EQ(NearestWord("moed", kWords), "mode");
  EXPECT_EQ(NearestWord("kyx", kWords), "");  // most of a short word
  EXPECT_EQ(NearestWord("mod", kWords), "mode");
  EXPECT_EQ(NearestWord("keys", kWords), "key");
}

TEST(NearestWordTest, TheFewestChangesWinAndTheFirstOfEquals) {
  EXPECT_EQ(NearestWord("table", {"tables", "table"}), "table");
  EXPECT_EQ(NearestWord("tablx", {"tabla", "tablb"}), "tabla");
}

TEST(NearestWordTest, NothingIsNearAForeignWord) {
  EXPECT_EQ(NearestWord("", kWords), "");
  EXPECT_EQ(NearestWord("wholly_other", kWords), "");
  EXPECT_EQ(NearestWord(std::string(5'000'000, 'k'), kWords), "");
  EXPECT_EQ(NearestWord("key", {}), "");
}

TEST(WordHintTest, AsksOrListsWhatIsKnown) {
  EXPECT_EQ(WordHint("keys", kWords), "; did you mean key?");
  EXPECT_EQ(WordHint("zzz", kWords), "; known are key, mode, event_time, append_only");
}

}  // namespace
}  // namespace tidegate::contract
