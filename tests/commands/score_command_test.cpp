// graphnet score on a run folder written by hand, against scores computed by hand.

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphnet/support/files.h"

#include "program.h"
#include "run_folder.h"

namespace graphnet::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class ScoreCommand : public testing::Test {
 protected:
  void SetUp() override {
    write_run("run", {correct("a", 2.0, -6), correct("b", 0.5, -6), correct("c", 4.0, 1),
                      ended("d", "failed", "run", "signal"), ended("e", "failed", "compile", "time-out"),
                      ended("f", "excluded", "reference", "out of memory")});
  }

  std::string path(const std::string& name) const { return folder_.path() / name; }

  void write_run(const std::string& name, const std::vector<json>& lines) {
    std::filesystem::create_directories(path(name));
    write_file(path(name) + "/run.json", R"({"graphnet": 1, "samples": [], "compilers": []})");
    std::string text;
    for (const json& line : lines) text += line.dump() + "\n";
    write_file(path(name) + "/results.jsonl", text);
  }

  json scores(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "score");
    arguments.push_back("--json");
    const Finished finished = graphnet(arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return json::parse(finished.output);
  }

  json level(const json& report, int t) { return report["scores"][0]["levels"].at(static_cast<std::size_t>(t + 10)); }

  TemporaryFolder folder_{"graphnet-test-"};
};

TEST_F(ScoreCommand, CountsWhatIsScoredAndWhatIsExcluded) {
  const json compiler = scores({path("run")})["scores"][0];
  EXPECT_EQ(compiler["samples"], 5);
  EXPECT_EQ(compiler["excluded"], 1);
}

TEST_F(ScoreCommand, GivesTheSpeedupScoreOfTheFormula) {
  // At t = 0 a and b are correct; c, d and e count as a slowdown to 0.1.
  const double expected = std::pow(2.0 * 0.5 * 0.1 * 0.1 * 0.1, 1.0 / 5);
  EXPECT_NEAR(level(scores({path("run")}), 0)["speedup_score"], expected, 1e-12);
}

TEST_F(ScoreCommand, ForgivesOneErrorClassAfterTheOther) {
  // From t = 1 on c is correct; d (runtime) is forgiven at 2, e (compile) at 3.
  const json report = scores({path("run")});
  const double correct_ones = 2.0 * 0.5 * 4.0;
  EXPECT_NEAR(level(report, 1)["error_aware_score"], std::pow(correct_ones * 0.1 * 0.1, 0.2), 1e-12);
  EXPECT_NEAR(level(report, 2)["error_aware_score"], std::pow(correct_ones * 0.1, 0.2), 1e-12);
  EXPECT_NEAR(level(report, 3)["error_aware_score"], std::pow(correct_ones, 0.2), 1e-12);
  EXPECT_NEAR(level(report, 4)["speedup_score"], std::pow(correct_ones * 0.1 * 0.1, 0.2), 1e-12);
}

TEST_F(ScoreCommand, PublishedInterpretationForgivesRuntimeErrorsLater) {
  const json report = scores({path("run"), "--interpretation", "published"});
  EXPECT_NEAR(level(report, 2)["error_aware_score"], std::pow(4.0 * 0.1 * 0.1, 0.2), 1e-12);
  EXPECT_EQ(report["interpretation"], "published");
}

TEST_F(ScoreCommand, TakesOtherParameters) {
  // b = 0.2, and the slow sample counts with the power p + 1 = 2.
  const json report = scores({path("run"), "--p", "1", "--b", "0.2"});
  const double expected = std::pow(2.0 * 0.5 * 0.5 * 0.2 * 0.2 * 0.2, 1.0 / 5);
  EXPECT_NEAR(level(report, 0)["speedup_score"], expected, 1e-12);
  EXPECT_EQ(report["slowdown_penalty"], 1.0);
  EXPECT_EQ(report["failure_base"], 0.2);
}

TEST_F(ScoreCommand, PrintsScoresParametersAndReasons) {
  const Finished finished = graphnet({"score", path("run")});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("p = 0, b = 0.100"));
  EXPECT_THAT(finished.output, HasSubstr("inductor: 1 excluded (reference, out of memory): f\n"));
  EXPECT_EQ(finished.output.find('\x1b'), std::string::npos) << "no colours in a file";
}

TEST_F(ScoreCommand, PrintsNothingWhereItIsToBeQuiet) {
  EXPECT_EQ(graphnet({"score", path("run"), "-q"}).output, "");
  EXPECT_NE(graphnet({"score", path("run"), "-q", "--csv"}).output, "") << "asked for by name";
}

TEST_F(ScoreCommand, PutsSeveralRunsSideBySide) {
  write_run("other", {correct("a", 3.0, -6)});
  const Finished finished = graphnet({"score", path("run"), path("other")});
  EXPECT_THAT(finished.output, HasSubstr(path("run") + " inductor  " + path("other") + " inductor\n"));
  EXPECT_EQ(scores({path("run"), path("other")})["scores"].size(), 2U);
}

TEST_F(ScoreCommand, WritesOneCsvLineALevelAndSlice) {
  const Finished finished = graphnet({"score", path("run"), "--csv"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.output,
              StartsWith("run,compiler,slice,name,failure_base,slowdown_penalty,interpretation,level,"));
  EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 1 + 15 + 2) << "and one category, dtype";
}

TEST_F(ScoreCommand, WarnsAboutARunThatWasKilled) {
  std::ofstream(path("run") + "/results.jsonl", std::ios::app) << "{\"sample\": \"g\", \"comp";
  const Finished finished = graphnet({"score", path("run")});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.errors, HasSubstr("incomplete"));
}

TEST_F(ScoreCommand, WarnsAboutUnitsThatNeverRan) {
  write_file(path("run") + "/run.json",
             R"({"graphnet": 1, "samples": ["a","b","c","d","e","f","g"], "compilers": ["inductor"]})");
  EXPECT_THAT(graphnet({"score", path("run")}).errors, HasSubstr("6 of 7 units"));
}

TEST_F(ScoreCommand, NamesTheLineThatIsDamaged) {
  write_file(path("run") + "/results.jsonl",
             correct("a", 2.0, -6).dump() + "\n{\"sample\": 3}\n" + correct("b", 1, 0).dump() + "\n");
  const Finished finished = graphnet({"score", path("run")});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors, HasSubstr("results.jsonl:2"));
}

TEST_F(ScoreCommand, SaysWhatIsWrongWithADamagedLineInItsOwnWords) {
  const auto error_of = [&](const std::string& line) {
    write_file(path("run") + "/results.jsonl", line + "\n");
    const Finished finished = graphnet({"score", path("run")});
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_EQ(finished.errors.find("json.exception"), std::string::npos) << finished.errors;
    return finished.errors;
  };
  json line = correct("a", 2.0, -6);
  line["speedup"] = "fast";
  EXPECT_THAT(error_of(line.dump()), HasSubstr("results.jsonl:1: \"speedup\" has to be a number"));
  line = correct("a", 2.0, -6);
  line.erase("compiler");
  EXPECT_THAT(error_of(line.dump()), HasSubstr("\"compiler\" is missing: text is expected"));
  line = correct("a", 2.0, -6);
  line["status"] = "splendid";
  EXPECT_THAT(error_of(line.dump()), HasSubstr("\"status\" has the unknown value \"splendid\""));
  line = correct("a", 2.0, -6);
  line["measurements"]["worker"]["timing"]["trials"] = {{1.0, "x"}};
  EXPECT_THAT(error_of(line.dump()), HasSubstr("\"trials\" has to begin with two numbers"));
  EXPECT_THAT(error_of("{\"sample\": "), HasSubstr("results.jsonl:1: this line is no JSON"));
  EXPECT_THAT(error_of("[1, 2]"), HasSubstr("a JSON object is expected"));
  EXPECT_THAT(error_of(std::string("\0\x1\xff", 3)), HasSubstr("this line is no JSON"));
}

TEST_F(ScoreCommand, RefusesFoldersThatAreNoRuns) {
  std::filesystem::create_directories(path("foreign"));
  EXPECT_THAT(graphnet({"score", path("foreign")}).errors, HasSubstr("it has no run.json"));
  const Finished absent = graphnet({"score", path("absent")});
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_THAT(absent.errors, HasSubstr("there is no such folder"));
  write_file(path("foreign") + "/run.json", "{\"name\": \"another program\"}");
  EXPECT_THAT(graphnet({"score", path("foreign")}).errors, HasSubstr("not a run of graphnet"));
  write_file(path("foreign") + "/run.json", R"({"graphnet": 1, "samples": [], "compilers": []})");
  EXPECT_THAT(graphnet({"score", path("foreign")}).errors, HasSubstr("the run has lost its results"));
  EXPECT_EQ(graphnet({"score", path("foreign")}).exit_code, 1);
}

TEST_F(ScoreCommand, KeepsContendedTimingsOutUnlessAskedFor) {
  json contended = correct("b", 30.0, -6);
  contended["verdict"] = "contended";
  write_run("busy", {correct("a", 2.0, -6), contended});
  EXPECT_NEAR(level(scores({path("busy")}), 0)["speedup_score"], 2.0, 1e-12);
  EXPECT_EQ(scores({path("busy")})["scores"][0]["contended"], json::array({"b"}));
  EXPECT_EQ(scores({path("busy")})["scores"][0]["samples"], 2) << "it is correct all the same";
  EXPECT_NEAR(level(scores({path("busy"), "--include-contended"}), 0)["speedup_score"], std::sqrt(60.0), 1e-12);
}

TEST_F(ScoreCommand, LeavesNoisyTimingsOutWhereAskedTo) {
  json noisy = correct("b", 30.0, -6);
  noisy["verdict"] = "noisy";
  write_run("noisy", {correct("a", 2.0, -6), noisy});
  EXPECT_NEAR(level(scores({path("noisy")}), 0)["speedup_score"], std::sqrt(60.0), 1e-12);
  EXPECT_NEAR(level(scores({path("noisy"), "--exclude-noisy"}), 0)["speedup_score"], 2.0, 1e-12);
}

TEST_F(ScoreCommand, CountsVerdictsAndNamesDegenerateReferences) {
  json degenerate = correct("b", 1.0, -6);
  degenerate["degenerate"] = "all outputs are zero";
  write_run("sound", {correct("a", 2.0, -6), degenerate});
  const json compiler = scores({path("sound")})["scores"][0];
  EXPECT_EQ(compiler["verdicts"], (json{{"converged", 2}}));
  EXPECT_EQ(compiler["degenerate"][0]["reason"], "all outputs are zero");
  const std::string text = graphnet({"score", path("sound")}).output;
  EXPECT_THAT(text, HasSubstr("1 with a degenerate reference (all outputs are zero): b\n"));
  EXPECT_THAT(text, HasSubstr("converged"));
}

TEST_F(ScoreCommand, ResamplesTheTrialsThatWereNotDisturbed) {
  json line = correct("a", 2.0, -6);
  line["measurements"] = timing({2.0, 2.0, 2.0, 40.0}, {3});
  write_run("trials", {line, correct("b", 2.0, -6)});
  const json interval = scores({path("trials")})["scores"][0]["trial_interval"]["speedup_score"];
  EXPECT_NEAR(interval[0], 2.0, 1e-12);
  EXPECT_NEAR(interval[1], 2.0, 1e-12);
}

TEST_F(ScoreCommand, RefusesASampleThatIsCountedTwice) {
  write_run("twice", {correct("a", 2.0, -6), correct("a", 2.1, -6)});
  const Finished finished = graphnet({"score", path("twice")});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors, HasSubstr("sample a has two results"));
}

TEST_F(ScoreCommand, SaysThatThereIsNothingToScore) {
  write_run("empty", {});
  const Finished finished = graphnet({"score", path("empty")});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors, HasSubstr("nothing to score"));
}

TEST_F(ScoreCommand, RefusesParametersOutOfRange) {
  EXPECT_EQ(graphnet({"score", path("run"), "--b", "0"}).exit_code, 2);
  EXPECT_EQ(graphnet({"score", path("run"), "--p", "-1"}).exit_code, 2);
  EXPECT_EQ(graphnet({"score", path("run"), "--interpretation", "mine"}).exit_code, 2);
  EXPECT_EQ(graphnet({"score", path("run"), path("run") + "/"}).exit_code, 2);
}

}  // namespace
}  // namespace graphnet::test
