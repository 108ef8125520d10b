#include "graphnet/runtime/timing.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "fake_stopwatch.h"

namespace graphnet {
namespace {

using test::FakeStopwatch;

std::function<void()> steady(FakeStopwatch& clock, double seconds) {
  return [&clock, seconds] { clock.advance(seconds); };
}

// In every so many calls a tick of stolen time is counted.
std::function<void()> steady_with_ticks(FakeStopwatch& clock, double seconds, int calls_a_tick) {
  return [&clock, seconds, calls_a_tick, calls = 0]() mutable {
    clock.advance(seconds);
    if (++calls % calls_a_tick == 0) clock.count_stolen(kStealTick);
  };
}

// Log-normal noise with a tail: one call in twenty takes up to three times as long.
std::function<void()> noisy(FakeStopwatch& clock, std::mt19937_64& random, double seconds, double deviation) {
  return [&clock, &random, seconds, deviation] {
    std::normal_distribution<double> noise(0, deviation);
    std::uniform_real_distribution<double> tail(0, 1);
    const double factor = tail(random) < 0.05 ? 1 + 2 * tail(random) : 1;
    clock.advance(seconds * factor * std::exp(noise(random)));
  };
}

TEST(TimePair, SteadyCallsGiveTheExactSpeedup) {
  FakeStopwatch clock;
  const TimingResult result = time_pair(steady(clock, 0.03), steady(clock, 0.02), clock);
  EXPECT_NEAR(result.speedup, 1.5, 1e-9);
  EXPECT_NEAR(result.speedup_low, 1.5, 1e-9);
  EXPECT_NEAR(result.speedup_high, 1.5, 1e-9);
  EXPECT_NEAR(result.reference_seconds, 0.03, 1e-9);
  EXPECT_NEAR(result.candidate_seconds, 0.02, 1e-9);
  EXPECT_EQ(result.verdict, TimingVerdict::kConverged);
}

TEST(TimePair, StopsAtTheFirstLookWhereTheIntervalIsNarrow) {
  FakeStopwatch clock;
  TimingOptions options;
  options.minimum_trials = 30;
  EXPECT_EQ(time_pair(steady(clock, 0.01), steady(clock, 0.01), clock, options).trials.size(), 30U);
}

TEST(TimePair, ShortCallsAreBatchedToTheSmallestBlock) {
  FakeStopwatch clock;
  const TimingResult result = time_pair(steady(clock, 1e-5), steady(clock, 4e-5), clock);
  EXPECT_NEAR(static_cast<double>(result.reference_batch), 200, 1);
  EXPECT_NEAR(static_cast<double>(result.candidate_batch), 50, 1);
  EXPECT_NEAR(result.speedup, 0.25, 1e-9);
  EXPECT_NEAR(result.trials[0].reference_seconds, 1e-5, 1e-12);
}

// Calls that are fast only when they follow one another, by a clock that is coarse.
TEST(TimePair, NoBlockIsShorterThanAThousandStepsOfTheClock) {
  FakeStopwatch clock;
  clock.set_resolution(1e-4);
  double last = 0;
  const auto call = [&] {
    clock.advance(clock.now() == last ? 1e-5 : 1e-2);
    last = clock.now();
  };
  const TimingResult result = time_pair(call, steady(clock, 0.01), clock);
  EXPECT_EQ(result.clock_resolution, 1e-4);
  for (const Trial& trial : result.trials) {
    EXPECT_GE(trial.reference_seconds * static_cast<double>(result.reference_batch), 0.1);
    EXPECT_GE(trial.candidate_seconds * static_cast<double>(result.candidate_batch), 0.1);
  }
}

TEST(TimePair, NoBlockIsShorterThanAskedForWhereCallsThatFollowOneAnotherAreFaster) {
  FakeStopwatch clock;
  std::size_t block = 0;
  const auto call = [&] {
    const bool is_first = std::exchange(block, clock.blocks.size() + 1) != clock.blocks.size() + 1;
    clock.advance(is_first ? 20e-6 : 2e-6);
  };
  const TimingResult result = time_pair(call, call, clock);
  for (const Trial& trial : result.trials) {
    EXPECT_GE(trial.reference_seconds * static_cast<double>(result.reference_batch), 2e-3);
  }
}

TEST(TimePair, TellsBeforeEachBlockWhoseCallsItHas) {
  FakeStopwatch clock;
  std::vector<BlockSide> told;
  const auto call = [&](BlockSide side) {
    return [&clock, &told, side] {
      clock.advance(0.01);
      EXPECT_EQ(told.back(), side);
    };
  };
  const auto before_block = [&](BlockSide side) {
    told.push_back(side);
    EXPECT_EQ(told.size(), clock.blocks.size() + 1);
  };
  time_pair(call(BlockSide::kReference), call(BlockSide::kCandidate), clock, {}, before_block);
  EXPECT_EQ(told.size(), clock.blocks.size());
}

TEST(TimePair, TheLargestBatchIsNotExceeded) {
  FakeStopwatch clock;
  TimingOptions options;
  options.largest_batch = 1;
  const TimingResult result = time_pair(steady(clock, 1e-6), steady(clock, 1e-5), clock, options);
  EXPECT_EQ(result.reference_batch, 1);
  EXPECT_EQ(result.candidate_batch, 1);
}

TEST(TimePair, BothSidesGoFirstAboutEquallyOften) {
  FakeStopwatch clock;
  TimingOptions options;
  options.minimum_trials = 200;
  options.maximum_seconds = 1000;
  const TimingResult result = time_pair(steady(clock, 0.01), steady(clock, 0.01), clock, options);
  const auto first = std::count_if(result.trials.begin(), result.trials.end(),
                                   [](const Trial& trial) { return trial.reference_first; });
  EXPECT_GT(first, 70);
  EXPECT_LT(first, 130);
}

TEST(TimePair, ASlowFirstCallIsNoTrial) {
  FakeStopwatch clock;
  int calls = 0;
  const auto reference = [&] { clock.advance(++calls <= 3 ? 5.0 : 0.01); };
  const TimingResult result = time_pair(reference, steady(clock, 0.01), clock);
  EXPECT_GE(result.reference_warm_up, 3);
  for (const Trial& trial : result.trials) EXPECT_NEAR(trial.reference_seconds, 0.01, 1e-9);
}

TEST(TimePair, WarmsUpWhileCallsGetFaster) {
  FakeStopwatch clock;
  double seconds = 0.02;
  const auto reference = [&] { clock.advance(seconds = std::max(0.001, seconds * 0.97)); };
  const TimingResult result = time_pair(reference, steady(clock, 0.001), clock);
  EXPECT_GT(result.reference_warm_up, 40);
  EXPECT_LT(result.candidate_warm_up, 20);
}

TEST(TimePair, StopsAtTheTimeCapAndSaysSo) {
  FakeStopwatch clock;
  std::mt19937_64 random(1);
  TimingOptions options;
  options.maximum_seconds = 2;
  options.target_half_width = 1e-4;
  const TimingResult result =
      time_pair(noisy(clock, random, 0.01, 0.05), noisy(clock, random, 0.01, 0.05), clock, options);
  EXPECT_EQ(result.verdict, TimingVerdict::kNoisy);
  EXPECT_GT(result.trials.size(), 50U);
  EXPECT_LT(result.trials.size(), 110U);
}

TEST(TimePair, ThreeTrialsAreTakenHoweverLongACallTakes) {
  FakeStopwatch clock;
  const TimingResult result = time_pair(steady(clock, 60), steady(clock, 30), clock);
  EXPECT_EQ(result.trials.size(), 3U);
  EXPECT_NEAR(result.speedup, 2, 1e-9);
  EXPECT_DOUBLE_EQ(result.confidence, 0.75);
  EXPECT_EQ(result.verdict, TimingVerdict::kCapped);
}

TEST(TimePair, DisturbedTrialsAreKeptButNotUsed) {
  FakeStopwatch clock;
  int calls = 0;
  const auto reference = [&] {
    clock.advance(0.01);
    if (++calls % 3 == 0) clock.wait(0.05);
  };
  const TimingResult result = time_pair(reference, steady(clock, 0.01), clock);
  EXPECT_NEAR(result.speedup, 1, 1e-9);
  EXPECT_EQ(result.verdict, TimingVerdict::kConverged);
  EXPECT_TRUE(std::any_of(result.trials.begin(), result.trials.end(), [](const Trial& t) { return t.disturbed; }));
}

TEST(TimePair, TimeThatTheHostTakesDisturbs) {
  FakeStopwatch clock;
  int calls = 0;
  const auto reference = [&] {
    clock.advance(0.01);
    if (++calls % 3 == 0) clock.steal(0.05);
  };
  const TimingResult result = time_pair(reference, steady(clock, 0.01), clock);
  EXPECT_NEAR(result.speedup, 1, 1e-9);
  for (const Trial& trial : result.trials) {
    EXPECT_EQ(trial.disturbed, trial.reference_interference.steal_seconds > 0);
    EXPECT_EQ(trial.candidate_interference.steal_seconds, 0);
  }
}

TEST(TimePair, OneTickOfStolenTimeSaysLittleOfAShortBlock) {
  FakeStopwatch clock;
  const TimingResult result = time_pair(steady_with_ticks(clock, 0.01, 100), steady(clock, 0.01), clock);
  EXPECT_TRUE(std::ranges::none_of(result.trials, &Trial::disturbed));
  EXPECT_EQ(result.verdict, TimingVerdict::kConverged);
}

TEST(TimePair, TicksOfStolenTimeInManyBlocksAreContention) {
  FakeStopwatch clock;
  const TimingResult result = time_pair(steady_with_ticks(clock, 0.01, 10), steady(clock, 0.01), clock);
  EXPECT_EQ(result.verdict, TimingVerdict::kContended);
}

TEST(TimePair, SlowCallsOfWhichOneWasDisturbedAreTimedOnUntilThreeWereNot) {
  FakeStopwatch clock;
  int calls = 0;
  const auto reference = [&] { ++calls == 5 ? clock.wait(5) : clock.advance(5); };  // the second trial's
  TimingOptions options;
  options.maximum_seconds = 30;
  const TimingResult result = time_pair(reference, steady(clock, 5), clock, options);
  EXPECT_EQ(result.trials.size(), 4U);
  EXPECT_EQ(result.verdict, TimingVerdict::kCapped);
  EXPECT_LT(result.confidence, 0.95);
}

TEST(TimePair, AMachineHeldByOthersIsContended) {
  FakeStopwatch clock;
  const auto reference = [&] { clock.wait(0.02); };
  TimingOptions options;
  options.maximum_seconds = 1;
  const TimingResult result = time_pair(reference, steady(clock, 0.01), clock, options);
  EXPECT_EQ(result.verdict, TimingVerdict::kContended);
  EXPECT_NEAR(result.speedup, 2, 1e-9);
}

// A handful of undisturbed trials among hundreds says less than all of them.
TEST(TimePair, AFewUndisturbedTrialsAmongManyAreNotUsedAlone) {
  FakeStopwatch clock;
  int calls = 0;
  const auto reference = [&] { ++calls % 40 == 0 ? clock.advance(0.05) : clock.wait(0.02); };
  const TimingResult result = time_pair(reference, steady(clock, 0.01), clock);
  EXPECT_EQ(result.verdict, TimingVerdict::kContended);
  EXPECT_NEAR(result.speedup, 2, 1e-9);
}

TEST(TimePair, UndisturbedTrialsThatConvergeAreUsedHoweverManyOthersThereAre) {
  FakeStopwatch clock;
  int calls = 0;
  const auto reference = [&] { ++calls % 8 == 0 ? clock.advance(0.01) : clock.wait(0.02); };
  const TimingResult result = time_pair(reference, steady(clock, 0.01), clock);
  EXPECT_EQ(result.verdict, TimingVerdict::kConverged);
  EXPECT_NEAR(result.speedup, 1, 1e-9);
}

TEST(TimePair, TheSameSeedGivesTheSameOrder) {
  const auto orders = [](std::uint64_t seed) {
    FakeStopwatch clock;
    TimingOptions options;
    options.seed = seed;
    std::vector<bool> order;
    for (const Trial& trial : time_pair(steady(clock, 0.01), steady(clock, 0.01), clock, options).trials) {
      order.push_back(trial.reference_first);
    }
    return order;
  };
  EXPECT_EQ(orders(7), orders(7));
  EXPECT_NE(orders(7), orders(8));
}

TEST(TimePair, ExceptionsOfACallPassThrough) {
  FakeStopwatch clock;
  EXPECT_THROW(time_pair(
                   steady(clock, 0.01), [] { throw std::runtime_error("broken"); }, clock),
               std::runtime_error);
}

TEST(Stopwatch, TheCpuClocksResolutionIsMeasured) {
  const double resolution = make_stopwatch(c10::kCPU)->resolution();
  EXPECT_GT(resolution, 0);
  EXPECT_LT(resolution, 1e-4);
}

TEST(Stopwatch, TheCpuStopwatchRunsEveryCallOfABlock) {
  const std::unique_ptr<Stopwatch> stopwatch = make_stopwatch(c10::kCPU);
  int calls = 0;
  const double before = stopwatch->now();
  const Stopwatch::Reading reading = stopwatch->time([&] { ++calls; }, 5);
  EXPECT_EQ(calls, 5);
  EXPECT_GE(reading.seconds, 0);
  EXPECT_EQ(reading.seconds, reading.wall_seconds);
  EXPECT_GE(stopwatch->now() - before, reading.seconds);
}

}  // namespace
}  // namespace graphnet
