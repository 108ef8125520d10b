#include "graphnet/graph/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_graph.h"
#include "random_graph.h"

namespace graphnet {
namespace {

using fixtures::example;
using testing::HasSubstr;
using testing::Not;

TEST(Print, TheExampleReadsLikeThis) {
  EXPECT_EQ(print(example()),
            R"(inputs     %0 image float32[1,3,8,8] normal(0.0,1.0)
           %1 ids int64[1,4] range(0,10)
weights    4 tensors, 148 parameters, 4 elements of buffers, float32, int64
constants  1 tensor, float32
%7 = aten::conv2d(%0 image, %2 conv.weight float32[4,3,3,3], none, [1, 1], [1, 1], [1, 1], 1)  float32[1,4,8,8]
%7 = aten::mul_.Tensor(%7, %6 constant(0.5))                                                   float32[1,4,8,8]
[%8, %9] = aten::split.Tensor(%7, 2, 1)                                                        [float32[1,2,8,8]{256,64,8,1}, float32[1,2,8,8]{256,64,8,1}]
%10 = aten::gelu(%8, approximate="tanh")                                                       float32[1,2,8,8]
%11 = aten::add.Tensor(%10, %9, alpha=-0.5)                                                    float32[1,2,8,8]
%12 = aten::conv2d(%0 image, %3 conv.tied float32[2,3,3,3], none, [2, 2], [1, 1], [1, 1], 1)   float32[1,2,4,4]
%13 = aten::embedding(%4 embedding.weight float32[10,4], %1 ids, -1, false, false)             float32[1,4,4]
%14 = aten::arange.start(0, 4, dtype=int64, device=sample, pin_memory=false)                   int64[4]
output     {"maps": (%11 float32[1,2,8,8], %12 float32[1,2,4,4]), "tokens": [%13 float32[1,4,4], %14 int64[4], %5 int64[4]]}
)");
}

TEST(Print, LongListsAreCut) {
  Graph graph = example();
  graph.calls[0].arguments[3] = {ArgumentList(100, {std::int64_t{7}})};
  EXPECT_THAT(print(graph), HasSubstr("7, 7, ... 100 in all]"));
}

TEST(Print, TheOutputShowsTheTypeAfterInPlaceChanges) {
  Graph graph = example();
  std::get<TensorResult>(graph.calls[1].results[0]).type.shape = {4, 8, 8};
  graph.output.node = Argument{ValueReference{7}};
  EXPECT_THAT(print(graph), HasSubstr("output     %7 float32[4,8,8]\n"));
}

TEST(PrintDot, CallsAreNodesAndTensorsEdges) {
  const std::string dot = print_dot(example());
  EXPECT_THAT(dot, HasSubstr("input0 [label=\"image\\nfloat32[1,3,8,8]\", shape=ellipse];"));
  EXPECT_THAT(dot, HasSubstr("call0 [label=\"aten::conv2d\\nconv.weight\\nfloat32[1,4,8,8]\"];"));
  EXPECT_THAT(dot, HasSubstr("input0 -> call0 [label=\"%0\"];"));
  EXPECT_THAT(dot, HasSubstr("call1 -> call2 [label=\"%7\"];"));  // after the in-place change
  EXPECT_THAT(dot, Not(HasSubstr("call0 -> call2")));
  EXPECT_THAT(dot, HasSubstr("call4 -> output [label=\"%11\"];"));
}

TEST(PrintDot, NamesAreEscaped) {
  Graph graph = example();
  graph.inputs[0].name = "a\"b\\c";
  EXPECT_THAT(print_dot(graph), HasSubstr("label=\"a\\\"b\\\\c\\n"));
}

TEST(Print, EveryRandomGraphPrints) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Graph graph = fixtures::random_graph(seed);
    EXPECT_THAT(print(graph), HasSubstr("output "));
    EXPECT_THAT(print_dot(graph), HasSubstr("digraph"));
  }
}

}  // namespace
}  // namespace graphnet
