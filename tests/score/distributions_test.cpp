#include "graphnet/score/distributions.h"

#include <gtest/gtest.h>

namespace graphnet {
namespace {

TEST(NormalDistribution, HasItsQuantiles) {
  // scipy.stats.norm.ppf(0.975) and norm.ppf(0.995)
  EXPECT_NEAR(two_sided_normal_quantile(0.95), 1.959963984540054, 1e-9);
  EXPECT_NEAR(two_sided_normal_quantile(0.99), 2.5758293035489004, 1e-9);
  EXPECT_NEAR(two_sided_normal_p(-1.959963984540054), 0.05, 1e-12);
}

TEST(StudentDistribution, HasItsQuantilesForEvenAndOddDegrees) {
  // Tables of t(0.975): Abramowitz and Stegun, 26.10
  EXPECT_NEAR(two_sided_student_quantile(0.95, 1), 12.706, 1e-3);
  EXPECT_NEAR(two_sided_student_quantile(0.95, 2), 4.303, 1e-3);
  EXPECT_NEAR(two_sided_student_quantile(0.95, 5), 2.571, 1e-3);
  EXPECT_NEAR(two_sided_student_quantile(0.95, 10), 2.228, 1e-3);
  EXPECT_NEAR(two_sided_student_quantile(0.95, 29), 2.045, 1e-3);
}

TEST(StudentDistribution, BecomesTheNormalOne) {
  EXPECT_NEAR(two_sided_student_quantile(0.95, 100'000), two_sided_normal_quantile(0.95), 1e-4);
}

}  // namespace
}  // namespace graphnet
