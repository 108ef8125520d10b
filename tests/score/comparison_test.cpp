#include "graphnet/score/comparison.h"

#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

#include "outcomes.h"

namespace graphnet {
namespace {

UnitResult result_of(const std::string& sample, Outcome outcome) {
  UnitResult result;
  result.outcome = std::move(outcome);
  result.outcome.sample = sample;
  result.outcome.group = sample;
  result.identity = "graph of " + sample;
  return result;
}

// A correct sample with trials around its speedup.
UnitResult timed(const std::string& sample, double speedup, double spread = 0.005, unsigned seed = 1) {
  UnitResult result = result_of(sample, test::correct(speedup));
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> noise(std::log(speedup), spread);
  for (int i = 0; i < 30; ++i) result.log_ratios.push_back(noise(engine));
  return result;
}

// `count` samples whose speedup in B is `ratio` times that in A, give or take `spread` from sample to sample.
struct TwoRuns {
  std::vector<UnitResult> a;
  std::vector<UnitResult> b;
};
TwoRuns two_runs(int count, double ratio, double spread, unsigned seed = 3) {
  TwoRuns runs;
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> noise(0.0, spread);
  for (int i = 0; i < count; ++i) {
    const std::string sample = "sample" + std::to_string(i);
    const double speedup = 1.0 + 0.02 * i;
    runs.a.push_back(timed(sample, speedup, 0.005, 2 * static_cast<unsigned>(i)));
    const double after = speedup * ratio * std::exp(noise(engine));
    runs.b.push_back(timed(sample, after, 0.005, 2 * static_cast<unsigned>(i) + 1));
  }
  return runs;
}

RunComparison compare_runs(const TwoRuns& runs, const ComparisonOptions& options = {}) {
  return compare(runs.a, runs.b, options, {});
}

TEST(PairResults, TakesTheSameGraphUnderAnyName) {
  std::vector<UnitResult> a{result_of("old name", test::correct(1))};
  std::vector<UnitResult> b{result_of("new name", test::correct(1))};
  b[0].identity = a[0].identity;
  const Pairing pairing = pair_results(a, b);
  ASSERT_EQ(pairing.pairs.size(), 1U);
  EXPECT_EQ(pairing.by_name, 0U);
}

TEST(PairResults, PrefersTheSameNameAmongEqualGraphs) {
  std::vector<UnitResult> a{result_of("x", test::correct(1)), result_of("y", test::correct(1))};
  std::vector<UnitResult> b{result_of("y", test::correct(1)), result_of("x", test::correct(1))};
  for (UnitResult* each : {&a[0], &a[1], &b[0], &b[1]}) each->identity = "same graph";
  const Pairing pairing = pair_results(a, b);
  ASSERT_EQ(pairing.pairs.size(), 2U);
  EXPECT_EQ(pairing.pairs[0].b, 1U);
  EXPECT_EQ(pairing.pairs[1].b, 0U);
}

TEST(PairResults, FallsBackToTheNameWhereAGraphIsUnknown) {
  std::vector<UnitResult> a{result_of("x", test::correct(1))};
  std::vector<UnitResult> b{result_of("x", test::unavailable())};
  b[0].identity.clear();
  EXPECT_EQ(pair_results(a, b).by_name, 1U);
}

TEST(PairResults, DoesNotPairASampleWhoseGraphChanged) {
  std::vector<UnitResult> a{result_of("x", test::correct(1))};
  std::vector<UnitResult> b{result_of("x", test::correct(1))};
  b[0].identity = "another graph";
  const Pairing pairing = pair_results(a, b);
  EXPECT_TRUE(pairing.pairs.empty());
  EXPECT_EQ(pairing.changed_graphs, 1U);
  EXPECT_EQ(pairing.only_a.size() + pairing.only_b.size(), 2U);
}

TEST(PairResults, RefusesASampleThatIsThereTwice) {
  const std::vector<UnitResult> twice{result_of("x", test::correct(1)), result_of("x", test::correct(1))};
  EXPECT_THROW(pair_results(twice, {}), Error);
}

TEST(SpeedVerdict, NeedsAnIntervalOnOneSideAndAChangeBeyondTheMargin) {
  const auto verdict = [](double low, double centre, double high) {
    return speed_verdict(centre, Interval{low, high, 0.95}, 0.01);
  };
  EXPECT_EQ(verdict(0.01, 0.02, 0.03), Verdict::kBetter);
  EXPECT_EQ(verdict(-0.03, -0.02, -0.01), Verdict::kWorse);
  EXPECT_EQ(verdict(0.001, 0.002, 0.003), Verdict::kSame) << "surely there, but too small to matter";
  EXPECT_EQ(verdict(-0.004, 0.001, 0.006), Verdict::kSame);
  EXPECT_EQ(verdict(-0.01, 0.02, 0.05), Verdict::kUnclear);
  EXPECT_EQ(speed_verdict(0.5, std::nullopt, 0.01), Verdict::kUnclear);
}

TEST(Compare, CallsARunThatIsFasterBetter) {
  const RunComparison comparison = compare_runs(two_runs(20, 1.05, 0.01));
  EXPECT_EQ(comparison.verdict, Verdict::kBetter);
  EXPECT_NEAR(*comparison.ratio, 1.05, 0.01);
  EXPECT_LT(comparison.test.p_value, 0.001);
  EXPECT_GT(comparison.interval->low, 1.0);
}

TEST(Compare, CallsARunThatIsSlowerWorse) {
  EXPECT_EQ(compare_runs(two_runs(20, 0.95, 0.01)).verdict, Verdict::kWorse);
}

TEST(Compare, CallsTwoRunsOfOneCompilerTheSame) {
  const RunComparison comparison = compare_runs(two_runs(30, 1.0, 0.002));
  EXPECT_EQ(comparison.verdict, Verdict::kSame);
  for (const Change& change : comparison.changes) EXPECT_FALSE(change.significant);
}

TEST(Compare, SaysWhatItCouldHaveSeenWhereItIsUnclear) {
  const RunComparison comparison = compare_runs(two_runs(8, 1.01, 0.1));
  EXPECT_EQ(comparison.verdict, Verdict::kUnclear);
  EXPECT_GT(*comparison.detectable, 1.05);
  EXPECT_LT(*comparison.detectable, 1.5);
}

TEST(Compare, FindsTheSamplesThatChanged) {
  TwoRuns runs = two_runs(20, 1.0, 0.0);
  runs.b[7] = timed("sample7", *runs.a[7].outcome.speedup * 0.9, 0.005, 70);
  const RunComparison comparison = compare_runs(runs);
  EXPECT_TRUE(comparison.changes[0].significant);
  EXPECT_EQ(comparison.changes[0].pair.a, 7U);
  EXPECT_FALSE(comparison.changes[1].significant);
}

TEST(Compare, IsNotTakenInByTrialsThatDriftTogether) {
  // Each side's trials wander slowly; as independent values they would tell the two sides apart.
  TwoRuns runs = two_runs(20, 1.0, 0.0);
  for (int i = 0; i < 30; ++i) {
    runs.a[7].log_ratios[static_cast<std::size_t>(i)] = 0.05 * std::sin(i / 6.0);
    runs.b[7].log_ratios[static_cast<std::size_t>(i)] = 0.05 * std::sin(i / 6.0 + 1.2) - 0.05;
  }
  runs.b[7].outcome.speedup = *runs.a[7].outcome.speedup * 0.94;
  const std::vector<double>& trials = runs.b[7].log_ratios;
  ASSERT_LT(hodges_lehmann(trials).interval->high, -0.005) << "what independent trials would say";
  for (const Change& change : compare_runs(runs).changes) EXPECT_FALSE(change.significant);
}

// How many of `runs` pairs of processes are said to have changed, each alone, where the speedup changed by `shift` and
// every process is off by its own deviation of 0.5 %.
int called_changed(double shift, int runs) {
  std::mt19937_64 engine(17);
  std::normal_distribution<double> process(0.0, 0.005);
  int changed = 0;
  for (int i = 0; i < runs; ++i) {
    const auto seed = static_cast<unsigned>(2 * i);
    const std::vector<UnitResult> a{timed("x", std::exp(process(engine)), 0.003, seed)};
    const std::vector<UnitResult> b{timed("x", std::exp(shift + process(engine)), 0.003, seed + 1)};
    changed += compare(a, b, {}, {}).changes[0].significant;
  }
  return changed;
}

TEST(Compare, IsNotTakenInByDifferencesBetweenProcesses) {
  EXPECT_LE(called_changed(0.0, 400), 4);
}

TEST(Compare, CallsAChangeOfTheMarginChangedAsRarelyAsItSays) {
  EXPECT_LE(called_changed(std::log1p(0.01), 400), 20) << "5 %";
}

TEST(Compare, FindsAChangeOfOneSampleThatIsWellBeyondTheMargin) {
  EXPECT_GE(called_changed(0.05, 400), 390);
}

TEST(Compare, TakesTheDeviationBetweenProcessesFromTheOptions) {
  TwoRuns runs = two_runs(1, 1.03, 0.0);
  EXPECT_TRUE(compare_runs(runs, {.process_deviation = 0.002}).changes[0].significant);
  EXPECT_FALSE(compare_runs(runs, {.process_deviation = 0.05}).changes[0].significant);
  EXPECT_THROW(compare_runs(runs, {.process_deviation = -0.1}), Error);
}

TEST(Compare, SaysNothingAboutASampleWithFewTrials) {
  TwoRuns runs = two_runs(1, 1.5, 0.0);
  runs.a[0].log_ratios.resize(5);
  EXPECT_EQ(compare_runs(runs).changes[0].p_value, std::nullopt);
}

TEST(Compare, CannotShowLessThanTheMargin) {
  // Twenty models that agree to 0.01 %: still, nothing below the margin of 5 % is called better.
  const RunComparison comparison = compare_runs(two_runs(20, 1.0, 0.0001), {.margin = 0.05});
  EXPECT_GE(*comparison.detectable, 1.05);
  EXPECT_LT(*comparison.detectable, 1.051);
}

TEST(Compare, DetectsWhatItSaysItDetectsFourTimesInFive) {
  constexpr double kSpread = 0.05;
  std::vector<double> detectable;
  for (unsigned seed = 0; seed < 200; ++seed)
    detectable.push_back(*compare_runs(two_runs(20, 1, kSpread, seed)).detectable);
  const double change = median(detectable);
  int better = 0;
  for (unsigned seed = 200; seed < 400; ++seed) {
    better += compare_runs(two_runs(20, change, kSpread, seed)).speed == Verdict::kBetter;
  }
  EXPECT_NEAR(better, 160, 20);
}

TEST(Compare, TellsWhichSideMoved) {
  TwoRuns runs = two_runs(10, 1.1, 0.0);
  for (std::size_t i = 0; i < 10; ++i) {
    runs.a[i].reference_seconds = 1.0;
    runs.b[i].reference_seconds = 1.1;
    runs.a[i].candidate_seconds = runs.b[i].candidate_seconds = 0.5;
  }
  const RunComparison comparison = compare_runs(runs);
  EXPECT_NEAR(*comparison.reference_ratio, 1.1, 1e-12);
  EXPECT_NEAR(*comparison.candidate_ratio, 1.0, 1e-12);
  EXPECT_NEAR(*comparison.changes[0].reference_ratio, 1.1, 1e-12);
}

TEST(Compare, LooksAtCorrectnessAsTheScoresDo) {
  // At t = 2 scores go by the correctness at t = 1, where B is wrong.
  const std::vector<UnitResult> a{result_of("x", test::correct(1.0, 1))};
  const std::vector<UnitResult> b{result_of("x", test::correct(1.0, 2))};
  const RunComparison comparison = compare(a, b, {.level = 2}, {});
  EXPECT_EQ(comparison.broke, 1U);
  EXPECT_EQ(comparison.score_a.correct - comparison.score_b.correct, 1);
  EXPECT_TRUE(comparison.changes.empty());
}

TEST(Compare, CountsContendedSamplesAsCorrect) {
  TwoRuns runs = two_runs(5, 1.0, 0.0);
  runs.a.push_back(result_of("broken", test::failed(Stage::kRun)));
  runs.b.push_back(result_of("broken", test::failed(Stage::kRun)));
  runs.b[4].verdict = kContendedVerdict;
  const RunComparison comparison = compare_runs(runs);
  EXPECT_EQ(comparison.score_a.samples, 6);
  EXPECT_EQ(comparison.score_a.timed, 4) << "the same speedups as in B";
  EXPECT_EQ(comparison.score_b.timed, 4);
}

TEST(Compare, TakesTheSamplesOfOneModelTogether) {
  TwoRuns runs = two_runs(20, 1.05, 0.01);
  for (std::size_t i = 0; i < 20; ++i) runs.a[i].outcome.group = i < 10 ? "first" : "second";
  const RunComparison comparison = compare_runs(runs);
  EXPECT_EQ(comparison.models, 2U);
  EXPECT_EQ(comparison.interval, std::nullopt);
  EXPECT_EQ(comparison.verdict, Verdict::kUnclear);
}

TEST(Compare, PutsWhatBrokeFirst) {
  TwoRuns runs = two_runs(10, 1.0, 0.001);
  runs.a[2] = result_of("sample2", test::failed(Stage::kCompile));
  runs.b[5] = result_of("sample5", test::failed(Stage::kRun));
  runs.b[6] = result_of("sample6", test::excluded());
  const RunComparison comparison = compare_runs(runs);
  ASSERT_EQ(comparison.flips.size(), 3U);
  EXPECT_TRUE(comparison.flips[0].broke);
  EXPECT_EQ(comparison.flips[0].pair.a, 5U);
  EXPECT_FALSE(comparison.flips[1].broke) << "an excluded sample says nothing about the compiler";
  EXPECT_TRUE(comparison.flips[1].lost);
  EXPECT_EQ(comparison.lost, 1U);
  EXPECT_TRUE(comparison.flips[2].fixed);
}

TEST(Compare, IsWorseWhereASampleBroke) {
  TwoRuns runs = two_runs(20, 1.0, 0.001);
  runs.b[5] = result_of("sample5", test::failed(Stage::kRun));
  const RunComparison comparison = compare_runs(runs);
  EXPECT_EQ(comparison.speed, Verdict::kSame);
  EXPECT_EQ(comparison.verdict, Verdict::kWorse);
}

TEST(Compare, IsUnclearWhereItIsFasterButBroke) {
  TwoRuns runs = two_runs(20, 1.1, 0.001);
  runs.b[5] = result_of("sample5", test::wrong());
  EXPECT_EQ(compare_runs(runs).verdict, Verdict::kUnclear);
}

TEST(Compare, IsUnclearWhereAboutAsManyBrokeAsWereFixed) {
  TwoRuns runs = two_runs(30, 1.0, 0.001);
  for (const std::size_t i : {1UL, 2UL}) runs.b[i] = result_of(runs.b[i].outcome.sample, test::failed(Stage::kRun));
  for (const std::size_t i : {3UL, 4UL, 5UL})
    runs.a[i] = result_of(runs.a[i].outcome.sample, test::failed(Stage::kRun));
  EXPECT_EQ(compare_runs(runs).speed, Verdict::kSame);
  EXPECT_EQ(compare_runs(runs).verdict, Verdict::kUnclear);
}

TEST(Compare, IsBetterWhereManyMoreWereFixedThanBroke) {
  TwoRuns runs = two_runs(30, 1.0, 0.001);
  runs.b[0] = result_of("sample0", test::failed(Stage::kRun));
  for (std::size_t i = 1; i < 12; ++i) runs.a[i] = result_of(runs.a[i].outcome.sample, test::failed(Stage::kRun));
  EXPECT_EQ(compare_runs(runs).verdict, Verdict::kBetter);
}

TEST(Compare, LeavesContendedSpeedupsOutUnlessAskedFor) {
  TwoRuns runs = two_runs(20, 1.0, 0.001);
  runs.b[4].verdict = kContendedVerdict;
  EXPECT_EQ(compare_runs(runs).contended, 1U);
  EXPECT_EQ(compare_runs(runs).changes.size(), 19U);
  EXPECT_EQ(compare_runs(runs, {.include_contended = true}).changes.size(), 20U);
}

TEST(Compare, ScoresTheSamplesThatSaySomethingOnBothSides) {
  TwoRuns runs = two_runs(3, 2.0, 0.0);
  runs.b[2] = result_of("sample2", test::excluded());
  const RunComparison comparison = compare_runs(runs);
  EXPECT_EQ(comparison.score_a.samples, 2);
  EXPECT_NEAR(comparison.score_b.speedup_score, 2.0 * comparison.score_a.speedup_score, 1e-9);
}

TEST(Compare, RefusesSharesOutOfRange) {
  EXPECT_THROW(compare({}, {}, {.margin = 0.0}, {}), Error);
  EXPECT_THROW(compare({}, {}, {.confidence = 1.0}, {}), Error);
}

}  // namespace
}  // namespace graphnet
