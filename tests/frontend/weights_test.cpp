#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>

#include "graphnet/frontend/roles.h"
#include "graphnet/frontend/weight_recipes.h"
#include "graphnet/runtime/convert.h"
#include "graphnet/runtime/device.h"
#include "graphnet/runtime/recorder.h"
#include "graphnet/runtime/tensors.h"
#include "graphnet/runtime/tiled_memory.h"

namespace graphnet {
namespace {

// The uses of the weights of a function's graph.
std::vector<WeightUse> uses_in(
    const std::vector<at::Tensor>& weights, const at::Tensor& input,
    const std::function<at::Tensor(const std::vector<at::Tensor>&, const at::Tensor&)>& code) {
  std::vector<KnownTensor> known;
  for (const at::Tensor& weight : weights) known.push_back({"weight", weight, false});
  const Recording recording = record({{"x", input, false}}, known, c10::kCPU, [&] { return code(weights, input); });
  return weight_uses(recording.graph);
}

TEST(Roles, AProjectionIsSeenThroughATranspose) {
  const auto uses = uses_in({torch::randn({5, 7})}, torch::randn({2, 7}),
                            [](const auto& w, const auto& x) { return torch::matmul(x, w[0].t()); });
  EXPECT_EQ(uses.at(0).role, Role::kProjection);
  EXPECT_EQ(uses[0].fan_in, 7);
}

TEST(Roles, AConvolutionBeforeARectifierIsMarked) {
  const auto uses =
      uses_in({torch::randn({6, 2, 3, 3}), torch::randn({6})}, torch::randn({1, 4, 8, 8}),
              [](const auto& w, const auto& x) { return torch::relu(torch::conv2d(x, w[0], w[1], 1, 1, 1, 2)); });
  EXPECT_EQ(uses.at(0).fan_in, 18);
  EXPECT_TRUE(uses[0].rectified);
  EXPECT_EQ(uses.at(1).role, Role::kBias);
}

TEST(Roles, ATiedEmbeddingIsAlsoAProjection) {
  const auto uses = uses_in({torch::randn({10, 4})}, torch::tensor({1, 2, 3}), [](const auto& w, const auto& x) {
    return torch::linear(torch::embedding(w[0], x), w[0]);
  });
  EXPECT_EQ(uses.at(0).role, Role::kEmbedding);
  EXPECT_TRUE(uses[0].also_projection);
}

TEST(Roles, NormalizationArgumentsAreToldApart) {
  const std::vector<at::Tensor> weights = {torch::ones({3}), torch::zeros({3}), torch::zeros({3}), torch::ones({3})};
  const auto uses = uses_in(weights, torch::randn({2, 3, 4, 4}), [](const auto& w, const auto& x) {
    return torch::batch_norm(x, w[0], w[1], w[2], w[3], false, 0.1, 1e-5, false);
  });
  EXPECT_EQ(uses.at(0).role, Role::kScale);
  EXPECT_EQ(uses.at(1).role, Role::kShift);
  EXPECT_EQ(uses.at(2).role, Role::kRunningMean);
  EXPECT_EQ(uses.at(3).role, Role::kRunningVariance);
}

Recipe recipe_of(const at::Tensor& values, bool is_buffer) {
  return recipe_from_values({"name", type_of(values), {}, is_buffer}, values, {});
}

TEST(WeightRecipes, AParameterIsDescribedByItsDistribution) {
  torch::manual_seed(1);
  const auto recipe = std::get<NormalRecipe>(recipe_of(torch::randn({100, 100}) * 0.5 + 2, false));
  EXPECT_NEAR(recipe.mean, 2, 0.02);
  EXPECT_NEAR(recipe.deviation, 0.5, 0.02);
}

TEST(WeightRecipes, TablesAndMasksAreKeptExactly) {
  EXPECT_TRUE(is_exact(recipe_of(torch::randn({8}), true)));
  EXPECT_TRUE(is_exact(recipe_of(torch::randint(0, 9, {100, 20}, torch::kLong), true)));
  EXPECT_TRUE(is_exact(recipe_of(torch::ones({256, 256}, torch::kBool).tril(), true)));
  const at::Tensor mask = torch::full({128, 128}, -std::numeric_limits<float>::infinity()).triu(1);
  EXPECT_TRUE(is_exact(recipe_of(mask, true)));
}

TEST(WeightRecipes, AConstantParameterIsAConstant) {
  EXPECT_EQ(recipe_of(torch::ones({1000}), false), Recipe(ConstantRecipe{1.0}));
}

TEST(WeightRecipes, ScalingARecipeScalesItsBounds) {
  EXPECT_EQ(scaled(UniformRecipe{-1, 1}, 0.5), std::optional<Recipe>(UniformRecipe{-0.5, 0.5}));
  EXPECT_EQ(scaled(ArangeRecipe{0.0, 1.0}, 0.5), std::nullopt);
}

TEST(TiledMemory, ATensorLargerThanATileRepeatsIt) {
  TiledMemory tiles;
  const TensorType type = make_tensor_type(Dtype::kFloat32, {4, 1 << 18}, {});
  const at::Tensor tensor = tiles.make(type, NormalRecipe{0, 2}, 5, 1);
  EXPECT_NEAR(tensor.std().item<double>(), 2, 0.05);
  EXPECT_TRUE(torch::equal(tensor[0], tensor[1]));
  EXPECT_TRUE(tensor.is_contiguous());
}

TEST(TiledMemory, ASmallTensorIsWhatItsRecipeDraws) {
  TiledMemory tiles;
  const TensorType type = make_tensor_type(Dtype::kFloat32, {100}, {});
  EXPECT_TRUE(
      torch::equal(tiles.make(type, NormalRecipe{0, 1}, 5, 1), make_tensor(type, NormalRecipe{0, 1}, 5, 1, c10::kCPU)));
}

TEST(TiledMemory, ReadingItAllKeepsLittleOfItResident) {
  TiledMemory tiles;
  const TensorType type = make_tensor_type(Dtype::kFloat32, {1 << 9, 1 << 20}, {});  // 2 GiB
  const at::Tensor tensor = tiles.make(type, ConstantRecipe{1.0}, 0, 1);
  const std::int64_t before = peak_host_memory();
  EXPECT_EQ(tensor.min().item<float>(), 1.0f);
  EXPECT_LT(peak_host_memory() - before, std::int64_t{1} << 30);
}

TEST(TiledMemory, ManyTimesTheMachinesMemoryCanBeHeld) {
  TiledMemory tiles;
  const TensorType type = make_tensor_type(Dtype::kBfloat16, {1 << 20, 1 << 16}, {});  // 128 GiB
  const at::Tensor tensor = tiles.make(type, NormalRecipe{0, 1}, 5, 1);
  EXPECT_EQ(tensor.nbytes(), std::size_t{1} << 37);
  EXPECT_NE(tensor[(1 << 20) - 1][(1 << 16) - 1].item<float>(), 0);
}

TEST(TiledMemory, WhatATensorClaimsToHoldCostsNoMemory) {
  TiledMemory tiles;
  const TensorType type = make_tensor_type(Dtype::kFloat32, {1 << 20, 1 << 20}, {});  // 4 TiB
  const std::int64_t before = peak_host_memory();
  const at::Tensor tensor = tiles.make(type, NormalRecipe{0, 1}, 5, 1);
  EXPECT_NE(tensor[(1 << 20) - 1][5].item<float>(), 0);
  EXPECT_LT(peak_host_memory() - before, std::int64_t{1} << 30);
}

}  // namespace
}  // namespace graphnet
