#include "tidegate/deliver/state.h"

#include <gtest/gtest.h>

namespace tidegate::deliver {
namespace {

const contract::TableName kMessages{"chat", "messages"};

State Hour3() {
  State state;
  state.folder = {kMessages, contract::TableMode::kParts, {contract::Version::kV2, "2026-11-03", "03"}};
  state.window = {*ParseRfc3339("2026-11-02T07:00:00Z"), *ParseRfc3339("2026-11-03T03:00:00Z")};
  return state;
}

// The worked example of docs/formats/deliver-state.md.
TEST(StateTest, WritesTheDocumentedBytes) {
  EXPECT_EQ(WriteState(Hour3()),
            "{\n"
            "  \"format_version\": 1,\n"
            "  \"folder\": \"v2/chat/messages/etl_date=2026-11-03/etl_hour=03\",\n"
            "  \"from\": \"2026-11-02T07:00:00Z\",\n"
            "  \"through\": \"2026-11-03T03:00:00Z\"\n"
            "}\n");
}

TEST(StateTest, GoesRoundUnchanged) {
  State state = Hour3();
  EXPECT_EQ(*ParseState(kMessages, WriteState(state)), state);
  state.window.from.reset();
  state.reseed_from = contract::Delivery{contract::Version::kV2, "2026-11-03", "02"};
  EXPECT_EQ(*ParseState(kMessages, WriteState(state)), state);
  state.folder.delivery = {contract::Version::kV1, "__initial__", ""};
  EXPECT_EQ(*ParseState(kMessages, WriteState(state)), state);
}

TEST(StateTest, UnknownFieldsAreTolerated) {
  std::string text = WriteState(Hour3());
  text.insert(1, "\"written_by\": {\"tool\": [1]},");
  EXPECT_EQ(*ParseState(kMessages, text), Hour3());
}

TEST(StateTest, ALaterFormatVersionAsksForAnUpgrade) {
  std::string text = WriteState(Hour3());
  text.replace(text.find(": 1,"), 4, ": 2,");
  const auto state = ParseState(kMessages, text);
  EXPECT_EQ(state.status().code(), Code::kUnsupported);
  EXPECT_NE(state.status().message().find("upgrade"), std::string::npos);
}

std::string With(const std::string& from, const std::string& to) {
  std::string text = WriteState(Hour3());
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(StateTest, WhatIsNotAStateOfTheTableIsCorruption) {
  const std::string cases[] = {
      "",
      "null",
      "[]",
      "{}",
      std::string(5000, '['),
      With("\"format_version\": 1", "\"format_version\": 0"),
      With("\"format_version\": 1", "\"format_version\": \"1\""),
      With("chat/messages", "chat/other"),
      With("chat/messages", "../messages"),
      With("etl_hour=03", "etl_hour=3"),
      With("etl_date=2026-11-03/etl_hour=03", "snapshot_date=2026-11-03/snapshot_hour=03"),
      With("\"2026-11-02T07:00:00Z\"", "\"yesterday\""),
      With("\"2026-11-02T07:00:00Z\"", "7"),
      With("\"2026-11-02T07:00:00Z\"", "\"2026-11-04T07:00:00Z\""),
      With("  \"from\": \"2026-11-02T07:00:00Z\",\n", ""),
      With("\"through\": \"2026-11-03T03:00:00Z\"", "\"through\": null"),
      With("\"through\"", "\"reseed_from\": \"v3/x\", \"through\""),
  };
  for (const std::string& text : cases) {
    EXPECT_EQ(ParseState(kMessages, text).status().code(), Code::kCorruption) << text;
  }
}

}  // namespace
}  // namespace tidegate::deliver
