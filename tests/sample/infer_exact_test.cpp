#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "graphnet/sample/infer_recipe.h"

#include "drawing.h"

namespace graphnet {
namespace {

using fixtures::bytes_of;
using fixtures::draw_bytes;

template <class Element>
std::string infer(const std::vector<Element>& elements, Dtype dtype, std::size_t limit = kExactRecipeLimit) {
  const std::optional<Recipe> recipe = infer_exact(bytes_of(elements), dtype, limit);
  return recipe ? to_string(*recipe) : "nothing";
}

TEST(InferExact, FindsConstants) {
  EXPECT_EQ(infer(std::vector<float>{1, 1, 1}, Dtype::kFloat32), "constant(1.0)");
  EXPECT_EQ(infer(std::vector<std::int64_t>{-4}, Dtype::kInt64), "constant(-4)");
  EXPECT_EQ(infer(std::vector<std::uint8_t>(5000, 1), Dtype::kBool), "constant(1)");
}

TEST(InferExact, FindsConstantsThatAreComplex) {
  EXPECT_EQ(infer(std::vector<float>{2, 0, 2, 0}, Dtype::kComplex64), "constant(2.0)");
  EXPECT_EQ(infer(std::vector<float>{2, 1, 2, 1}, Dtype::kComplex64), "values(2.0,1.0,2.0,1.0)");
}

TEST(InferExact, FindsAranges) {
  std::vector<std::int64_t> positions(512);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::int64_t>(i);
  EXPECT_EQ(infer(positions, Dtype::kInt64), "arange(0,1)");
}

TEST(InferExact, FindsArangesOfReals) {
  std::vector<float> tenths(100);
  for (std::size_t i = 0; i < tenths.size(); ++i) tenths[i] = static_cast<float>(0.5 + static_cast<double>(i) * 0.1);
  EXPECT_EQ(infer(tenths, Dtype::kFloat32), "arange(0.5,0.1)");
}

TEST(InferExact, TakesTheShorterOfArangeAndValues) {
  EXPECT_EQ(infer(std::vector<std::int64_t>{-1000, 1, 1002}, Dtype::kInt64), "arange(-1000,1001)");
  EXPECT_EQ(infer(std::vector<std::int64_t>{-100, 0, 100}, Dtype::kInt64), "arange(-100,100)");
  EXPECT_EQ(infer(std::vector<double>{0.5, 0.75, 1}, Dtype::kFloat64), "arange(0.5,0.25)");
  EXPECT_EQ(infer(std::vector<double>{1e22, 0, -1e22}, Dtype::kFloat64), "arange(1e+22,-1e+22)");
  EXPECT_EQ(infer(std::vector<double>{1e22, 1, -1e22}, Dtype::kFloat64), "values(1e+22,1.0,-1e+22)");
}

TEST(InferExact, TakesTwoNumbersAsValues) {
  EXPECT_EQ(infer(std::vector<std::int64_t>{0, 1}, Dtype::kInt64), "values(0,1)");
}

TEST(InferExact, JoinsRuns) {
  EXPECT_EQ(infer(std::vector<std::uint8_t>{1, 1, 1, 0, 1}, Dtype::kBool), "values(3*1,0,1)");
}

TEST(InferExact, OfNothingAreNoValues) {
  EXPECT_EQ(infer(std::vector<float>{}, Dtype::kFloat32), "values()");
}

TEST(InferExact, WritesDecimalsAsShortAsTheDtypeAllows) {
  EXPECT_EQ(infer(std::vector<float>{0.1F, 0.7F, -3e-5F}, Dtype::kFloat32), "values(0.1,0.7,-3e-05)");
  EXPECT_EQ(infer(std::vector<std::uint16_t>{0x3DCD, 0x4049}, Dtype::kBfloat16), "values(0.1,3.14)");
  EXPECT_EQ(infer(std::vector<double>{0.1, 1.0 / 3}, Dtype::kFloat64), "values(0.1,0.3333333333333333)");
}

TEST(InferExact, KeepsSpecialNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(infer(std::vector<float>{-kInfinity, 0, -0.0F, std::nanf("")}, Dtype::kFloat32),
            "values(-inf,0.0,-0.0,nan)");
  EXPECT_EQ(infer(std::vector<float>{-kInfinity, -kInfinity}, Dtype::kFloat32), "constant(-inf)");
  EXPECT_EQ(infer(std::vector<float>{0, -0.0F}, Dtype::kFloat32), "values(0.0,-0.0)");
}

TEST(InferExact, GivesUpOnLongText) {
  EXPECT_EQ(infer(std::vector<std::int64_t>{10, 2, 30}, Dtype::kInt64, 15), "values(10,2,30)");
  EXPECT_EQ(infer(std::vector<std::int64_t>{10, 2, 30}, Dtype::kInt64, 14), "nothing");
  EXPECT_EQ(infer(std::vector<std::int64_t>{1, 1}, Dtype::kInt64, 5), "nothing");
}

TEST(InferExact, GivesUpOnWhatNoRecipeHolds) {
  EXPECT_EQ(infer(std::vector<std::uint64_t>{~std::uint64_t{0}}, Dtype::kUint64), "nothing");
  EXPECT_EQ(infer(std::vector<std::uint8_t>{1}, Dtype::kQuint8), "nothing");
}

class InferredRecipes : public testing::TestWithParam<Dtype> {};

// Any bits of the dtype, in runs of random length, come back from the recipe's text.
TEST_P(InferredRecipes, MakeTheSameBitsAgain) {
  const Dtype dtype = GetParam();
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::byte> bytes;
    for (std::size_t runs = 1 + random() % 30; runs > 0; --runs) {
      std::vector<std::byte> element(dtype_size(dtype));
      for (std::byte& byte : element) byte = static_cast<std::byte>(random());
      if (dtype == Dtype::kBool) element[0] &= std::byte{1};
      if (dtype == Dtype::kUint64) element[7] &= std::byte{0x7F};
      for (std::size_t count = 1 + random() % 4; count > 0; --count) {
        bytes.insert(bytes.end(), element.begin(), element.end());
      }
    }
    const std::optional<Recipe> recipe = infer_exact(bytes, dtype);
    ASSERT_TRUE(recipe.has_value());
    const auto count = static_cast<std::int64_t>(bytes.size() / dtype_size(dtype));
    const std::vector<std::byte> drawn = draw_bytes(to_string(*recipe), dtype, count);
    // NaN has one text only: compare what is inferred from the drawn bytes too.
    ASSERT_EQ(infer_exact(drawn, dtype), recipe) << to_string(*recipe);
    if (to_string(*recipe).find("nan") == std::string::npos) {
      ASSERT_EQ(drawn, bytes) << to_string(*recipe);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, InferredRecipes,
                         testing::Values(Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat32, Dtype::kFloat64,
                                         Dtype::kComplex32, Dtype::kComplex64, Dtype::kComplex128, Dtype::kBool,
                                         Dtype::kUint8, Dtype::kInt8, Dtype::kInt16, Dtype::kInt32, Dtype::kInt64,
                                         Dtype::kUint16, Dtype::kUint32, Dtype::kUint64, Dtype::kFloat8E4m3fn,
                                         Dtype::kFloat8E5m2),
                         [](const auto& test) { return std::string(dtype_name(test.param)); });

}  // namespace
}  // namespace graphnet
