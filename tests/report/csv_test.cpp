#include "graphnet/report/csv.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace graphnet {
namespace {

std::string line(const std::vector<std::string>& fields) {
  return csv_line(fields);
}

TEST(CsvLine, SeparatesFieldsByCommas) {
  EXPECT_EQ(line({"a", "", "1.5"}), "a,,1.5\n");
}

TEST(CsvLine, QuotesWhatWouldBreakTheRecord) {
  EXPECT_EQ(line({"a,b", "say \"x\"", "c\nd"}), "\"a,b\",\"say \"\"x\"\"\",\"c\nd\"\n");
}

TEST(CsvNumber, ReadsBackAsTheSameDouble) {
  EXPECT_EQ(csv_number(0.1), "0.1");
}

TEST(CsvNumber, IsEmptyForWhatIsNoNumber) {
  EXPECT_EQ(csv_number(std::nan("")), "");
}

}  // namespace
}  // namespace graphnet
