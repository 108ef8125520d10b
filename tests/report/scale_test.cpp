#include "scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks) result.push_back(tick.label);
  return result;
}

TEST(Scale, PutsValuesBetweenItsEnds) {
  EXPECT_DOUBLE_EQ(Scale::linear(0, 10, 100, 200)(2.5), 125);
  EXPECT_DOUBLE_EQ(Scale::logarithmic(1, 100, 0, 10)(10), 5);
  EXPECT_DOUBLE_EQ(Scale::logarithmic(1, 100, 10, 0)(10), 5) << "upside down";
}

TEST(Scale, KeepsValuesOutsideAtTheNearerEnd) {
  EXPECT_DOUBLE_EQ(Scale::linear(0, 10, 0, 100)(-5), 0);
  EXPECT_DOUBLE_EQ(Scale::logarithmic(1, 100, 0, 10)(1e9), 10);
}

TEST(Scale, RefusesAxesThatCannotBeDrawn) {
  EXPECT_THROW(Scale::linear(1, 1, 0, 1), Error);
  EXPECT_THROW(Scale::logarithmic(0, 1, 0, 1), Error);
}

TEST(LinearTicks, AreRoundNumbers) {
  EXPECT_THAT(labels(linear_ticks(-10, 4, 8)), ElementsAre("-10", "-8", "-6", "-4", "-2", "0", "2", "4"));
  EXPECT_THAT(labels(linear_ticks(0.82, 1.21, 5)), ElementsAre("0.9", "1", "1.1", "1.2"));
}

TEST(DecimalTicks, GrowSparserOverMoreDecades) {
  EXPECT_THAT(labels(decimal_ticks(0.09, 1.3, 7)), ElementsAre("0.1", "0.2", "0.5", "1"));
  EXPECT_THAT(labels(decimal_ticks(0.5, 2000, 7)), ElementsAre("1", "10", "100", "1k"));
  EXPECT_THAT(labels(decimal_ticks(1, 1e12, 7)), ElementsAre("1", "100", "10k", "1M", "100M", "10G", "1T"));
}

TEST(DecimalTicks, AreLinearOverLittle) {
  EXPECT_THAT(labels(decimal_ticks(0.95, 1.12, 5)), ElementsAre("0.95", "1", "1.05", "1.1"));
}

TEST(BinaryTicks, ArePowersOfTwoWithOneAmongThem) {
  EXPECT_THAT(labels(binary_ticks(0.2, 9, 9)), ElementsAre("0.25", "0.5", "1", "2", "4", "8"));
  EXPECT_THAT(labels(binary_ticks(0.001, 1000, 6)), testing::Contains("1"));
  EXPECT_LE(binary_ticks(1e-6, 1e6, 6).size(), 6U);
}

TEST(TickLabel, IsShort) {
  EXPECT_EQ(tick_label(0.25), "0.25");
  EXPECT_EQ(tick_label(100), "100");
  EXPECT_EQ(tick_label(1500), "1.5k");
  EXPECT_EQ(tick_label(0), "0");
}

}  // namespace
}  // namespace graphnet
