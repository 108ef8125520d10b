// What every command has in common: version, help, the configuration file, and what wrong usage is told.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphnet/support/files.h"

#include "program.h"
#include "scripted_installation.h"
#include "small_sample.h"

namespace graphnet::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

// One line in the form of all errors, and nothing else.
auto is_usage_error(const std::string& message) {
  return MatchesRegex("graphnet: error: " + message + "\n");
}

TEST(Version, IsOneLineWithNothingElse) {
  const Finished finished = graphnet({"--version"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.output, testing::MatchesRegex("graphnet [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_EQ(finished.errors, "");
}

TEST(Version, GoesBeforeWhatElseIsWrong) {
  EXPECT_EQ(graphnet({"--version", "--json"}).output, graphnet({"--version"}).output);
}

TEST(Version, AnswersWithin50Milliseconds) {
  if (kSanitized) GTEST_SKIP() << "sanitizers are slow";
  EXPECT_LT(least_processor_seconds({"--version"}), 0.050);
}

TEST(Help, NamesEveryCommandAndTheExitCodes) {
  const Finished finished = graphnet({"--help"});
  EXPECT_EQ(finished.exit_code, 0);
  for (const char* command : {"extract", "validate", "bench", "score", "compare", "report", "show"}) {
    EXPECT_THAT(finished.output, HasSubstr(std::string("\n  ") + command + " "));
  }
  EXPECT_THAT(finished.output, HasSubstr("Exit codes: 0 done"));
}

class EveryCommand : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Commands, EveryCommand,
                         testing::Values("extract", "validate", "bench", "score", "compare", "report", "show"),
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

TEST_P(EveryCommand, TellsWrongUsageInTheFormOfAllErrors) {
  const std::string see = " \\(see graphnet " + std::string(GetParam()) + " --help\\)";
  EXPECT_THAT(graphnet({GetParam()}).errors,
              is_usage_error(".* is required, as in: graphnet " + std::string(GetParam()) + " .*" + see));
  EXPECT_THAT(graphnet({GetParam(), "--jsno"}).errors,
              is_usage_error("unknown option \"--jsno\"; did you mean --json\\?" + see));
}

TEST_P(EveryCommand, PrintsAnErrorAsItsJsonDocument) {
  std::vector<std::vector<std::string>> wrong = {{GetParam(), "--json", "--no-such-flag"}, {GetParam(), "--json"}};
  // Extract goes on with the next model: a path that leads nowhere is an entry of its report.
  if (std::string_view(GetParam()) != "extract") wrong.push_back({GetParam(), "--json", "no/such/path"});
  for (const std::vector<std::string>& arguments : wrong) {
    const Finished finished = graphnet(arguments);
    EXPECT_NE(finished.exit_code, 0);
    EXPECT_THAT(finished.errors, StartsWith("graphnet: error: "));
    const json document = json::parse(finished.output);
    EXPECT_EQ(document["error"]["exit_code"], finished.exit_code);
    EXPECT_THAT(finished.errors, HasSubstr(document["error"]["message"].get<std::string>()));
    EXPECT_TRUE(document["error"]["kind"].is_string());
  }
}

TEST_P(EveryCommand, RefusesPathsThatAreNotUtf8) {
  const TemporaryFolder folder("graphnet-test-");
  const std::string path = folder.path() / "caf\xE9";
  std::filesystem::create_directory(path);
  std::vector<std::string> arguments = {GetParam(), path};
  if (arguments[0] == "compare") arguments.push_back(path);
  if (arguments[0] == "bench") arguments.insert(arguments.end(), {"--compiler", "eager"});
  const Finished finished = graphnet(arguments);
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.errors, HasSubstr("caf\\xe9 is not UTF-8"));
}

TEST(Usage, NamesAnUnknownCommandAndWhatWasMeant) {
  const Finished finished = graphnet({"bnech", "samples"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_EQ(finished.output, "");
  EXPECT_THAT(finished.errors,
              is_usage_error("unknown command \"bnech\"; did you mean bench\\? \\(see graphnet --help\\)"));
  EXPECT_THAT(graphnet({"frobnicate"}).errors,
              is_usage_error("unknown command \"frobnicate\" \\(see graphnet --help\\)"));
}

TEST(Usage, WithoutACommandNamesAll) {
  const Finished finished = graphnet({});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.errors, is_usage_error("no command is given; it is one of extract, validate, bench, .*"));
}

TEST(Usage, SaysWhereAnOptionBelongs) {
  EXPECT_THAT(graphnet({"--json", "show", "x"}).errors,
              HasSubstr("--json goes after the command: graphnet show --json"));
  EXPECT_THAT(graphnet({"--json"}).errors, HasSubstr("--json goes after a command, and none is given"));
  EXPECT_THAT(graphnet({"show", "x", "--config", "f"}).errors, HasSubstr("--config goes before the command"));
}

TEST(Usage, SaysWhatIsWrongWithAValue) {
  EXPECT_THAT(graphnet({"validate", ".", "--timeout"}).errors, HasSubstr("error: --timeout needs a value"));
  EXPECT_THAT(graphnet({"validate", ".", "--seed", "1", "--seed", "2"}).errors,
              HasSubstr("--seed is given more than once"));
  EXPECT_THAT(graphnet({"show", "a", "b"}).errors, HasSubstr("unexpected argument \"b\""));
}

TEST(Usage, AnEmptyValueIsNoValue) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"score", "run", "--p", ""}, {"extract", "x.pt", "--inputs="}, {"bench", "", "--compiler", "eager"}}) {
    const Finished finished = graphnet(words);
    EXPECT_EQ(finished.exit_code, 2) << words[1];
    EXPECT_THAT(finished.errors, HasSubstr("needs a value"));
  }
}

TEST(Usage, NamesTheVariableBehindAWrongValue) {
  const Finished finished = graphnet({"validate", "."}, {.directory = {}, .environment = {{"GRAPHNET_SEED", "abc"}}});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.errors, HasSubstr("--seed: \"abc\" is no whole number from 0 to 2^64-1 (from GRAPHNET_SEED)"));
}

TEST(Usage, OptionsAndVariablesThatAreNotUtf8AreRefusedToo) {
  const Finished option = graphnet({"extract", "x.pt", "-o", "caf\xE9"});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_THAT(option.errors, HasSubstr("--output: caf\\xe9 is not UTF-8"));
  const Finished variable =
      graphnet({"bench", "--compiler", "eager"}, {.directory = {}, .environment = {{"GRAPHNET_SAMPLES", "caf\xE9"}}});
  EXPECT_EQ(variable.exit_code, 2);
  EXPECT_THAT(variable.errors, HasSubstr("caf\\xe9 is not UTF-8"));
}

TEST(Usage, MessagesAreEscapedAndBounded) {
  const Finished finished = graphnet({"show", "\x1b[2J" + std::string(100'000, 'a')});
  EXPECT_THAT(finished.errors, HasSubstr("\\x1b[2J"));
  EXPECT_THAT(finished.errors, Not(HasSubstr("\x1b")));
  EXPECT_LT(finished.errors.size(), 20'000U);
}

TEST(Usage, WarningsOfWorkersAreEscapedAndBounded) {
  const ScriptedInstallation installation(
      R"(echo "{\"id\":$id,\"event\":\"warning\",\"message\":\"\\u001b[2J$(head -c 100000 /dev/zero | tr '\0' a)\"}"; kill -9 $$)");
  const Finished finished = installation.run({"extract", "model.pt"});
  EXPECT_THAT(finished.errors, HasSubstr("graphnet: warning: model.pt: \\x1b[2Jaaa"));
  EXPECT_THAT(finished.errors, Not(HasSubstr("\x1b")));
  EXPECT_LT(finished.errors.size(), 20'000U);
}

TEST(Usage, ResultsOfWorkersAreEscapedOnATerminalToo) {
  const TemporaryFolder folder("graphnet-test-");
  write_sample(small_sample(), folder.path() / "a");
  const ScriptedInstallation installation(R"(case $request in
    *'"method":"validate"'*) result '{"passed":false,"checks":[{"name":"run","passed":false,"message":"\u001b[2J"}]}';;
    *'"method":"extract"'*) result '{"directory":"\u001b[2J","calls":2,"operators":2,"parameters":6}';;
    *) stage compile; printf '%s\n' "{\"id\":$id,\"error\":{\"kind\":\"input\",\"stage\":\"compile\",\"message\":\"\u001b[2J\"}}";;
  esac)");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"validate", folder.path()},
        {"extract", "model.pt"},
        {"bench", folder.path(), "--compiler", "eager", "-o", folder.path() / "run"}}) {
    const Finished finished = installation.run(arguments);
    EXPECT_THAT(finished.output, HasSubstr("\\x1b[2J")) << finished.errors;
    EXPECT_THAT(finished.output, Not(HasSubstr("\x1b")));
  }
}

// What graphnet writes to a terminal of this kind.
std::string on_terminal(const std::string& settings, const std::string& program, const std::string& arguments) {
  return run_program({"script", "-qec", "env " + settings + " " + program + " " + arguments, "/dev/null"}).output;
}

TEST(Terminal, HasColorsUnlessTheUserOrTheTerminalWantsNone) {
  if (run_program({"script", "--version"}).exit_code != 0) GTEST_SKIP() << "needs script, of bsdutils";
  const TemporaryFolder folder("graphnet-test-");
  write_sample(small_sample(), folder.path() / "a");
  const std::string arguments = "show " + (folder.path() / "a").string();
  EXPECT_THAT(on_terminal("TERM=xterm", graphnet_path(), arguments), HasSubstr("\x1b["));
  EXPECT_THAT(on_terminal("TERM=xterm NO_COLOR=1", graphnet_path(), arguments), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(on_terminal("TERM=dumb", graphnet_path(), arguments), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(graphnet({"show", folder.path() / "a"}).output, Not(HasSubstr("\x1b[")));
}

TEST(Terminal, HasAStatusLineUnlessItCannotOverwriteOne) {
  if (run_program({"script", "--version"}).exit_code != 0) GTEST_SKIP() << "needs script, of bsdutils";
  const TemporaryFolder folder("graphnet-test-");
  write_sample(small_sample(), folder.path() / "a");
  const ScriptedInstallation installation("stage load; result '{\"passed\":true,\"checks\":[]}'");
  const std::string program = installation.path() / "bin" / "graphnet";
  const std::string arguments = "validate " + folder.path().string();
  EXPECT_THAT(on_terminal("TERM=xterm", program, arguments), HasSubstr("\r\x1b[K[1/1] a: load"));
  EXPECT_THAT(on_terminal("TERM=dumb", program, arguments), Not(HasSubstr("\x1b")));
}

TEST(Usage, ACommandThatReportedItsResultPrintsNoSecondDocument) {
  const TemporaryFolder folder("graphnet-test-");
  for (const char* name : {"a", "b"}) write_sample(small_sample(), folder.path() / name);
  const ScriptedInstallation installation("sleep 2; result '{}'");
  const Finished finished = installation.run_interrupted_after(
      "1", {"bench", folder.path(), "--compiler", "eager", "-o", folder.path() / "run", "--json"});
  EXPECT_EQ(finished.exit_code, 4) << finished.errors;
  EXPECT_THAT(finished.errors, HasSubstr("graphnet: error: stopped by the user"));
  EXPECT_TRUE(json::parse(finished.output).contains("scores")) << finished.output;
}

TEST(Help, IsACommandToo) {
  EXPECT_EQ(graphnet({"help"}).output, graphnet({"--help"}).output);
  EXPECT_EQ(graphnet({"help", "bench"}).output, graphnet({"bench", "--help"}).output);
  const Finished unknown = graphnet({"help", "bnech"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("did you mean bench?"));
}

class ConfigFile : public testing::Test {
 protected:
  void SetUp() override { write_sample(small_sample(), sample()); }

  std::string sample() const { return folder_.path() / "small"; }
  std::string file() const { return folder_.path() / "graphnet.toml"; }

  // graphnet show with a configuration file of this text.
  Finished show(const std::string& text, const std::map<std::string, std::string>& environment = {}) const {
    write_file(file(), text);
    return graphnet({"--config", file(), "show", sample()}, {.directory = {}, .environment = environment});
  }

  TemporaryFolder folder_{"graphnet-test-"};
};

TEST_F(ConfigFile, SetsOptionsOfACommand) {
  EXPECT_THAT(show("[show]\njson = true\n").output, StartsWith("{"));
}

TEST_F(ConfigFile, IsFoundByItsVariable) {
  write_file(file(), "[show]\njson = true\n");
  EXPECT_THAT(graphnet({"show", sample()}, {.directory = {}, .environment = {{"GRAPHNET_CONFIG", file()}}}).output,
              StartsWith("{"));
}

TEST_F(ConfigFile, GivesWayToVariables) {
  EXPECT_THAT(show("[show]\njson = true\n", {{"GRAPHNET_JSON", "false"}}).output, StartsWith("name "));
}

TEST_F(ConfigFile, GivesWayToHelp) {
  EXPECT_EQ(
      graphnet({"show", "--help"}, {.directory = {}, .environment = {{"GRAPHNET_CONFIG", "/no/such/file"}}}).exit_code,
      0);
}

TEST_F(ConfigFile, ThatIsMissingOrAFolderIsOneError) {
  for (const std::string& path : {std::string("no/such.toml"), folder_.path().string()}) {
    for (const Finished& finished :
         {graphnet({"--config", path, "show", sample()}),
          graphnet({"show", sample()}, {.directory = {}, .environment = {{"GRAPHNET_CONFIG", path}}})}) {
      EXPECT_EQ(finished.exit_code, 2);
      EXPECT_THAT(finished.errors, is_usage_error("the configuration file " + path + " .* cannot be read.*"));
    }
  }
}

TEST_F(ConfigFile, ThatSaysWhatIsNotThereIsOneError) {
  EXPECT_THAT(show("frob = 1\n").errors, HasSubstr("graphnet.toml: \"frob\" is no option of graphnet"));
  EXPECT_THAT(show("[score]\nseeed = 1\n").errors, HasSubstr("\"seeed\" is no option of score; did you mean seed?"));
  EXPECT_THAT(show("[benhc]\nseed = 1\n").errors, HasSubstr("[benhc] is no command; did you mean bench?"));
  EXPECT_THAT(show("[show]\nhelp = true\n").errors, HasSubstr("\"help\" is no option"));
  EXPECT_EQ(show("frob = 1\n").exit_code, 2);
}

TEST_F(ConfigFile, ThatIsNoTextIsRefused) {
  EXPECT_THAT(show(std::string("a\0b\n", 4)).errors, HasSubstr("is no text in UTF-8"));
  EXPECT_THAT(show("# \xFF\n").errors, HasSubstr("is no text in UTF-8"));
  EXPECT_THAT(show(std::string(2'000'000, '#')).errors, HasSubstr("is larger than 1 MiB"));
}

}  // namespace
}  // namespace graphnet::test
