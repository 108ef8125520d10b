#include "graphnet/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_graph.h"

namespace graphnet {
namespace {

using fixtures::example;
using testing::ElementsAre;

TEST(Graph, IdsRunThroughInputsWeightsConstantsAndResults) {
  const Graph graph = example();
  EXPECT_EQ(graph.first_weight(), 2U);
  EXPECT_EQ(graph.first_constant(), 6U);
  EXPECT_EQ(graph.first_result(), 7U);
  EXPECT_EQ(value_count(graph), 15U);
}

TEST(Graph, AGraphWithoutCallsHasItsStartingValuesOnly) {
  Graph graph;
  EXPECT_EQ(value_count(graph), 0U);
  graph.inputs.resize(3);
  EXPECT_EQ(value_count(graph), 3U);
}

TEST(Graph, OutputValuesAreTheLeavesInOrder) {
  EXPECT_THAT(output_values(example()), ElementsAre(11, 12, 13, 14, 5));
}

TEST(Graph, LastUsesAreThoseOfCallsAndOutput) {
  const Graph graph = example();
  const std::vector<std::int64_t> uses = last_uses(graph);
  ASSERT_EQ(uses.size(), 15U);
  EXPECT_EQ(uses[0], 5);   // the image, read by two convolutions
  EXPECT_EQ(uses[6], 1);   // the constant
  EXPECT_EQ(uses[7], 2);   // changed in place by call 1, split by call 2
  EXPECT_EQ(uses[11], 8);  // an output
  EXPECT_EQ(uses[5], 8);   // a weight that is an output
}

TEST(Graph, ValuesThatNothingUsesHaveNoLastUse) {
  Graph graph;
  graph.inputs.resize(1);
  graph.output.node = Argument{None{}};
  EXPECT_THAT(last_uses(graph), ElementsAre(-1));
}

TEST(Graph, ResultsAreVisitedInOrderListsIncluded) {
  std::vector<ValueId> visited;
  for_each_result(example().calls[2], [&](const TensorResult& result) { visited.push_back(result.id); });
  EXPECT_THAT(visited, ElementsAre(8, 9));
}

TEST(Graph, OperatorsAreNormalizedWithoutChangingTheCalls) {
  const Graph graph = example();
  Graph shuffled = graph;
  shuffled.operators = {{"aten::unused", "", "aten::unused() -> ()"}};
  for (Call& call : shuffled.calls) {  // one operator a call: repeated and unsorted
    shuffled.operators.push_back(graph.operator_of(call));
    call.operator_index = static_cast<std::uint32_t>(shuffled.operators.size() - 1);
  }
  normalize_operators(shuffled);
  EXPECT_EQ(shuffled, graph);
}

TEST(Graph, FullNamesHaveTheOverloadBehindADot) {
  EXPECT_EQ((Operator{"aten::add", "Tensor", ""}.full_name()), "aten::add.Tensor");
  EXPECT_EQ((Operator{"aten::relu", "", ""}.full_name()), "aten::relu");
}

}  // namespace
}  // namespace graphnet
