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

UnitResult result_of(const std::string& sample, OutcomeStatus status) {
  UnitResult result;
  result.outcome.sample = sample;
  result.outcome.compiler = "inductor";
  result.outcome.status = status;
  result.category = "computer vision";
  result.dtypes = {"float32", "int64"};
  return result;
}

UnitResult correct(const std::string& sample, double speedup, int level = -6) {
  UnitResult result = result_of(sample, OutcomeStatus::kCorrect);
  result.outcome.speedup = speedup;
  result.outcome.strictest_level = level;
  result.verdict = "converged";
  return result;
}

UnitResult with_verdict(UnitResult result, std::string_view verdict) {
  result.verdict = verdict;
  return result;
}

UnitResult ended(const std::string& sample, OutcomeStatus status, Stage stage, Cause cause) {
  UnitResult result = result_of(sample, status);
  result.outcome.stage = stage;
  result.outcome.cause = cause;
  result.outcome.message = "what happened to " + sample;
  return result;
}

// Two correct samples (geometric mean 2), one failure and one excluded sample: S(0) = 2^(2/3) * 0.1^(1/3) = 0.7368.
LabelledResults small_run(const std::string& run = "runs/a") {
  return {run,
          {correct("vision/a", 1.0), correct("vision/b", 4.0),
           ended("science/c", OutcomeStatus::kFailed, Stage::kCompile, Cause::kUnsupportedOperator),
           ended("science/d", OutcomeStatus::kExcluded, Stage::kReference, Cause::kOutOfMemory)}};
}

ScoreReport small_report() {
  const LabelledResults runs[] = {small_run()};
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
  const LabelledResults runs[] = {{"runs/a", {correct("vision/a", 1.0), correct("vision/a", 1.1)}}};
  EXPECT_THROW(make_score_report(runs, {}), Error);
}

TEST(ScoreReport, ListsEveryUnitThatIsNotCorrectAtTheSummaryLevel) {
  const LabelledResults runs[] = {{"runs/a", {correct("a", 1.0), correct("b", 1.0, 2)}}};
  const ScoreReport report = make_score_report(runs, {});
  ASSERT_EQ(report.compilers[0].not_correct.size(), 1U);
  EXPECT_EQ(report.compilers[0].not_correct[0].sample, "b");
}

TEST(SummaryText, HasCountsScoresIntervalAndParameters) {
  const std::string text = summary_text(small_report());
  EXPECT_THAT(words(text, 1),
              ElementsAre("inductor", "3", "1", "0", "66.7", "%", "2.000", "0.737", "0.737", "0.737", "0.737", "1.587",
                          "too", "few", "models", "-", "p", "=", "0,", "b", "=", "0.100"));
}

TEST(SummaryText, NamesTheRunsWhereThereAreSeveral) {
  const LabelledResults runs[] = {small_run("runs/a"), small_run("runs/b")};
  EXPECT_THAT(summary_text(make_score_report(runs, {})), HasSubstr("runs/b"));
  EXPECT_THAT(summary_text(small_report()), Not(HasSubstr("runs/a")));
}

TEST(SummaryText, SaysThatItFollowsThePublishedCurves) {
  const LabelledResults runs[] = {small_run()};
  ScoreReportOptions options;
  options.score.interpretation = Interpretation::kPublished;
  EXPECT_THAT(summary_text(make_score_report(runs, options)), HasSubstr("b = 0.100, published"));
}

TEST(SummaryText, HasNoScoreWhereNothingWasScored) {
  const LabelledResults runs[] = {{"runs/a", {result_of("a", OutcomeStatus::kExcluded)}}};
  EXPECT_THAT(words(summary_text(make_score_report(runs, {})), 1),
              ElementsAre("inductor", "0", "1", "0", "-", "-", "-", "-", "-", "-", "-", "too", "few", "models", "-",
                          "p", "=", "0,", "b", "=", "0.100"));
}

TEST(IncidentsText, NamesReasonAndSamples) {
  EXPECT_EQ(incidents_text(small_report()),
            "inductor: 1 failed (compile, unsupported operator): science/c\n"
            "inductor: 1 excluded (reference, out of memory): science/d\n");
}

TEST(IncidentsText, PutsSamplesWithTheSameReasonOnOneLine) {
  const LabelledResults runs[] = {{"runs/a",
                                   {ended("a", OutcomeStatus::kFailed, Stage::kRun, Cause::kSignal),
                                    ended("b", OutcomeStatus::kFailed, Stage::kRun, Cause::kSignal)}}};
  EXPECT_EQ(incidents_text(make_score_report(runs, {})), "inductor: 2 failed (run, signal): a, b\n");
}

TEST(IncidentsText, IsEmptyWhereAllIsCorrect) {
  const LabelledResults runs[] = {{"runs/a", {correct("a", 1.0)}}};
  EXPECT_EQ(incidents_text(make_score_report(runs, {})), "");
}

TEST(ComparisonText, HasBothScoresOfEveryRunAtEveryLevel) {
  const LabelledResults runs[] = {small_run("runs/a"), small_run("runs/b")};
  const std::string text = comparison_text(make_score_report(runs, {}));
  EXPECT_THAT(words(text, 0), ElementsAre("runs/a", "inductor", "runs/b", "inductor"));
  EXPECT_THAT(words(text, 2), ElementsAre("-10", "0.100", "0.100", "0.100", "0.100")) << text;
  EXPECT_THAT(words(text, 16), ElementsAre("4", "0.737", "1.587", "0.737", "1.587")) << text;
}

TEST(SeriesText, HasAllThatLeadsToTheScores) {
  const std::string text = series_text(small_report().compilers[0]);
  EXPECT_THAT(words(text, 1),
              ElementsAre("t", "correct", "timed", "slow", "accuracy", "runtime", "compile", "alpha", "beta", "lambda",
                          "eta", "pi_1", "pi_2", "pi_3", "gamma", "S(t)", "ES(t)", "S(t)", "ES(t)"));
  EXPECT_THAT(words(text, 12), ElementsAre("0", "2", "2", "0", "0", "0", "1", "2.000", "1.000", "0.667", "0.000",
                                           "0.000", "0.000", "1.000", "0.100", "0.737", "0.737"));
}

std::vector<std::string> keys(const nlohmann::ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

TEST(ScoreJson, HasItsKeysInTheDocumentedOrder) {
  const nlohmann::ordered_json json = to_json(small_report());
  EXPECT_THAT(keys(json), ElementsAre("failure_base", "slowdown_penalty", "interpretation", "include_contended",
                                      "exclude_noisy", "bootstrap", "scores"));
  const auto& compiler = json["scores"][0];
  EXPECT_THAT(keys(compiler), ElementsAre("run", "compiler", "samples", "excluded", "unavailable", "verdicts",
                                          "contended", "noisy", "degenerate", "geomean", "fast", "interval",
                                          "trial_interval", "levels", "by_category", "by_dtype", "not_correct"));
  EXPECT_THAT(keys(compiler["levels"][0]),
              ElementsAre("level", "correct", "timed", "slow", "errors", "alpha", "beta", "lambda", "eta", "pi",
                          "gamma", "speedup_score", "error_aware_score", "speedup_interval", "error_aware_interval"));
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
  const LabelledResults runs[] = {{"runs/a", {result_of("a", OutcomeStatus::kUnavailable)}}};
  const auto json = to_json(make_score_report(runs, {}));
  EXPECT_TRUE(json["scores"][0]["levels"][0]["speedup_score"].is_null());
}

TEST(ScoreReport, KeepsContendedSpeedupsOutUnlessAskedFor) {
  const LabelledResults runs[] = {
      {"runs/a", {correct("a", 2.0), with_verdict(correct("b", 33.0), kContendedVerdict), correct("c", 2.0)}}};
  const CompilerReport report = make_score_report(runs, {}).compilers[0];
  EXPECT_EQ(report.at(0).timed, 2);
  EXPECT_NEAR(report.at(0).speedup_score, 2.0, 1e-12);
  EXPECT_THAT(report.contended, ElementsAre("b"));
  EXPECT_EQ(make_score_report(runs, {.include_contended = true}).compilers[0].at(0).timed, 3);
}

TEST(ScoreReport, DoesNotTakeABusyMachineForABrokenCompiler) {
  LabelledResults runs[] = {{"runs/a", {}}};
  for (int i = 0; i < 8; ++i) runs[0].results.push_back(correct("s" + std::to_string(i), 2.0));
  for (int i = 8; i < 10; ++i) {
    runs[0].results.push_back(ended("s" + std::to_string(i), OutcomeStatus::kFailed, Stage::kRun, Cause::kSignal));
  }
  const Score quiet = make_score_report(runs, {}).compilers[0].at(0);
  for (std::size_t i = 0; i < 6; ++i) runs[0].results[i].verdict = kContendedVerdict;
  const CompilerReport busy = make_score_report(runs, {}).compilers[0];
  EXPECT_EQ(busy.contended.size(), 6U);
  EXPECT_DOUBLE_EQ(busy.at(0).aggregates.lambda, 0.8);
  EXPECT_DOUBLE_EQ(busy.at(0).speedup_score, quiet.speedup_score);
  EXPECT_DOUBLE_EQ(busy.fast_shares[2], 0.8) << "correct and faster than 1";
}

TEST(SummaryText, HasNoScoreWhereNoCorrectSampleWasTimed) {
  const LabelledResults runs[] = {{"runs/a",
                                   {with_verdict(correct("a", 33.0), kContendedVerdict),
                                    ended("b", OutcomeStatus::kFailed, Stage::kRun, Cause::kSignal)}}};
  const ScoreReport report = make_score_report(runs, {});
  EXPECT_THAT(words(summary_text(report), 1),
              ElementsAre("inductor", "2", "0", "0", "50.0", "%", "-", "-", "-", "-", "-", "-", "too", "few", "models",
                          "-", "p", "=", "0,", "b", "=", "0.100"));
  EXPECT_TRUE(to_json(report)["scores"][0]["levels"][10]["speedup_score"].is_null());
}

TEST(ScoreReport, LeavesNoisySpeedupsOutWhereAskedTo) {
  const LabelledResults runs[] = {{"runs/a", {correct("a", 2.0), with_verdict(correct("b", 3.0), kNoisyVerdict)}}};
  EXPECT_EQ(make_score_report(runs, {}).compilers[0].at(0).timed, 2);
  const CompilerReport report = make_score_report(runs, {.exclude_noisy = true}).compilers[0];
  EXPECT_EQ(report.at(0).timed, 1);
  EXPECT_EQ(report.at(0).correct, 2);
  EXPECT_THAT(report.noisy, ElementsAre("b"));
}

TEST(ScoreReport, CountsAWrongSampleWhoseTimingWasContended) {
  // Whether outputs are right does not depend on how well they were timed.
  const LabelledResults runs[] = {
      {"runs/a", {correct("a", 2.0), with_verdict(result_of("b", OutcomeStatus::kAccuracy), kContendedVerdict)}}};
  const CompilerReport report = make_score_report(runs, {}).compilers[0];
  EXPECT_EQ(report.at(0).samples, 2);
  EXPECT_EQ(report.at(0).errors[0], 1);
}

TEST(ScoreReport, ScoresCategoriesAndDtypesApart) {
  LabelledResults runs[] = {{"runs/a", {correct("a", 2.0), correct("b", 0.5)}}};
  runs[0].results[1].category = "audio";
  runs[0].results[1].dtypes = {"float16", "bool", "float32"};
  const CompilerReport report = make_score_report(runs, {}).compilers[0];
  ASSERT_EQ(report.by_category.size(), 2U);
  EXPECT_EQ(report.by_category[0].name, "audio");
  EXPECT_DOUBLE_EQ(report.by_category[0].score.speedup_score, 0.5);
  ASSERT_EQ(report.by_dtype.size(), 2U);
  EXPECT_EQ(report.by_dtype[0].name, "float16+float32");
}

TEST(CategoryText, HasOneLineForEachCategoryAndIsEmptyForOne) {
  LabelledResults runs[] = {{"runs/a", {correct("a", 2.0), correct("b", 0.5)}}};
  EXPECT_EQ(category_text(make_score_report(runs, {})), "");
  runs[0].results[1].category = "audio";
  EXPECT_THAT(words(category_text(make_score_report(runs, {})), 1),
              ElementsAre("audio", "inductor", "1", "0", "100.0", "%", "0.500", "0.500", "too", "few", "models"));
}

TEST(TimingText, HasFastSharesAndVerdicts) {
  const LabelledResults runs[] = {{"runs/a", {correct("a", 3.0), with_verdict(correct("b", 0.9), "capped")}}};
  const std::string text = timing_text(make_score_report(runs, {}));
  EXPECT_THAT(words(text, 1), ElementsAre("compiler", "0", "0.80", "1", "1.2", "2", "capped", "converged"));
  EXPECT_THAT(words(text, 2),
              ElementsAre("inductor", "100.0", "%", "100.0", "%", "50.0", "%", "50.0", "%", "50.0", "%", "1", "1"));
}

TEST(IncidentsText, NamesContendedSamplesAndHowToScoreThem) {
  const LabelledResults runs[] = {{"runs/a", {correct("a", 2.0), with_verdict(correct("b", 33.0), kContendedVerdict)}}};
  EXPECT_EQ(incidents_text(make_score_report(runs, {})),
            "inductor: the speedups of 1 contended are no part of the scores (bench again when no other program takes "
            "the processors, or have them in with graphnet score --include-contended): b\n");
}

TEST(IncidentsText, CutsLongLists) {
  LabelledResults runs[] = {{"runs/a", {}}};
  for (int i = 0; i < 60; ++i) {
    runs[0].results.push_back(ended("s" + std::to_string(i), OutcomeStatus::kFailed, Stage::kRun, Cause::kSignal));
  }
  EXPECT_THAT(incidents_text(make_score_report(runs, {})), testing::EndsWith("s49 and 10 more\n"));
}

TEST(DegenerateText, NamesReasonAndSamples) {
  LabelledResults runs[] = {{"runs/a", {correct("a", 1.0), correct("b", 1.0)}}};
  runs[0].results[1].degenerate = "all outputs are constant";
  EXPECT_EQ(degenerate_text(make_score_report(runs, {})),
            "inductor: 1 with a degenerate reference (all outputs are constant): b\n");
}

TEST(ScoreCsv, HasOneLineForEachLevelAndSlice) {
  const std::string text = to_csv(small_report());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 15 + 2);
  EXPECT_THAT(text,
              testing::StartsWith("run,compiler,slice,name,failure_base,slowdown_penalty,interpretation,level,"
                                  "samples,excluded,unavailable,correct,timed,slow,accuracy_errors,runtime_errors,"
                                  "compile_errors,alpha,beta,lambda,eta,pi_accuracy,pi_runtime,pi_compile,gamma,"
                                  "speedup_score,error_aware_score,speedup_score_low,speedup_score_high,"));
  EXPECT_THAT(text, HasSubstr("runs/a,inductor,all,,0.1,0.0,definition,0,3,1,0,2,2,0,0,0,1,2.0,1.0,0.6666666666666666,"
                              "0.0,0.0,0.0,1.0,0.1,0.73"));
  EXPECT_THAT(text, HasSubstr("runs/a,inductor,dtype,float32,0.1,"));
}

TEST(ScoreCsv, HasAsManyFieldsInEveryLine) {
  std::istringstream lines(to_csv(small_report()));
  std::string line;
  std::getline(lines, line);
  const auto commas = std::count(line.begin(), line.end(), ',');
  while (std::getline(lines, line)) EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas) << line;
}

}  // namespace
}  // namespace graphnet
