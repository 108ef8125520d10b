// Laws of the scores over thousands of random tables: above all that the aggregate form, which is what gets reported,
// and the per-sample form, which is what it means, give the same number.
#include <algorithm>
#include <array>
#include <cmath>
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
    std::array<double, 7> weights{};
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

void expect_equal(double aggregate, double by_sample) {
  EXPECT_NEAR(aggregate, by_sample, 1e-9 * std::max(1.0, by_sample));
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
      EXPECT_LE(score.slow, score.correct);
    }
  }
}

TEST(ScoreProperty, ForgivingErrorsNeverLowersTheScore) {
  RandomTables tables(3);
  for (int i = 0; i < kTables && !testing::Test::HasFailure(); ++i) {
    const std::vector<Score> series = score_series(tables.next(), {});
    for (std::size_t k = 0; k < series.size(); ++k) {
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
