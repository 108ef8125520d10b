#include "graphnet/score/score.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "graphnet/support/error.h"

#include "outcomes.h"

namespace graphnet {
namespace {

using test::correct;
using test::excluded;
using test::failed;
using test::not_timed;
using test::unavailable;
using test::wrong;

const ScoreOptions kDefaults;

ScoreOptions with_penalty(double penalty) {
  ScoreOptions options;
  options.slowdown_penalty = penalty;
  return options;
}

// One sample of each error class beside a correct one.
std::vector<Outcome> one_of_each() {
  return {correct(2.0), wrong(), failed(Stage::kRun), failed(Stage::kCompile)};
}

double error_aware_at(int level, Interpretation interpretation = Interpretation::kDefinition) {
  ScoreOptions options;
  options.interpretation = interpretation;
  return score_at(one_of_each(), level, options).error_aware_score;
}

struct PublishedScore {
  int level;
  Aggregates aggregates;
  double base;  // b, or gamma where the row is an error-aware score
  double score;
};

TEST(AggregateScore, ReproducesThePublishedRows) {
  // Inputs are printed to three decimals, so the last one of the result is uncertain.
  constexpr PublishedScore kRows[] = {
      {0, {.alpha = 1.028, .beta = 0.815, .lambda = 0.887, .eta = 0.473}, 0.1, 0.790},
      {3, {.alpha = 1.363, .beta = 0.818, .lambda = 0.977, .eta = 0.044}, 1.0, 1.353},
  };
  for (const PublishedScore& row : kRows) {
    EXPECT_NEAR(aggregate_score(row.aggregates, row.base, 0.0), row.score, 1e-3) << "t = " << row.level;
  }
}

TEST(AggregateScore, StaysFiniteWhereTheProductOfSpeedupsWouldOverflow) {
  const std::vector<Outcome> table(50, correct(1e300));
  EXPECT_NEAR(score_at(table, 0, kDefaults).speedup_score / 1e300, 1.0, 1e-9);
}

TEST(Score, IsTheGeometricMeanWhereAllIsCorrectAndFaster) {
  const std::vector<Outcome> table{correct(2.0), correct(8.0)};
  EXPECT_NEAR(score_at(table, 0, kDefaults).speedup_score, 4.0, 1e-12);
}

TEST(Score, CountsAFailureAsASlowdownToTheBase) {
  const std::vector<Outcome> table{correct(10.0), failed(Stage::kCompile)};
  EXPECT_NEAR(score_at(table, 0, kDefaults).speedup_score, 1.0, 1e-12);
}

TEST(Score, TakesTheBaseFromTheOptions) {
  ScoreOptions options;
  options.failure_base = 0.25;
  const std::vector<Outcome> table{correct(1.0), wrong()};
  EXPECT_NEAR(score_at(table, 0, options).speedup_score, 0.5, 1e-12);
}

TEST(Score, WeighsSlowdownsByThePenalty) {
  const std::vector<Outcome> table{correct(0.25), correct(4.0)};
  EXPECT_NEAR(score_at(table, 0, with_penalty(0.0)).speedup_score, 1.0, 1e-12);
  EXPECT_NEAR(score_at(table, 0, with_penalty(1.0)).speedup_score, 0.5, 1e-12);  // sqrt(0.25^2 * 4)
}

TEST(Score, DoesNotCallASpeedupOfOneSlow) {
  const Score score = score_at(std::vector<Outcome>{correct(1.0)}, 0, with_penalty(5.0));
  EXPECT_EQ(score.slow, 0);
  EXPECT_DOUBLE_EQ(score.speedup_score, 1.0);
}

TEST(Score, ReportsTheIntermediates) {
  const std::vector<Outcome> table{correct(4.0), correct(0.25), correct(0.5, 1), wrong(), failed(Stage::kRun)};
  const Score score = score_at(table, 0, kDefaults);
  EXPECT_EQ(score.samples, 5);
  EXPECT_EQ(score.correct, 2);
  EXPECT_EQ(score.slow, 1);
  EXPECT_NEAR(score.aggregates.alpha, 1.0, 1e-12);
  EXPECT_NEAR(score.aggregates.beta, 0.25, 1e-12);
  EXPECT_DOUBLE_EQ(score.aggregates.lambda, 0.4);
  EXPECT_DOUBLE_EQ(score.aggregates.eta, 0.5);
  EXPECT_EQ(score.errors, (std::array<int, 3>{2, 1, 0}));
  EXPECT_DOUBLE_EQ(score.error_share[0], 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(score.error_share[1], 1.0 / 3.0);
}

TEST(Score, CountsExcludedAndUnavailableButLeavesThemOut) {
  const std::vector<Outcome> table{correct(3.0), excluded(), excluded(), unavailable()};
  const Score score = score_at(table, 0, kDefaults);
  EXPECT_EQ(score.samples, 1);
  EXPECT_EQ(score.excluded, 2);
  EXPECT_EQ(score.unavailable, 1);
  EXPECT_NEAR(score.speedup_score, 3.0, 1e-12);
}

TEST(Score, IsNotANumberWithoutSamples) {
  const Score score = score_at(std::vector<Outcome>{excluded()}, 0, kDefaults);
  EXPECT_EQ(score.samples, 0);
  EXPECT_TRUE(std::isnan(score.speedup_score));
  EXPECT_TRUE(std::isnan(score.error_aware_score));
}

TEST(Score, KeepsSamplesInWhoseSpeedupIsNotTrusted) {
  std::vector<Outcome> table(6, not_timed());
  table.insert(table.end(), {correct(2.0), correct(0.5), failed(Stage::kCompile), failed(Stage::kRun)});
  const Score score = score_at(table, 0, with_penalty(1.0));
  EXPECT_EQ(score.samples, 10);
  EXPECT_EQ(score.correct, 8);
  EXPECT_EQ(score.timed, 2);
  EXPECT_DOUBLE_EQ(score.aggregates.lambda, 0.8);
  EXPECT_DOUBLE_EQ(score.aggregates.alpha, 1.0);
  EXPECT_DOUBLE_EQ(score.aggregates.eta, 0.5);
  // As with four times the timed ones: (2 * 0.5^2)^4 * 0.1^2 over ten samples.
  EXPECT_NEAR(score.speedup_score, std::pow(std::pow(0.5, 4) * 0.01, 0.1), 1e-12);
}

TEST(Score, IsNotANumberWhereNoCorrectSampleIsTimed) {
  const std::vector<Outcome> table{not_timed(33.0, 0), failed(Stage::kRun)};
  EXPECT_TRUE(std::isnan(score_at(table, 0, kDefaults).speedup_score));
  EXPECT_TRUE(std::isnan(score_at(table, 0, kDefaults).error_aware_score));
  EXPECT_NEAR(score_at(table, -1, kDefaults).speedup_score, 0.1, 1e-12) << "nothing is correct there";
}

TEST(Score, IsTheBaseWhereEverythingFailed) {
  const std::vector<Outcome> table{failed(Stage::kCompile), failed(Stage::kRun), wrong()};
  const Score score = score_at(table, 0, with_penalty(1.0));
  EXPECT_EQ(score.aggregates.lambda, 0.0);
  EXPECT_DOUBLE_EQ(score.aggregates.alpha, 1.0);
  EXPECT_DOUBLE_EQ(score.aggregates.beta, 1.0);
  EXPECT_NEAR(score.speedup_score, 0.1, 1e-12);
}

TEST(Score, OfASingleSampleIsItsSpeedupOrTheBase) {
  const std::vector<Outcome> table{correct(1.5, -2)};
  EXPECT_NEAR(score_at(table, -3, kDefaults).speedup_score, 0.1, 1e-12);
  EXPECT_NEAR(score_at(table, -2, kDefaults).speedup_score, 1.5, 1e-12);
}

TEST(Score, FreezesCorrectnessAtLevelOne) {
  const std::vector<Outcome> table{correct(2.0), correct(2.0, 2)};
  const Score at_four = score_at(table, 4, kDefaults);
  EXPECT_EQ(at_four.correct, 1);
  EXPECT_DOUBLE_EQ(at_four.speedup_score, score_at(table, 1, kDefaults).speedup_score);
}

TEST(ErrorAwareScore, EqualsTheSpeedupScoreBelowLevelOne) {
  for (int level = kStrictestScoreLevel; level < 1; ++level) {
    const Score score = score_at(one_of_each(), level, kDefaults);
    EXPECT_DOUBLE_EQ(score.gamma, 0.1);
    EXPECT_DOUBLE_EQ(score.error_aware_score, score.speedup_score);
  }
}

TEST(ErrorAwareScore, ForgivesOneClassAfterTheOther) {
  EXPECT_NEAR(error_aware_at(0), std::pow(2.0 * 1e-3, 0.25), 1e-12);
  EXPECT_NEAR(error_aware_at(1), std::pow(2.0 * 1e-2, 0.25), 1e-12);
  EXPECT_NEAR(error_aware_at(2), std::pow(2.0 * 1e-1, 0.25), 1e-12);
  EXPECT_NEAR(error_aware_at(3), std::pow(2.0, 0.25), 1e-12);
  EXPECT_NEAR(error_aware_at(4), std::pow(2.0, 0.25), 1e-12);
}

TEST(ErrorAwareScore, AsPublishedForgivesRuntimeErrorsOneLevelLater) {
  constexpr Interpretation kPublished = Interpretation::kPublished;
  EXPECT_NEAR(error_aware_at(1, kPublished), error_aware_at(1), 1e-12);
  EXPECT_NEAR(error_aware_at(2, kPublished), std::pow(2.0 * 1e-2, 0.25), 1e-12);
  EXPECT_NEAR(error_aware_at(3, kPublished), error_aware_at(3), 1e-12);
}

TEST(ErrorAwareScore, HasNoGammaToApplyWithoutErrors) {
  const Score score = score_at(std::vector<Outcome>{correct(2.0)}, 0, kDefaults);
  EXPECT_DOUBLE_EQ(score.gamma, 1.0);
  EXPECT_NEAR(score.error_aware_score, 2.0, 1e-12);
}

TEST(ScoreSeries, CoversEveryScoreLevelInOrder) {
  const std::vector<Score> series = score_series(one_of_each(), kDefaults);
  ASSERT_EQ(series.size(), 15u);
  EXPECT_EQ(series.front().level, -10);
  EXPECT_EQ(series.back().level, 4);
  EXPECT_DOUBLE_EQ(series[12].error_aware_score, error_aware_at(2));
}

TEST(Contributions, LeaveOutWhatIsNotScored) {
  const std::vector<Outcome> table{excluded(), correct(2.0), unavailable(), wrong()};
  const std::vector<Contribution> samples = contributions(table, 1, kDefaults);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_DOUBLE_EQ(samples[0].log_speedup, std::log(2.0));
  EXPECT_DOUBLE_EQ(samples[1].log_speedup, std::log(0.1));
  EXPECT_DOUBLE_EQ(samples[1].log_error_aware, 0.0);
}

TEST(Score, RejectsLevelsThatAreNoScoreLevels) {
  EXPECT_THROW(score_at({}, kStrictestScoreLevel - 1, kDefaults), Error);
  EXPECT_THROW(score_at({}, kLoosestLevel, kDefaults), Error);
}

TEST(Score, RejectsTheOutcomesOfTwoCompilersAtOnce) {
  std::vector<Outcome> table{correct(2.0), correct(2.0)};
  table[1].compiler = "torchscript";
  EXPECT_THROW(score_at(table, 0, kDefaults), Error);
}

TEST(Score, RejectsOutcomesThatCannotBeScored) {
  EXPECT_THROW(score_at(std::vector<Outcome>{correct(0.0)}, 0, kDefaults), Error);
}

TEST(ScoreOptions, RejectValuesOutsideTheirRanges) {
  for (const double base : {0.0, -0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    ScoreOptions options;
    options.failure_base = base;
    EXPECT_THROW(check_options(options), Error) << "b = " << base;
  }
  for (const double penalty : {-0.1, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(check_options(with_penalty(penalty)), Error) << "p = " << penalty;
  }
}

TEST(Interpretation, NamesLeadBackToTheirValues) {
  EXPECT_EQ(parse_interpretation("definition"), Interpretation::kDefinition);
  EXPECT_EQ(parse_interpretation("published"), Interpretation::kPublished);
  EXPECT_EQ(parse_interpretation("Published"), std::nullopt);
  EXPECT_EQ(interpretation_name(Interpretation::kPublished), "published");
}

TEST(FastShare, CountsCorrectSamplesThatAreFasterThanP) {
  const std::vector<Outcome> outcomes{correct(0.7),    correct(1.0),        correct(1.5),
                                      correct(3.0, 1), failed(Stage::kRun), excluded()};
  EXPECT_DOUBLE_EQ(fast_share(outcomes, 0, 0.0), 3.0 / 5);
  EXPECT_DOUBLE_EQ(fast_share(outcomes, 0, 0.8), 2.0 / 5);
  EXPECT_DOUBLE_EQ(fast_share(outcomes, 0, 1.0), 1.0 / 5) << "as fast as the reference is not faster";
  EXPECT_DOUBLE_EQ(fast_share(outcomes, 4, 2.0), 1.0 / 5) << "correct from t = 1 on";
  EXPECT_TRUE(std::isnan(fast_share({}, 0, 0.0)));
}

TEST(FastShare, IsThatOfTimedSamplesForThresholdsAboveZero) {
  const std::vector<Outcome> outcomes{correct(0.7), correct(1.5), not_timed(9.0), not_timed(9.0), failed(Stage::kRun)};
  EXPECT_DOUBLE_EQ(fast_share(outcomes, 0, 0.0), 0.8);
  EXPECT_DOUBLE_EQ(fast_share(outcomes, 0, 1.0), 0.8 * 0.5);
  const std::vector<Outcome> none{not_timed(9.0), failed(Stage::kRun)};
  EXPECT_DOUBLE_EQ(fast_share(none, 0, 0.0), 0.5);
  EXPECT_TRUE(std::isnan(fast_share(none, 0, 1.0)));
}

}  // namespace
}  // namespace graphnet
