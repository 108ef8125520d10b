#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "graphnet/sample/infer_recipe.h"
#include "graphnet/support/error.h"

#include "drawing.h"

namespace graphnet {
namespace {

using fixtures::bytes_of;
using fixtures::draw_bytes;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(TensorStatistics, OfAFewNumbers) {
  const TensorStatistics found = measure(bytes_of(std::vector<float>{1, 2, 3, 6}), Dtype::kFloat32);
  EXPECT_EQ(found.count, 4);
  EXPECT_EQ(found.mean, 3);
  EXPECT_DOUBLE_EQ(found.deviation, std::sqrt(3.5));
  EXPECT_EQ(found.low, 1);
  EXPECT_EQ(found.high, 6);
  EXPECT_TRUE(found.finite);
}

TEST(TensorStatistics, AgreeWithTwoPassesOverManyNumbers) {
  std::vector<double> values(100'003);
  fill(std::as_writable_bytes(std::span(values)), Dtype::kFloat64, NormalRecipe{1e4, 1e-3}, {1, 1}, 0);
  double mean = 0;
  for (const double value : values) mean += (value - 1e4) / static_cast<double>(values.size());
  double variance = 0;
  for (const double value : values) {
    variance += (value - 1e4 - mean) * (value - 1e4 - mean) / static_cast<double>(values.size());
  }
  const TensorStatistics found = measure(bytes_of(values), Dtype::kFloat64);
  EXPECT_NEAR(found.mean, 1e4 + mean, 1e-10);
  EXPECT_NEAR(found.deviation, std::sqrt(variance), 1e-12);
}

TEST(TensorStatistics, OfEqualNumbersHaveNoDeviation) {
  const TensorStatistics found = measure(bytes_of(std::vector<float>(10'000, 0.1F)), Dtype::kFloat32);
  EXPECT_EQ(found.mean, static_cast<double>(0.1F));
  EXPECT_EQ(found.deviation, 0);
}

TEST(TensorStatistics, LeaveOutWhatIsNotFinite) {
  const std::vector<double> values = {kInfinity, 1, std::nan(""), 3, -kInfinity};
  EXPECT_EQ(measure(bytes_of(values), Dtype::kFloat64), (TensorStatistics{2, 2, 1, 1, 3, false}));
}

TEST(TensorStatistics, NoticeTheLastNumber) {
  std::vector<double> values(5000, 1.0);
  values.back() = std::nan("");
  EXPECT_EQ(measure(bytes_of(values), Dtype::kFloat64), (TensorStatistics{4999, 1, 0, 1, 1, false}));
}

TEST(TensorStatistics, OfNothingFiniteAreZero) {
  EXPECT_EQ(measure({}, Dtype::kFloat32), TensorStatistics{});
  EXPECT_EQ(measure(bytes_of(std::vector<double>{kInfinity}), Dtype::kFloat64),
            (TensorStatistics{0, 0, 0, 0, 0, false}));
}

TEST(TensorStatistics, SurviveNumbersWhoseSquaresOverflow) {
  const TensorStatistics found = measure(bytes_of(std::vector<double>{-1e200, 1e200}), Dtype::kFloat64);
  EXPECT_TRUE(found.finite);
  EXPECT_EQ(found.high, 1e200);
}

TEST(TensorStatistics, OfComplexTensorsCountBothParts) {
  const TensorStatistics found = measure(bytes_of(std::vector<float>{1, 3}), Dtype::kComplex64);
  EXPECT_EQ(found, (TensorStatistics{2, 2, 1, 1, 3, true}));
}

TEST(TensorStatistics, OfIntegersAndBools) {
  EXPECT_EQ(measure(bytes_of(std::vector<std::int8_t>{-3, 5}), Dtype::kInt8), (TensorStatistics{2, 1, 4, -3, 5, true}));
  EXPECT_EQ(measure(bytes_of(std::vector<std::uint8_t>{1, 0, 1, 0}), Dtype::kBool).mean, 0.5);
}

TEST(TensorStatistics, OfHalfPrecision) {
  const std::vector<std::byte> bytes = draw_bytes("normal(0,0.02)", Dtype::kBfloat16, 100'000);
  const TensorStatistics found = measure(bytes, Dtype::kBfloat16);
  EXPECT_NEAR(found.mean, 0, 5e-4);
  EXPECT_NEAR(found.deviation, 0.02, 2e-4);
}

TEST(TensorStatistics, RefuseQuantizedTensors) {
  EXPECT_THROW(measure({}, Dtype::kQint8), Error);
}

}  // namespace
}  // namespace graphnet
