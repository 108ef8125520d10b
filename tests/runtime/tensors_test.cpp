#include "graphnet/runtime/tensors.h"

#include <span>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "graphnet/runtime/convert.h"
#include "graphnet/sample/generator.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/sha256.h"

namespace graphnet {
namespace {

const TensorType kLarge{Dtype::kFloat32, {300, 1000}, {}};

std::span<std::byte> bytes_of(const at::Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.mutable_data_ptr()), tensor.nbytes()};
}

TEST(Tensors, HaveTheGeneratorsBitsWhateverTheNumberOfThreads) {
  const at::Tensor expected = at::empty({300, 1000});
  fill(bytes_of(expected), Dtype::kFloat32, NormalRecipe{}, {5, 3}, 0);
  const int threads = at::get_num_threads();
  for (const int count : {1, 2, 3}) {
    at::set_num_threads(count);
    EXPECT_TRUE(at::equal(make_tensor(kLarge, NormalRecipe{}, 5, 3, c10::kCPU), expected)) << count;
  }
  at::set_num_threads(threads);
}

TEST(Tensors, HaveTheTypesStrides) {
  const TensorType type{Dtype::kFloat32, {3, 2}, {1, 3}};
  const at::Tensor tensor = make_tensor(type, ArangeRecipe{0.0, 1.0}, 0, 0, c10::kCPU);
  EXPECT_EQ(type_of(tensor), type);
  EXPECT_TRUE(at::equal(tensor, at::arange(6, at::kFloat).view({3, 2})));
}

TEST(Tensors, AreRefilledInPlace) {
  at::Tensor tensor = make_tensor({Dtype::kFloat32, {3, 2}, {1, 3}}, NormalRecipe{}, 1, 2, c10::kCPU);
  const void* memory = tensor.data_ptr();
  refill(tensor, NormalRecipe{}, 9, 2);
  EXPECT_EQ(tensor.data_ptr(), memory);
  EXPECT_TRUE(at::equal(tensor, make_tensor({Dtype::kFloat32, {3, 2}, {}}, NormalRecipe{}, 9, 2, c10::kCPU)));
}

Sample sample_with_weights(std::vector<Weight> weights) {
  Sample sample;
  sample.graph.inputs = {{"x", {Dtype::kInt64, {4}, {}}, RangeRecipe{5, 6}}};
  sample.graph.weights = std::move(weights);
  sample.graph.constants = {{{Dtype::kInt64, {}, {}}, ConstantRecipe{std::int64_t{7}}}};
  return sample;
}

TEST(Tensors, AreToldFromOnesThatWereWrittenTo) {
  const Sample sample = sample_with_weights({{"w", kLarge, NormalRecipe{}, false}});
  for (const auto member : {&GraphTensors::inputs, &GraphTensors::weights, &GraphTensors::constants}) {
    GraphTensors tensors = make_tensors(sample, 3, c10::kCPU);
    EXPECT_TRUE(hold_drawn_weights(tensors, sample, 3) && hold_drawn_inputs(tensors.inputs, sample.graph, 3));
    (tensors.*member).back().flatten()[-1].add_(1);
    EXPECT_FALSE(hold_drawn_weights(tensors, sample, 3) && hold_drawn_inputs(tensors.inputs, sample.graph, 3));
  }
}

TEST(Tensors, OfASampleAreInputsWeightsAndConstants) {
  const Sample sample = sample_with_weights({{"w", kLarge, NormalRecipe{}, false}});
  const GraphTensors tensors = make_tensors(sample, 3, c10::kCPU);
  EXPECT_TRUE(at::equal(tensors.inputs[0], at::full({4}, 5)));
  EXPECT_TRUE(at::equal(tensors.weights[0], make_tensor(kLarge, NormalRecipe{}, 3, 1, c10::kCPU)));
  EXPECT_EQ(tensors.constants[0].item<std::int64_t>(), 7);
}

TEST(Tensors, ThatAreViewsShareTheirBasesMemory) {
  const Sample sample = sample_with_weights({{"w", {Dtype::kFloat32, {4, 3}, {}}, NormalRecipe{}, false},
                                             {"row", {Dtype::kFloat32, {3}, {}}, ViewRecipe{1, 6}, false}});
  const GraphTensors tensors = make_tensors(sample, 3, c10::kCPU);
  EXPECT_EQ(tensors.weights[1].data_ptr(), tensors.weights[0][2].data_ptr());
}

TEST(Tensors, CanRepeatOneTileOfMemory) {
  const Sample sample = sample_with_weights({{"w", {Dtype::kBfloat16, {1 << 15, 1 << 15}, {}}, NormalRecipe{}, false},
                                             {"row", {Dtype::kBfloat16, {4}, {}}, ViewRecipe{1, 8}, false},
                                             {"table", {Dtype::kInt64, {3}, {}}, RangeRecipe{0, 9}, true}});
  const GraphTensors tensors = make_tensors(sample, 3, c10::kCPU, WeightStorage::kRepeated);
  const at::Tensor& large = tensors.weights[0];
  EXPECT_TRUE(large.is_contiguous());
  EXPECT_TRUE(at::equal(large[0], large[1 << 14]));
  EXPECT_EQ(tensors.weights[1].data_ptr(), large[0].slice(0, 8).data_ptr());
  EXPECT_TRUE(at::equal(tensors.weights[2], make_tensor({Dtype::kInt64, {3}, {}}, RangeRecipe{0, 9}, 3, 3, c10::kCPU)));
}

// A sample whose one weight is stored, with these contents.
Sample stored_sample(const TemporaryFolder& folder, const at::Tensor& contents, std::string sha256) {
  const TensorType type = type_of(contents);
  SafetensorsWriter writer(folder.path() / kWeightsFile, {{"%1", type}});
  writer.append(bytes_of(contents));
  writer.finish();
  Sample sample = sample_with_weights({{"w", type, StoredRecipe{std::move(sha256)}, false}});
  sample.directory = folder.path();
  return sample;
}

std::string sha256_of(const at::Tensor& tensor) {
  Sha256 digest;
  digest.update(std::span<const std::byte>(bytes_of(tensor)));
  return digest.finish();
}

TEST(Tensors, ThatAreStoredComeFromTheSamplesFile) {
  const TemporaryFolder folder("graphnet-tensors");
  const at::Tensor contents = at::randn({3, 5});
  const Sample sample = stored_sample(folder, contents, sha256_of(contents));
  EXPECT_TRUE(at::equal(make_tensors(sample, 0, c10::kCPU).weights[0], contents));
}

TEST(Tensors, ThatAreStoredAreCheckedAgainstTheirDigest) {
  const TemporaryFolder folder("graphnet-tensors");
  const Sample sample = stored_sample(folder, at::randn({3, 5}), sha256_of(at::zeros({3, 5})));
  EXPECT_THROW(make_tensors(sample, 0, c10::kCPU), Error);
}

}  // namespace
}  // namespace graphnet
