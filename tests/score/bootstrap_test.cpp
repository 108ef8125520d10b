#include "graphnet/score/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "graphnet/score/autocorrelation.h"
#include "graphnet/support/error.h"

#include "outcomes.h"

namespace graphnet {
namespace {

using test::correct;
using test::failed;

std::vector<std::string> one_group_each(std::size_t count) {
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < count; ++i) groups.push_back("model" + std::to_string(i));
  return groups;
}

std::vector<double> normal_values(std::size_t count, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(0.0, 1.0);
  std::vector<double> values(count);
  for (double& value : values) value = normal(engine);
  return values;
}

std::optional<Interval> mean_interval(const std::vector<double>& values, const std::vector<std::string>& groups,
                                      const BootstrapOptions& options) {
  const auto intervals = bootstrap_means(values, 1, groups, options);
  return intervals.empty() ? std::nullopt : intervals.front();
}

double width(const std::optional<Interval>& interval) {
  return interval.value().high - interval.value().low;
}

TEST(BootstrapMeans, GivesTheSameIntervalForTheSameSeed) {
  const std::vector<double> values = normal_values(30, 1);
  const std::vector<std::string> groups = one_group_each(30);
  EXPECT_EQ(mean_interval(values, groups, {.seed = 7}), mean_interval(values, groups, {.seed = 7}));
  EXPECT_NE(mean_interval(values, groups, {.seed = 7}), mean_interval(values, groups, {.seed = 8}));
}

TEST(BootstrapMeans, DoesNotDependOnTheOrderOfTheValues) {
  std::vector<double> values = normal_values(30, 1);
  std::vector<std::string> groups = one_group_each(30);
  const std::optional<Interval> forward = mean_interval(values, groups, {});
  std::ranges::reverse(values);
  std::ranges::reverse(groups);
  EXPECT_EQ(mean_interval(values, groups, {}), forward);
}

TEST(BootstrapMeans, HasTheWidthThatTheoryExpects) {
  const std::optional<Interval> interval = mean_interval(normal_values(400, 2), one_group_each(400), {});
  EXPECT_NEAR(width(interval), 2.0 * 1.96 / std::sqrt(400.0), 0.02);
  EXPECT_DOUBLE_EQ(interval->confidence, 0.95);
}

TEST(BootstrapMeans, OfClusteredValuesIsWiderThanOfIndependentOnes) {
  // Ten models with forty equal samples each know no more than ten samples do.
  const std::vector<double> models = normal_values(10, 3);
  std::vector<double> values;
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < 400; ++i) {
    values.push_back(models[i / 40]);
    groups.push_back("model" + std::to_string(i / 40));
  }
  const double clustered = width(mean_interval(values, groups, {}));
  EXPECT_NEAR(clustered, width(mean_interval(models, one_group_each(10), {})), 1e-9);
  EXPECT_GT(clustered, 4.0 * width(mean_interval(values, one_group_each(400), {})));
}

TEST(BootstrapMeans, WeighsGroupsByTheirSize) {
  // Three groups of 1,000 zeros and three of a single 1: as rare as the ones are, means of groups would lie about 0.5.
  std::vector<double> values;
  std::vector<std::string> groups;
  for (int i = 0; i < 3; ++i) {
    values.insert(values.end(), 1000, 0.0);
    groups.insert(groups.end(), 1000, "large" + std::to_string(i));
    values.push_back(1.0);
    groups.push_back("small" + std::to_string(i));
  }
  EXPECT_LT(mean_interval(values, groups, {.confidence = 0.5})->high, 0.01);
}

TEST(BootstrapMeans, SayNothingAboutFewGroups) {
  EXPECT_EQ(mean_interval(normal_values(5, 1), one_group_each(5), {}), std::nullopt);
  EXPECT_NE(mean_interval(normal_values(6, 1), one_group_each(6), {}), std::nullopt);
  EXPECT_EQ(mean_interval({}, {}, {}), std::nullopt);
}

TEST(BootstrapMeans, SayNothingAboutAColumnThatIsNoNumber) {
  std::vector<double> rows = normal_values(20, 1);
  rows[4] = std::nan("");
  const auto intervals = bootstrap_means(rows, 2, one_group_each(10), {});
  EXPECT_FALSE(intervals[0]);
  EXPECT_TRUE(intervals[1]);
}

TEST(BootstrapMeans, CoverTheMeanAsOftenAsTheySay) {
  for (const std::size_t count : {6UL, 8UL, 12UL, 30UL}) {
    constexpr unsigned kRuns = 1000;
    int covered = 0;
    for (unsigned run = 0; run < kRuns; ++run) {
      const auto interval = mean_interval(normal_values(count, run), one_group_each(count), {.resamples = 400}).value();
      covered += interval.low <= 0 && 0 <= interval.high;
    }
    EXPECT_GE(covered, 920) << count << " groups";
    EXPECT_LE(covered, 980) << count << " groups";
  }
}

TEST(BootstrapMeans, RejectOptionsAndSpansThatDoNotFit) {
  const std::vector<double> values{1.0, 2.0};
  EXPECT_THROW(mean_interval(values, one_group_each(3), {}), Error);
  EXPECT_THROW(mean_interval(values, one_group_each(2), {.resamples = 0}), Error);
  EXPECT_THROW(mean_interval(values, one_group_each(2), {.confidence = 1.0}), Error);
}

// Twelve outcomes whose log speedups are drawn around 0, each failing with probability 1/6 where asked for.
std::vector<Outcome> random_table(unsigned seed, bool with_failures) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> noise(0.0, 0.3);
  std::vector<Outcome> table;
  for (int i = 0; i < 12; ++i) {
    const double speedup = std::exp(noise(engine));
    const bool fails = engine() % 6 == 0;
    table.push_back(with_failures && fails ? failed(Stage::kCompile) : correct(speedup));
    table.back().sample = "sample" + std::to_string(i);
  }
  return table;
}

int covered_of_500(double truth, const auto& table_of) {
  int covered = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    const Interval interval = score_interval(table_of(seed), 0, {}, {.resamples = 400})->speedup_score;
    covered += interval.low <= truth && truth <= interval.high;
  }
  return covered;
}

TEST(ScoreInterval, CoversTheScoreOfAllModelsAsOftenAsItSays) {
  EXPECT_GE(covered_of_500(1.0, [](unsigned seed) { return random_table(seed, false); }), 460);
}

TEST(ScoreInterval, CoversItNearlyAsOftenWhereSomeFail) {
  // Twelve samples of which two fail, on average: now and then none does, and the interval cannot know of failures.
  EXPECT_GE(covered_of_500(std::pow(0.1, 1.0 / 6), [](unsigned seed) { return random_table(seed, true); }), 425);
}

TEST(ScoreInterval, CoversItWhereHalfOfTheSamplesAreNotTimed) {
  const auto table_of = [](unsigned seed) {
    std::vector<Outcome> table = random_table(seed, false);
    for (std::size_t i = 0; i < 6; ++i) table[i].is_timed = false;
    return table;
  };
  EXPECT_GE(covered_of_500(1.0, table_of), 450);
}

TEST(ScoreInterval, IsAbsentWhereThereIsNoScore) {
  std::vector<Outcome> table = random_table(1, false);
  for (Outcome& outcome : table) outcome.is_timed = false;
  EXPECT_FALSE(score_interval(table, 0, {}, {}));
}

TEST(ScoreInterval, StaysBetweenTheWorstAndTheBestSample) {
  std::vector<Outcome> table = random_table(3, true);
  table[0].speedup = 2.0;
  const std::optional<ScoreInterval> interval = score_interval(table, 0, {}, {});
  EXPECT_GE(interval->speedup_score.low, 0.1 * (1.0 - 1e-12));
  EXPECT_LE(interval->speedup_score.high, 2.0 * (1.0 + 1e-12));
}

TEST(ScoreInterval, ResamplesBySourceModel) {
  std::vector<Outcome> table = random_table(1, true);
  for (Outcome& outcome : table) outcome.group = "one model";
  EXPECT_FALSE(score_interval(table, 0, {}, {}));
}

TEST(ScoreInterval, LeavesOutWhatIsNotScored) {
  std::vector<Outcome> table = random_table(1, true);
  const std::optional<ScoreInterval> without = score_interval(table, 0, {}, {});
  table.push_back(test::excluded());
  EXPECT_EQ(score_interval(table, 0, {}, {})->speedup_score, without->speedup_score);
}

TEST(BootstrapMeans, OfManyGroupsIsAsWideAsTheoryExpects) {
  // More groups than bundles: what is resampled are bundles, whose means vary as the groups say.
  const std::size_t count = 5 * kMostBundles;
  const std::optional<Interval> interval = mean_interval(normal_values(count, 4), one_group_each(count), {});
  const double expected = 2.0 * 1.96 / std::sqrt(static_cast<double>(count));
  EXPECT_NEAR(width(interval), expected, 0.1 * expected);
}

TEST(ScoreBands, AreTheIntervalOfEachLevelsScore) {
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 20; ++i) {
    outcomes.push_back(correct(0.8 + 0.05 * i, i % 4 == 0 ? 1 : -6));
    outcomes.back().sample = "sample" + std::to_string(i);
  }
  outcomes.push_back(failed(Stage::kCompile));
  const auto bands = score_bands(outcomes, {}, {});
  ASSERT_EQ(bands.size(), 15U);
  for (const int level : {-10, 0, 3}) {
    const ScoreInterval single = score_interval(outcomes, level, {}, {}).value();
    const ScoreInterval& band = bands[static_cast<std::size_t>(level + 10)].value();
    EXPECT_NEAR(band.speedup_score.low, single.speedup_score.low, 1e-12) << level;
    EXPECT_NEAR(band.error_aware_score.high, single.error_aware_score.high, 1e-12) << level;
  }
}

TEST(ScoreBands, AreEmptyForOneModel) {
  EXPECT_TRUE(score_bands(std::vector<Outcome>{correct(1.0)}, {}, {}).empty());
}

UnitResult timed(double speedup, double spread, std::size_t trials, unsigned seed) {
  UnitResult result;
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> noise(std::log(speedup), spread);
  for (std::size_t i = 0; i < trials; ++i) result.log_ratios.push_back(noise(engine));
  result.outcome = correct(std::exp(median(result.log_ratios)));
  result.outcome.sample = "sample" + std::to_string(seed);
  return result;
}

// The same trials in an order in which none resembles the one before it.
UnitResult shuffled(UnitResult result) {
  std::mt19937_64 engine(7);
  while (variance_inflation(result.log_ratios) > 1) std::ranges::shuffle(result.log_ratios, engine);
  return result;
}

// The interval by drawing every trial of every resample.
Interval resampled_by_hand(const std::vector<UnitResult>& results) {
  std::mt19937_64 engine(99);
  std::vector<double> scores;
  for (int i = 0; i < 4000; ++i) {
    double sum = 0;
    for (const UnitResult& result : results) {
      std::vector<double> drawn;
      for (std::size_t j = 0; j < result.log_ratios.size(); ++j) {
        drawn.push_back(result.log_ratios[engine() % result.log_ratios.size()]);
      }
      sum += median(drawn);
    }
    scores.push_back(std::exp(sum / static_cast<double>(results.size())));
  }
  return {quantile(scores, 0.025), quantile(scores, 0.975), 0.95};
}

TEST(TrialInterval, IsThatOfResamplingEveryTrial) {
  const std::vector<UnitResult> results{shuffled(timed(1.5, 0.05, 21, 1)), shuffled(timed(0.9, 0.1, 31, 2)),
                                        shuffled(timed(1.1, 0.02, 25, 3))};
  const Interval expected = resampled_by_hand(results);
  const Interval interval = trial_interval(results, 0, {}, {.resamples = 4000}).value();
  EXPECT_NEAR(interval.low, expected.low, 0.1 * (expected.high - expected.low));
  EXPECT_NEAR(interval.high, expected.high, 0.1 * (expected.high - expected.low));
}

TEST(TrialInterval, IsThatOfResamplingAnEvenNumberOfTrials) {
  const std::vector<UnitResult> results{shuffled(timed(1.5, 0.05, 40, 1)), shuffled(timed(0.9, 0.1, 40, 2))};
  const Interval expected = resampled_by_hand(results);
  const Interval interval = trial_interval(results, 0, {}, {.resamples = 4000}).value();
  EXPECT_NEAR(interval.high - interval.low, expected.high - expected.low, 0.15 * (expected.high - expected.low));
}

TEST(TrialInterval, CoversTheScoreWhereTrialsResembleTheOnesBeforeThem) {
  constexpr int kRuns = 300;
  int covered = 0;
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal(0.0, 0.01);
  for (int run = 0; run < kRuns; ++run) {
    UnitResult result;
    double state = normal(engine) / std::sqrt(1 - 0.7 * 0.7);
    for (int i = 0; i < 60; ++i) {
      result.log_ratios.push_back(state);
      state = 0.7 * state + normal(engine);
    }
    result.outcome = correct(std::exp(median(result.log_ratios)));
    const Interval interval = trial_interval({&result, 1}, 0, {}, {.resamples = 400}).value();
    covered += interval.low <= 1.0 && 1.0 <= interval.high;
  }
  EXPECT_GE(covered, 255) << "as independent trials they would cover it far more rarely";
}

TEST(TrialInterval, DoesNotDependOnTheOrderOfTheJournal) {
  std::vector<UnitResult> results{timed(1.5, 0.05, 21, 1), timed(0.9, 0.1, 31, 2), timed(1.1, 0.02, 25, 3)};
  const Interval forward = trial_interval(results, 0, {}, {}).value();
  std::ranges::reverse(results);
  const Interval backward = trial_interval(results, 0, {}, {}).value();
  EXPECT_NEAR(backward.low, forward.low, 1e-12);
  EXPECT_NEAR(backward.high, forward.high, 1e-12);
}

TEST(TrialInterval, IsThatOfTheTimedSamplesForThoseThatAreNot) {
  std::vector<UnitResult> results{timed(1.5, 0.05, 21, 1)};
  const Interval alone = trial_interval(results, 0, {}, {}).value();
  results.push_back(timed(33.0, 0.5, 21, 2));
  results.back().outcome.is_timed = false;
  const Interval interval = trial_interval(results, 0, {}, {}).value();
  EXPECT_NEAR(interval.low, alone.low, 1e-12);
  EXPECT_NEAR(interval.high, alone.high, 1e-12);
}

TEST(TrialInterval, LeavesFailuresWhatTheyAre) {
  std::vector<UnitResult> results{timed(2.0, 0.0, 20, 1), UnitResult{}};
  results[1].outcome = failed(Stage::kRun);
  const Interval interval = trial_interval(results, 0, {}, {}).value();
  EXPECT_NEAR(interval.low, std::sqrt(2.0 * 0.1), 1e-12);
  EXPECT_NEAR(interval.high, std::sqrt(2.0 * 0.1), 1e-12);
}

TEST(TrialInterval, NeedsTrials) {
  std::vector<UnitResult> results(1);
  results[0].outcome = correct(1.0);
  EXPECT_EQ(trial_interval(results, 0, {}, {}), std::nullopt);
}

}  // namespace
}  // namespace graphnet
