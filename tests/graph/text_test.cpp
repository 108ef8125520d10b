#include "graphnet/graph/text.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "example_graph.h"
#include "random_graph.h"

namespace graphnet {
namespace {

using fixtures::changed;
using fixtures::example;
using fixtures::kExample;

// A graph of one call of an operator that takes anything.
Graph with_argument(Argument argument) {
  Graph graph;
  graph.operators.push_back({"custom::f", "", "custom::f(Any x) -> ()"});
  graph.calls.push_back({0, {std::move(argument)}, {}});
  graph.output.node = Argument{None{}};
  return graph;
}

struct ArgumentCase {
  Argument argument;
  std::string text;
};

const std::vector<ArgumentCase>& argument_cases() {
  static const double kInfinity = std::numeric_limits<double>::infinity();
  static const std::vector<ArgumentCase> kCases = {
      {{None{}}, "null"},
      {{true}, "true"},
      {{false}, "false"},
      {{std::int64_t{3}}, "3"},
      {{std::numeric_limits<std::int64_t>::min()}, "-9223372036854775808"},
      {{3.0}, "3.0"},
      {{-0.0}, "-0.0"},
      {{0.1}, "0.1"},
      {{1e-05}, "1e-05"},
      {{1e22}, "1e+22"},
      {{5e-324}, "5e-324"},
      {{1.7976931348623157e308}, "1.7976931348623157e+308"},
      {{kInfinity}, "{\"float\":\"inf\"}"},
      {{-kInfinity}, "{\"float\":\"-inf\"}"},
      {{std::nan("")}, "{\"float\":\"nan\"}"},
      {{std::complex<double>(1.0, -0.0)}, "{\"complex\":[1.0,-0.0]}"},
      {{std::complex<double>(kInfinity, 2.5)}, "{\"complex\":[{\"float\":\"inf\"},2.5]}"},
      {{std::string("gelu")}, "{\"string\":\"gelu\"}"},
      {{std::string("%1 \"\\\n\x01\xC3\xA9/")}, "{\"string\":\"%1 \\\"\\\\\\n\\u0001\xC3\xA9/\"}"},
      {{Dtype::kBfloat16}, "{\"dtype\":\"bfloat16\"}"},
      {{Layout::kSparseCsr}, "{\"layout\":\"sparse_csr\"}"},
      {{MemoryFormat::kChannelsLast}, "{\"memory_format\":\"channels_last\"}"},
      {{DeviceRole::kSample}, "{\"device\":\"sample\"}"},
      {{DeviceRole::kCpu}, "{\"device\":\"cpu\"}"},
      {{ArgumentList{}}, "[]"},
      {{ArgumentList{{std::int64_t{1}}, {1.0}, {None{}}, {ArgumentList{{true}}}}}, "[1,1.0,null,[true]]"},
  };
  return kCases;
}

TEST(Text, ArgumentsOfEveryKindHaveOneForm) {
  for (const auto& [argument, text] : argument_cases()) EXPECT_EQ(to_text(argument), text);
}

TEST(Text, ArgumentsOfEveryKindReadBackEqual) {
  for (const auto& [argument, text] : argument_cases()) {
    const Graph graph = with_argument(argument);
    EXPECT_EQ(read_graph(write_graph(graph), "graph.json"), graph) << text;
  }
}

TEST(Text, ACallIsOneLine) {
  const Graph graph = example();
  EXPECT_EQ(to_text(graph, graph.calls[4]), R"(["aten::add.Tensor",["%10","%9",-0.5],["%11 float32[1,2,8,8]"]])");
}

TEST(Text, CanonicalTextIsWrittenAgainWithTheSameBytes) {
  EXPECT_EQ(write_graph(example()), kExample);
}

TEST(Text, EmptySectionsStayOnTheirLine) {
  Graph graph;
  graph.output.node = Output::List{};
  const std::string text =
      "{\"graphnet\":1,\n\"inputs\":[],\n\"weights\":[],\n\"constants\":[],\n\"operators\":[],\n\"calls\":[],"
      "\n\"output\":[]}\n";
  EXPECT_EQ(write_graph(graph), text);
  EXPECT_EQ(read_graph(text, "graph.json"), graph);
}

TEST(Text, WhiteSpaceOfAnyKindIsReadAsTheSameGraph) {
  const std::string spread =
      changed(changed(kExample, "\"weights\":[", " \"weights\" :\r\n\t[ "), "\"%13\",", "\n\"%13\" , ");
  EXPECT_EQ(read_graph(spread, "graph.json"), example());
}

TEST(Text, EscapedLettersAreReadAsTheLetters) {
  EXPECT_EQ(read_graph(changed(kExample, "\"image\"", "\"im\\u0061ge\""), "graph.json"), example());
}

TEST(Text, EveryRandomGraphReadsBackEqualAndIsWrittenWithTheSameBytes) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Graph graph = fixtures::random_graph(seed);
    ASSERT_NO_THROW(check(graph)) << "seed " << seed;
    const std::string text = write_graph(graph);
    const Graph again = read_graph(text, "graph.json");
    ASSERT_EQ(again, graph) << "seed " << seed << "\n" << text;
    ASSERT_EQ(write_graph(again), text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace graphnet
