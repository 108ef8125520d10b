#include "correctness_record.h"

#include <gtest/gtest.h>

#include "graphnet/score/tolerance.h"

namespace graphnet {
namespace {

OutputComparison at_level(int level) {
  OutputComparison output;
  output.equal = level == kStrictestLevel;
  output.strictest_level = level;
  return output;
}

Comparison with_levels(int first, int second) {
  Comparison comparison;
  comparison.outputs = {at_level(first), at_level(second)};
  comparison.equal = first == kStrictestLevel && second == kStrictestLevel;
  comparison.strictest_level = std::max(first, second);
  return comparison;
}

TEST(CorrectnessRecord, AnOutputWithinItsOwnSpreadIsCorrectAtEveryLevel) {
  CorrectnessRecord record;
  record.add_spread(with_levels(kStrictestLevel, -3));
  record.add(with_levels(-8, -4));
  EXPECT_EQ(record.to_json()["strictest_level"], -8);
  EXPECT_EQ(record.to_json()["measured_level"], -4);
}

TEST(CorrectnessRecord, TheSpreadOfOneOutputExcusesNoOther) {
  CorrectnessRecord record;
  record.add_spread(with_levels(kStrictestLevel, -3));
  record.add(with_levels(-3, -3));
  EXPECT_EQ(record.to_json()["strictest_level"], -3);
  EXPECT_EQ(record.to_json()["outputs"][0]["spread_level"], nullptr);
  EXPECT_EQ(record.to_json()["outputs"][1]["spread_level"], -3);
}

TEST(CorrectnessRecord, TheSpreadIsTheLoosestOfAllRuns) {
  CorrectnessRecord record;
  EXPECT_EQ(record.spread_level(), std::nullopt);
  record.add_spread(with_levels(-7, kStrictestLevel));
  record.add_spread(with_levels(-5, -8));
  EXPECT_EQ(record.spread_level(), -5);
}

TEST(CorrectnessRecord, NoSpreadExcusesWhatCondemnsTheWhole) {
  CorrectnessRecord record;
  record.add_spread(with_levels(-3, -3));
  record.add(with_levels(-4, -4));
  record.condemn("its outputs were still being computed after the call returned");
  EXPECT_EQ(record.to_json()["strictest_level"], nullptr);
}

}  // namespace
}  // namespace graphnet
