#include "graphnet/runtime/replayer.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>

#include "graphnet/graph/identity.h"
#include "graphnet/support/error.h"

#include "fixtures.h"

namespace graphnet {
namespace {

using ::testing::HasSubstr;
using testing::make_module;
using testing::make_replayer;
using testing::record_module;
using testing::run_module;
using testing::same_bits;
using testing::weights_of;

using Buffers = std::vector<std::pair<std::string, at::Tensor>>;

Buffers copies_of(const Buffers& buffers) {
  Buffers copies;
  for (const auto& [name, tensor] : buffers) copies.emplace_back(name, tensor.clone());
  return copies;
}

// Records the module on some inputs, and compares the replay with the module on fresh ones, twice. Every run of a
// module gets fresh buffers, since it may write to them.
void expect_replays(const std::string& source, const std::vector<at::Tensor>& inputs,
                    const std::vector<at::Tensor>& fresh, const Buffers& buffers = {}) {
  auto recorded = make_module(source, copies_of(buffers));
  const Recording recording = record_module(recorded, inputs);
  auto weights = make_module(source, copies_of(buffers));
  Replayer replayer = make_replayer(recording, weights_of(weights));
  for (int run = 0; run < 2; ++run) {
    auto model = make_module(source, copies_of(buffers));
    const std::vector<at::Tensor> expected = run_module(model, fresh);
    const std::vector<at::Tensor> outputs = replayer.run(fresh);
    ASSERT_EQ(outputs.size(), expected.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_TRUE(same_bits(outputs[i], expected[i])) << "run " << run << ", output " << i;
    }
  }
}

// Records the replay of a recording: the two must be the same graph.
void expect_same_graph_again(const std::string& source, const std::vector<at::Tensor>& inputs,
                             const Buffers& buffers = {}) {
  auto module = make_module(source, copies_of(buffers));
  const Recording recording = record_module(module, inputs);
  Replayer replayer = make_replayer(recording, weights_of(module));
  std::vector<KnownTensor> weights;
  for (const std::size_t weight : recording.weight_sources) weights.push_back(weights_of(module)[weight]);
  Recording again =
      record(testing::named(inputs), weights, c10::kCPU, [&] { return c10::IValue(replayer.run(inputs)); });
  EXPECT_EQ(output_values(again.graph), output_values(recording.graph));
  again.graph.output = recording.graph.output;
  EXPECT_EQ(identity(again.graph), identity(recording.graph));
}

constexpr const char* kLoop = R"(
    def forward(self, x):
        states: List[Tensor] = []
        for i in range(x.size(0)):
            states.append(torch.tanh(torch.linear(x[i], self.weight)))
        return torch.stack(states)
)";

TEST(Replayer, RepeatsALoopOverAList) {
  expect_replays(kLoop, {at::randn({3, 4})}, {at::randn({3, 4})}, {{"weight", at::randn({4, 4})}});
}

TEST(Replayer, RepeatsTupleListAndDictOutputs) {
  expect_replays(R"(
    def forward(self, x):
        return (x.sin(), [x.cos(), x]), {"a": x.exp(), "b": x.sin()}, 4
  )",
                 {at::randn({3})}, {at::randn({3})});
}

constexpr const char* kWritesInput = R"(
    def forward(self, x):
        y = x.view([6])[1:3]
        y.mul_(2.0)
        return x + 1.0
)";

TEST(Replayer, LeavesInputsAsTheyWere) {
  const at::Tensor fresh = at::randn({2, 3});
  const at::Tensor before = fresh.clone();
  expect_replays(kWritesInput, {at::randn({2, 3})}, {fresh});
  EXPECT_TRUE(at::equal(fresh, before));
}

constexpr const char* kWritesBuffer = R"(
    def forward(self, x):
        self.count.add_(1.0)
        self.table[0].copy_(x)
        return self.table * self.count, self.count
)";
const Buffers kWrittenBuffers = {{"count", at::zeros({1})}, {"table", at::ones({2, 3})}};

TEST(Replayer, StartsEveryRunFromTheSameBuffers) {
  expect_replays(kWritesBuffer, {at::randn({3})}, {at::randn({3})}, kWrittenBuffers);
}

TEST(Replayer, WritesThroughAViewOfAWeightIntoThatWeight) {
  const at::Tensor table = at::randn({4, 3});
  auto module = make_module(R"(
    def forward(self, x):
        self.row.add_(x)
        return self.table * 2.0
  )",
                            {{"row", table[1]}, {"table", table}});
  const at::Tensor before = table.clone();
  const at::Tensor x = at::randn({3});
  const Recording recording = record_module(module, {x});
  const at::Tensor expected = table * 2.0;
  table.copy_(before);
  Replayer replayer = make_replayer(recording, weights_of(module));
  EXPECT_TRUE(at::equal(replayer.run(std::vector{x})[0], expected));
  EXPECT_TRUE(at::equal(replayer.run(std::vector{x})[0], expected));
}

constexpr const char* kLiterals = R"(
    def forward(self, x):
        scale = torch.tensor([1.5, 2.5])
        y = torch.tensor([1.0, 2.0, 3.0])
        y[1:] = x * scale
        z = torch.empty([2])
        z[0] = x[0]
        z[1] = x[1]
        return y, z, torch.tensor(2)
)";

TEST(Replayer, KnowsLiteralsAndFilledAllocations) {
  expect_replays(kLiterals, {at::randn({2})}, {at::randn({2})});
}

TEST(Replayer, RepeatsTensorListsInAndOut) {
  expect_replays(R"(
    def forward(self, x):
        parts = torch.split(x, [1, 2, 1], 1)
        return torch.cat([parts[2], parts[0], parts[2]], 1), torch.broadcast_tensors([parts[0], parts[1]])
  )",
                 {at::randn({2, 4})}, {at::randn({2, 4})});
}

TEST(Replayer, RepeatsIndexingWithMissingIndices) {
  expect_replays("def forward(self, x, i):\n    return x[:, i]", {at::randn({2, 4}), at::tensor({1, 3})},
                 {at::randn({2, 4}), at::tensor({0, 2})});
}

TEST(Replayer, RepeatsOperatorsOfManyDtypes) {
  expect_replays(R"(
    def forward(self, x, h, b, n, m):
        z = torch.complex(x, x * 2.0)
        return z * z.conj(), torch.view_as_real(z), h * h, b + b, n // 2, m & (x > 0.0), x.to(torch.float16 if False else 6)
  )",
                 {at::randn({3}), at::randn({3}).to(at::kHalf), at::randn({3}).to(at::kBFloat16), at::arange(3),
                  at::ones({3}, at::kBool)},
                 {at::randn({3}), at::randn({3}).to(at::kHalf), at::randn({3}).to(at::kBFloat16), at::arange(3) * 5,
                  at::zeros({3}, at::kBool)});
}

TEST(Replayer, RepeatsQuantizedTensorsInsideTheGraph) {
  expect_replays(R"(
    def forward(self, x):
        return torch.dequantize(torch.relu(torch.quantize_per_tensor(x, 0.1, 0, 12)))
  )",
                 {at::randn({3})}, {at::randn({3})});
}

TEST(Replayer, ReturnsInputsAndWeightsAsOutputs) {
  expect_replays("def forward(self, x):\n    return x, self.weight, x", {at::randn({3})}, {at::randn({3})},
                 {{"weight", at::randn({2})}});
}

TEST(Replayer, DrawsTheSameRandomNumbersFromTheSameSeed) {
  auto module = make_module("def forward(self, x):\n    return torch.dropout(x + torch.rand_like(x), 0.5, True)");
  const at::Tensor x = at::randn({100});
  const Recording recording = record_module(module, {x});
  Replayer replayer = make_replayer(recording, {});
  at::manual_seed(7);
  const at::Tensor expected = run_module(module, {x})[0];
  at::manual_seed(7);
  EXPECT_TRUE(at::equal(replayer.run(std::vector{x})[0], expected));
}

TEST(Replayer, CanRunStrideZeroWeights) {
  auto module = make_module("def forward(self, x):\n    return torch.linear(x, self.weight)",
                            {{"weight", at::full({1, 1}, 0.5).expand({4, 3})}});
  const at::Tensor x = at::randn({2, 3});
  const Recording recording = record_module(module, {x});
  Replayer replayer = make_replayer(recording, weights_of(module));
  EXPECT_TRUE(at::allclose(replayer.run(std::vector{x})[0], run_module(module, {x})[0]));
}

TEST(Replayer, ShowsTheResultsOfEveryCall) {
  auto module = make_module("def forward(self, x):\n    a, b = torch.split(x.sin(), 1)\n    return a + b");
  const std::vector<at::Tensor> inputs = {at::randn({2, 3})};
  const Recording recording = record_module(module, inputs);
  Replayer replayer = make_replayer(recording, {});
  std::vector<std::size_t> results;
  replayer.run(inputs, [&](std::size_t call, std::span<const at::Tensor> tensors) {
    EXPECT_EQ(call, results.size());
    results.push_back(tensors.size());
  });
  EXPECT_EQ(results, (std::vector<std::size_t>{1, 2, 1}));
}

TEST(Replayer, FreesAValueAfterItsLastUse) {
  auto module = make_module("def forward(self, x):\n    return torch.relu(torch.sin(x)).sum()");
  const std::vector<at::Tensor> inputs = {at::randn({2, 3})};
  Replayer replayer = make_replayer(record_module(module, inputs), {});
  std::vector<c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>> seen;
  replayer.run(inputs, [&](std::size_t call, std::span<const at::Tensor> results) {
    if (call > 0) {
      EXPECT_TRUE(seen.back().expired());
    }
    seen.emplace_back(results[0].getIntrusivePtr());
  });
}

TEST(Replayer, NamesTheCallThatFails) {
  auto module = make_module("def forward(self, x):\n    return torch.matmul(torch.sin(x), x)");
  Replayer replayer = make_replayer(record_module(module, {at::ones({2, 2})}), {});
  try {
    replayer.run(std::vector{at::ones({2, 3})});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("call 1 aten::matmul: "));
  }
  EXPECT_EQ(replayer.run(std::vector{at::ones({2, 2})}).size(), 1U);
}

TEST(Replayer, SaysThatMemoryIsLackingAndForWhat) {
  Graph graph;
  graph.inputs = {{"x", {Dtype::kFloat32, {1}, {}}, {}}};
  graph.operators = {{"aten::repeat", "", "aten::repeat(Tensor self, SymInt[] repeats) -> Tensor"}};
  const std::int64_t count = std::int64_t{1} << 50;
  graph.calls = {
      {0, {{ValueReference{0}}, {ArgumentList{{count}}}}, {TensorResult{1, {Dtype::kFloat32, {count}, {}}}}}};
  graph.output = {Argument{ValueReference{1}}};
  try {
    Replayer(graph, c10::kCPU).run(std::vector{at::ones({1})});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("call 0 aten::repeat: out of memory when 4503599627370496 bytes"));
  }
}

TEST(Replayer, TakesABoolWhereTheOperatorTakesANumber) {
  Graph graph;
  graph.inputs = {{"x", {Dtype::kBool, {2}, {}}, {}}};
  graph.operators = {{"aten::eq", "Scalar", "aten::eq.Scalar(Tensor self, Scalar other) -> Tensor"}};
  graph.calls = {{0, {{ValueReference{0}}, {true}}, {TensorResult{1, {Dtype::kBool, {2}, {}}}}}};
  graph.output = {Argument{ValueReference{1}}};
  const at::Tensor bits = at::eye(2, at::kBool)[0];
  EXPECT_TRUE(Replayer(graph, c10::kCPU).run(std::vector{bits}).at(0).equal(bits));
}

TEST(Replayer, NamesAnOperatorThatIsMissing) {
  Graph graph;
  graph.operators = {{"absent::op", "", "absent::op(Tensor x) -> Tensor"}};
  try {
    Replayer(graph, c10::kCPU);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("absent::op"));
  }
}

// torch::neg, as an older LibTorch might have had it.
Graph graph_with_argument(const std::string& schema, std::vector<Argument> arguments) {
  Graph graph;
  graph.inputs = {{"x", {Dtype::kFloat32, {2}, {}}, {}}};
  graph.operators = {{"aten::add", "Tensor", schema}};
  graph.calls = {{0, std::move(arguments), {TensorResult{1, {Dtype::kFloat32, {2}, {}}}}}};
  graph.output = {Argument{ValueReference{1}}};
  return graph;
}

TEST(Replayer, FillsArgumentsThatTheRecordedSchemaLacksWithTheirDefaults) {
  const Graph graph = graph_with_argument("aten::add.Tensor(Tensor self, Tensor other) -> Tensor",
                                          {{ValueReference{0}}, {ValueReference{0}}});
  EXPECT_TRUE(at::equal(Replayer(graph, c10::kCPU).run(std::vector{at::ones({2})})[0], at::full({2}, 2.0)));
}

TEST(Replayer, RefusesAnArgumentOfTheWrongKindByName) {
  const Graph graph = graph_with_argument("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
                                          {{ValueReference{0}}, {ValueReference{0}}, {std::string("one")}});
  try {
    Replayer(graph, c10::kCPU);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("call 0 aten::add.Tensor: argument alpha"));
  }
}

TEST(Rerecording, GivesTheSameGraphForALoop) {
  expect_same_graph_again(kLoop, {at::randn({3, 4})}, {{"weight", at::randn({4, 4})}});
}

TEST(Rerecording, GivesTheSameGraphForWrittenInputs) {
  expect_same_graph_again(kWritesInput, {at::randn({2, 3})});
}

TEST(Rerecording, GivesTheSameGraphForWrittenBuffers) {
  expect_same_graph_again(kWritesBuffer, {at::randn({3})}, kWrittenBuffers);
}

TEST(Rerecording, GivesTheSameGraphForLiterals) {
  expect_same_graph_again(kLiterals, {at::randn({2})});
}

TEST(Rerecording, GivesTheSameGraphForUnusedInputs) {
  expect_same_graph_again("def forward(self, x, y):\n    return y.sin()", {at::ones({2}), at::ones({2})});
}

}  // namespace
}  // namespace graphnet
