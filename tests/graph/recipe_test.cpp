#include "graphnet/graph/recipe.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view text, std::int64_t max_elements = 1000) {
  try {
    parse_recipe(text, max_elements);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

const std::string kDigest(64, 'a');

TEST(Recipe, CanonicalTextsReadBackAsThemselves) {
  for (const std::string& text : std::vector<std::string>{
           "normal(0.0,0.02)", "normal(-0.0,1e-05,-0.04,0.04)", "normal(0.0,1.0,-inf,2.0)", "uniform(-1.0,1.0)",
           "range(0,30522)", "range(-9223372036854775808,9223372036854775807)", "bernoulli(0.5)", "constant(1)",
           "constant(1.0)", "constant(nan)", "constant(-inf)", "constant(-0.0)", "arange(0,1)", "arange(0.0,0.5)",
           "values()", "values(3*0,1,2*-5)", "values(0.5,100*nan)", "stored(" + kDigest + ")", "view(%3,128)"}) {
    EXPECT_EQ(to_string(parse_recipe(text)), text);
  }
}

TEST(Recipe, RealParametersMayBeWrittenAsIntegers) {
  EXPECT_EQ(parse_recipe("normal(0,1)"), Recipe(NormalRecipe{0.0, 1.0}));
  EXPECT_EQ(parse_recipe("bernoulli(1)"), Recipe(BernoulliRecipe{1.0}));
}

TEST(Recipe, NumbersOfExactRecipesKeepTheirKind) {
  EXPECT_NE(parse_recipe("constant(1)"), parse_recipe("constant(1.0)"));
  EXPECT_NE(parse_recipe("constant(0.0)"), parse_recipe("constant(-0.0)"));
  EXPECT_EQ(parse_recipe("values(nan)"), parse_recipe("values(nan)"));
}

TEST(Recipe, AppendedValuesFormRuns) {
  ValuesRecipe recipe;
  for (const std::int64_t value : {5, 5, 5, 7}) append_value(recipe, value);
  append_value(recipe, std::int64_t{7}, 10);
  append_value(recipe, 7.0);
  EXPECT_EQ(to_string(Recipe(recipe)), "values(3*5,11*7,7.0)");
}

TEST(Recipe, OnlyDistributionsAndViewsAreNotExact) {
  EXPECT_TRUE(is_exact(ConstantRecipe{}));
  EXPECT_TRUE(is_exact(ArangeRecipe{}));
  EXPECT_TRUE(is_exact(ValuesRecipe{}));
  EXPECT_TRUE(is_exact(StoredRecipe{kDigest}));
  EXPECT_FALSE(is_exact(NormalRecipe{}));
  EXPECT_FALSE(is_exact(RangeRecipe{}));
  EXPECT_FALSE(is_exact(ViewRecipe{}));
}

TEST(Recipe, ParametersThatMakeNoDistributionAreRefused) {
  EXPECT_THAT(error_of("normal(0.0,-1.0)"), HasSubstr("a deviation of at least 0"));
  EXPECT_THAT(error_of("normal(nan,1.0)"), HasSubstr("a finite mean"));
  EXPECT_THAT(error_of("normal(0.0,1.0,2.0,1.0)"), HasSubstr("low <= high"));
  EXPECT_THAT(error_of("normal(0.0,1.0,nan,1.0)"), HasSubstr("low <= high"));
  EXPECT_THAT(error_of("uniform(1.0,1.0)"), HasSubstr("low < high"));
  EXPECT_THAT(error_of("uniform(0.0,inf)"), HasSubstr("finite"));
  EXPECT_THAT(error_of("range(5,5)"), HasSubstr("low < high"));
  EXPECT_THAT(error_of("range(0.0,5.0)"), HasSubstr("with integers"));
  EXPECT_THAT(error_of("bernoulli(1.5)"), HasSubstr("0 <= p <= 1"));
  EXPECT_THAT(error_of("arange(0,1.0)"), HasSubstr("two integers or two reals"));
  EXPECT_THAT(error_of("view(%1,-1)"), HasSubstr("at least 0"));
}

TEST(Recipe, TextThatIsNoRecipeIsRefused) {
  EXPECT_THAT(error_of(""), HasSubstr("expected a recipe"));
  EXPECT_THAT(error_of("normal"), HasSubstr("expected a recipe"));
  EXPECT_THAT(error_of("("), HasSubstr("expected a recipe"));
  EXPECT_THAT(error_of("gauss(0.0)"), HasSubstr("expected normal, uniform"));
  EXPECT_THAT(error_of("normal(0.0)"), HasSubstr("normal(mean,deviation)"));
  EXPECT_THAT(error_of("normal(0.0,1.0,0.0,1.0,2.0)"), HasSubstr("no further parameters"));
  EXPECT_THAT(error_of("constant(x)"), HasSubstr("constant(NUMBER)"));
  EXPECT_THAT(error_of("constant(infinity)"), HasSubstr("constant(NUMBER)"));
  EXPECT_THAT(error_of("constant(9223372036854775808)"), HasSubstr("constant(NUMBER)"));
  EXPECT_THAT(error_of("stored(ABC)"), HasSubstr("64 lower-case hexadecimal digits"));
  EXPECT_THAT(error_of("view(3,1)"), HasSubstr("view(%BASE,OFFSET)"));
  EXPECT_THAT(error_of("view(%4294967296,1)"), HasSubstr("view(%BASE,OFFSET)"));
}

TEST(Recipe, RunsCannotExpandBeyondTheLimit) {
  EXPECT_EQ(error_of("values(1000*1)"), "no error");
  EXPECT_THAT(error_of("values(1000*1,2)"), HasSubstr("at most 1000 elements"));
  EXPECT_THAT(error_of("values(9223372036854775807*1,9223372036854775807*2)"), HasSubstr("at most 1000 elements"));
  EXPECT_THAT(error_of("values(0*1)"), HasSubstr("at least 1"));
}

}  // namespace
}  // namespace graphnet
