// What every command has in common: version, help, and the exit code of wrong usage.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.h"

namespace graphnet::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Version, IsOneLineWithNothingElse) {
  const Finished finished = graphnet({"--version"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.output, testing::MatchesRegex("graphnet [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_EQ(finished.errors, "");
}

TEST(Version, AnswersWithin50Milliseconds) {
  if (kSanitized) GTEST_SKIP() << "sanitizers are slow";
  EXPECT_LT(least_processor_seconds({"--version"}), 0.050);
}

TEST(Help, NamesEveryCommandAndTheExitCodes) {
  const Finished finished = graphnet({"--help"});
  EXPECT_EQ(finished.exit_code, 0);
  for (const char* command : {"extract", "validate", "bench", "score", "show"}) {
    EXPECT_THAT(finished.output, HasSubstr(std::string("\n  ") + command + " "));
  }
  EXPECT_THAT(finished.output, HasSubstr("Exit codes: 0 done"));
}

class EveryCommand : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Commands, EveryCommand, testing::Values("extract", "validate", "bench", "score", "show"),
                         [](const auto& command) { return std::string(command.param); });

TEST_P(EveryCommand, HasHelpWithExamples) {
  const Finished finished = graphnet({GetParam(), "--help"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.output, HasSubstr(std::string("Examples:\n  graphnet ") + GetParam()));
}

TEST_P(EveryCommand, TakesTheCommonOptions) {
  const std::string help = graphnet({GetParam(), "--help"}).output;
  for (const char* flag : {"--json", "-q,--quiet", "-v,--verbose", "--version"}) EXPECT_THAT(help, HasSubstr(flag));
}

TEST_P(EveryCommand, RefusesAnUnknownFlag) {
  std::vector<std::string> arguments = {GetParam(), ".", "--no-such-flag"};
  if (arguments[0] == "bench") arguments.insert(arguments.end(), {"--compiler", "eager"});
  const Finished finished = graphnet(arguments);
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.errors, HasSubstr("no-such-flag"));
  EXPECT_EQ(finished.output, "");
}

TEST_P(EveryCommand, NeedsItsArguments) {
  const Finished finished = graphnet({GetParam()});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.errors, HasSubstr("required"));
}

TEST(Usage, RefusesAnUnknownCommand) {
  const Finished finished = graphnet({"frobnicate"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_EQ(finished.output, "");
  EXPECT_NE(finished.errors, "");
}

TEST(Usage, NeedsACommand) {
  EXPECT_EQ(graphnet({}).exit_code, 2);
}

}  // namespace
}  // namespace graphnet::test
