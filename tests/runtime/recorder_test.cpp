#include "graphnet/runtime/recorder.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>

#include "graphnet/graph/graph.h"
#include "graphnet/graph/text.h"
#include "graphnet/support/error.h"

#include "fixtures.h"

namespace graphnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_module;
using testing::operators_of;
using testing::record_module;

// The text of output and constants is short enough to compare whole.
std::string output_text(const Graph& graph) {
  const std::string text = write_graph(graph);
  return text.substr(text.find("\"output\":"));
}

std::string message_of(torch::jit::Module& module, const std::vector<at::Tensor>& inputs) {
  try {
    record_module(module, inputs);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    return error.what();
  }
  return "recorded";
}

TEST(Recorder, UnrollsALoop) {
  auto module = make_module(R"(
    def forward(self, x, steps: int = 3):
        for i in range(steps):
            x = torch.relu(x)
        return x
  )");
  const Graph graph = record_module(module, {at::randn({2, 3})}).graph;
  EXPECT_THAT(operators_of(graph), ElementsAre("aten::relu", "aten::relu", "aten::relu"));
}

TEST(Recorder, TakesTheBranchThatRan) {
  auto module = make_module(R"(
    def forward(self, x):
        if x.size(0) > 1:
            return torch.sin(x)
        else:
            return torch.cos(x)
  )");
  EXPECT_THAT(operators_of(record_module(module, {at::ones({2})}).graph), ElementsAre("aten::sin"));
  EXPECT_THAT(operators_of(record_module(module, {at::ones({1})}).graph), ElementsAre("aten::cos"));
}

TEST(Recorder, GivesAGraphThatPassesItsOwnCheck) {
  auto module = make_module(R"(
    def forward(self, x):
        parts = torch.chunk(torch.linear(x, self.weight), 2, 1)
        return torch.cat([parts[1], parts[0]], 1)
  )",
                            {{"weight", at::randn({4, 3})}});
  const Graph graph = record_module(module, {at::randn({2, 3})}).graph;
  EXPECT_NO_THROW(check(graph));
  EXPECT_EQ(write_graph(read_graph(write_graph(graph), "graph.json")), write_graph(graph));
}

TEST(Recorder, WritesEnumerationsByNameAndDefaultsInFull) {
  auto module = make_module(R"(
    def forward(self, x):
        return torch.sum(x.to(6), [0], dtype=7)
  )");
  const Graph graph = record_module(module, {at::ones({2})}).graph;
  ASSERT_EQ(graph.calls.size(), 2U);
  EXPECT_EQ(to_text(graph, graph.calls[1]),
            R"(["aten::sum.dim_IntList",["%0",[0],false,{"dtype":"float64"}],["%1 float64[]"]])");
}

TEST(Recorder, KeepsDevicesAbstract) {
  auto module = make_module(R"(
    def forward(self, x):
        return x + torch.zeros([2], device=x.device)
  )");
  const Graph graph = record_module(module, {at::ones({2})}).graph;
  EXPECT_EQ(to_text(graph, graph.calls[0]),
            R"(["aten::zeros",[[2],null,null,{"device":"sample"},null],["%1 float32[2]"]])");
}

TEST(Recorder, NamesTheSameValueAgainWhereAnOperatorReturnsItsArgument) {
  auto module = make_module(R"(
    def forward(self, x):
        y = x.neg()
        y.add_(1.0)
        return torch.dropout(y, 0.5, False)
  )");
  const Graph graph = record_module(module, {at::ones({2})}).graph;
  EXPECT_EQ(value_count(graph), 2U);
  EXPECT_EQ(output_values(graph), std::vector<ValueId>{1});
}

TEST(Recorder, KeepsTheFormOfTheOutput) {
  auto module = make_module(R"(
    def forward(self, x):
        pair: Tuple[Optional[Tensor], List[Tensor]] = (None, [x.sin()])
        return pair, {"label": x.cos()}, 3, 0.5, "text", x
  )");
  const Graph graph = record_module(module, {at::ones({2})}).graph;
  EXPECT_THAT(
      output_text(graph),
      HasSubstr(
          R"({"tuple":[{"tuple":[null,["%1"]]},{"dict":[[{"string":"label"},"%2"]]},3,0.5,{"string":"text"},"%0"]})"));
}

TEST(Recorder, NumbersWeightsByFirstUseAndLeavesUnusedOnesOut) {
  auto module = make_module(R"(
    def forward(self, x):
        return x * self.second + self.first
  )",
                            {{"first", at::ones({2})}, {"unused", at::ones({2})}, {"second", at::ones({2})}});
  const Recording recording = record_module(module, {at::ones({2})});
  ASSERT_EQ(recording.graph.weights.size(), 2U);
  EXPECT_EQ(recording.graph.weights[0].name, "second");
  EXPECT_EQ(recording.graph.weights[1].name, "first");
  EXPECT_THAT(recording.weight_sources, ElementsAre(2, 0));
}

TEST(Recorder, SeesTiedWeightsAsOneValue) {
  const at::Tensor table = at::randn({5, 3});
  auto module = make_module(R"(
    def forward(self, x):
        return torch.linear(torch.linear(x, self.encoder), self.decoder.t())
  )",
                            {{"encoder", table}, {"decoder", table.view({5, 3})}});
  EXPECT_EQ(record_module(module, {at::randn({2, 3})}).graph.weights.size(), 1U);
}

TEST(Recorder, RecordsAPartOfAWeightAsAViewOfIt) {
  const at::Tensor table = at::randn({4, 3});
  auto module = make_module(R"(
    def forward(self, x):
        return x + self.row, torch.linear(x, self.table)
  )",
                            {{"row", table[2]}, {"table", table}});
  const Graph graph = record_module(module, {at::randn({3})}).graph;
  ASSERT_EQ(graph.weights.size(), 2U);
  EXPECT_EQ(graph.weights[0].name, "table");
  EXPECT_EQ(std::get<ViewRecipe>(graph.weights[1].recipe), (ViewRecipe{1, 6}));
  EXPECT_NO_THROW(check(graph));
}

TEST(Recorder, RecordsStrideZeroWeightsAsDense) {
  auto module = make_module(R"(
    def forward(self, x):
        return torch.matmul(x, self.weight.t())
  )",
                            {{"weight", at::full({1, 1}, 0.5).expand({4, 3})}});
  const Graph graph = record_module(module, {at::randn({2, 3})}).graph;
  EXPECT_EQ(to_string(graph.weights[0].type), "float32[4,3]");
  EXPECT_THAT(to_text(graph, graph.calls[0]), HasSubstr("float32[3,4]{1,3}"));
}

TEST(Recorder, KeepsTheContentsOfALiteral) {
  auto module = make_module(R"(
    def forward(self, x):
        return x * torch.tensor([1.5, 2.5])
  )");
  const Recording recording = record_module(module, {at::ones({2})});
  ASSERT_EQ(recording.graph.constants.size(), 1U);
  EXPECT_EQ(to_string(recording.graph.constants[0].recipe), "values(1.5,2.5)");
  EXPECT_THAT(operators_of(recording.graph), ::testing::Not(::testing::Contains(HasSubstr("aten::empty"))));
}

TEST(Recorder, RefusesATensorFromOutsideThatIsTooLargeToBeWrittenExactly) {
  const at::Tensor x = at::ones({400'000});
  const at::Tensor outside = at::randn({400'000});
  try {
    record(testing::named({x}), {}, c10::kCPU, [&] { return at::add(x, outside); });
    FAIL() << "recorded";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("aten::add.Tensor, argument other, reads a tensor float32[400000]"));
  }
}

TEST(Recorder, KeepsALiteralThatIsPartlyOverwritten) {
  auto module = make_module(R"(
    def forward(self, x):
        y = torch.tensor([1.0, 2.0])
        y[0] = x
        return y
  )");
  const Recording recording = record_module(module, {at::scalar_tensor(3.0)});
  ASSERT_EQ(recording.graph.constants.size(), 1U);
  EXPECT_EQ(to_string(recording.graph.constants[0].recipe), "values(1.0,2.0)");
}

TEST(Recorder, LeavesAnAllocationThatIsFilledAsACall) {
  auto module = make_module(R"(
    def forward(self, x):
        y = torch.empty([2])
        y[0] = x
        y[1] = x.neg()
        return y
  )");
  const Recording recording = record_module(module, {at::scalar_tensor(3.0)});
  EXPECT_THAT(recording.graph.constants, IsEmpty());
  EXPECT_EQ(operators_of(recording.graph).front(), "aten::empty.memory_format");
}

TEST(Recorder, NotesValuesThatBecameNumbers) {
  auto module = make_module(R"(
    def forward(self, x):
        return x * float(x.sum().item())
  )");
  const Recording recording = record_module(module, {at::ones({2})});
  ASSERT_EQ(recording.notes.baked_values.size(), 1U);
  EXPECT_EQ(recording.notes.baked_values[0], "before call 1: aten::item of %1 float32[]");
}

TEST(Recorder, LeavesOutConstantsThatOnlyBecameNumbers) {
  auto module = make_module(R"(
    def forward(self, x):
        return x * float(torch.tensor([2.5]).item())
  )");
  EXPECT_THAT(record_module(module, {at::ones({2})}).graph.constants, IsEmpty());
}

TEST(Recorder, DoesNotNoteNumbersThatDependOnNoInput) {
  auto module = make_module(R"(
    def forward(self, x):
        return x * float(torch.ones([2]).sum().item())
  )");
  EXPECT_THAT(record_module(module, {at::ones({2})}).notes.baked_values, IsEmpty());
}

TEST(Recorder, NotesRandomOperators) {
  auto random = make_module("def forward(self, x):\n    return x + torch.rand_like(x)");
  auto dropout = make_module("def forward(self, x):\n    return torch.dropout(x, 0.5, True)");
  EXPECT_TRUE(record_module(random, {at::ones({2})}).notes.random);
  EXPECT_TRUE(record_module(dropout, {at::ones({2})}).notes.random);
}

TEST(Recorder, TakesDropoutOutsideTrainingForWhatItIs) {
  auto module = make_module("def forward(self, x):\n    return torch.dropout(x, 0.5, False)");
  EXPECT_FALSE(record_module(module, {at::ones({2})}).notes.random);
}

TEST(Recorder, NotesShapesThatDependOnValues) {
  auto mask = make_module("def forward(self, x):\n    return x[x > 0.0]");
  auto index = make_module("def forward(self, x):\n    return x[torch.zeros([1], dtype=4)]");
  EXPECT_TRUE(record_module(mask, {at::ones({2})}).notes.data_dependent_shapes);
  EXPECT_FALSE(record_module(index, {at::ones({2})}).notes.data_dependent_shapes);
}

TEST(Recorder, RefusesPackedWeightsByOperatorAndArgument) {
  auto module = make_module(R"(
    def forward(self, x):
        packed = quantized.linear_prepack(torch.quantize_per_tensor(self.weight, 0.1, 0, 12), None)
        return quantized.linear_dynamic(x, packed, False)
  )",
                            {{"weight", at::randn({4, 3})}});
  EXPECT_THAT(message_of(module, {at::randn({2, 3})}),
              HasSubstr("quantized::linear_dynamic: argument W_prepack: an object of class"));
}

TEST(Recorder, RefusesSparseTensorsByOperator) {
  auto module = make_module("def forward(self, x):\n    return x.to_sparse().to_dense()");
  EXPECT_THAT(message_of(module, {at::ones({2})}), HasSubstr("aten::to_sparse: result 0: tensors of layout Sparse"));
}

TEST(Recorder, RefusesASparseWeightOnlyWhereItIsRead) {
  const at::Tensor sparse = at::eye(2).to_sparse();
  auto ignoring = make_module(R"(
    def forward(self, x):
        return x.sin()
  )",
                              {{"adjacency", sparse}});
  auto reading = make_module(R"(
    def forward(self, x):
        return torch.mm(self.adjacency, x)
  )",
                             {{"adjacency", sparse}});
  EXPECT_EQ(message_of(ignoring, {at::ones({2, 2})}), "recorded");
  EXPECT_THAT(message_of(reading, {at::ones({2, 2})}), HasSubstr("aten::mm: argument self: tensors of layout Sparse"));
}

TEST(Recorder, RefusesAQuantizedWeightByName) {
  auto module = make_module(R"(
    def forward(self, x):
        return x + torch.dequantize(self.table)
  )",
                            {{"table", at::quantize_per_tensor(at::ones({2}), 0.1, 0, at::kQInt8)}});
  EXPECT_THAT(message_of(module, {at::ones({2})}), HasSubstr("weight table is quantized"));
}

TEST(Recorder, RefusesWorkOnAnotherThread) {
  auto module = make_module(R"(
    def work(self, x):
        return torch.sin(x)
    def forward(self, x):
        return wait(fork(self.work, x))
  )");
  try {
    record_module(module, {at::ones({2})});
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("aten::sin ran on another thread"));
  }
}

TEST(Recorder, RefusesAnInputThatSharesWrittenMemoryWithAWeight) {
  const at::Tensor shared = at::ones({4});
  auto module = make_module("def forward(self, x):\n    x.add_(1.0)\n    return self.weight * 2", {{"weight", shared}});
  const at::Tensor input = shared.slice(0, 0, 2);
  EXPECT_THROW(record(testing::named({input}), testing::weights_of(module), c10::kCPU,
                      [&] { return testing::call_module(module, {input}); }),
               Error);
}

TEST(Recorder, LetsTheModelsOwnExceptionPass) {
  auto module = make_module("def forward(self, x):\n    return torch.matmul(x, x)");
  EXPECT_THROW(record_module(module, {at::ones({2, 3})}), std::exception);
  EXPECT_NO_THROW(record_module(module, {at::ones({2, 2})}));
}

TEST(Recorder, KeepsNoIntermediateTensorAlive) {
  const at::Tensor x = at::ones({4});
  record(testing::named({x}), {}, c10::kCPU, [&]() -> c10::IValue {
    at::Tensor y = x.sin();
    const c10::weak_intrusive_ptr<c10::StorageImpl> memory = y.storage().getWeakStorageImpl();
    y = y.cos();
    EXPECT_TRUE(memory.expired());
    return y;
  });
}

TEST(Recorder, KnowsATensorThatWasDetachedBehindTheDispatcher) {
  auto module = make_module(R"(
    def forward(self, x):
        return x.sin().data.cos()
  )");
  const Graph graph = record_module(module, {at::ones({2})}).graph;
  EXPECT_EQ(to_text(graph, graph.calls[1]), R"(["aten::cos",["%1"],["%2 float32[2]"]])");
}

TEST(Recorder, RefusesAViewThatWasMadeBehindTheDispatcher) {
  const at::Tensor x = at::ones({2, 2});
  const auto call = [&]() -> c10::IValue {
    const at::Tensor y = x.sin();
    at::Tensor view;
    {
      const c10::impl::ExcludeDispatchKeyGuard unseen(c10::DispatchKey::TESTING_ONLY_GenericMode);
      view = y[0];
    }
    return view.cos();
  };
  try {
    record(testing::named({x}), {}, c10::kCPU, call);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("aten::cos: argument self: the tensor is a view that was made outside"));
  }
}

TEST(Recorder, RecordsOneCallAtATime) {
  const auto nested = [] { return record({}, {}, c10::kCPU, [] { return c10::IValue(); }); };
  EXPECT_THROW(record({}, {}, c10::kCPU, [&] { return nested(), c10::IValue(); }), Error);
}

TEST(Recorder, LeavesOtherCallsAlone) {
  auto module = make_module("def forward(self, x):\n    return x.sin()");
  const Recording recording = record_module(module, {at::ones({2})});
  at::ones({2}).cos();
  EXPECT_EQ(recording.graph.calls.size(), 1U);
}

}  // namespace
}  // namespace graphnet
