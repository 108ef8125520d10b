#include "graphnet/bench/compiler.h"

#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

TEST(ParseCompiler, KeepsTheKindOfEachOption) {
  Compiler compiler = parse_compiler("inductor:max_autotune=true:depth=3:mode=fast");
  EXPECT_EQ(compiler.name, "inductor");
  EXPECT_EQ(compiler.kind, CompilerKind::kAheadOfTime);
  EXPECT_EQ(compiler.options, (nlohmann::json{{"max_autotune", true}, {"depth", 3}, {"mode", "fast"}}));
}

TEST(ParseCompiler, LabelsACompilerAsItWasAskedFor) {
  EXPECT_EQ(parse_compiler("inductor:max_autotune=true").label, "inductor:max_autotune=true");
}

TEST(ParseCompiler, NamesTheCompilersThereAreForAnUnknownOne) {
  try {
    parse_compiler("inducter");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find("eager, inductor, torchscript"), std::string::npos) << error.what();
  }
}

TEST(ParseCompiler, RefusesAnOptionWithoutValue) {
  EXPECT_THROW(parse_compiler("inductor:max_autotune"), Error);
}

TEST(ParseCompiler, RefusesOptionsThatTheCompilerDoesNotHave) {
  EXPECT_THROW(parse_compiler("eager:fast=true"), Error);
}

TEST(ParseCompiler, RefusesAValueThatTheOptionCannotHave) {
  EXPECT_THROW(parse_compiler("torchscript:optimize=maybe"), Error);
  EXPECT_THROW(parse_compiler("torchscript:optimize=1"), Error);
  EXPECT_NO_THROW(parse_compiler("torchscript:optimize=false"));
}

TEST(ParseCompiler, TheSelfTestTakesASlowdownThatIsANumber) {
  EXPECT_EQ(parse_compiler("eager:slowdown=0.02").options, (nlohmann::json{{"slowdown", 0.02}}));
  EXPECT_THROW(parse_compiler("eager:slowdown=true"), Error);
  EXPECT_THROW(parse_compiler("eager:slowdown=-0.02"), Error);
}

TEST(ParseCompilers, SplitsAtCommas) {
  std::vector<Compiler> compilers = parse_compilers({"inductor,torchscript", "eager"});
  ASSERT_EQ(compilers.size(), 3u);
  EXPECT_EQ(compilers[1].name, "torchscript");
}

TEST(ParseCompilers, RefusesTheSameCompilerTwice) {
  EXPECT_THROW(parse_compilers({"eager,eager"}), Error);
}

}  // namespace
}  // namespace graphnet
