#include "graphnet/runtime/parallel.h"

#include <latch>
#include <stdexcept>
#include <string>

#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

namespace graphnet {
namespace {

TEST(Parallel, PartsCoverTheRange) {
  std::int64_t next = 0;
  for (const Part& part : split(1001, 4, 10)) {
    EXPECT_EQ(part.begin, next);
    next = part.end;
  }
  EXPECT_EQ(next, 1001);
  EXPECT_EQ(split(15, 4, 10).size(), 1U);
}

TEST(Parallel, WorkRunsAtTheSameTime) {
  std::latch all_there(3);  // fewer threads than indices would wait forever
  for_each_index(3, 3, [&](std::size_t) { all_there.arrive_and_wait(); });
}

TEST(Parallel, ThreadsWorkInTheStateOfTheCaller) {
  const c10::InferenceMode without_gradients;
  std::latch all_there(2);
  std::vector<char> enabled(2);
  for_each_index(2, 2, [&](std::size_t i) {
    all_there.arrive_and_wait();
    enabled[i] = static_cast<char>(c10::InferenceMode::is_enabled());
  });
  EXPECT_EQ(enabled, std::vector<char>({1, 1}));
}

TEST(Parallel, TheFirstExceptionIsRethrownAfterAllHaveRun) {
  std::atomic<int> calls{0};
  const auto fail_from_two = [&](std::size_t i) {
    ++calls;
    if (i >= 2) throw std::runtime_error(std::to_string(i));
  };
  try {
    for_each_index(6, 2, fail_from_two);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "2");
  }
  EXPECT_EQ(calls, 6);
}

TEST(Parallel, ResultsComeInTheOrderOfTheParts) {
  const auto begins = for_each_part(split(100, 4, 1), [](const Part& part) { return part.begin; });
  EXPECT_EQ(begins, std::vector<std::int64_t>({0, 25, 50, 75}));
}

}  // namespace
}  // namespace graphnet
