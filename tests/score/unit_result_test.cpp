#include "graphnet/score/unit_result.h"

#include <gtest/gtest.h>

#include "graphnet/support/error.h"

#include "outcomes.h"

namespace graphnet {
namespace {

UnitResult of(const std::string& sample, const std::string& compiler) {
  UnitResult result;
  result.outcome = test::correct(1.0);
  result.outcome.sample = sample;
  result.outcome.compiler = compiler;
  return result;
}

TEST(ByCompiler, KeepsTheOrderOfTheRun) {
  const auto parts = by_compiler({of("a", "torchscript"), of("a", "inductor"), of("b", "torchscript")});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].compiler, "torchscript");
  ASSERT_EQ(parts[0].results.size(), 2U);
  EXPECT_EQ(parts[0].results[1].outcome.sample, "b");
  EXPECT_EQ(parts[1].results.size(), 1U);
}

TEST(CheckEachSampleOnce, NamesRunAndSample) {
  const std::vector<UnitResult> twice{of("a", "inductor"), of("a", "inductor")};
  try {
    check_each_sample_once(twice, "runs/a");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("runs/a: sample a has two results with compiler inductor"), 0U);
  }
  check_each_sample_once({twice.data(), 1});
}

}  // namespace
}  // namespace graphnet
