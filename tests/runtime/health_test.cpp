#include "graphnet/runtime/health.h"

#include <limits>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphnet {
namespace {

using testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Health, MeanAndDeviationAreThoseOfThePopulation) {
  const OutputHealth health = health_of(at::tensor({2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}));
  EXPECT_DOUBLE_EQ(health.mean, 5);
  EXPECT_DOUBLE_EQ(health.deviation, 2);
  EXPECT_TRUE(health.finite);
  EXPECT_FALSE(health.constant);
}

// More elements than are converted at once, and a mean that would swallow the deviation in single precision.
TEST(Health, LargeTensorsKeepTheirDeviation) {
  const at::Tensor output = at::arange(3'000'000, at::kDouble).remainder(2).add(1e6);
  const OutputHealth health = health_of(output);
  EXPECT_NEAR(health.mean, 1e6 + 0.5, 1e-9);
  EXPECT_NEAR(health.deviation, 0.5, 1e-9);
}

TEST(Health, NonFiniteElementsAreLeftOutOfTheMoments) {
  const OutputHealth health = health_of(at::tensor({1.0F, 3.0F, -kInfinity}));
  EXPECT_FALSE(health.finite);
  EXPECT_DOUBLE_EQ(health.mean, 2);
  EXPECT_DOUBLE_EQ(health.deviation, 1);
}

TEST(Health, EqualElementsAreConstantUnlessThereIsOnlyOne) {
  EXPECT_TRUE(health_of(at::ones({3}, at::kHalf)).constant);
  EXPECT_TRUE(health_of(at::zeros({3}, at::kLong)).constant);
  EXPECT_FALSE(health_of(at::ones({1})).constant);
  EXPECT_FALSE(health_of(at::tensor({1.0, 1.0, 2.0})).constant);
}

TEST(Health, ComplexOutputsCountBothParts) {
  const at::Tensor output = at::complex(at::tensor({1.0, 1.0}), at::tensor({3.0, 3.0}));
  EXPECT_DOUBLE_EQ(health_of(output).mean, 2);
  EXPECT_DOUBLE_EQ(health_of(output).deviation, 1);
}

TEST(DegenerateReason, NormalOutputsAreHealthy) {
  at::manual_seed(0);
  EXPECT_EQ(degenerate_reason({at::randn({100}), at::arange(5)}), "");
}

TEST(DegenerateReason, FadedAndExplodedOutputsAreNot) {
  EXPECT_THAT(degenerate_reason({at::randn({100}) * 1e-11}), HasSubstr("no floating output has a standard deviation"));
  EXPECT_THAT(degenerate_reason({at::randn({100}) * 1e5}), HasSubstr("no floating output has a standard deviation"));
}

TEST(DegenerateReason, OneSaneOutputIsEnough) {
  EXPECT_EQ(degenerate_reason({at::randn({100}), at::randn({100}) * 1e-11}), "");
}

TEST(DegenerateReason, AnOutputThatIsNotFiniteIsNamedUnlessExpected) {
  const std::vector<at::Tensor> outputs = {at::randn({3}), at::tensor({1.0F, 2.0F, kInfinity})};
  EXPECT_EQ(degenerate_reason(outputs), "output 1 is not finite");
  EXPECT_EQ(degenerate_reason(outputs, /*finite_expected=*/false), "");
}

TEST(DegenerateReason, ConstantOutputsAre) {
  EXPECT_EQ(degenerate_reason({at::zeros({4}), at::ones({4}, at::kLong)}), "all outputs are constant");
}

TEST(DegenerateReason, IntegerOutputsThatVaryAreHealthy) {
  EXPECT_EQ(degenerate_reason({at::arange(5)}), "");
}

TEST(DegenerateReason, ASingleNumberIsJudgedByItsSize) {
  EXPECT_EQ(degenerate_reason({at::full({}, 0.7)}), "");
  EXPECT_NE(degenerate_reason({at::full({}, 1e-12)}), "");
}

}  // namespace
}  // namespace graphnet
