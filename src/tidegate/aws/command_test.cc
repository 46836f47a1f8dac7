#include "tidegate/aws/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::aws {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CommandTest, WordsAreCutAsAShellDoes) {
  EXPECT_THAT(*SplitCommandLine("  a  b\tc\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(*SplitCommandLine(R"(a "b c" 'd "e' "f\"g\\h\i")"), ElementsAre("a", "b c", "d \"e", "f\"g\\h\\i"));
  EXPECT_THAT(*SplitCommandLine(R"(a\ b '' x"y"'z' 'a\b')"), ElementsAre("a b", "", "xyz", "a\\b"));
  EXPECT_THAT(*SplitCommandLine("a $HOME `b` ; c | d > e * ~"),
              ElementsAre("a", "$HOME", "`b`", ";", "c", "|", "d", ">", "e", "*", "~"));
}

TEST(CommandTest, ALineThatIsNoCommandIsRefusedAndNotShown) {
  for (const char* line : {"", "   ", "'hidden", "a \"hidden", "'' hidden"}) {
    const Status status = SplitCommandLine(line).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << line;
    EXPECT_THAT(status.message(), Not(HasSubstr("hidden")));
  }
  EXPECT_FALSE(SplitCommandLine(std::string_view("a\0b", 3)).ok());
}

TEST(CommandTest, WhatTheCommandPrintsComesBack) {
  EXPECT_EQ(*RunCommand({"printf", "a %s", "b c"}, {}), "a b c");
  EXPECT_EQ(*RunCommand({"cat"}, {}), "");  // nothing on stdin
}

TEST(CommandTest, AnEndWithAnErrorIsAnErrorThatShowsNoArgument) {
  const Status status = RunCommand({"sh", "-c", "echo out; exit 3", "hidden"}, {}).status();
  EXPECT_EQ(status.code(), Code::kUnauthenticated);
  EXPECT_THAT(status.message(), HasSubstr("code 3"));
  EXPECT_THAT(status.message(), Not(HasSubstr("hidden")));
  EXPECT_THAT(RunCommand({"sh", "-c", "kill -9 $$"}, {}).status().message(), HasSubstr("signal 9"));
  EXPECT_EQ(RunCommand({"/no/such/program"}, {}).status().code(), Code::kNotFound);
}

TEST(CommandTest, ACommandThatHangsIsEndedWithWhatItStarted) {
  const auto begin = steady_clock::now();
  const CommandLimits limits{.time = milliseconds(200)};
  EXPECT_EQ(RunCommand({"sleep", "60"}, limits).status().code(), Code::kUnavailable);
  EXPECT_EQ(RunCommand({"sh", "-c", "sleep 60 & echo x; exit 0"}, limits).status().code(), Code::kUnavailable);
  EXPECT_EQ(RunCommand({"sh", "-c", "exec >&-; sleep 60"}, limits).status().code(), Code::kUnavailable);
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(CommandTest, ACommandThatPrintsWithoutEndIsEnded) {
  EXPECT_EQ(RunCommand({"yes"}, {.max_bytes = 10'000}).status().code(), Code::kInvalidArgument);
}

TEST(CommandTest, ARequestToStopEndsTheCommand) {
  CancelFlag cancel;
  cancel.Cancel();
  EXPECT_EQ(RunCommand({"sleep", "60"}, {.cancel = &cancel}).status().code(), Code::kCancelled);
}

}  // namespace
}  // namespace tidegate::aws
