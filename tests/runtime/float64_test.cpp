#include "graphnet/runtime/float64.h"

#include <cmath>
#include <limits>
#include <string>

#include <ATen/ATen.h>
#include <c10/core/DefaultDtype.h>
#include <gtest/gtest.h>

#include "graphnet/graph/text.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

// (x to float16) + w, whose dtype argument is the half's.
constexpr const char* kCast = R"json({"graphnet":1,
  "inputs":[{"value":"%0","name":"x","type":"float32[3]","recipe":"normal(0.0,1.0)"}],
  "weights":[{"value":"%1","name":"w","type":"float16[3]","recipe":"normal(0.0,1.0)"}],
  "constants":[],
  "operators":["aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)"],
  "calls":[["aten::to.dtype",["%0",{"dtype":"float16"},false,false,null],["%2 float16[3]"]],
    ["aten::add.Tensor",["%2","%1",1],["%3 float16[3]"]]],"output":"%3"})json";

TEST(InFloat64, ChangesTypesAndDtypeArguments) {
  const Graph graph = in_float64(read_graph(kCast, "test"));
  EXPECT_EQ(graph.inputs[0].type.dtype, Dtype::kFloat64);
  EXPECT_EQ(graph.weights[0].type.dtype, Dtype::kFloat64);
  EXPECT_EQ(*graph.calls[0].arguments[1].get_if<Dtype>(), Dtype::kFloat64);
  EXPECT_EQ(std::get<TensorResult>(graph.calls[1].results[0]).type.dtype, Dtype::kFloat64);
}

TEST(InFloat64, RunsOnTheSameBits) {
  const std::vector<at::Tensor> inputs = {at::tensor({1.0F / 3, 1e-7F, 2.0F})};
  const std::vector<at::Tensor> weights = {at::tensor({0.1, 1.0, 1000.0}).to(at::kHalf)};
  const at::Tensor output = run_in_float64(in_float64(read_graph(kCast, "test")), inputs, weights, {}, c10::kCPU).at(0);
  EXPECT_TRUE(output.equal(inputs[0].to(at::kDouble) + weights[0].to(at::kDouble)));
  EXPECT_EQ(c10::get_default_dtype_as_scalartype(), at::kFloat);
}

TEST(InFloat64, RefusesGraphsThatReadBits) {
  constexpr const char* kView = R"json({"graphnet":1,
    "inputs":[{"value":"%0","name":"x","type":"float32[3]","recipe":"normal(0.0,1.0)"}],"weights":[],"constants":[],
    "operators":["aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)"],
    "calls":[["aten::view.dtype",["%0",{"dtype":"int32"}],["%1 int32[3]"]]],"output":"%1"})json";
  EXPECT_THROW(in_float64(read_graph(kView, "test")), Error);
}

TEST(Float64Error, IsAbsoluteAndRelativeToTheNorm) {
  const auto error = float64_error(at::tensor({3.0, 4.0}), at::tensor({3.0, 4.5}).to(at::kFloat));
  ASSERT_TRUE(error);
  EXPECT_DOUBLE_EQ(error->maximum_absolute, 0.5);
  EXPECT_DOUBLE_EQ(error->relative, 0.1);
}

TEST(Float64Error, LeavesOutWhatIsNotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto error = float64_error(at::tensor({1.0, kInfinity, 2.0}), at::tensor({1.0, 5.0, std::nan("")}));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->maximum_absolute, 0);
}

TEST(Float64Error, IsNotThereForIntegersAndOtherShapes) {
  EXPECT_FALSE(float64_error(at::zeros({2}, at::kLong), at::zeros({2}, at::kLong)));
  EXPECT_FALSE(float64_error(at::zeros({2}), at::zeros({3})));
}

}  // namespace
}  // namespace graphnet
