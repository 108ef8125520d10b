#include "graphnet/graph/identity.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_graph.h"
#include "random_graph.h"

namespace graphnet {
namespace {

using fixtures::changed;
using fixtures::example;
using fixtures::kExample;
using testing::HasSubstr;
using testing::StartsWith;

Graph changed_example(std::string_view from, std::string_view to) {
  return read_graph(changed(kExample, from, to), "changed");
}

TEST(Identity, IsTheSameForEverHereAndElsewhere) {
  // A change of this value makes every recorded sample look altered.
  EXPECT_EQ(identity(example()), "16631cfa0eca8b4c635db3eddf8ffe1a653f1fee085161ce5b16c2528b97ae81");
}

TEST(Identity, NamesRecipesAndSchemasAreLeftOut) {
  const std::string expected = identity(example());
  EXPECT_EQ(identity(changed_example("\"image\"", "\"picture\"")), expected);
  EXPECT_EQ(identity(changed_example("conv.weight", "c.w")), expected);
  EXPECT_EQ(identity(changed_example("normal(0.0,0.2)", "uniform(0.0,0.2)")), expected);
  EXPECT_EQ(identity(changed_example("range(0,10)", "range(0,5)")), expected);
  EXPECT_EQ(identity(changed_example(",\"buffer\":true", "")), expected);
  EXPECT_EQ(identity(changed_example("Tensor other) ->", "Tensor another) ->")), expected);
}

TEST(Identity, EveryChangeOfTheComputationIsSeen) {
  const std::vector<std::pair<std::string_view, std::string_view>> changes = {
      {"float32[1,3,8,8]", "float16[1,3,8,8]"},            // dtype of an input
      {"float32[10,4]", "float32[11,4]"},                  // shape of a weight
      {"float32[10,4]", "float32[10,4]{1,10}"},            // strides of a weight
      {"view(%2,54)", "view(%2,0)"},                       // which storage a weight shares
      {"view(%2,54)", "normal(0.0,1.0)"},                  // whether it shares
      {"constant(0.5)", "constant(0.25)"},                 // a constant's contents
      {"\"aten::gelu", "\"aten::gelv"},                    // an operator, once its call follows
      {"[\"%10\",\"%9\",-0.5]", "[\"%9\",\"%10\",-0.5]"},  // the order of arguments
      {"[\"%10\",\"%9\",-0.5]", "[\"%10\",\"%9\",0.5]"},   // a number
      {"[\"%7\",2,1]", "[\"%7\",2,-1]"},                   // an integer
      {"tanh", "none"},                                    // a string
      {"{\"dtype\":\"int64\"}", "{\"dtype\":\"int32\"}"},  // an enumeration
      {"{\"device\":\"sample\"}", "{\"device\":\"cpu\"}"},
      {"%14 int64[4]", "%14 int32[4]"},                        // a result's type
      {"{\"tuple\":[\"%11\",\"%12\"]}", "[\"%11\",\"%12\"]"},  // the output's structure
      {"\"%13\",\"%14\",\"%5\"", "\"%13\",\"%14\""},
  };
  std::set<std::string> identities = {identity(example())};
  for (const auto& [from, to] : changes) {
    std::string text = changed(kExample, from, to);
    if (from == "\"aten::gelu") text = changed(text, "[\"aten::gelu", "[\"aten::gelv");
    EXPECT_TRUE(identities.insert(identity(read_graph(text, "changed"))).second) << from << " -> " << to;
  }
}

TEST(Identity, RandomGraphsDiffer) {
  std::set<std::string> identities;
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Graph graph = fixtures::random_graph(seed);
    identities.insert(identity(graph));
    for (Input& input : graph.inputs) input = {"", input.type, ConstantRecipe{}};
    for (Weight& weight : graph.weights) {
      const bool is_view = std::holds_alternative<ViewRecipe>(weight.recipe);
      weight = {"", weight.type, is_view ? weight.recipe : Recipe(ConstantRecipe{}), false};
    }
    texts.insert(write_graph(graph));
  }
  EXPECT_EQ(identities.size(), texts.size());
}

TEST(Fingerprints, AreFourDigitsALine) {
  EXPECT_EQ(fingerprints(example()).size(), 4U * (2 + 4 + 1 + 8 + 1));
}

TEST(FirstDifference, IsEmptyForTheSameGraphUnderOtherNames) {
  const std::string recorded = fingerprints(example());
  EXPECT_EQ(first_difference(example(), recorded), "");
  EXPECT_EQ(first_difference(changed_example("conv.weight", "c.w"), recorded), "");
}

TEST(FirstDifference, NamesTheChangedLine) {
  const std::string recorded = fingerprints(example());
  EXPECT_EQ(first_difference(changed_example("-0.5]", "0.5]"), recorded),
            R"(call 4: ["aten::add.Tensor",["%10","%9",0.5],["%11 float32[1,2,8,8]"]] was changed)");
  EXPECT_EQ(first_difference(changed_example("normal(0.0,0.2)", "normal(0.0,0.3)"), recorded),
            "weight conv.weight (float32[4,3,3,3] normal(0.0,0.3)) was changed");
  EXPECT_THAT(first_difference(changed_example("range(0,10)", "range(0,9)"), recorded), StartsWith("input ids "));
  EXPECT_THAT(first_difference(changed_example("constant(0.5)", "constant(0.6)"), recorded),
              StartsWith("constant %6 "));
  EXPECT_THAT(first_difference(changed_example("\"%14\",\"%5\"", "\"%14\""), recorded), StartsWith("output: "));
  EXPECT_THAT(first_difference(changed_example(",\"buffer\":true", ""), recorded), StartsWith("weight table "));
}

TEST(FirstDifference, NamesTheFirstOfSeveralChangedLines) {
  const std::string recorded = fingerprints(example());
  Graph graph = changed_example("-0.5]", "0.5]");
  graph.weights[2].type.shape[0] = 11;
  EXPECT_THAT(first_difference(graph, recorded), StartsWith("weight embedding.weight "));
}

TEST(FirstDifference, SaysWhatWasRemovedOrAdded) {
  const Graph whole = example();
  Graph shorter = whole;
  shorter.calls.erase(shorter.calls.begin() + 6);
  EXPECT_EQ(first_difference(shorter, fingerprints(whole)),
            R"(call 6: ["aten::arange.start",[0,4,{"dtype":"int64"},null,{"device":"sample"},false],["%14 int64[4]"]])"
            " follows 1 line that was removed");
  EXPECT_THAT(first_difference(whole, fingerprints(shorter)), StartsWith("call 6: [\"aten::embedding\""));
  EXPECT_THAT(first_difference(whole, fingerprints(shorter)), HasSubstr(" was added"));
}

TEST(FirstDifference, SaysHowManyLinesDifferWhereOthersChangedToo) {
  const std::string recorded = fingerprints(example());
  Graph graph = changed_example("-0.5]", "0.5]");
  graph.calls.pop_back();
  EXPECT_THAT(first_difference(graph, recorded), StartsWith("call 4: "));
  EXPECT_THAT(first_difference(graph, recorded),
              HasSubstr("was changed: the graph has 1 line fewer than were recorded"));
  EXPECT_THAT(first_difference(example(), fingerprints(graph)),
              HasSubstr("the graph has 1 line more than were recorded"));
}

TEST(FirstDifference, AnyRecordedTextIsAnswered) {
  EXPECT_THAT(first_difference(example(), ""), StartsWith("input image "));
  EXPECT_THAT(first_difference(example(), "zz"), StartsWith("input image "));
  EXPECT_EQ(first_difference(example(), fingerprints(example()) + "1"), "the end of the graph was changed");
  EXPECT_EQ(first_difference(example(), fingerprints(example()) + "12345678"),
            "the end of the graph follows 2 lines that were removed");
}

}  // namespace
}  // namespace graphnet
