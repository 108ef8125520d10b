#include "graphnet/runtime/compare.h"

#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/score/tolerance.h"

namespace graphnet {
namespace {

using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(CompareOutput, EqualTensorsPassAtTheStrictestLevel) {
  const at::Tensor tensor = at::arange(12, at::kFloat).reshape({3, 4});
  const OutputComparison result = compare_output(tensor, tensor.clone());
  EXPECT_TRUE(result.equal);
  EXPECT_EQ(result.strictest_level, kStrictestLevel);
  EXPECT_EQ(result.maximum_absolute_error, 0);
  EXPECT_EQ(result.problem, "");
}

// An error of just the tolerance at a level passes there; a little more does not.
TEST(CompareOutput, FindsTheStrictestLevelOfEachFloatingDtype) {
  const std::pair<at::ScalarType, Dtype> dtypes[] = {{at::kHalf, Dtype::kFloat16},
                                                     {at::kBFloat16, Dtype::kBfloat16},
                                                     {at::kFloat, Dtype::kFloat32},
                                                     {at::kDouble, Dtype::kFloat64}};
  for (const auto& [type, dtype] : dtypes) {
    const at::Tensor reference = at::zeros({5000}, type);
    at::Tensor candidate = reference.clone();
    candidate[4321] = tolerance(dtype, -2).absolute * 0.9;
    EXPECT_EQ(compare_output(reference, candidate).strictest_level, -2) << dtype_name(dtype);
    candidate[4321] = tolerance(dtype, -2).absolute * 1.1;
    EXPECT_EQ(compare_output(reference, candidate).strictest_level, -1) << dtype_name(dtype);
  }
}

TEST(CompareOutput, TheRelativePartGrowsWithTheReference) {
  const at::Tensor reference = at::full({10}, 1e6, at::kDouble);
  const Tolerance level = tolerance(Dtype::kFloat64, 0);
  const double error = level.absolute + level.relative * 1e6;
  EXPECT_EQ(compare_output(reference, reference + 0.99 * error).strictest_level, 0);
  EXPECT_EQ(compare_output(reference, reference + 1.01 * error).strictest_level, 1);
}

TEST(CompareOutput, AgreesWithTheDefinitionOnRandomErrors) {
  at::manual_seed(1);
  for (int round = 0; round < 50; ++round) {
    const at::Tensor reference = at::randn({257}, at::kFloat);
    const at::Tensor candidate = reference + at::randn({257}, at::kFloat) * std::pow(10.0, -0.2 * round);
    std::optional<int> expected;
    for (int t = kLoosestLevel; t >= kStrictestLevel; --t) {
      const Tolerance level = tolerance(Dtype::kFloat32, t);
      const at::Tensor r = reference.to(at::kDouble);
      const at::Tensor error = (candidate.to(at::kDouble) - r).abs();
      if ((error <= r.abs() * level.relative + level.absolute).all().item<bool>()) expected = t;
    }
    EXPECT_EQ(compare_output(reference, candidate).strictest_level, expected) << round;
  }
}

TEST(CompareOutput, ReportsTheLargestErrors) {
  const at::Tensor reference = at::tensor({1.0, 100.0, 0.0});
  const at::Tensor candidate = at::tensor({1.5, 110.0, 2.0});
  const OutputComparison result = compare_output(reference, candidate);
  EXPECT_DOUBLE_EQ(result.maximum_absolute_error, 10);
  EXPECT_DOUBLE_EQ(result.maximum_relative_error, 0.5);
}

TEST(CompareOutput, QuantizedTensorsOfOtherScalesDiffer) {
  const at::Tensor reference = at::quantize_per_tensor(at::tensor({1.0F, 2.0F}), 0.1, 3, at::kQInt8);
  EXPECT_TRUE(compare_output(reference, reference.clone()).equal);
  const at::Tensor scaled = at::_make_per_tensor_quantized_tensor(reference.int_repr(), 0.2, 3);
  EXPECT_EQ(compare_output(reference, scaled).problem, "scale 0.2 instead of 0.1");
  const at::Tensor shifted = at::_make_per_tensor_quantized_tensor(reference.int_repr(), 0.1, 4);
  EXPECT_EQ(compare_output(reference, shifted).strictest_level, std::nullopt);
  EXPECT_FALSE(same_contents(reference, shifted));
}

TEST(Condemn, ReportsTheFirstOutputThatHasAProblem) {
  Comparison comparison;
  comparison.outputs.resize(3);
  condemn(comparison, 2, "late");
  condemn(comparison, 1, "early");
  EXPECT_EQ(comparison.problem, "output 1: early");
}

TEST(CompareOutput, NotANumberInTheSamePlaceIsEqual) {
  const at::Tensor tensor = at::tensor({1.0, kNaN, kInfinity, -kInfinity});
  const at::Tensor other = at::tensor({1.0, -kNaN, kInfinity, -kInfinity});
  EXPECT_TRUE(compare_output(tensor, other).equal);
}

TEST(CompareOutput, NotANumberElsewhereFailsAtEveryLevel) {
  const OutputComparison extra = compare_output(at::tensor({1.0, 2.0}), at::tensor({1.0, kNaN}));
  EXPECT_EQ(extra.strictest_level, std::nullopt);
  EXPECT_THAT(extra.problem, HasSubstr("NaN where the reference has none, at [1]"));
  const OutputComparison missing = compare_output(at::tensor({kNaN, 2.0}), at::tensor({1.0, 2.0}));
  EXPECT_EQ(missing.strictest_level, std::nullopt);
  EXPECT_THAT(missing.problem, HasSubstr("a number where the reference has NaN, at [0]"));
}

TEST(CompareOutput, AnInfiniteReferenceExcusesNothing) {
  for (const double value : {1e300, -kInfinity}) {
    const OutputComparison result = compare_output(at::tensor({kInfinity}), at::tensor({value}));
    EXPECT_EQ(result.strictest_level, std::nullopt);
    EXPECT_THAT(result.problem, HasSubstr("instead of inf at [0]"));
  }
  EXPECT_EQ(compare_output(at::tensor({1e300}), at::tensor({kInfinity})).strictest_level, std::nullopt);
}

TEST(CompareOutput, NegativeZeroEqualsZero) {
  EXPECT_TRUE(compare_output(at::tensor({0.0}), at::tensor({-0.0})).equal);
}

TEST(CompareOutput, IntegersMustBeEqual) {
  const std::int64_t large = std::int64_t{1} << 60;  // its neighbours are the same double
  const at::Tensor reference = at::full({2, 3}, large, at::kLong);
  at::Tensor candidate = reference.clone();
  EXPECT_TRUE(compare_output(reference, candidate).equal);
  candidate[1][2] = large + 1;
  const OutputComparison result = compare_output(reference, candidate);
  EXPECT_EQ(result.strictest_level, std::nullopt);
  EXPECT_EQ(result.maximum_absolute_error, 1);
  EXPECT_THAT(result.problem, HasSubstr("at [1,2]"));
}

TEST(CompareOutput, BoolsMustBeEqual) {
  const at::Tensor reference = at::ones({2}, at::kBool);
  EXPECT_TRUE(compare_output(reference, reference.clone()).equal);
  EXPECT_EQ(compare_output(reference, at::zeros({2}, at::kBool)).strictest_level, std::nullopt);
}

TEST(CompareOutput, ComplexNumbersGoByTheirModulus) {
  const double error = tolerance(Dtype::kComplex64, -1).absolute;
  const at::Tensor reference = at::zeros({4}, at::kComplexFloat);
  const at::Tensor candidate =
      reference + c10::complex<float>(static_cast<float>(0.6 * error), static_cast<float>(-0.7 * error));
  EXPECT_EQ(compare_output(reference, candidate).strictest_level, -1);
}

TEST(CompareOutput, LazilyConjugatedTensorsAreResolved) {
  const at::Tensor tensor = at::randn({8}, at::kComplexDouble);
  EXPECT_TRUE(compare_output(tensor.conj(), tensor.conj().resolve_conj()).equal);
}

TEST(CompareOutput, StridesDoNotMatter) {
  const at::Tensor tensor = at::randn({5, 7});
  EXPECT_TRUE(compare_output(tensor, tensor.t().contiguous().t()).equal);
}

TEST(CompareOutput, NamesAWrongDtype) {
  const OutputComparison result = compare_output(at::zeros({2}), at::zeros({2}, at::kHalf));
  EXPECT_FALSE(result.same_dtype);
  EXPECT_EQ(result.strictest_level, std::nullopt);
  EXPECT_EQ(result.problem, "dtype float16 instead of float32");
}

TEST(CompareOutput, NamesAWrongShape) {
  const OutputComparison result = compare_output(at::zeros({2, 3}), at::zeros({3, 2}));
  EXPECT_FALSE(result.same_shape);
  EXPECT_EQ(result.strictest_level, std::nullopt);
  EXPECT_EQ(result.problem, "shape [3,2] instead of [2,3]");
}

TEST(CompareOutput, EmptyAndScalarTensorsCompare) {
  EXPECT_TRUE(compare_output(at::zeros({0, 3}), at::zeros({0, 3})).equal);
  EXPECT_THAT(compare_output(at::zeros({}), at::full({}, 1e9)).problem, HasSubstr("instead of 0 at []"));
}

// Parts go to threads and blocks; the last element of the last part counts as much as any other.
TEST(CompareOutput, FindsOneWrongElementAnywhereInALargeTensor) {
  const at::Tensor reference = at::zeros({(1 << 18) + 3});
  for (const std::int64_t index : {std::int64_t{0}, std::int64_t{100'000}, reference.numel() - 1}) {
    at::Tensor candidate = reference.clone();
    candidate[index] = 1e9;
    EXPECT_EQ(compare_output(reference, candidate).problem, "1e+09 instead of 0 at [" + std::to_string(index) + "]");
  }
}

TEST(Compare, TheLoosestOutputDecides) {
  const std::vector<at::Tensor> reference = {at::zeros({2}), at::zeros({2})};
  const double error = tolerance(Dtype::kFloat32, 0).absolute * 0.9;
  const Comparison result = compare(reference, {at::zeros({2}), at::full({2}, error)});
  EXPECT_EQ(result.outputs[0].strictest_level, kStrictestLevel);
  EXPECT_EQ(result.strictest_level, 0);
  EXPECT_FALSE(result.equal);
  EXPECT_EQ(result.problem, "");
}

TEST(Compare, OneHopelessOutputIsEnough) {
  const Comparison result = compare({at::zeros({2}), at::zeros({2})}, {at::full({2}, 1e9), at::zeros({2})});
  EXPECT_EQ(result.strictest_level, std::nullopt);
  EXPECT_THAT(result.problem, HasSubstr("output 0: "));
}

TEST(Compare, NamesAWrongNumberOfOutputs) {
  const Comparison result = compare({at::zeros({2})}, {});
  EXPECT_EQ(result.strictest_level, std::nullopt);
  EXPECT_EQ(result.problem, "0 outputs instead of 1");
}

TEST(Digest, DependsOnContentsDtypeShapeAndOrder) {
  const at::Tensor tensor = at::arange(6, at::kFloat);
  const std::string digest_of_tensor = digest({tensor});
  EXPECT_EQ(digest({tensor.clone()}), digest_of_tensor);
  EXPECT_NE(digest({tensor + 1}), digest_of_tensor);
  EXPECT_NE(digest({tensor.view(at::kInt)}), digest_of_tensor);
  EXPECT_NE(digest({tensor.reshape({2, 3})}), digest_of_tensor);
  EXPECT_NE(digest({tensor, at::zeros({1})}), digest({at::zeros({1}), tensor}));
}

TEST(Digest, DoesNotDependOnStrides) {
  const at::Tensor tensor = at::randn({3, 4});
  EXPECT_EQ(digest({tensor.t().contiguous().t()}), digest({tensor}));
}

}  // namespace
}  // namespace graphnet
