// graphnet score on a run folder written by hand, against scores computed by hand.

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphnet/support/files.h"

#include "program.h"

namespace graphnet::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A line of results.jsonl as graphnet bench writes it.
json unit(const std::string& sample, const std::string& status) {
  return {{"sample", sample},
          {"compiler", "inductor"},
          {"status", status},
          {"strictest_level", nullptr},
          {"speedup", nullptr},
          {"verdict", ""},
          {"stage", nullptr},
          {"cause", nullptr},
          {"message", ""},
          {"compile_seconds", 0.0},
          {"seconds", 1.0},
          {"path", "samples/" + sample},
          {"identity", ""},
          {"group", sample},
          {"category", "other"},
          {"dtypes", {"float32"}},
          {"log", ""},
          {"reproduce", ""},
          {"measurements", json::object()}};
}

json correct(const std::string& sample, double speedup, int level) {
  json line = unit(sample, "correct");
  line["speedup"] = speedup;
  line["strictest_level"] = level;
  line["verdict"] = "converged";
  return line;
}

json ended(const std::string& sample, const std::string& status, const std::string& stage, const std::string& cause) {
  json line = unit(sample, status);
  line["stage"] = stage;
  line["cause"] = cause;
  line["message"] = "what happened to " + sample;
  return line;
}

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

TEST_F(ScoreCommand, PutsSeveralRunsSideBySide) {
  write_run("other", {correct("a", 3.0, -6)});
  const Finished finished = graphnet({"score", path("run"), path("other")});
  EXPECT_THAT(finished.output, HasSubstr(path("run") + " inductor  " + path("other") + " inductor\n"));
  EXPECT_EQ(scores({path("run"), path("other")})["scores"].size(), 2U);
}

TEST_F(ScoreCommand, WritesOneCsvLineALevel) {
  const Finished finished = graphnet({"score", path("run"), "--csv"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.output, StartsWith("run,compiler,failure_base,slowdown_penalty,interpretation,level,"));
  EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 16);
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

TEST_F(ScoreCommand, RefusesWhatIsNoRun) {
  EXPECT_NE(graphnet({"score", path("absent")}).exit_code, 0);
  EXPECT_THAT(graphnet({"score", path("absent")}).errors, HasSubstr("absent"));
}

TEST_F(ScoreCommand, RefusesParametersOutOfRange) {
  EXPECT_EQ(graphnet({"score", path("run"), "--b", "0"}).exit_code, 2);
  EXPECT_EQ(graphnet({"score", path("run"), "--p", "-1"}).exit_code, 2);
  EXPECT_EQ(graphnet({"score", path("run"), "--interpretation", "mine"}).exit_code, 2);
  EXPECT_EQ(graphnet({"score", path("run"), path("run") + "/"}).exit_code, 2);
}

}  // namespace
}  // namespace graphnet::test
