#include "graphnet/graph/memory.h"

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

}  // namespace
}  // namespace graphnet
