#include "graphnet/score/statistics.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

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

}  // namespace
}  // namespace graphnet
