#include <limits>

#include <gtest/gtest.h>

#include "graphnet/sample/infer_recipe.h"

#include "drawing.h"

namespace graphnet {
namespace {

using fixtures::draw_bytes;

std::string infer(const TensorStatistics& statistics, Dtype dtype = Dtype::kFloat32) {
  return to_string(recipe_from_statistics(statistics, dtype));
}

// The recipe inferred from what a recipe drew.
Recipe infer_again(std::string_view recipe, Dtype dtype, std::int64_t count = 100'000) {
  return recipe_from_statistics(measure(draw_bytes(recipe, dtype, count), dtype), dtype);
}

TEST(InferDistribution, RoundsToSixDigits) {
  EXPECT_EQ(infer({100, 0.0012345678, 0.0212345678, -1, 1, true}), "normal(0.00123457,0.0212346)");
}

TEST(InferDistribution, ClampsNormalsThatWouldReachTooFar) {
  EXPECT_EQ(infer({1000, 1, 0.5, 0.01, 9, true}), "normal(1.0,0.5,0.01,9.0)");
  EXPECT_EQ(infer({1000, 1, 0.5, -9, 1.5, true}), "normal(1.0,0.5,-9.0,1.5)");
}

TEST(InferDistribution, RecognizesUniformContents) {
  const auto recipe = std::get<UniformRecipe>(infer_again("uniform(-0.05,0.05)", Dtype::kFloat32));
  EXPECT_NEAR(recipe.low, -0.05, 1e-5);
  EXPECT_NEAR(recipe.high, 0.05, 1e-5);
}

TEST(InferDistribution, RecognizesNormalContents) {
  const auto recipe = std::get<NormalRecipe>(infer_again("normal(0.5,0.02)", Dtype::kFloat32));
  EXPECT_NEAR(recipe.mean, 0.5, 3e-4);
  EXPECT_NEAR(recipe.deviation, 0.02, 3e-4);
}

TEST(InferDistribution, TakesTwoHeapsForNoUniformContents) {
  EXPECT_TRUE(std::holds_alternative<NormalRecipe>(recipe_from_statistics({1000, 0, 1, -1, 1, true}, Dtype::kFloat32)));
}

TEST(InferDistribution, FindsConstants) {
  EXPECT_EQ(infer({10, 0.1F, 0, 0.1F, 0.1F, true}), "constant(0.1)");
  EXPECT_EQ(infer({0, 0, 0, 0, 0, false}), "constant(0.0)");
}

TEST(InferDistribution, TakesTheRangeOfIntegers) {
  EXPECT_EQ(infer({10, 5, 2, -3, 30521, true}, Dtype::kInt64), "range(-3,30522)");
  EXPECT_EQ(infer({10, 5, 2, 0, 255, true}, Dtype::kUint8), "range(0,256)");
}

TEST(InferDistribution, KeepsRangesWithinInt64) {
  const double most = 0x1p63;
  EXPECT_EQ(infer({2, 0, 1, -most, most, true}, Dtype::kInt64), "range(-9223372036854775808,9223372036854775807)");
  EXPECT_EQ(infer({2, 0, 0, most, most, true}, Dtype::kInt64), "range(9223372036854775806,9223372036854775807)");
}

TEST(InferDistribution, TakesTheShareOfTrue) {
  EXPECT_EQ(infer({10, 0.3, 0.4, 0, 1, true}, Dtype::kBool), "bernoulli(0.3)");
}

TEST(InferDistribution, AlwaysGivesARecipeThatCanBeDrawn) {
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat32, Dtype::kFloat64, Dtype::kComplex64}) {
    for (const TensorStatistics& statistics :
         {TensorStatistics{100, 1000.0001, 2e-5, 1000.0000654, 1000.0001346, true},
          TensorStatistics{2, 0, std::numeric_limits<double>::infinity(), -1e200, 1e200, true},
          TensorStatistics{2, 0, 0, -5e-324, 5e-324, true}, TensorStatistics{100, 0, 1.0, -1.74, 1.74, true}}) {
      const Recipe recipe = recipe_from_statistics(statistics, dtype);
      EXPECT_NO_THROW(draw_bytes(to_string(recipe), dtype, 10)) << to_string(recipe);
    }
  }
}

}  // namespace
}  // namespace graphnet
