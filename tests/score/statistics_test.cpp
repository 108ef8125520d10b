#include "graphnet/score/statistics.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

std::vector<double> one_to(int count) {
  std::vector<double> values;
  for (int value = 1; value <= count; ++value) values.push_back(value);
  return values;
}

TEST(Median, IsTheMiddleValueWhateverTheOrder) {
  EXPECT_DOUBLE_EQ(median(std::vector<double>{9.0, 1.0, 4.0}), 4.0);
}

TEST(Median, IsHalfWayBetweenTheTwoMiddleValues) {
  EXPECT_DOUBLE_EQ(median(std::vector<double>{8.0, 1.0, 4.0, 2.0}), 3.0);
}

TEST(Quantile, IsLinearBetweenNeighbours) {
  const std::vector<double> values{10.0, 20.0, 30.0, 40.0};
  EXPECT_DOUBLE_EQ(quantile(values, 0.0), 10.0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(quantile(values, 1.0), 40.0);
}

TEST(Quantile, OfOneValueIsThatValue) {
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{7.0}, 0.9), 7.0);
}

TEST(Quantile, KeepsAnInfiniteNeighbourOut) {
  const std::vector<double> values{1.0, 2.0, std::numeric_limits<double>::infinity()};
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 2.0);
}

TEST(Statistics, RejectNoValuesAndValuesThatAreNoNumbers) {
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(median({}), Error);
  EXPECT_THROW(geometric_mean({}), Error);
  EXPECT_THROW(median_interval({}), Error);
  EXPECT_THROW(median(std::vector<double>{1.0, not_a_number}), Error);
  EXPECT_THROW(quantile(std::vector<double>{1.0}, 1.1), Error);
}

TEST(GeometricMean, IsTheRootOfTheProduct) {
  EXPECT_NEAR(geometric_mean(std::vector<double>{1.0, 8.0, 27.0}), 6.0, 1e-12);
}

TEST(GeometricMean, DoesNotOverflow) {
  EXPECT_NEAR(geometric_mean(std::vector<double>{1e300, 1e300, 1e300}) / 1e300, 1.0, 1e-9);
}

TEST(GeometricMean, RejectsValuesThatAreNotPositive) {
  EXPECT_THROW(geometric_mean(std::vector<double>{1.0, 0.0}), Error);
  EXPECT_THROW(geometric_mean(std::vector<double>{1.0, -2.0}), Error);
}

TEST(MedianInterval, TakesAtLeastSixValuesForNinetyFivePercent) {
  EXPECT_EQ(median_interval(one_to(5)), std::nullopt);
  EXPECT_EQ(median_interval(one_to(6)), (Interval{1.0, 6.0, 0.96875}));  // 1 - 2/2^6
}

TEST(MedianInterval, HasTheTextbookRanks) {
  // Ranks of the 95 % interval of the sign test for n = 10, 20 and 30, as tabulated.
  const std::optional<Interval> of_ten = median_interval(one_to(10));
  EXPECT_DOUBLE_EQ(of_ten->low, 2.0);
  EXPECT_DOUBLE_EQ(of_ten->high, 9.0);
  EXPECT_NEAR(of_ten->confidence, 0.9785, 5e-5);
  const std::optional<Interval> of_twenty = median_interval(one_to(20));
  EXPECT_DOUBLE_EQ(of_twenty->low, 6.0);
  EXPECT_DOUBLE_EQ(of_twenty->high, 15.0);
  EXPECT_NEAR(of_twenty->confidence, 0.9586, 5e-5);
  const std::optional<Interval> of_thirty = median_interval(one_to(30));
  EXPECT_DOUBLE_EQ(of_thirty->low, 10.0);
  EXPECT_DOUBLE_EQ(of_thirty->high, 21.0);
  EXPECT_NEAR(of_thirty->confidence, 0.9572, 5e-5);
}

TEST(MedianInterval, HoldsForThousandsOfValues) {
  // 2^-n underflows here; the normal approximation of the rank is n/2 - 1.96 * sqrt(n)/2.
  const std::optional<Interval> interval = median_interval(one_to(10000));
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 4902.0, 1.0);
  EXPECT_NEAR(interval->confidence, 0.95, 0.002);
}

TEST(MedianInterval, CoversTheMedianAsOftenAsItSays) {
  std::mt19937_64 engine(5);
  std::lognormal_distribution<double> skewed(0.0, 1.0);  // median 1
  constexpr int kRuns = 4000;
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> values(20);
    for (double& value : values) value = skewed(engine);
    const std::optional<Interval> interval = median_interval(values);
    covered += interval->low <= 1.0 && 1.0 <= interval->high;
  }
  EXPECT_NEAR(static_cast<double>(covered) / kRuns, 0.9586, 0.012);  // four standard errors
}

TEST(MedianInterval, RejectsAConfidenceOutsideItsRange) {
  EXPECT_THROW(median_interval(one_to(10), 0.0), Error);
  EXPECT_THROW(median_interval(one_to(10), 1.0), Error);
}

}  // namespace
}  // namespace graphnet
