#include "graphnet/report/score_report.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Outcome outcome(const std::string& sample, OutcomeStatus status) {
  Outcome result;
  result.sample = sample;
  result.compiler = "inductor";
  result.status = status;
  return result;
}

Outcome correct(const std::string& sample, double speedup, int level = -6) {
  Outcome result = outcome(sample, OutcomeStatus::kCorrect);
  result.speedup = speedup;
  result.strictest_level = level;
  return result;
}

Outcome ended(const std::string& sample, OutcomeStatus status, Stage stage, Cause cause) {
  Outcome result = outcome(sample, status);
  result.stage = stage;
  result.cause = cause;
  result.message = "what happened to " + sample;
  return result;
}

// Two correct samples (geometric mean 2), one failure and one excluded sample: S(0) = 2^(2/3) * 0.1^(1/3) = 0.7368.
LabelledOutcomes small_run(const std::string& run = "runs/a") {
  return {run,
          {correct("vision/a", 1.0), correct("vision/b", 4.0),
           ended("science/c", OutcomeStatus::kFailed, Stage::kCompile, Cause::kUnsupportedOperator),
           ended("science/d", OutcomeStatus::kExcluded, Stage::kReference, Cause::kOutOfMemory)}};
}

ScoreReport small_report() {
  const LabelledOutcomes runs[] = {small_run()};
  return make_score_report(runs, {});
}

std::vector<std::string> words(const std::string& text, int line_number) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i <= line_number; ++i) std::getline(lines, line);
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

TEST(ScoreReport, RefusesTwoResultsForOneSample) {
  const LabelledOutcomes runs[] = {{"runs/a", {correct("vision/a", 1.0), correct("vision/a", 1.1)}}};
  EXPECT_THROW(make_score_report(runs, {}), Error);
}

TEST(ScoreReport, ListsEveryUnitThatIsNotCorrectAtTheSummaryLevel) {
  const LabelledOutcomes runs[] = {{"runs/a", {correct("a", 1.0), correct("b", 1.0, 2)}}};
  const ScoreReport report = make_score_report(runs, {});
  ASSERT_EQ(report.compilers[0].not_correct.size(), 1U);
  EXPECT_EQ(report.compilers[0].not_correct[0].sample, "b");
}

TEST(SummaryText, HasCountsScoresIntervalAndParameters) {
  const std::string text = summary_text(small_report());
  EXPECT_THAT(words(text, 1),
              ElementsAre("inductor", "3", "1", "0", "66.7", "%", "2.000", "0.737", "0.737", "0.737", "0.737", "1.587",
                          testing::StartsWith("["), testing::EndsWith("]"), "p", "=", "0,", "b", "=", "0.100"));
}

TEST(SummaryText, NamesTheRunsWhereThereAreSeveral) {
  const LabelledOutcomes runs[] = {small_run("runs/a"), small_run("runs/b")};
  EXPECT_THAT(summary_text(make_score_report(runs, {})), HasSubstr("runs/b"));
  EXPECT_THAT(summary_text(small_report()), Not(HasSubstr("runs/a")));
}

TEST(SummaryText, SaysThatItFollowsThePublishedCurves) {
  const LabelledOutcomes runs[] = {small_run()};
  ScoreOptions options;
  options.interpretation = Interpretation::kPublished;
  EXPECT_THAT(summary_text(make_score_report(runs, options)), HasSubstr("b = 0.100, published"));
}

TEST(SummaryText, HasNoScoreWhereNothingWasScored) {
  const LabelledOutcomes runs[] = {{"runs/a", {outcome("a", OutcomeStatus::kExcluded)}}};
  EXPECT_THAT(words(summary_text(make_score_report(runs, {})), 1),
              ElementsAre("inductor", "0", "1", "0", "-", "-", "-", "-", "-", "-", "-", "too", "few", "models", "p",
                          "=", "0,", "b", "=", "0.100"));
}

TEST(IncidentsText, NamesReasonAndSamples) {
  EXPECT_EQ(incidents_text(small_report()),
            "inductor: 1 failed (compile, unsupported operator): science/c\n"
            "inductor: 1 excluded (reference, out of memory): science/d\n");
}

TEST(IncidentsText, PutsSamplesWithTheSameReasonOnOneLine) {
  const LabelledOutcomes runs[] = {{"runs/a",
                                    {ended("a", OutcomeStatus::kFailed, Stage::kRun, Cause::kSignal),
                                     ended("b", OutcomeStatus::kFailed, Stage::kRun, Cause::kSignal)}}};
  EXPECT_EQ(incidents_text(make_score_report(runs, {})), "inductor: 2 failed (run, signal): a, b\n");
}

TEST(IncidentsText, IsEmptyWhereAllIsCorrect) {
  const LabelledOutcomes runs[] = {{"runs/a", {correct("a", 1.0)}}};
  EXPECT_EQ(incidents_text(make_score_report(runs, {})), "");
}

TEST(ComparisonText, HasBothScoresOfEveryRunAtEveryLevel) {
  const LabelledOutcomes runs[] = {small_run("runs/a"), small_run("runs/b")};
  const std::string text = comparison_text(make_score_report(runs, {}));
  EXPECT_THAT(words(text, 0), ElementsAre("runs/a", "inductor", "runs/b", "inductor"));
  EXPECT_THAT(words(text, 2), ElementsAre("-10", "0.100", "0.100", "0.100", "0.100")) << text;
  EXPECT_THAT(words(text, 16), ElementsAre("4", "0.737", "1.587", "0.737", "1.587")) << text;
}

TEST(SeriesText, HasAllThatLeadsToTheScores) {
  const std::string text = series_text(small_report().compilers[0]);
  EXPECT_THAT(words(text, 1), ElementsAre("t", "correct", "slow", "accuracy", "runtime", "compile", "alpha", "beta",
                                          "lambda", "eta", "pi_1", "pi_2", "pi_3", "gamma", "S(t)", "ES(t)"));
  EXPECT_THAT(words(text, 12), ElementsAre("0", "2", "0", "0", "0", "1", "2.000", "1.000", "0.667", "0.000", "0.000",
                                           "0.000", "1.000", "0.100", "0.737", "0.737"));
}

std::vector<std::string> keys(const nlohmann::ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

TEST(ScoreJson, HasItsKeysInTheDocumentedOrder) {
  const nlohmann::ordered_json json = to_json(small_report());
  EXPECT_THAT(keys(json), ElementsAre("failure_base", "slowdown_penalty", "interpretation", "bootstrap", "scores"));
  const auto& compiler = json["scores"][0];
  EXPECT_THAT(keys(compiler), ElementsAre("run", "compiler", "samples", "excluded", "unavailable", "interval", "levels",
                                          "not_correct"));
  EXPECT_THAT(keys(compiler["levels"][0]), ElementsAre("level", "correct", "slow", "errors", "alpha", "beta", "lambda",
                                                       "eta", "pi", "gamma", "speedup_score", "error_aware_score"));
}

TEST(ScoreJson, KeepsFullPrecision) {
  const auto json = to_json(small_report());
  EXPECT_NEAR(json["scores"][0]["levels"][10]["speedup_score"].get<double>(), 0.7368062997280773, 1e-12);
}

TEST(ScoreJson, ListsWhatIsNotCorrectWithItsMessage) {
  const auto incidents = to_json(small_report())["scores"][0]["not_correct"];
  ASSERT_EQ(incidents.size(), 2U);
  EXPECT_EQ(incidents[0]["message"], "what happened to science/c");
  EXPECT_EQ(incidents[1]["cause"], "out of memory");
}

TEST(ScoreJson, IsNullWhereThereIsNoScore) {
  const LabelledOutcomes runs[] = {{"runs/a", {outcome("a", OutcomeStatus::kUnavailable)}}};
  const auto json = to_json(make_score_report(runs, {}));
  EXPECT_TRUE(json["scores"][0]["levels"][0]["speedup_score"].is_null());
}

TEST(ScoreCsv, HasOneLineForEachLevel) {
  const std::string text = to_csv(small_report());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 15);
  EXPECT_THAT(text,
              testing::StartsWith("run,compiler,failure_base,slowdown_penalty,interpretation,level,samples,excluded,"
                                  "unavailable,correct,slow,accuracy_errors,runtime_errors,compile_errors,alpha,beta,"
                                  "lambda,eta,pi_accuracy,pi_runtime,pi_compile,gamma,speedup_score,"
                                  "error_aware_score\n"));
  EXPECT_THAT(text, HasSubstr("runs/a,inductor,0.1,0.0,definition,0,3,1,0,2,0,0,0,1,2.0,1.0,0.6666666666666666,0.0,0.0,"
                              "0.0,1.0,0.1,0.73"));
}

}  // namespace
}  // namespace graphnet
