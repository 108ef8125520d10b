#include "graphnet/graph/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view text) {
  try {
    parse_schema(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Schema, NamesTypesAndDefaultsAreRead) {
  const Schema schema = parse_schema("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  EXPECT_EQ(schema.name, "aten::add");
  EXPECT_EQ(schema.overload, "Tensor");
  ASSERT_EQ(schema.arguments.size(), 3U);
  EXPECT_EQ(schema.arguments[0].name, "self");
  EXPECT_EQ(schema.arguments[0].type, "Tensor");
  EXPECT_FALSE(schema.arguments[1].keyword_only);
  EXPECT_TRUE(schema.arguments[2].keyword_only);
  EXPECT_EQ(schema.arguments[2].default_text, "1");
  ASSERT_EQ(schema.returns.size(), 1U);
  EXPECT_EQ(schema.returns[0].type, "Tensor");
}

TEST(Schema, AliasesAreTakenOutOfTheType) {
  const Schema schema =
      parse_schema("aten::f(Tensor(a!) self, Tensor(b -> *) x, Tensor(c!)[] y, t[](d!) z) -> Tensor(a!)");
  EXPECT_EQ(schema.arguments[0].type, "Tensor");
  EXPECT_TRUE(schema.arguments[0].is_written);
  EXPECT_EQ(schema.arguments[0].alias, "a");
  EXPECT_FALSE(schema.arguments[1].is_written);
  EXPECT_EQ(schema.arguments[1].alias, "b");
  EXPECT_EQ(schema.arguments[2].type, "Tensor[]");
  EXPECT_TRUE(schema.arguments[2].is_written);
  EXPECT_EQ(schema.arguments[3].type, "t[]");
  EXPECT_EQ(schema.arguments[3].alias, "d");
  EXPECT_EQ(schema.returns[0].alias, "a");
}

TEST(Schema, CompositeTypesKeepTheirParentheses) {
  const Schema schema = parse_schema(
      "aten::f(Dict(str, Tensor)(a!) self, (Tensor, int)[] pairs, Future(Tensor)? later, int[2]? k) -> ()");
  EXPECT_EQ(schema.arguments[0].type, "Dict(str, Tensor)");
  EXPECT_TRUE(schema.arguments[0].is_written);
  EXPECT_EQ(schema.arguments[1].type, "(Tensor, int)[]");
  EXPECT_EQ(schema.arguments[2].type, "Future(Tensor)?");
  EXPECT_EQ(schema.arguments[3].type, "int[2]?");
  EXPECT_TRUE(schema.returns.empty());
}

TEST(Schema, DefaultsOfEveryKindEndWhereTheyShould) {
  const Schema schema = parse_schema(
      "aten::f(str a=\"x,\\\")\", int[2] b=[0, 1], float c=1.0000000000000001e-05, Tensor? d=None, str e='y') -> int");
  EXPECT_EQ(schema.arguments[0].default_text, "\"x,\\\")\"");
  EXPECT_EQ(schema.arguments[1].default_text, "[0, 1]");
  EXPECT_EQ(schema.arguments[2].default_text, "1.0000000000000001e-05");
  EXPECT_EQ(schema.arguments[3].default_text, "None");
  EXPECT_EQ(schema.arguments[4].default_text, "'y'");
}

TEST(Schema, SeveralReturnsMayHaveNames) {
  const Schema schema = parse_schema("aten::max.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)");
  ASSERT_EQ(schema.returns.size(), 2U);
  EXPECT_EQ(schema.returns[1].name, "indices");
  const Schema nested = parse_schema("aten::popitem.str(Dict(str, t)(a!) self) -> ((str, t))");
  ASSERT_EQ(nested.returns.size(), 1U);
  EXPECT_EQ(nested.returns[0].type, "(str, t)");
}

TEST(Schema, ClassTypesAndDotsAreTypes) {
  const Schema schema = parse_schema(
      "quantized::linear(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack) -> Tensor Y");
  EXPECT_EQ(schema.arguments[1].type, "__torch__.torch.classes.quantized.LinearPackedParamsBase");
  EXPECT_EQ(schema.returns[0].name, "Y");
}

TEST(Schema, DotsStandForArgumentsOfAnyNumber) {
  EXPECT_TRUE(parse_schema("aten::format(str self, ...) -> str").is_variadic);
  EXPECT_TRUE(parse_schema("prim::FusionGroup(...) -> ...").has_variadic_returns);
  EXPECT_FALSE(parse_schema("aten::f(str self) -> str").is_variadic);
}

TEST(Schema, ErrorsNameTheColumnAndWhatWasExpected) {
  EXPECT_THAT(error_of(""), HasSubstr("column 1: expected a namespace, found its end"));
  EXPECT_THAT(error_of("add(Tensor x) -> Tensor"), HasSubstr("expected '::' after the namespace"));
  EXPECT_THAT(error_of("aten::add Tensor"), HasSubstr("column 10: expected '('"));
  EXPECT_THAT(error_of("aten::add(Tensor x"), HasSubstr("expected ',' or ')', found its end"));
  EXPECT_THAT(error_of("aten::add(Tensor x)"), HasSubstr("expected '->'"));
  EXPECT_THAT(error_of("aten::add(Tensor x) -> "), HasSubstr("expected a type"));
  EXPECT_THAT(error_of("aten::add(Tensor x) -> Tensor,"), HasSubstr("expected the end of the schema"));
  EXPECT_THAT(error_of("aten::add(str x=\"abc) -> Tensor"), HasSubstr("expected the closing quote"));
  EXPECT_THAT(error_of("aten::add(str x=\"abc\\"), HasSubstr("expected the closing quote"));
  EXPECT_THAT(error_of("aten::add(int x=) -> Tensor"), HasSubstr("expected a default value"));
  EXPECT_THAT(error_of("aten::add(Tensor( x) -> Tensor"), HasSubstr("expected an alias set"));
  EXPECT_THAT(error_of("aten::add(*, int x, *, int y) -> ()"), HasSubstr("expected only one '*'"));
}

TEST(Schema, HostileTextIsBounded) {
  EXPECT_THAT(error_of("aten::f(" + std::string(1000, '(')), HasSubstr("nested at most 16 deep"));
  EXPECT_THAT(error_of(std::string(65537, 'a')), HasSubstr("longer than 65536 bytes"));
}

}  // namespace
}  // namespace graphnet
