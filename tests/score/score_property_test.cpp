// Laws of the scores over thousands of random tables: above all that the aggregate form, which is what gets reported,
// and the per-sample form, which is what it means, give the same number.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "graphnet/score/score.h"

#include "outcomes.h"

namespace graphnet {
namespace {

constexpr int kTables = 3000;

class RandomTables {
 public:
  explicit RandomTables(unsigned seed) : engine_(seed) {}

  // One to sixty outcomes, of which at least one is scored. How common each status is differs between tables, so that
  // all correct, all failed and none slow turn up too.
  std::vector<Outcome> next() {
    std::array<double, 8> weights{};
    for (double& weight : weights) weight = std::max(0.0, uniform_(engine_) - 0.3);
    weights[integer(0, 4)] += 0.1;
    std::discrete_distribution<int> kind(weights.begin(), weights.end());
    std::vector<Outcome> table;
    for (std::size_t rows = integer(1, 60); rows > 0; --rows) table.push_back(outcome(kind(engine_)));
    if (std::ranges::none_of(table, is_scored)) table.push_back(test::wrong());
    return table;
  }

 private:
  Outcome outcome(int kind) {
    switch (kind) {
      case 0:
        return test::correct(std::exp(normal_(engine_)), level());
      case 1:
        return test::correct(1.0, level());
      case 2:
        return test::wrong();
      case 3:
        return test::failed(static_cast<Stage>(
            integer(static_cast<std::size_t>(Stage::kRun), static_cast<std::size_t>(Stage::kRecheck))));
      case 4:
        return test::failed(uniform_(engine_) < 0.5 ? Stage::kLoad : Stage::kCompile);
      case 5:
        return test::excluded();
      case 6:
        return test::not_timed(std::exp(normal_(engine_)), level());
      default:
        return test::unavailable();
    }
  }

  int level() { return static_cast<int>(integer(0, kLoosestLevel - kStrictestLevel)) + kStrictestLevel; }

  std::size_t integer(std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(engine_);
  }

  std::mt19937 engine_;
  std::uniform_real_distribution<double> uniform_{0.0, 1.0};
  std::normal_distribution<double> normal_{0.0, 1.5};
};

std::vector<ScoreOptions> all_options() {
  std::vector<ScoreOptions> all;
  for (const double penalty : {0.0, 0.1, 1.0}) {
    for (const Interpretation interpretation : {Interpretation::kDefinition, Interpretation::kPublished}) {
      all.push_back({.failure_base = 0.1, .slowdown_penalty = penalty, .interpretation = interpretation});
    }
  }
  return all;
}

// The scores by their meaning, without any of the intermediates: the geometric mean over all samples of s^(p+1) where
// correct and s < 1, of s where correct, and of b, or 1 where the error is tolerated, elsewhere. A sample that is
// correct and not timed counts as the mean of those that are.
struct ScorePair {
  double speedup_score;
  double error_aware_score;
};
ScorePair score_by_sample(const std::vector<Outcome>& outcomes, int level, const ScoreOptions& options) {
  const int correctness = std::min(level, 1);
  std::vector<double> timed;
  double errors = 0;
  double errors_not_tolerated = 0;
  double not_timed = 0;
  for (const Outcome& outcome : outcomes) {
    if (!is_scored(outcome)) continue;
    const ErrorClass error = error_class(outcome, correctness);
    if (error != ErrorClass::kNone) {
      errors += 1;
      errors_not_tolerated += level < tolerated_from(error, options.interpretation);
    } else if (outcome.is_timed) {
      const double s = *outcome.speedup;
      timed.push_back(std::log(s) * (s < 1 ? options.slowdown_penalty + 1 : 1));
    } else {
      not_timed += 1;
    }
  }
  double sum = std::accumulate(timed.begin(), timed.end(), 0.0);
  if (not_timed > 0) sum += not_timed * sum / static_cast<double>(timed.size());  // 0/0 is not a number
  const double count = static_cast<double>(timed.size()) + not_timed + errors;
  const double log_base = std::log(options.failure_base);
  return {std::exp((sum + errors * log_base) / count), std::exp((sum + errors_not_tolerated * log_base) / count)};
}

void expect_equal(double aggregate, double by_sample) {
  if (std::isnan(by_sample)) {
    EXPECT_TRUE(std::isnan(aggregate));
    return;
  }
  EXPECT_NEAR(aggregate, by_sample, 1e-9 * std::max(1.0, by_sample));
}

double mean_of(const std::vector<Contribution>& contributions) {
  double sum = 0;
  for (const Contribution& each : contributions) sum += each.log_speedup;
  return std::exp(sum / static_cast<double>(contributions.size()));
}

TEST(ScoreProperty, AggregateAndPerSampleFormAgree) {
  RandomTables tables(1);
  for (int i = 0; i < kTables && !testing::Test::HasFailure(); ++i) {
    const std::vector<Outcome> table = tables.next();
    for (const ScoreOptions& options : all_options()) {
      for (const Score& score : score_series(table, options)) {
        const ScorePair by_sample = score_by_sample(table, score.level, options);
        expect_equal(score.speedup_score, by_sample.speedup_score);
        expect_equal(score.error_aware_score, by_sample.error_aware_score);
        expect_equal(mean_of(contributions(table, score.level, options)), by_sample.speedup_score);
      }
    }
  }
}

TEST(ScoreProperty, CountsAddUp) {
  RandomTables tables(2);
  for (int i = 0; i < kTables && !testing::Test::HasFailure(); ++i) {
    const std::vector<Outcome> table = tables.next();
    for (const Score& score : score_series(table, {})) {
      EXPECT_EQ(score.correct + score.errors[0] + score.errors[1] + score.errors[2], score.samples);
      EXPECT_EQ(score.samples + score.excluded + score.unavailable, static_cast<int>(table.size()));
      EXPECT_LE(score.slow, score.timed);
      EXPECT_LE(score.timed, score.correct);
    }
  }
}

TEST(ScoreProperty, ForgivingErrorsNeverLowersTheScore) {
  RandomTables tables(3);
  for (int i = 0; i < kTables && !testing::Test::HasFailure(); ++i) {
    const std::vector<Score> series = score_series(tables.next(), {});
    for (std::size_t k = 0; k < series.size(); ++k) {
      if (std::isnan(series[k].speedup_score)) continue;
      EXPECT_GE(series[k].error_aware_score, series[k].speedup_score * (1.0 - 1e-12));
      if (series[k].level <= kFreezeLevel) continue;
      EXPECT_GE(series[k].error_aware_score, series[k - 1].error_aware_score * (1.0 - 1e-12));
      EXPECT_DOUBLE_EQ(series[k].speedup_score, series[k - 1].speedup_score);
    }
  }
}

TEST(ScoreProperty, TheOrderOfSamplesDoesNotMatter) {
  RandomTables tables(4);
  for (int i = 0; i < kTables && !testing::Test::HasFailure(); ++i) {
    std::vector<Outcome> table = tables.next();
    const double score = score_at(table, 0, {}).speedup_score;
    std::ranges::reverse(table);
    expect_equal(score_at(table, 0, {}).speedup_score, score);
  }
}

}  // namespace
}  // namespace graphnet
