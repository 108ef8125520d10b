#include "graphnet/bench/memory_rule.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphnet {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kGigabyte = 1'000'000'000;
const MemoryNeed kNeed{.weights = kGigabyte, .constants = 0, .inputs = 0, .peak_results = 0};

TEST(UnitMemory, CountsInputSetsTheResultsOfBothSidesAndACopy) {
  const UnitMemory memory = unit_memory({.weights = 1000, .constants = 100, .inputs = 10, .peak_results = 1}, "eager");
  EXPECT_EQ(memory.reference, 1143);
  EXPECT_EQ(memory.compiler, 0);
}

TEST(UnitMemory, TheCopiesThatTorchScriptMakesAreTheCompilersShare) {
  const UnitMemory memory = unit_memory(kNeed, "torchscript");
  EXPECT_EQ(memory.reference, kGigabyte);
  EXPECT_EQ(memory.compiler, 2 * kGigabyte);
}

TEST(UnitMemory, StaysBelow63Bits) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(unit_memory({most, most, most, most}, "torchscript").total(), most);
}

TEST(MemoryShortage, IsEmptyWhereTheUnitFits) {
  EXPECT_EQ(memory_shortage(unit_memory(kNeed, "torchscript"), "torchscript", 3 * kGigabyte), "");
}

TEST(MemoryShortage, NamesTheCompilersShareWhereTheReferenceAloneFits) {
  const std::string shortage = memory_shortage(unit_memory(kNeed, "torchscript"), "torchscript", 2 * kGigabyte);
  EXPECT_THAT(shortage, HasSubstr("that torchscript makes"));
  EXPECT_THAT(shortage, HasSubstr("the reference alone would fit"));
}

TEST(MemoryShortage, IsTheSamplesWhereTheReferenceDoesNotFit) {
  const std::string shortage = memory_shortage(unit_memory(kNeed, "torchscript"), "torchscript", kGigabyte / 2);
  EXPECT_THAT(shortage, HasSubstr("of memory"));
  EXPECT_THAT(shortage, Not(HasSubstr("torchscript")));
}

}  // namespace
}  // namespace graphnet
