#include "graphnet/report/number.h"

#include <cmath>

#include <gtest/gtest.h>

namespace graphnet {
namespace {

TEST(Fixed, RoundsToTheDecimals) {
  EXPECT_EQ(fixed(1.1464, 3), "1.146");
  EXPECT_EQ(fixed(0.9996, 3), "1.000");
}

TEST(Fixed, PrintsWhatIsNoNumberAsADash) {
  EXPECT_EQ(fixed(std::nan(""), 3), "-");
}

TEST(Significant, KeepsSoManyDigits) {
  EXPECT_EQ(significant(25.134, 4), "25.13");
  EXPECT_EQ(significant(0.00012, 3), "0.000120");
}

TEST(Significant, CountsDigitsAfterRounding) {
  EXPECT_EQ(significant(9.996, 3), "10.0");
}

TEST(Significant, NeverDropsDigitsBeforeThePoint) {
  EXPECT_EQ(significant(1234.4, 3), "1234");
}

TEST(Significant, TurnsScientificWhereZerosWouldPileUp) {
  EXPECT_EQ(significant(1.5e-9, 2), "1.5e-09");
  EXPECT_EQ(significant(2.5e12, 2), "2.5e+12");
}

TEST(Milliseconds, HasFourDigits) {
  EXPECT_EQ(milliseconds(0.025134), "25.13");
  EXPECT_EQ(milliseconds(1.2041), "1204");
  EXPECT_EQ(milliseconds(4.1e-6), "0.0041");
}

TEST(DurationText, ChoosesTheUnit) {
  EXPECT_EQ(duration_text(1.2e-6), "1.20 us");
  EXPECT_EQ(duration_text(0.0251), "25.1 ms");
  EXPECT_EQ(duration_text(3.4), "3.40 s");
  EXPECT_EQ(duration_text(725), "12 min 5 s");
  EXPECT_EQ(duration_text(7260), "2 h 1 min");
}

TEST(DurationText, NeverRoundsUpToAThousandOfAUnit) {
  EXPECT_EQ(duration_text(0.9996), "1.00 s");
}

TEST(BytesText, ChoosesTheUnit) {
  EXPECT_EQ(bytes_text(512), "512 bytes");
  EXPECT_EQ(bytes_text(1610612736), "1.50 GiB");
}

TEST(Percent, HasOneDecimal) {
  EXPECT_EQ(percent(0.9333), "93.3 %");
  EXPECT_EQ(percent(std::nan("")), "-");
}

TEST(SpeedupText, LosesDecimalsAsItGrows) {
  EXPECT_EQ(speedup_text(1.146), "1.146");
  EXPECT_EQ(speedup_text(12.345), "12.35");
  EXPECT_EQ(speedup_text(123.45), "123.5");
}

}  // namespace
}  // namespace graphnet
