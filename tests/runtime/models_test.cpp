// Published models, as their libraries build them: what was recorded is what LibTorch's own tracer sees, and its replay
// is the model.
#include <algorithm>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/script.h>

#include "graphnet/graph/identity.h"
#include "graphnet/runtime/aliases.h"
#include "graphnet/runtime/convert.h"
#include "graphnet/sample/input_spec.h"

#include "fixtures.h"

namespace graphnet {
namespace {

using testing::append_tensors;
using testing::named;
using testing::same_bits;

// Tensors of the arguments are drawn one after the other; those of a dict come as a dict again.
c10::IValue make_argument(const InputNode& node, std::uint64_t seed, std::vector<at::Tensor>& tensors) {
  if (const auto* spec = std::get_if<TensorSpec>(&node.node)) {
    tensors.push_back(make_tensor(spec->type, spec->recipe, seed, static_cast<ValueId>(tensors.size()), c10::kCPU));
    return tensors.back();
  }
  c10::Dict<std::string, at::Tensor> dict;
  for (const auto& [key, item] : std::get<InputNode::Dict>(node.node).items) {
    dict.insert(key, make_argument(item, seed, tensors).toTensor());
  }
  return dict;
}

class Model {
 public:
  explicit Model(const std::string& name) {
    torch::jit::setGraphExecutorOptimize(false);
    torch::jit::ExtraFilesMap extra{{"graphnet.json", ""}};
    const auto path = std::filesystem::path(GRAPHNET_TEST_DIR) / "models" / (name + ".pt");
    module_ = torch::jit::load(path.string(), c10::kCPU, extra);
    module_.eval();
    inputs_ = parse_inputs_json(nlohmann::ordered_json::parse(extra["graphnet.json"])["inputs"].dump(), path.string());
    ValueId id = 0;
    for (const auto& parameter : module_.named_parameters()) add_weight(parameter.name, parameter.value, id++);
    for (const auto& buffer : module_.named_buffers()) add_weight(buffer.name, buffer.value, id++);
  }

  struct Arguments {
    std::vector<at::Tensor> tensors;
    std::vector<c10::IValue> values;
  };
  Arguments arguments(std::uint64_t seed) const {
    Arguments made;
    for (const NamedInput& input : inputs_) made.values.push_back(make_argument(input.value, seed, made.tensors));
    return made;
  }

  Recording record() {
    const Arguments made = arguments(1);
    return graphnet::record(named(made.tensors), weights_, c10::kCPU, [&] { return module_.forward(made.values); });
  }

  std::vector<at::Tensor> run(const Arguments& made) {
    const c10::InferenceMode without_gradients;
    std::vector<at::Tensor> outputs;
    append_tensors(module_.forward(made.values), outputs);
    return outputs;
  }

  std::shared_ptr<torch::jit::Graph> trace() {
    const torch::NoGradGuard without_gradients;
    const auto forward = [this](torch::jit::Stack inputs) -> torch::jit::Stack {
      return {module_.forward(std::move(inputs))};
    };
    const auto no_name = [](const at::Tensor&) { return std::string(); };
    return torch::jit::tracer::trace(arguments(1).values, forward, no_name, /*strict=*/false, /*force_outplace=*/false,
                                     &module_)
        .first->graph;
  }

  const std::vector<KnownTensor>& weights() const { return weights_; }

 private:
  // The files hold one element for each weight.
  void add_weight(const std::string& name, at::Tensor tensor, ValueId id) {
    tensor.requires_grad_(false);
    if (is_broadcast(tensor)) {
      const TensorType type{to_dtype(tensor.scalar_type()), tensor.sizes().vec(), {}};
      tensor.set_data(make_tensor(type, NormalRecipe{0.0, 0.05}, 0, id, c10::kCPU));
    }
    weights_.push_back({name, tensor, false});
  }

  torch::jit::Module module_;
  std::vector<NamedInput> inputs_;
  std::vector<KnownTensor> weights_;
};

// The tracer records what convolutions are made of.
std::string as_traced(const std::string& name) {
  const bool is_convolution = name == "aten::convolution" || name.starts_with("aten::conv1d") ||
                              name.starts_with("aten::conv2d") || name.starts_with("aten::conv3d") ||
                              name.starts_with("aten::conv_transpose");
  return is_convolution ? "aten::_convolution" : name;
}

// The tracer leaves out what no one uses, as long as it writes to nothing.
std::vector<std::string> operators_in_use(const Graph& graph) {
  std::vector<bool> used(value_count(graph), false);
  for (const ValueId id : output_values(graph)) used[id] = true;
  std::vector<std::string> names;
  for (std::size_t i = graph.calls.size(); i-- > 0;) {
    const Call& call = graph.calls[i];
    const Operator& op = graph.operator_of(call);
    bool needed = op.schema.find("!)") != std::string::npos;
    for_each_result(call, [&](const TensorResult& result) { needed = needed || used[result.id]; });
    if (!needed) continue;
    for (const Argument& argument : call.arguments) {
      for_each_value(argument, [&](ValueId id) { used[id] = true; });
    }
    names.push_back(as_traced(op.name));
  }
  std::reverse(names.begin(), names.end());
  return names;
}

bool holds_tensors(const torch::jit::Value* value) {
  const c10::TypePtr& type = value->type();
  return type->isSubtypeOf(*c10::TensorType::get()) || type->isSubtypeOf(*c10::ListType::ofTensors()) ||
         type->kind() == c10::TypeKind::TupleType;
}

std::vector<std::string> operators_in_trace(const torch::jit::Graph& graph) {
  std::vector<std::string> names;
  for (const torch::jit::Node* node : graph.nodes()) {
    // Tuples, lists and dicts are taken apart before the dispatcher sees their tensors.
    if (node->kind().is_prim() || node->kind() == c10::aten::__getitem__) continue;
    const at::ArrayRef<const torch::jit::Value*> results = node->outputs();
    if (std::any_of(results.begin(), results.end(), holds_tensors)) names.emplace_back(node->kind().toQualString());
  }
  return names;
}

class TracedModel : public ::testing::TestWithParam<std::string> {};

TEST_P(TracedModel, IsRecordedAsTheTracerSeesIt) {
  Model model(GetParam());
  EXPECT_EQ(operators_in_use(model.record().graph), operators_in_trace(*model.trace()));
}

class ReplayedModel : public ::testing::TestWithParam<std::string> {};

TEST_P(ReplayedModel, IsReplayedBitByBit) {
  Model model(GetParam());
  const Recording recording = model.record();
  Replayer replayer = testing::make_replayer(recording, model.weights());
  const Model::Arguments fresh = model.arguments(recording.notes.data_dependent_shapes ? 1 : 2);
  const std::vector<at::Tensor> expected = model.run(fresh);
  const std::vector<at::Tensor> outputs = replayer.run(fresh.tensors);
  ASSERT_EQ(outputs.size(), expected.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) EXPECT_TRUE(same_bits(outputs[i], expected[i])) << "output " << i;
}

TEST_P(ReplayedModel, GivesTheSameGraphWhenItsReplayIsRecorded) {
  Model model(GetParam());
  const Recording recording = model.record();
  Replayer replayer = testing::make_replayer(recording, model.weights());
  std::vector<KnownTensor> weights;
  for (const std::size_t source : recording.weight_sources) weights.push_back(model.weights()[source]);
  const std::vector<at::Tensor> inputs = model.arguments(1).tensors;
  Recording again = record(named(inputs), weights, c10::kCPU, [&] { return c10::IValue(replayer.run(inputs)); });
  again.graph.output = recording.graph.output;
  EXPECT_EQ(identity(again.graph), identity(recording.graph));
}

TEST_P(ReplayedModel, CopiesNoWeightForARun) {
  const Graph graph = Model(GetParam()).record().graph;
  const Aliases aliases = find_aliases(graph);
  for (ValueId id = 0; id < graph.first_result(); ++id) EXPECT_FALSE(aliases.written[id]) << "value " << id;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Models, TracedModel,
                         ::testing::Values("alexnet", "bert-base", "deepfm", "fno2d", "gcn-cora", "gpt2",
                                           "mobilenet_v3_small", "pythia-160m-half", "resnet18", "smollm2-135m",
                                           "squeezenet1_1", "t5-small", "vit_tiny", "whisper-tiny"),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Models, ReplayedModel,
                         ::testing::Values("deepfm", "fno2d", "gcn-cora", "mobilenet_v3_small", "pythia-160m-half",
                                           "t5-small", "vit_tiny"),
                         test_name);

}  // namespace
}  // namespace graphnet
