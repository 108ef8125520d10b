#include "graphnet/score/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

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

double width(const std::optional<Interval>& interval) {
  return interval.value().high - interval.value().low;
}

TEST(BootstrapMean, GivesTheSameIntervalForTheSameSeed) {
  const std::vector<double> values = normal_values(30, 1);
  const std::vector<std::string> groups = one_group_each(30);
  EXPECT_EQ(bootstrap_mean(values, groups, {.seed = 7}), bootstrap_mean(values, groups, {.seed = 7}));
  EXPECT_NE(bootstrap_mean(values, groups, {.seed = 7}), bootstrap_mean(values, groups, {.seed = 8}));
}

TEST(BootstrapMean, DoesNotDependOnTheOrderOfTheValues) {
  std::vector<double> values = normal_values(30, 1);
  std::vector<std::string> groups = one_group_each(30);
  const std::optional<Interval> forward = bootstrap_mean(values, groups, {});
  std::ranges::reverse(values);
  std::ranges::reverse(groups);
  EXPECT_EQ(bootstrap_mean(values, groups, {}), forward);
}

TEST(BootstrapMean, HasTheWidthThatTheoryExpects) {
  const std::optional<Interval> interval = bootstrap_mean(normal_values(400, 2), one_group_each(400), {});
  EXPECT_NEAR(width(interval), 2.0 * 1.96 / std::sqrt(400.0), 0.02);
  EXPECT_DOUBLE_EQ(interval->confidence, 0.95);
}

TEST(BootstrapMean, OfClusteredValuesIsWiderThanOfIndependentOnes) {
  // Ten models with forty equal samples each know no more than ten samples do.
  const std::vector<double> models = normal_values(10, 3);
  std::vector<double> values;
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < 400; ++i) {
    values.push_back(models[i / 40]);
    groups.push_back("model" + std::to_string(i / 40));
  }
  const double clustered = width(bootstrap_mean(values, groups, {}));
  EXPECT_NEAR(clustered, width(bootstrap_mean(models, one_group_each(10), {})), 1e-9);
  EXPECT_GT(clustered, 4.0 * width(bootstrap_mean(values, one_group_each(400), {})));
}

TEST(BootstrapMean, WeighsGroupsByTheirSize) {
  // Every resample is a mix of the mean 0 of a large group and the mean 1 of a small one; half of them take one of
  // each.
  const std::vector<double> values{0.0, 0.0, 0.0, 1.0};
  const std::vector<std::string> groups{"large", "large", "large", "small"};
  const std::optional<Interval> middle = bootstrap_mean(values, groups, {.confidence = 0.2});
  EXPECT_EQ(middle, (Interval{0.25, 0.25, 0.2}));
}

TEST(BootstrapMean, SaysNothingAboutASingleGroup) {
  const std::vector<double> values{1.0, 2.0};
  EXPECT_EQ(bootstrap_mean(values, std::vector<std::string>{"model", "model"}, {}), std::nullopt);
  EXPECT_EQ(bootstrap_mean({}, {}, {}), std::nullopt);
}

TEST(BootstrapMean, RejectsOptionsAndSpansThatDoNotFit) {
  const std::vector<double> values{1.0, 2.0};
  EXPECT_THROW(bootstrap_mean(values, one_group_each(3), {}), Error);
  EXPECT_THROW(bootstrap_mean(values, one_group_each(2), {.resamples = 0}), Error);
  EXPECT_THROW(bootstrap_mean(values, one_group_each(2), {.confidence = 1.0}), Error);
}

std::vector<Outcome> table_of_four() {
  std::vector<Outcome> table{correct(2.0), correct(0.5, 0), test::wrong(), failed(Stage::kCompile)};
  for (std::size_t i = 0; i < table.size(); ++i) table[i].sample = "sample" + std::to_string(i);
  return table;
}

TEST(ScoreInterval, EnclosesTheScore) {
  for (const Score& score : score_series(table_of_four(), {})) {
    const std::optional<ScoreInterval> interval = score_interval(table_of_four(), score.level, {}, {});
    ASSERT_TRUE(interval);
    EXPECT_LT(interval->speedup_score.low, score.speedup_score);
    EXPECT_GT(interval->speedup_score.high, score.speedup_score);
    EXPECT_LT(interval->error_aware_score.low, score.error_aware_score);
    EXPECT_GT(interval->error_aware_score.high, score.error_aware_score);
  }
}

TEST(ScoreInterval, StaysBetweenTheWorstAndTheBestSample) {
  const std::optional<ScoreInterval> interval = score_interval(table_of_four(), 0, {}, {});
  EXPECT_GE(interval->speedup_score.low, 0.1 * (1.0 - 1e-12));
  EXPECT_LE(interval->speedup_score.high, 2.0 * (1.0 + 1e-12));
}

TEST(ScoreInterval, ResamplesBySourceModel) {
  std::vector<Outcome> table = table_of_four();
  for (Outcome& outcome : table) outcome.group = "one model";
  EXPECT_FALSE(score_interval(table, 0, {}, {}));
}

TEST(ScoreInterval, LeavesOutWhatIsNotScored) {
  std::vector<Outcome> table = table_of_four();
  const std::optional<ScoreInterval> without = score_interval(table, 0, {}, {});
  table.push_back(test::excluded());
  EXPECT_EQ(score_interval(table, 0, {}, {})->speedup_score, without->speedup_score);
}

TEST(BootstrapMean, OfManyGroupsIsAsWideAsTheoryExpects) {
  // More groups than bundles: what is resampled are bundles, whose means vary as the groups say.
  const std::size_t count = 5 * kMostBundles;
  const std::optional<Interval> interval = bootstrap_mean(normal_values(count, 4), one_group_each(count), {});
  const double expected = 2.0 * 1.96 / std::sqrt(static_cast<double>(count));
  EXPECT_NEAR(width(interval), expected, 0.1 * expected);
}

TEST(ScoreBands, ContainTheIntervalOfEachLevelsScore) {
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 20; ++i) {
    outcomes.push_back(correct(0.8 + 0.05 * i, i % 4 == 0 ? 1 : -6));
    outcomes.back().sample = "sample" + std::to_string(i);
  }
  outcomes.push_back(failed(Stage::kCompile));
  const std::vector<ScoreInterval> bands = score_bands(outcomes, {}, {});
  ASSERT_EQ(bands.size(), 15U);
  for (const int level : {-10, 0, 3}) {
    const ScoreInterval single = score_interval(outcomes, level, {}, {}).value();
    const ScoreInterval& band = bands[static_cast<std::size_t>(level + 10)];
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
  return result;
}

// The same by drawing every trial of every resample.
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
  const std::vector<UnitResult> results{timed(1.5, 0.05, 21, 1), timed(0.9, 0.1, 31, 2), timed(1.1, 0.02, 25, 3)};
  const Interval expected = resampled_by_hand(results);
  const Interval interval = trial_interval(results, 0, {}, {.resamples = 4000}).value();
  EXPECT_NEAR(interval.low, expected.low, 0.1 * (expected.high - expected.low));
  EXPECT_NEAR(interval.high, expected.high, 0.1 * (expected.high - expected.low));
}

TEST(TrialInterval, IsWiderForAnEvenNumberOfTrialsByLittle) {
  const std::vector<UnitResult> results{timed(1.5, 0.05, 40, 1), timed(0.9, 0.1, 40, 2)};
  const Interval expected = resampled_by_hand(results);
  const Interval interval = trial_interval(results, 0, {}, {.resamples = 4000}).value();
  EXPECT_NEAR(interval.high - interval.low, expected.high - expected.low, 0.15 * (expected.high - expected.low));
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
