#include "../../src/bench/bounded_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/files.h"

namespace graphnet {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class BoundedLog : public testing::Test {
 protected:
  std::string bounded(const std::string& text, std::int64_t limit) const {
    write_file(log_, text);
    bound_log(log_, limit);
    return read_file(log_);
  }

  TemporaryFolder folder_{"graphnet-test-"};
  std::filesystem::path log_ = folder_.path() / "log";
};

TEST_F(BoundedLog, LeavesALogWithinTheLimitAsItIs) {
  EXPECT_EQ(bounded("0123456789", 10), "0123456789");
}

TEST_F(BoundedLog, KeepsTheBeginningAndTheLastLinesAndSaysHowMuchIsMissing) {
  const std::string text = "first\n" + std::string(4000, 'x') + "\nlast words\n";
  const std::string kept = bounded(text, 800);
  EXPECT_THAT(kept, StartsWith("first\n"));
  EXPECT_THAT(kept, EndsWith("]\nlast words\n"));
  EXPECT_THAT(kept, HasSubstr("[graphnet left out " + std::to_string(text.size() - 400 - 11) + " bytes here"));
  EXPECT_LT(kept.size(), 800U);
}

TEST_F(BoundedLog, MakesNoLogWhereThereIsNone) {
  bound_log(log_, 10);
  EXPECT_FALSE(std::filesystem::exists(log_));
}

}  // namespace
}  // namespace graphnet
