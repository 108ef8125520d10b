#include "graphnet/sample/input_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TensorSpec tensor(std::string_view text) {
  return std::get<TensorSpec>(parse_input_spec(text).value.node);
}

template <class T>
T plain(std::string_view text) {
  return std::get<T>(std::get<Argument>(parse_input_spec(text).value.node).kind);
}

std::string complaint(std::string_view text) {
  try {
    parse_input_spec(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(InputSpec, ReadsAShape) {
  const TensorSpec spec = tensor("1x3x224x224");
  EXPECT_THAT(spec.type.shape, ElementsAre(1, 3, 224, 224));
  EXPECT_EQ(spec.type.dtype, Dtype::kFloat32);
  EXPECT_EQ(spec.recipe, Recipe{NormalRecipe{}});
  EXPECT_FALSE(spec.rule_given);
}

TEST(InputSpec, ReadsAScalar) {
  EXPECT_THAT(tensor("scalar:float64").type.shape, IsEmpty());
  EXPECT_EQ(tensor("scalar:float64").type.dtype, Dtype::kFloat64);
}

TEST(InputSpec, ReadsOneDimension) {
  EXPECT_THAT(tensor("5").type.shape, ElementsAre(5));
}

TEST(InputSpec, ReadsEmptyTensors) {
  EXPECT_THAT(tensor("0x3").type.shape, ElementsAre(0, 3));
}

TEST(InputSpec, ReadsANameDtypeAndRule) {
  const NamedInput input = parse_input_spec("input_ids=1x128:int64@0..30522");
  const auto& spec = std::get<TensorSpec>(input.value.node);
  EXPECT_EQ(input.name, "input_ids");
  EXPECT_EQ(spec.type.dtype, Dtype::kInt64);
  EXPECT_EQ(spec.recipe, (Recipe{RangeRecipe{0, 30522}}));
  EXPECT_TRUE(spec.rule_given);
}

TEST(InputSpec, DefaultsFollowTheDtype) {
  EXPECT_EQ(tensor("2:bool").recipe, Recipe{BernoulliRecipe{0.5}});
  EXPECT_EQ(tensor("2:int32").recipe, (Recipe{RangeRecipe{0, 2}}));
  EXPECT_EQ(tensor("2:bfloat16").recipe, (Recipe{NormalRecipe{0, 1}}));
  EXPECT_EQ(tensor("2:complex64").recipe, (Recipe{NormalRecipe{0, 1}}));
}

struct Rule {
  const char* text;
  Recipe recipe;
};

class Rules : public testing::TestWithParam<Rule> {};

TEST_P(Rules, AreRead) {
  EXPECT_EQ(tensor(GetParam().text).recipe, GetParam().recipe) << to_string(tensor(GetParam().text).recipe);
}

INSTANTIATE_TEST_SUITE_P(
    Grammar, Rules,
    testing::Values(Rule{"4@normal", NormalRecipe{}}, Rule{"4@normal(1,0.5)", NormalRecipe{1, 0.5}},
                    Rule{"4@normal(0,1,-2,2)", NormalRecipe{0, 1, -2, 2}},
                    Rule{"4@uniform(-1,1)", UniformRecipe{-1, 1}}, Rule{"4@-1..1", UniformRecipe{-1, 1}},
                    Rule{"4@0.5..1.5", UniformRecipe{0.5, 1.5}}, Rule{"4:int8@-5..6", RangeRecipe{-5, 6}},
                    Rule{"4@ones", ConstantRecipe{1.0}}, Rule{"4:int64@ones", ConstantRecipe{std::int64_t{1}}},
                    Rule{"4:bool@zeros", ConstantRecipe{std::int64_t{0}}}, Rule{"4@constant(3)", ConstantRecipe{3.0}},
                    Rule{"4:int64@constant(3)", ConstantRecipe{std::int64_t{3}}},
                    Rule{"4:int64@arange", ArangeRecipe{std::int64_t{0}, std::int64_t{1}}},
                    Rule{"4@arange", ArangeRecipe{0.0, 1.0}}, Rule{"4@arange(1,0.5)", ArangeRecipe{1.0, 0.5}},
                    Rule{"4:bool@bernoulli(0.1)", BernoulliRecipe{0.1}},
                    Rule{"3@values(1,1,2.5)", ValuesRecipe{{{2, 1.0}, {1, 2.5}}}},
                    Rule{"3:int64@values(2*7,8)", ValuesRecipe{{{2, std::int64_t{7}}, {1, std::int64_t{8}}}}}),
    [](const auto& test) { return "rule" + std::to_string(test.index); });

TEST(InputSpec, ReadsPlainArguments) {
  EXPECT_EQ(plain<std::int64_t>("16000:int"), 16000);
  EXPECT_EQ(plain<std::int64_t>("-1:int"), -1);
  EXPECT_EQ(plain<double>("0.5:float"), 0.5);
  EXPECT_EQ(plain<double>("2:float"), 2.0);
  EXPECT_TRUE(plain<bool>("true:bool"));
  EXPECT_FALSE(plain<bool>("flag=false:bool"));
  EXPECT_EQ(plain<std::string>("abc:str"), "abc");
  EXPECT_EQ(plain<None>("none"), None{});
  EXPECT_EQ(plain<None>("mask=none"), None{});
}

TEST(InputSpec, StringsMayHoldAnything) {
  EXPECT_EQ(plain<std::string>("url=http://a@b:80/c=d:str"), "http://a@b:80/c=d");
  EXPECT_EQ(plain<std::string>(":str"), "");
}

TEST(InputSpec, AShapeOfBoolsIsATensor) {
  EXPECT_EQ(tensor("1x128:bool").type.dtype, Dtype::kBool);
  EXPECT_EQ(tensor("1:bool").type.dtype, Dtype::kBool);
}

TEST(InputSpec, ComplaintsQuoteTheSpecAndShowWhatWorks) {
  const std::string message = complaint("x=1x3xy");
  EXPECT_THAT(message, HasSubstr("\"x=1x3xy\""));
  EXPECT_THAT(message, HasSubstr("the shape \"1x3xy\" is not sizes with x between them"));
  EXPECT_THAT(message, HasSubstr("\"1x3x224x224\""));
}

TEST(InputSpec, ComplaintsNameTheSizeThatIsWrong) {
  EXPECT_THAT(complaint("1x3x"), HasSubstr("size 3 of the shape \"1x3x\" is missing"));
  EXPECT_THAT(complaint("1xx3"), HasSubstr("size 2 of the shape \"1xx3\" is missing"));
  EXPECT_THAT(complaint("x"), HasSubstr("size 1 of the shape \"x\" is missing"));
  EXPECT_THAT(complaint("-1x3"), HasSubstr("size 1 of the shape \"-1x3\" is \"-1\"; a size is a whole number"));
  EXPECT_THAT(complaint("2x007"), HasSubstr("size 2 of the shape \"2x007\" begins with a 0"));
  EXPECT_THAT(complaint("2x99999999999999999999"), HasSubstr("is larger than 64 bits can hold"));
}

TEST(InputSpec, TensorsWithoutElementsNeedSaneSizesToo) {
  EXPECT_THAT(tensor("0x3x224x224").type.shape, ElementsAre(0, 3, 224, 224));
  EXPECT_THAT(complaint("0x9223372036854775807"), HasSubstr("does not fit in any memory"));
}

TEST(InputSpec, RefusesTensorsThatNoMachineHolds) {
  EXPECT_THAT(tensor("35184372088832").type.shape, ElementsAre(std::int64_t{1} << 45));
  EXPECT_THAT(complaint("35184372088833"), HasSubstr("does not fit in any memory"));
  EXPECT_THAT(complaint("35184372088832:float64"), HasSubstr("does not fit in any memory"));
  EXPECT_THAT(complaint("1000000x1000000x1000000"), HasSubstr("does not fit in any memory"));
}

TEST(InputSpec, ComplaintsAboutLongOrBinarySpecsAreShortAndPrintable) {
  const std::string message = complaint(std::string("\x1b[2J") + std::string(100'000, '1'));
  EXPECT_LT(message.size(), 1000U);
  EXPECT_THAT(message, Not(HasSubstr("\x1b")));
}

TEST(InputSpec, ComplaintsAboutRulesNameTheRulesOfTheDtype) {
  const std::string message = complaint("1x128:int64@normal");
  EXPECT_THAT(message, HasSubstr("normal(0.0,1.0) does not make a tensor int64[1,128]: it is for floating"));
  EXPECT_THAT(message, HasSubstr("1x128:int64@0..100"));
}

TEST(InputSpec, ComplaintsExplainThatIntIsNoDtype) {
  EXPECT_THAT(complaint("1x128:int"), HasSubstr("\"1x128:int64\" for a tensor"));
  EXPECT_THAT(complaint("1x128:float"), HasSubstr("\"1x128:float32\" for a tensor"));
}

TEST(InputSpec, ComplaintsKnowOtherNamesOfDtypes) {
  EXPECT_THAT(complaint("1x128:long"), HasSubstr("\"long\" is called int64"));
  EXPECT_THAT(complaint("1x128:half@ones"), HasSubstr("\"half\" is called float16"));
}

class WrongSpecs : public testing::TestWithParam<const char*> {};

TEST_P(WrongSpecs, AreRefused) {
  EXPECT_THAT(complaint(GetParam()), HasSubstr("right would be, for example, \""));
}

INSTANTIATE_TEST_SUITE_P(Grammar, WrongSpecs,
                         testing::Values("", "x=", ":int64", "1x", "x3", "1xx3", "-1x3", "1x3:", "1x3:float33", "1x3@",
                                         "1x3@unknown", "1x3@normal(1)", "1x3@normal(0,-1)", "1x3@5..5", "1x3@a..b",
                                         "2:int64@0..1.5", "2:uint8@0..300", "2:bool@0..2", "2:bool@normal",
                                         "3@values(1,2)", "3@view(%0,0)", "3:int64@constant(1.5)", "2:qint8", "abc:int",
                                         "abc:float", "abc:bool", "99999999999999999999:int", "9223372036854775807x2",
                                         "0x9223372036854775807", "1x3@inf..1", "True", "none:int", "1x3@normal(0,1)x"),
                         [](const auto& test) { return "case" + std::to_string(test.index); });

TEST(InputSpec, RefusesMoreThan64Dimensions) {
  std::string text = "1";
  for (int i = 0; i < 64; ++i) text += "x1";
  EXPECT_THAT(complaint(text), HasSubstr("more than 64 dimensions"));
}

}  // namespace
}  // namespace graphnet
