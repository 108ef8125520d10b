#include "graphnet/report/sample_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphnet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Argument value(ValueId id) {
  return {ValueReference{id}};
}

// %2 = relu_(%0 * %1): a product and an in-place operator.
Sample small_sample() {
  const TensorType type = make_tensor_type(Dtype::kFloat32, {2, 3}, {3, 1});
  Sample sample;
  Graph& graph = sample.graph;
  graph.inputs = {{"x", type, NormalRecipe{}}};
  graph.weights = {{"scale", type, ConstantRecipe{1.0}}};
  graph.operators = {{"aten::mul", "Tensor", "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor"},
                     {"aten::relu_", "", "aten::relu_(Tensor(a!) self) -> Tensor(a!)"}};
  graph.calls = {{0, {value(0), value(1)}, {TensorResult{2, type}}}, {1, {value(2)}, {TensorResult{2, type}}}};
  graph.output = {value(2)};
  sample.metadata.name = "small";
  sample.metadata.category = "other";
  sample.metadata.parameter_count = 6;
  sample.metadata.dtypes = {"float32"};
  sample.metadata.identity = std::string(64, 'a');
  return sample;
}

TEST(HeadText, NamesSampleSizesAndIdentity) {
  const std::string text = head_text(small_sample());
  EXPECT_THAT(text, HasSubstr("name     small\n"));
  EXPECT_THAT(text, HasSubstr("size     2 calls of 2 operators, 6 parameters; needs 72 bytes (weights 24 bytes)\n"));
  EXPECT_THAT(text, HasSubstr("identity aaaa"));
}

TEST(HeadText, LeavesOutWhatIsNotKnown) {
  EXPECT_THAT(head_text(small_sample()), Not(HasSubstr("source")));
}

TEST(HeadText, NamesWhatIsUnusual) {
  Sample sample = small_sample();
  sample.metadata.random = true;
  sample.metadata.libraries = {{"torchvision", "", {}}};
  EXPECT_THAT(head_text(sample), HasSubstr("has      random operators, operators of torchvision\n"));
}

TEST(HeadText, KeepsToItsLinesWhateverTheNameHolds) {
  Sample sample = small_sample();
  sample.metadata.name = "a\nidentity fake";
  EXPECT_THAT(head_text(sample), HasSubstr("name     a identity fake\n"));
}

TEST(SampleJson, HasItsKeysInTheDocumentedOrder) {
  const auto json = sample_json(small_sample());
  std::vector<std::string> keys;
  for (const auto& [key, contents] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("name", "category", "task", "source", "framework", "tool", "identity", "calls",
                                "weights", "constants", "parameters", "bytes", "dtypes", "random",
                                "data_dependent_shapes", "broadcast_weights", "inputs", "outputs", "operators"));
}

TEST(SampleJson, CountsCallsByOperator) {
  const auto json = sample_json(small_sample());
  EXPECT_EQ(json["calls"], 2);
  EXPECT_EQ(json["operators"], (nlohmann::ordered_json{{"aten::mul.Tensor", 1}, {"aten::relu_", 1}}));
}

TEST(SampleJson, GivesInputsAndOutputsTheirTypes) {
  const auto json = sample_json(small_sample());
  EXPECT_EQ(json["inputs"][0]["name"], "x");
  EXPECT_EQ(json["inputs"][0]["type"], "float32[2,3]");
  EXPECT_EQ(json["outputs"][0]["shape"], (nlohmann::ordered_json{2, 3}));
}

TEST(SampleJson, CountsBytesByRole) {
  const auto bytes = sample_json(small_sample())["bytes"];
  EXPECT_EQ(bytes["weights"], 24);
  EXPECT_EQ(bytes["total"], 72);
}

}  // namespace
}  // namespace graphnet
