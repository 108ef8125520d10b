#include "graphnet/runtime/interference.h"

#include <chrono>
#include <sched.h>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace graphnet {
namespace {

constexpr std::string_view kStat =
    "cpu  100 20 30 4000 500 6 7 80 9 0\n"
    "cpu0 50 10 15 2000 250 3 4 60 9 0\n"
    "cpu1 50 10 15 2000 250 3 3 20 9 0\n"
    "intr 12345\n";

TEST(ProcessorTimes, AreBusyOnAllProcessors) {
  EXPECT_DOUBLE_EQ(parse_processor_times(kStat, {0}, 100).busy, 1.63);  // user, nice, system, both kinds of interrupts
}

TEST(ProcessorTimes, AreStolenFromThoseInUse) {
  EXPECT_DOUBLE_EQ(parse_processor_times(kStat, {1}, 100).steal, 0.2);
  EXPECT_DOUBLE_EQ(parse_processor_times(kStat, {0, 1}, 100).steal, 0.4) << "the mean";
}

TEST(ProcessorTimes, AreZeroWhereTheKernelDoesNotTell) {
  EXPECT_EQ(parse_processor_times("", {0}, 100).busy, 0);
  EXPECT_EQ(parse_processor_times("cpu0 1 2 3 4\n", {0}, 100).busy, 0);
  EXPECT_EQ(parse_processor_times("cpu  1 2\ncpu0 1 2", {0}, 100).steal, 0);
  EXPECT_EQ(parse_processor_times(kStat, {7}, 100).steal, 0);
}

TEST(RunDelay, IsTheSecondNumber) {
  EXPECT_EQ(parse_run_delay("220916043 406223748 97\n"), 406223748);
  EXPECT_EQ(parse_run_delay(""), 0);
}

// This thread, and those that it starts, share one processor.
class OneProcessor {
 public:
  OneProcessor() {
    CPU_ZERO(&before_);
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
      if (CPU_ISSET(i, &before_)) CPU_SET(i, &one);
    }
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_;
};

// Two threads that want the same processor wait for each other about half the time.
TEST(InterferenceMeter, CountsHowLongThreadsWaitForAProcessor) {
  const OneProcessor pinned;
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
}

// Many threads that each wait a little are not one that waits long.
TEST(InterferenceMeter, TellsTheThreadThatWaitedLongest) {
  const OneProcessor pinned;
  InterferenceMeter meter;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
      }
    });
  }
  meter.start();
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const Interference interference = meter.stop();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  EXPECT_GT(interference.waiting_seconds, 0.1);
  EXPECT_LE(interference.waiting_seconds, wall.count());
}

}  // namespace
}  // namespace graphnet
