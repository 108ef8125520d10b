// Rank tests against values computed with SciPy 1.17 (the function is named at each), and against their definitions.

#include "graphnet/score/significance.h"

#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

const std::vector<double> kTen{0.031, -0.012, 0.054, 0.022, -0.007, 0.041, 0.063, 0.018, -0.026, 0.035};

std::vector<double> sixty() {
  std::vector<double> values;
  for (int i = 0; i < 60; ++i) values.push_back((i * 37 % 101 - 45) * (1 + i / 1000.0));
  return values;
}

TEST(WilcoxonSignedRank, IsExactForFewDifferences) {
  // scipy.stats.wilcoxon(x)
  const SignedRankTest test = wilcoxon_signed_rank(kTen);
  EXPECT_EQ(test.count, 10U);
  EXPECT_DOUBLE_EQ(test.positive_ranks, 47.0);
  EXPECT_DOUBLE_EQ(test.p_value, 0.048828125);
}

TEST(WilcoxonSignedRank, CorrectsForTiesAndLeavesZerosOut) {
  // scipy.stats.wilcoxon(x, method="asymptotic")
  const std::vector<double> tied{0.02, -0.01, 0.03, 0.02, -0.02, 0.0, 0.05, 0.01, 0.04, 0.02, -0.03, 0.06};
  const SignedRankTest test = wilcoxon_signed_rank(tied);
  EXPECT_EQ(test.count, 11U);
  EXPECT_NEAR(test.p_value, 0.08113589702211402, 1e-12);
}

TEST(WilcoxonSignedRank, UsesTheNormalApproximationForMany) {
  // scipy.stats.wilcoxon(x)
  EXPECT_NEAR(wilcoxon_signed_rank(sixty()).p_value, 0.25079931925595766, 1e-12);
}

TEST(WilcoxonSignedRank, SaysNothingAboutNoDifference) {
  EXPECT_EQ(wilcoxon_signed_rank({}).p_value, 1.0);
  EXPECT_EQ(wilcoxon_signed_rank(std::vector<double>{0.0, 0.0}).p_value, 1.0);
}

TEST(WilcoxonSignedRank, RejectsOneInTwentyWhereNothingIsThere) {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal(0.0, 1.0);
  constexpr int kRuns = 2000;
  int rejected = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> values(30);
    for (double& value : values) value = normal(engine);
    rejected += wilcoxon_signed_rank(values).p_value < 0.05;
  }
  EXPECT_NEAR(static_cast<double>(rejected) / kRuns, 0.05, 0.02);  // four standard errors
}

TEST(HodgesLehmann, HasTheIntervalThatTheTestWouldNotReject) {
  // Median, 9th smallest and 9th largest of the 55 pair means, enumerated with NumPy; 9 is R's qsignrank(0.025, 10).
  const ShiftEstimate estimate = hodges_lehmann(kTen);
  EXPECT_NEAR(estimate.centre, 0.0235, 1e-12);
  EXPECT_NEAR(estimate.interval->low, 0.0025, 1e-12);
  EXPECT_NEAR(estimate.interval->high, 0.0425, 1e-12);
  EXPECT_DOUBLE_EQ(estimate.interval->confidence, 0.951171875);
}

TEST(HodgesLehmann, HoldsForManyValues) {
  // Median, 648th smallest and largest of the 1830 pair means, enumerated with NumPy.
  const ShiftEstimate estimate = hodges_lehmann(sixty());
  EXPECT_NEAR(estimate.centre, 4.67025, 1e-9);
  EXPECT_NEAR(estimate.interval->low, -3.612, 1e-9);
  EXPECT_NEAR(estimate.interval->high, 13.0405, 1e-9);
}

TEST(HodgesLehmann, TakesSixValuesForAnInterval) {
  const std::vector<double> five{1.0, 2.0, 3.0, 4.0, 5.0};
  EXPECT_EQ(hodges_lehmann(five).interval, std::nullopt);
  const std::vector<double> six{1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  EXPECT_EQ(hodges_lehmann(six).interval, (Interval{1.0, 6.0, 0.96875}));
  EXPECT_THROW(hodges_lehmann({}), Error);
}

TEST(HodgesLehmann, HasNoIntervalWhereItWouldHaveToBeWiderThanAllValues) {
  const ShiftEstimate independent = hodges_lehmann(sixty(), 0.95);
  EXPECT_TRUE(independent.interval);
  const ShiftEstimate related = hodges_lehmann(sixty(), 0.95, 40.0);
  EXPECT_EQ(related.interval, std::nullopt);
  EXPECT_EQ(related.centre, independent.centre);
}

TEST(SignTest, IsExact) {
  // scipy.stats.binomtest(first, first + second).pvalue
  EXPECT_NEAR(sign_test(3, 9), 0.14599609375, 1e-12);
  EXPECT_NEAR(sign_test(8, 1), 0.0390625, 1e-12);
  EXPECT_DOUBLE_EQ(sign_test(5, 5), 1.0);
  EXPECT_DOUBLE_EQ(sign_test(0, 0), 1.0);
}

TEST(BenjaminiHochberg, AdjustsInTheGivenOrder) {
  // scipy.stats.false_discovery_control(p)
  const std::vector<double> sorted{0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216};
  const auto near = [](double value) { return DoubleNear(value, 1e-12); };
  EXPECT_THAT(benjamini_hochberg(sorted),
              ElementsAre(near(0.01), near(0.04), near(0.084), near(0.084), near(0.084), near(0.1),
                          near(0.1057142857142857), near(0.216), near(0.216), near(0.216)));
  const std::vector<double> mixed{0.5, 0.01, 0.03, 0.02, 0.04};
  EXPECT_THAT(benjamini_hochberg(mixed), ElementsAre(near(0.5), near(0.05), near(0.05), near(0.05), near(0.05)));
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

TEST(RankTests, RejectValuesThatAreNotFinite) {
  const std::vector<double> bad{1.0, std::nan("")};
  EXPECT_THROW(wilcoxon_signed_rank(bad), Error);
  EXPECT_THROW(hodges_lehmann(bad), Error);
}

}  // namespace
}  // namespace graphnet
