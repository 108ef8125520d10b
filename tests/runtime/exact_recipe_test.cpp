#include "graphnet/runtime/exact_recipe.h"

#include <cmath>
#include <limits>
#include <string>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "graphnet/runtime/convert.h"
#include "graphnet/support/error.h"

#include "fixtures.h"

namespace graphnet {
namespace {

std::string recipe_text(const at::Tensor& tensor) {
  return to_string(exact_recipe(tensor).value());
}

TEST(ExactRecipe, IsAsShortAsTheContentsAllow) {
  EXPECT_EQ(recipe_text(at::full({2, 3}, 0.5)), "constant(0.5)");
  EXPECT_EQ(recipe_text(at::arange(10)), "arange(0,1)");
  EXPECT_EQ(recipe_text(at::tensor({1, 1, 1, 2})), "values(3*1,2)");
  EXPECT_EQ(recipe_text(at::arange(2).to(at::kBool)), "values(0,1)");
  EXPECT_EQ(recipe_text(at::empty({0})), "constant(0.0)");
}

TEST(ExactRecipe, TellsNegativeZeroFromZero) {
  EXPECT_EQ(recipe_text(at::tensor({0.0, -0.0})), "values(0.0,-0.0)");
}

TEST(ExactRecipe, StopsAtTheGivenNumberOfRuns) {
  EXPECT_FALSE(exact_recipe(at::tensor({1, 5, 2}), 2).has_value());
  EXPECT_TRUE(exact_recipe(at::tensor({1, 5, 2}), 3).has_value());
}

TEST(ExactRecipe, RefusesQuantizedTensors) {
  EXPECT_THROW(exact_recipe(at::quantize_per_tensor(at::ones({2}), 0.1, 0, at::kQInt8)), Error);
}

class ExactRecipeContents : public ::testing::TestWithParam<at::ScalarType> {};

TEST_P(ExactRecipeContents, ComeBackBitByBit) {
  const at::Tensor random =
      at::randn({4, 5}, at::dtype(c10::isComplexType(GetParam()) ? at::kComplexDouble : at::kDouble));
  for (const at::Tensor& values : {random * 10, at::arange(20).view({4, 5}).to(random.scalar_type()) * 0.1}) {
    const at::Tensor tensor = values.to(GetParam());
    const at::Tensor again = make_tensor(type_of(tensor), exact_recipe(tensor).value(), 0, 0, c10::kCPU);
    EXPECT_TRUE(testing::same_bits(again, tensor));
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, ExactRecipeContents,
                         ::testing::Values(at::kHalf, at::kBFloat16, at::kFloat, at::kDouble, at::kComplexFloat,
                                           at::kComplexDouble, at::kChar, at::kShort, at::kInt, at::kLong,
                                           at::kFloat8_e4m3fn),
                         [](const auto& dtype) { return std::string(c10::toString(dtype.param)); });

}  // namespace
}  // namespace graphnet
