#include "graphnet/score/autocorrelation.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "graphnet/score/significance.h"

namespace graphnet {
namespace {

// Values each of which takes over the share `correlation` of the one before it.
std::vector<double> series(std::size_t count, double correlation, std::mt19937_64& random) {
  std::normal_distribution<double> noise;
  double value = noise(random);
  std::vector<double> values(count);
  for (double& next : values) {
    value = correlation * value + std::sqrt(1 - correlation * correlation) * noise(random);
    next = value;
  }
  return values;
}

// How often in 1000 the interval around the centre of such a series misses 0.
int misses(std::size_t count, double correlation) {
  std::mt19937_64 random(11);
  int missed = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::vector<double> values = series(count, correlation, random);
    const auto interval = hodges_lehmann(values, 0.95, variance_inflation(values)).interval;
    missed += interval && (interval->low > 0 || interval->high < 0) ? 1 : 0;
  }
  return missed;
}

TEST(VarianceInflation, AlternatingValuesCountAsIndependent) {
  EXPECT_EQ(variance_inflation(std::vector<double>{1, 9, 2, 8, 3, 7, 4, 6, 1, 9, 2, 8, 3, 7, 4, 6}), 1.0);
}

TEST(VarianceInflation, EqualValuesCountAsIndependent) {
  EXPECT_EQ(variance_inflation(std::vector<double>(40, 2.5)), 1.0);
}

TEST(VarianceInflation, TooFewValuesCountAsIndependent) {
  EXPECT_EQ(variance_inflation(std::vector<double>{1, 2, 3, 4, 5}), 1.0);
}

// An autoregressive series of correlation r has (1 + r) / (1 - r) times the variance: 3 for r = 0.5.
TEST(VarianceInflation, IsThatOfAnAutoregressiveSeries) {
  std::mt19937_64 random(3);
  EXPECT_NEAR(variance_inflation(series(20'000, 0.5, random)), 3.0, 0.3);
  EXPECT_NEAR(variance_inflation(series(20'000, 0.0, random)), 1.0, 0.1);
}

TEST(VarianceInflation, KeepsTheConfidenceOfIntervalsOfIndependentValues) {
  EXPECT_LT(misses(25, 0), 60);
}

// Without it they would miss about 150 times.
TEST(VarianceInflation, KeepsTheConfidenceOfIntervalsOfCorrelatedValues) {
  EXPECT_LT(misses(60, 0.3), 90);
}

}  // namespace
}  // namespace graphnet
