// check() on graphs built in memory; what the reader finds in files is in text_errors_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/graph/graph.h"

#include "example_graph.h"

namespace graphnet {
namespace {

using fixtures::example;
using testing::HasSubstr;

std::string complaint(const Graph& graph) {
  try {
    check(graph);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "no error";
}

// The example after one change.
template <class Change>
std::string complaint_after(Change&& change) {
  Graph graph = example();
  change(graph);
  return complaint(graph);
}

TEST(Check, TheExampleIsInOrder) {
  EXPECT_EQ(complaint(example()), "no error");
}

TEST(Check, CallsMustNameListedOperators) {
  EXPECT_EQ(complaint_after([](Graph& graph) { graph.calls[0].operator_index = 7; }),
            "call 0: its operator 7 is not listed");
}

TEST(Check, OperatorsMustBeSortedUniqueAndUsed) {
  EXPECT_THAT(complaint_after([](Graph& graph) { std::swap(graph.operators[0], graph.operators[1]); }),
              HasSubstr("operators must be sorted by name, each once"));
  EXPECT_THAT(complaint_after([](Graph& graph) { graph.operators.push_back(graph.operators.back()); }),
              HasSubstr("operators must be sorted by name, each once"));
  EXPECT_EQ(complaint_after([](Graph& graph) {
              graph.operators.push_back({"z::z", "", "z::z() -> ()"});
            }),
            "operator z::z: no call uses it");
}

TEST(Check, SchemasMustBelongToTheirOperator) {
  EXPECT_THAT(complaint_after([](Graph& graph) { graph.operators[0].overload = "Scalar"; }),
              HasSubstr("its schema is that of another operator"));
}

TEST(Check, ThePlaceOfAWrongArgumentIsNamed) {
  EXPECT_EQ(complaint_after([](Graph& graph) { graph.calls[4].arguments[1] = {std::int64_t{1}}; }),
            "call 4 aten::add.Tensor, argument other: expected Tensor, found 1");
}

TEST(Check, ValuesMustBeDefinedBeforeTheirUse) {
  EXPECT_EQ(complaint_after([](Graph& graph) { graph.calls[3].arguments[0] = {ValueReference{10}}; }),
            "call 3 aten::gelu, argument self: %10 is used before it is defined");
  EXPECT_EQ(complaint_after([](Graph& graph) { graph.output.node = Argument{ValueReference{99}}; }),
            "output: %99 is not defined");
}

TEST(Check, NewResultsAreNumberedDensely) {
  EXPECT_EQ(complaint_after([](Graph& graph) { std::get<TensorResult>(graph.calls[4].results[0]).id = 13; }),
            "call 4 aten::add.Tensor: its next new result must be %11, found %13");
}

TEST(Check, ACallMayReturnItsOwnNewValueTwiceButNoOtherOldValue) {
  EXPECT_EQ(complaint_after([](Graph& graph) {
              auto& list = std::get<std::vector<TensorResult>>(graph.calls[2].results[0]);
              list.push_back(list.front());
            }),
            "no error");
  EXPECT_THAT(complaint_after([](Graph& graph) { std::get<TensorResult>(graph.calls[1].results[0]).id = 0; }),
              HasSubstr("%0 is defined already and is none of its arguments"));
}

TEST(Check, TypesMustBeCanonical) {
  EXPECT_THAT(complaint_after([](Graph& graph) {
                graph.inputs[0].type.strides = {192, 64, 8, 1};
              }),
              HasSubstr("input image: expected no strides where the tensor is contiguous"));
  EXPECT_THAT(complaint_after([](Graph& graph) { graph.weights[0].type.strides = {1}; }),
              HasSubstr("weight conv.weight: expected as many strides as sizes"));
  EXPECT_THAT(complaint_after([](Graph& graph) { graph.inputs[0].type.shape[0] = -1; }), HasSubstr("at least 0"));
  EXPECT_THAT(complaint_after([](Graph& graph) {
                std::get<TensorResult>(graph.calls[4].results[0]).type.shape = {INT64_MAX, 2};
              }),
              HasSubstr("call 4 aten::add.Tensor: the tensor's size exceeds 64 bits"));
}

TEST(Check, RecipesMustBeValid) {
  EXPECT_THAT(complaint_after([](Graph& graph) {
                graph.inputs[0].recipe = NormalRecipe{0.0, -1.0};
              }),
              HasSubstr("input image: expected a deviation of at least 0"));
  EXPECT_THAT(complaint_after([](Graph& graph) { graph.constants[0].recipe = StoredRecipe{"short"}; }),
              HasSubstr("constant %6: expected stored(SHA256)"));
}

TEST(Check, NamesMustBePrintable) {
  EXPECT_THAT(complaint_after([](Graph& graph) { graph.weights[0].name = "a\nb"; }), HasSubstr("control characters"));
  EXPECT_THAT(complaint_after([](Graph& graph) { graph.weights[0].name = "\xFF"; }), HasSubstr("UTF-8"));
}

TEST(Check, TextsMustBeUtf8) {
  EXPECT_THAT(complaint_after([](Graph& graph) { graph.calls[3].arguments[1] = {std::string("\xC3")}; }),
              HasSubstr("call 3 aten::gelu: the text \"\\xc3\" is not UTF-8"));
  EXPECT_THAT(complaint_after([](Graph& graph) { graph.output.node = Argument{std::string("\xC3")}; }),
              HasSubstr("is not UTF-8"));
}

TEST(Check, ListsAreBoundedAsInTheReader) {
  EXPECT_THAT(complaint_after([](Graph& graph) { graph.calls[0].arguments[3] = {ArgumentList(70'000)}; }),
              HasSubstr("call 0 aten::conv2d: more than 65536 arguments"));
  EXPECT_THAT(complaint_after([](Graph& graph) {
                Argument nested{ArgumentList{}};
                for (int i = 0; i < 16; ++i) nested = {ArgumentList{nested}};
                graph.calls[0].arguments[3] = nested;
              }),
              HasSubstr("lists nested more than 16 deep"));
  EXPECT_THAT(complaint_after([](Graph& graph) {
                auto& list = std::get<std::vector<TensorResult>>(graph.calls[2].results[0]);
                list.resize(70'000, list.front());
              }),
              HasSubstr("call 2 aten::split.Tensor: more than 65536 results"));
}

TEST(Check, AnOutputLeafIsNoArgumentList) {
  EXPECT_EQ(complaint_after([](Graph& graph) { graph.output.node = Argument{ArgumentList{}}; }),
            "output: a list must be an output list, not an argument");
}

struct Admission {
  const char* type;
  Argument argument;
  bool is_admitted;
};

TEST(Check, ArgumentsMustBeOfTheKindThatTheSchemaAsksFor) {
  const Argument value{ValueReference{0}};
  const Argument list_of_int{ArgumentList{{std::int64_t{1}}}};
  const Argument list_of_value_and_none{ArgumentList{value, {None{}}}};
  const std::vector<Admission> cases = {
      {"Tensor", value, true},
      {"Tensor", {None{}}, true},  // an undefined tensor
      {"Tensor", {1.0}, false},
      {"Tensor?", {None{}}, true},
      {"Tensor[]", value, false},
      {"Tensor?[]", list_of_value_and_none, true},
      {"int", {std::int64_t{1}}, true},
      {"int", {1.0}, false},
      {"int", {true}, false},
      {"int", {None{}}, false},
      {"int?", {None{}}, true},
      {"SymInt[2]", list_of_int, true},
      {"int[1]?", {None{}}, true},
      {"float", {1.0}, true},
      {"float", {std::int64_t{1}}, false},
      {"float[]", list_of_int, false},
      {"Scalar", {std::int64_t{1}}, true},
      {"Scalar", {std::complex<double>(1, 1)}, true},
      {"Scalar", {true}, true},
      {"Scalar", {std::string("1")}, false},
      {"str", {std::string("1")}, true},
      {"ScalarType", {Dtype::kInt8}, true},
      {"ScalarType", {std::int64_t{1}}, false},
      {"Layout", {Layout::kStrided}, true},
      {"Device", {Layout::kStrided}, false},
      {"MemoryFormat?", {MemoryFormat::kPreserve}, true},
      {"Any", list_of_value_and_none, true},
      {"int[][]", list_of_int, true},  // types this layer does not know admit anything
  };
  for (const auto& [type, argument, is_admitted] : cases) {
    Graph graph;
    graph.inputs.push_back({"x", {}, {}});
    graph.operators.push_back({"c::f", "", std::string("c::f(") + type + " x) -> ()"});
    graph.calls.push_back({0, {argument}, {}});
    graph.output.node = Argument{None{}};
    EXPECT_EQ(complaint(graph) == "no error", is_admitted) << type << " " << to_text(argument);
  }
}

}  // namespace
}  // namespace graphnet
