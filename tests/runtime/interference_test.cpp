#include "graphnet/runtime/interference.h"

#include <chrono>
#include <sched.h>
#include <thread>

#include <gtest/gtest.h>

namespace graphnet {
namespace {

TEST(ProcessorTimes, AreThoseOfAllProcessorsInSeconds) {
  const ProcessorTimes times = parse_processor_times("cpu  100 20 30 4000 500 6 7 80 9 0\ncpu0 1 2 3 4\n", 100);
  EXPECT_DOUBLE_EQ(times.busy, 1.63);  // user, nice, system and both kinds of interrupts
  EXPECT_DOUBLE_EQ(times.steal, 0.8);
}

TEST(ProcessorTimes, AreZeroWhereTheKernelDoesNotTell) {
  EXPECT_EQ(parse_processor_times("", 100).busy, 0);
  EXPECT_EQ(parse_processor_times("cpu0 1 2 3 4\n", 100).busy, 0);
  EXPECT_EQ(parse_processor_times("cpu  1 2\n", 100).steal, 0);
}

TEST(RunDelay, IsTheSecondNumber) {
  EXPECT_EQ(parse_run_delay("220916043 406223748 97\n"), 406223748);
  EXPECT_EQ(parse_run_delay(""), 0);
}

// Two threads that want the same processor wait for each other about half the time.
TEST(InterferenceMeter, CountsHowLongThreadsWaitForAProcessor) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const auto spin = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  InterferenceMeter meter;
  meter.start();
  {
    std::jthread other([&] {
      spin();
      spin();
    });
    spin();
    const Interference interference = meter.stop();
    EXPECT_GT(interference.waiting_seconds, 0.05);
    EXPECT_GT(interference.involuntary_switches, 0);
  }
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace graphnet
