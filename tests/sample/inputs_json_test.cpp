#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/sample/input_spec.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<NamedInput> parse(std::string_view text) {
  return parse_inputs_json(text, "inputs.json");
}

std::string complaint(std::string_view text) {
  try {
    parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "accepted";
}

TEST(InputsJson, KeepsTheOrderOfArguments) {
  const auto inputs = parse(R"({"z":"1x3","a":"2:int64"})");
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0].name, "z");
  EXPECT_EQ(inputs[1].name, "a");
}

TEST(InputsJson, ReadsPlainData) {
  const auto inputs = parse(R"({"a":1,"b":1.0,"c":true,"d":null,"e":{"string":"1x3"}})");
  EXPECT_EQ(std::get<Argument>(inputs[0].value.node), Argument{std::int64_t{1}});
  EXPECT_EQ(std::get<Argument>(inputs[1].value.node), Argument{1.0});
  EXPECT_EQ(std::get<Argument>(inputs[2].value.node), Argument{true});
  EXPECT_EQ(std::get<Argument>(inputs[3].value.node), Argument{None{}});
  EXPECT_EQ(std::get<Argument>(inputs[4].value.node), Argument{std::string("1x3")});
}

TEST(InputsJson, ReadsContainers) {
  const auto inputs = parse(R"({"a":["1x3","1x4"],"b":{"tuple":["2",5]},"c":{"dict":{"k":"3:bool"}}})");
  EXPECT_EQ(std::get<InputNode::List>(inputs[0].value.node).items.size(), 2U);
  EXPECT_EQ(std::get<InputNode::Tuple>(inputs[1].value.node).items.size(), 2U);
  EXPECT_EQ(std::get<InputNode::Dict>(inputs[2].value.node).items[0].first, "k");
}

TEST(InputsJson, TensorsAreNamedByTheirPlace) {
  const auto inputs = parse(R"({"x":"1","pair":{"tuple":["2",5,"3"]},"batch":{"dict":{"mask":["4:bool"]}}})");
  std::vector<std::string> names;
  for (const auto& [name, spec] : tensors_of(inputs)) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("x", "pair.0", "pair.2", "batch.mask.0"));
}

TEST(InputsJson, WritesItsCanonicalForm) {
  const std::string text =
      R"json({"x":"1x3","ids":"1x8:int64@0..50","m":"4:bool@constant(1)","n":"4@normal(0.0,2.0)",)json"
      R"json("s":"scalar","i":3,"f":0.5,"b":false,"none":null,"t":{"string":"gelu"},)json"
      R"json("l":["1x1",[]],"p":{"tuple":[1,"inf:float"]},"d":{"dict":{"k":"2"}}})json";
  EXPECT_EQ(write_inputs_json(parse(text)), text);
}

TEST(InputsJson, NormalizesWhatIsWrittenOtherwise) {
  EXPECT_EQ(write_inputs_json(parse("{ \"x\" : \"1x3:float32@ones\",\n \"k\": 1e2 }")),
            R"json({"x":"1x3@constant(1.0)","k":100.0})json");
}

TEST(InputsJson, UnnamedInputsAreWrittenByTheirPosition) {
  EXPECT_EQ(write_inputs_json({parse_input_spec("1x3"), parse_input_spec("k=7:int")}), R"({"0":"1x3","k":7})");
}

TEST(InputsJson, ComplaintsNameFileLineAndKey) {
  const std::string message = complaint("{\"x\": \"1x3\",\n \"batch\": {\"dict\": {\n \"mask\": \"1x3:boolish\"}}}");
  EXPECT_THAT(message, StartsWith("inputs.json:3: batch.mask: "));
  EXPECT_THAT(message, HasSubstr("unknown dtype \"boolish\""));
}

class WrongInputs : public testing::TestWithParam<const char*> {};

TEST_P(WrongInputs, AreRefused) {
  EXPECT_THAT(complaint(GetParam()), StartsWith("inputs.json:1: "));
}

INSTANTIATE_TEST_SUITE_P(Json, WrongInputs,
                         testing::Values("", "[", "[]", "\"1x3\"", "{\"x\":}", R"({"x":"1x3","x":"1x3"})",
                                         R"({"x":{"list":[]}})", R"({"x":{"tuple":"1x3"}})", R"({"x":{"string":1}})",
                                         R"({"x":{"tuple":[],"dict":{}}})", R"({"x":{}})", R"({"x":"y=1x3"})",
                                         R"({"x":18446744073709551615})", R"({"x":99999999999999999999999})",
                                         R"({"x":"1x3"} trailing)", R"({"x":{"dict":{"k":1,"k":2}}})"),
                         [](const auto& test) { return "case" + std::to_string(test.index); });

TEST(InputsJson, RefusesDeepNesting) {
  EXPECT_THAT(complaint("{\"x\":" + std::string(100, '[') + std::string(100, ']') + "}"),
              HasSubstr("nested deeper than 32 levels"));
}

}  // namespace
}  // namespace graphnet
