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
  std::vector<Outcome> table{test::correct(2.0), test::correct(0.5, 0), test::wrong(), test::failed(Stage::kCompile)};
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

}  // namespace
}  // namespace graphnet
