// What the reader refuses, with the line it names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/graph/text.h"

#include "example_graph.h"

namespace graphnet {
namespace {

using fixtures::changed;
using fixtures::error_of;
using fixtures::kExample;
using testing::HasSubstr;
using testing::StartsWith;

struct Change {
  std::string_view from;
  std::string_view to;
  int line;
  std::string_view complaint;
};

class TextErrors : public testing::TestWithParam<Change> {};

TEST_P(TextErrors, NameTheLineAndWhatWasExpected) {
  const Change& change = GetParam();
  const std::string error = error_of(changed(kExample, change.from, change.to));
  EXPECT_THAT(error, StartsWith("graph.json:" + std::to_string(change.line) + ": "));
  EXPECT_THAT(error, HasSubstr(std::string(change.complaint)));
}

INSTANTIATE_TEST_SUITE_P(
    Frame, TextErrors,
    testing::Values(
        Change{"\"graphnet\":1", "\"graphnet\":2", 1, "format version 2, this program reads versions up to 1"},
        Change{"\"graphnet\":1", "\"graphnet\":0", 1, "expected a format version of at least 1"},
        Change{"\"graphnet\":1", "\"graphnet\":1.0", 1, "expected a format version"},
        Change{"\"graphnet\":1", "\"graphnet\":\"1\"", 1, "expected a format version"},
        Change{"{\"graphnet\":1", "{\"phonenet\":1", 1, "expected the key \"graphnet\", found \"phonenet\""},
        Change{"{\"graphnet\":1", "[\"graphnet\",1", 1, ""},
        Change{"\"inputs\":[", "\"inputs\":[],\n\"inputs\":[", 3, "expected the key \"weights\", found \"inputs\""},
        Change{"\"weights\":[", "\"wheels\":[", 6, "expected the key \"weights\", found \"wheels\""},
        Change{"\"constants\":[", "\"constants\":{", 12, "expected a list, found an object"},
        Change{"]}}\n", "]},\"more\":1}\n", 34, "expected the end of the object, found \"more\""},
        Change{"]}}\n", "]}}\n{}", 35, "expected the end of the file"}, Change{"]}}\n", "]}}\n}", 35, ""}));

INSTANTIATE_TEST_SUITE_P(
    Tensors, TextErrors,
    testing::Values(
        Change{"\"value\":\"%0\"", "\"value\":\"%1\"", 3, "expected \"%0\" as the next value, found \"%1\""},
        Change{"\"value\":\"%1\"", "\"value\":\"%01\"", 4, "expected \"%1\" as the next value"},
        Change{"\"name\":\"image\"", "\"name\":null", 3, "expected a name, found null"},
        Change{"\"name\":\"image\"", "\"name\":\"im\\nage\"", 3, "without control characters"},
        Change{"\"name\":\"image\"", "\"name\":\"\"", 3, "the name is empty"},
        Change{"\"name\":\"ids\"", "\"name\":\"image\"", 4, "input 1: the name \"image\" is that of an earlier input"},
        Change{"\"name\":\"conv.tied\"", "\"name\":\"conv.weight\"", 8,
               "weight 1: the name \"conv.weight\" is that of an earlier weight"},
        Change{"\"name\":\"image\",", "", 3, "expected the key \"name\", found \"type\""},
        Change{"\"name\":\"image\"", "\"name\":\"image\",\"name\":\"x\"", 3,
               "expected the key \"type\", found \"name\""},
        Change{"float32[1,3,8,8]", "float31[1,3,8,8]", 3, "expected a dtype"},
        Change{"float32[4,3,3,3]", "float32[4,-3,3,3]", 7, "at least 0"},
        Change{"float32[10,4]", "float32[10,4]{4,1}", 9, "no strides where the tensor is contiguous"},
        Change{"normal(0.0,0.2)", "normal(0.0,-0.2)", 7, "a deviation of at least 0"},
        Change{"\"recipe\":\"range(0,10)\"", "\"recipe\":7", 4, "expected a recipe, found 7"},
        Change{"range(0,10)", "view(%0,0)", 4, "only a weight can be a view"},
        Change{"view(%2,54)", "view(%0,54)", 8, "view of %0, which is no earlier weight"},
        Change{"view(%2,54)", "view(%3,0)", 8, "view of %3, which is no earlier weight"},
        Change{"view(%2,54)", "view(%2,55)", 8, "reaches beyond %2"},
        Change{"float32[2,3,3,3]", "float16[2,3,3,3]", 8, "another dtype"},
        Change{"\"buffer\":true", "\"buffer\":false", 10, "expected true, or no \"buffer\""},
        Change{"\"buffer\":true", "\"state\":true", 10, "expected \"buffer\" or the end of the object"},
        Change{"\"buffer\":true", "\"buffer\":true,\"x\":1", 10, "expected the end of the object"},
        Change{"constant(0.5)", "normal(0.0,0.5)", 13, "expected a recipe that fixes every element"}));

INSTANTIATE_TEST_SUITE_P(
    Operators, TextErrors,
    testing::Values(Change{"\"aten::add.Tensor(Tensor self", "\"aten::zadd.Tensor(Tensor self", 17, "sorted by name"},
                    Change{"aten::gelu(Tensor self", "aten::gelu(Tensor[ self", 20, "column 19: expected ']'"},
                    Change{"aten::gelu(Tensor self", "gelu(Tensor self", 20, "expected '::'"},
                    Change{"\"aten::gelu\",[", "\"aten::geli\",[", 28,
                           "\"aten::geli\" is not among the operators listed above"},
                    Change{"[\"aten::gelu\",[\"%8\",{\"string\":\"tanh\"}],",
                           "[\"aten::add.Tensor\",[\"%8\",\"%8\",1],", 20, "no call uses the operator aten::gelu"}));

INSTANTIATE_TEST_SUITE_P(
    Calls, TextErrors,
    testing::Values(
        Change{"[\"%0\",\"%2\",null", "[\"%0\",\"%7\",null", 25, "argument weight: %7 is used before it is defined"},
        Change{"[\"%0\",\"%2\",null", "[\"%0\",\"%99\",null", 25, "%99 is used before it is defined"},
        Change{"[\"%0\",\"%2\",null", "[\"%0\",null,\"%2\",null", 25, "expected 7 arguments as in its schema, found 8"},
        Change{"[\"%0\",\"%2\",null", "[\"%0\",\"%2\"", 25, "expected 7 arguments as in its schema, found 6"},
        Change{"[\"%0\",\"%2\",null", "[\"%0\",\"weight\",null", 25, "a text is {\"string\":\"...\"}"},
        Change{"[\"%7\",2,1]", "[\"%7\",2.0,1]", 27, "argument split_size: expected SymInt, found 2.0"},
        Change{"[\"%7\",2,1]", "[\"%7\",2,18446744073709551615]", 27, "at most 64 bits"},
        Change{"[\"%7\",2,1]", "[\"%7\",2,99999999999999999999]", 27, "at most 64 bits"},
        Change{"[\"%7\",2,1]", "[\"%7\",2,1e400]", 27, "malformed JSON"},
        Change{"[\"%7\",2,1]", "[\"%7\",2,+1]", 27, "malformed JSON"},
        Change{"[\"%7\",2,1]", "[\"%7\",2,01]", 27, "malformed JSON"}, Change{"[\"%7\",2,1]", "[\"%7\",2,nan]", 27, ""},
        Change{"{\"string\":\"tanh\"}", "1", 28, "argument approximate: expected str, found 1"},
        Change{"{\"string\":\"tanh\"}", "{\"text\":\"tanh\"}", 28, "expected one of the keys float, complex"},
        Change{"{\"string\":\"tanh\"}", "{\"string\":\"tanh\",\"dtype\":\"int8\"}", 28,
               "expected the end of the object"},
        Change{"{\"string\":\"tanh\"}", "{}", 28, "expected one of the keys"},
        Change{"{\"string\":\"tanh\"}", "{\"string\":\"\\ud800\"}", 28, "malformed JSON"},
        Change{"{\"dtype\":\"int64\"}", "{\"dtype\":\"long\"}", 32, "expected a dtype such as float32, found \"long\""},
        Change{"{\"device\":\"sample\"}", "{\"device\":\"cuda\"}", 32, "expected sample or cpu, found \"cuda\""},
        Change{"{\"device\":\"sample\"}", "{\"float\":\"infinity\"}", 32, "expected inf, -inf or nan"},
        Change{"-0.5]", "{\"complex\":[1,2.0]}]", 29, "expected a real such as 1.0"},
        Change{"-0.5]", "{\"complex\":[1.0]}]", 29, "two reals"},
        Change{"-0.5]", "{\"complex\":[1.0,2.0,3.0]}]", 29, "expected the end of the list"},
        Change{"[\"%11 float32", "[\"%12 float32", 29, "its next new result must be %11, found %12"},
        Change{"[\"%11 float32", "[\"%0 float32", 29, "%0 is defined already and is none of its arguments"},
        Change{"[\"%11 float32[1,2,8,8]\"]", "[\"%11\"]", 29, "expected a result such as"},
        Change{"[\"%11 float32[1,2,8,8]\"]", "[[\"%11 float32[1,2,8,8]\"]]", 29, "expected Tensor as in its schema"},
        Change{"[\"%11 float32[1,2,8,8]\"]", "[\"%11 float32[1,2,8,8]\",null]", 29, "expected 1 results"},
        Change{"[\"%11 float32[1,2,8,8]\"]", "[7]", 29, "expected a result such as"},
        Change{"[\"%11 float32[1,2,8,8]\"]]", "[\"%11 float32[1,2,8,8]\"],1]", 29,
               "expected the end of the list, found 1"},
        Change{"[\"%11 float32[1,2,8,8]\"]]", "[\"%11 float32[1,2,8,8]\"]", 30, "expected the end of the list"}));

INSTANTIATE_TEST_SUITE_P(
    Outputs, TextErrors,
    testing::Values(Change{"[\"%13\",\"%14\",\"%5\"]", "[\"%13\",\"%14\",\"%15\"]", 34, "%15 is not defined"},
                    Change{"{\"tuple\":[\"%11\",\"%12\"]}", "{\"tuple\":[\"%11\",\"%12\"],\"dict\":[]}", 34,
                           "expected the end of the object"},
                    Change{"{\"tuple\":[\"%11\",\"%12\"]}", "{\"tuple\":\"%11\"}", 34, "expected a list of outputs"},
                    Change{"[{\"string\":\"maps\"},", "[1.5,", 34, "a key must be a string or an integer"},
                    Change{"[{\"string\":\"maps\"},", "[{\"string\":\"tokens\"},", 34, "is repeated"},
                    Change{"[{\"string\":\"maps\"},", "[", 34, ""}));

TEST(TextErrors, BytesThatAreNotUtf8AreFoundOnTheirLine) {
  EXPECT_THAT(error_of(changed(kExample, "conv.tied", "conv.\xFFtied")), StartsWith("graph.json:8: malformed JSON"));
}

TEST(TextErrors, NulBytesAreRefused) {
  EXPECT_THAT(error_of(changed(kExample, "conv.tied", std::string_view("conv\0tied", 9))),
              StartsWith("graph.json:8: "));
  EXPECT_THAT(error_of(changed(kExample, "[\"%7\",2,1]", std::string_view("[\"%7\",\0,1]", 10))),
              StartsWith("graph.json:27: "));
}

TEST(TextErrors, AMissingQuoteIsFoundOnItsLine) {
  EXPECT_THAT(error_of(changed(kExample, "conv.tied\"", "conv.tied")), StartsWith("graph.json:8: malformed JSON"));
}

TEST(TextErrors, TheEmptyFileIsAnError) {
  EXPECT_THAT(error_of(""), StartsWith("graph.json:1: "));
  EXPECT_THAT(error_of(" \n "), StartsWith("graph.json:"));
}

TEST(TextErrors, OtherJsonIsNoGraph) {
  for (const char* text : {"1", "null", "\"x\"", "[]", "{}", "true", "[1,2]", "nul", "\"", "{\"a\":1}", "}"}) {
    EXPECT_THAT(error_of(text), StartsWith("graph.json:1: ")) << text;
  }
}

TEST(TextErrors, LimitsHold) {
  EXPECT_THAT(error_of(kExample, {.bytes = 100}), HasSubstr("larger than the limit of 100 bytes"));
  EXPECT_THAT(error_of(kExample, {.calls = 7}), StartsWith("graph.json:32: more than 7 calls"));
  EXPECT_THAT(error_of(kExample, {.values = 5}), StartsWith("graph.json:10: more than 5 values"));
  EXPECT_THAT(error_of(kExample, {.values = 9}),
              StartsWith("graph.json:27: call 2 aten::split.Tensor: more than 9 values"));
  EXPECT_THAT(error_of(kExample, {.arguments_a_call = 12}), StartsWith("graph.json:25: too many arguments"));
  EXPECT_EQ(error_of(kExample, {.arguments_a_call = 13}), "no error");
  EXPECT_THAT(error_of(kExample, {.nesting = 0}), StartsWith("graph.json:25: lists nested more than 0 deep"));
  EXPECT_THAT(error_of(kExample, {.nesting = 1}), StartsWith("graph.json:34: "));
  EXPECT_EQ(error_of(kExample, {.nesting = 2}), "no error");
}

TEST(TextErrors, DeepNestingEndsEarly) {
  const std::string brackets(100'000, '[');
  EXPECT_THAT(error_of(changed(kExample, "[\"%7\",2,1]", "[" + brackets)), StartsWith("graph.json:27: "));
  EXPECT_THAT(error_of(changed(kExample, "\"output\":", "\"output\":" + brackets)), StartsWith("graph.json:34: "));
  EXPECT_THAT(error_of(brackets), StartsWith("graph.json:1: "));
}

}  // namespace
}  // namespace graphnet
