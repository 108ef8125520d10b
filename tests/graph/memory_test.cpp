#include "graphnet/graph/memory.h"

#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "graphnet/support/error.h"

#include "example_graph.h"

namespace graphnet {
namespace {

constexpr std::int64_t kUnit = 1024;  // bytes of a float32[256]

// A graph of one input %0 and of these calls, written as in the text form.
Graph graph_of(const std::vector<std::pair<std::string, std::string>>& calls, const std::string& output) {
  const std::map<std::string, std::string> schemas = {
      {"aten::add.Tensor", "(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"},
      {"aten::relu", "(Tensor self) -> Tensor"},
      {"aten::relu_", "(Tensor(a!) self) -> Tensor(a!)"},
      {"aten::view", "(Tensor(a) self, SymInt[] size) -> Tensor(a)"}};
  std::set<std::string> operators;
  std::string lines;
  for (const auto& [name, rest] : calls) {
    operators.insert("\"" + name + schemas.at(name) + "\"");
    lines += (lines.empty() ? "[\"" : ",\n[\"") + name + "\"," + rest + "]";
  }
  std::string listed;
  for (const std::string& schema : operators) listed += (listed.empty() ? "" : ",\n") + schema;
  return read_graph(
      "{\"graphnet\":1,\"inputs\":[{\"value\":\"%0\",\"name\":\"x\",\"type\":\"float32[256]\",\"recipe\":"
      "\"normal(0.0,1.0)\"}],\"weights\":[],\"constants\":[],\"operators\":[" +
          listed + "],\"calls\":[" + lines + "],\"output\":" + output + "}",
      "graph");
}

TEST(MemoryNeed, CountsStartingTensorsByTheirStorage) {
  const MemoryNeed need = memory_need(fixtures::example());
  EXPECT_EQ(need.inputs, 1 * 3 * 8 * 8 * 4 + 4 * 8);
  EXPECT_EQ(need.weights, 4 * 3 * 3 * 3 * 4 + 10 * 4 * 4 + 4 * 8);  // the tied weight has no storage of its own
  EXPECT_EQ(need.constants, 4);
}

TEST(MemoryNeed, AChainKeepsTwoResultsAlive) {
  const Graph graph = graph_of({{"aten::relu", R"(["%0"],["%1 float32[256]"])"},
                                {"aten::relu", R"(["%1"],["%2 float32[256]"])"},
                                {"aten::relu", R"(["%2"],["%3 float32[256]"])"}},
                               R"("%3")");
  EXPECT_EQ(memory_need(graph).peak_results, 2 * kUnit);
}

TEST(MemoryNeed, ResultsStayUntilTheirLastUse) {
  const Graph graph = graph_of({{"aten::relu", R"(["%0"],["%1 float32[256]"])"},
                                {"aten::relu", R"(["%1"],["%2 float32[256]"])"},
                                {"aten::relu", R"(["%2"],["%3 float32[256]"])"},
                                {"aten::add.Tensor", R"(["%1","%3",1],["%4 float32[256]"])"}},
                               R"("%4")");
  EXPECT_EQ(memory_need(graph).peak_results, 3 * kUnit);
}

TEST(MemoryNeed, OutputsStayToTheEnd) {
  const Graph graph = graph_of({{"aten::relu", R"(["%0"],["%1 float32[256]"])"},
                                {"aten::relu", R"(["%1"],["%2 float32[256]"])"},
                                {"aten::relu", R"(["%2"],["%3 float32[256]"])"}},
                               R"(["%1","%3"])");
  EXPECT_EQ(memory_need(graph).peak_results, 3 * kUnit);
}

TEST(MemoryNeed, ViewsAndInPlaceResultsShareTheirStorage) {
  const Graph graph = graph_of({{"aten::relu", R"(["%0"],["%1 float32[256]"])"},
                                {"aten::view", R"(["%1",[16,16]],["%2 float32[16,16]"])"},
                                {"aten::relu_", R"(["%2"],["%2 float32[16,16]"])"}},
                               R"("%2")");
  EXPECT_EQ(memory_need(graph).peak_results, kUnit);
}

TEST(MemoryNeed, AViewKeepsItsBaseAlive) {
  const Graph graph = graph_of({{"aten::relu", R"(["%0"],["%1 float32[256]"])"},
                                {"aten::view", R"(["%1",[16,16]],["%2 float32[16,16]"])"},
                                {"aten::relu", R"(["%0"],["%3 float32[256]"])"},
                                {"aten::relu", R"(["%2"],["%4 float32[16,16]"])"}},
                               R"("%4")");
  EXPECT_EQ(memory_need(graph).peak_results, 2 * kUnit);
}

TEST(MemoryNeed, ResultsThatNothingUsesAreFreedAtOnce) {
  const Graph graph = graph_of(
      {{"aten::relu", R"(["%0"],["%1 float32[256]"])"}, {"aten::relu", R"(["%0"],["%2 float32[256]"])"}}, R"(null)");
  EXPECT_EQ(memory_need(graph).peak_results, kUnit);
}

TEST(MemoryNeed, SumsBeyond64BitsAreAnError) {
  Graph graph = fixtures::example();
  for (Input& input : graph.inputs) input.type = {Dtype::kInt8, {std::int64_t{1} << 62}, {}};
  graph.inputs.resize(3, graph.inputs.front());
  EXPECT_THROW(memory_need(graph), Error);
}

TEST(MemoryFit, FollowsFromWhatTheWorkHoldsAtATime) {
  const MemoryNeed need{.weights = 1000, .constants = 10, .inputs = 100, .peak_results = 50};
  const MemoryUse use{1, 2, 2};
  EXPECT_EQ(bytes_needed(need, use), 1310);
  EXPECT_EQ(memory_fit(need, use, 1310), MemoryFit::kWhole);
  EXPECT_EQ(memory_fit(need, use, 1309), MemoryFit::kRepeatedWeights);
  EXPECT_EQ(memory_fit(need, use, 310), MemoryFit::kRepeatedWeights);
  EXPECT_EQ(memory_fit(need, use, 309), MemoryFit::kNot);
}

TEST(MemoryFit, SurvivesSizesThatOverflowTogether) {
  const MemoryNeed need{.weights = std::int64_t{1} << 62, .inputs = std::int64_t{1} << 62};
  EXPECT_EQ(bytes_needed(need, {3, 3, 3}), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(memory_fit(need, {3, 3, 3}, std::int64_t{1} << 40), MemoryFit::kNot);
}

TEST(MemoryFit, AShortageNamesWhatIsNeededAndWhatIsThere) {
  const MemoryNeed need{.inputs = 4000};
  EXPECT_EQ(shortage_text(need, {1, 2, 2}, 500),
            "needs 8,000 bytes of memory (weights 0, constants 0, each set of inputs 4,000, results at one time 0), "
            "but 500 are available");
}

TEST(LargestTensor, IsNamedWithItsPlace) {
  const Graph graph = graph_of(
      {{"aten::relu", R"(["%0"],["%1 float32[256]"])"}, {"aten::add.Tensor", R"(["%1","%1",1],["%2 float32[512]"])"}},
      R"("%2")");
  EXPECT_EQ(largest_tensor(graph), "call 1 aten::add.Tensor: float32[512]");
  EXPECT_EQ(largest_tensor(graph_of({}, R"("%0")")), "input x float32[256]");
}

}  // namespace
}  // namespace graphnet
