// The stopwatch on a device whose times are known exactly.
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>

#include "graphnet/runtime/timing.h"

#include "test_device.h"

namespace graphnet::test_device {
namespace {

class StopwatchOnDevice : public testing::Test {
 protected:
  StopwatchOnDevice() { install(); }
  ~StopwatchOnDevice() override { configure({}); }

  // A stopwatch for a device that is told this, and work for it: each call is so many operators.
  std::unique_ptr<Stopwatch> make(const char* settings) {
    x_ = at::ones({8}, at::device(the_device()));
    configure(parse_settings(settings));
    return make_stopwatch(the_device());
  }
  std::function<void()> operators(int count) {
    return [this, count] {
      for (int i = 0; i < count; ++i) at::relu(x_);
    };
  }

  at::Tensor x_;
};

TEST_F(StopwatchOnDevice, SecondsAreTheDevices) {
  const auto stopwatch = make("operator=20ms,idle_gaps=off");
  EXPECT_NEAR(stopwatch->time(operators(3), 2).seconds, 0.120, 1e-9);
}

// A device that takes long to say that it is done.
TEST_F(StopwatchOnDevice, WhatTheHostWaitsBeyondTheWorkIsWallTimeOnly) {
  const auto stopwatch = make("operator=20ms,idle_gaps=off,wake_up=200ms");
  const Stopwatch::Reading reading = stopwatch->time(operators(1), 1);
  EXPECT_NEAR(reading.seconds, 0.020, 1e-9);
  EXPECT_GE(reading.wall_seconds, 0.220);
}

TEST_F(StopwatchOnDevice, WallTimeLastsUntilTheWorkIsDone) {
  const auto stopwatch = make("operator=50ms");
  EXPECT_GE(stopwatch->time(operators(2), 1).wall_seconds, 0.100);
}

TEST_F(StopwatchOnDevice, HostTimeEndsWhenAllIsQueued) {
  const auto stopwatch = make("operator=600ms");
  const Stopwatch::Reading reading = stopwatch->time(operators(1), 1);
  EXPECT_GT(reading.host_seconds, 0);
  EXPECT_LT(reading.host_seconds, 0.5);
}

TEST_F(StopwatchOnDevice, WorkQueuedBeforeABlockIsNotTimed) {
  const auto stopwatch = make("operator=300ms,idle_gaps=off");
  operators(4)();
  const Stopwatch::Reading reading = stopwatch->time(operators(1), 1);
  EXPECT_NEAR(reading.seconds, 0.300, 1e-9);
  EXPECT_LT(reading.wall_seconds, 1.2);
}

// A candidate that returns while a stream of its own is still at work gains nothing by it.
TEST_F(StopwatchOnDevice, WorkOnAnotherStreamIsTimed) {
  const auto stopwatch = make("operator=200ms");
  const auto relu_elsewhere = c10::Dispatcher::singleton()
                                  .findSchemaOrThrow("graphnet_test_device::relu_elsewhere", "")
                                  .typed<at::Tensor(const at::Tensor&)>();
  EXPECT_GT(stopwatch->time([&] { relu_elsewhere.call(x_); }, 1).seconds, 0.150);
}

TEST_F(StopwatchOnDevice, WithoutTimingEventsTheWallClockCounts) {
  const auto stopwatch = make("operator=20ms,timing_events=off");
  const Stopwatch::Reading reading = stopwatch->time(operators(2), 1);
  EXPECT_EQ(reading.seconds, reading.wall_seconds);
  EXPECT_GE(reading.seconds, 0.040);
}

TEST_F(StopwatchOnDevice, AFaultIsThrownByTheBlockItHappensIn) {
  const auto stopwatch = make("operator=5ms,error=aten::relu:3");
  EXPECT_NO_THROW(stopwatch->time(operators(2), 1));
  EXPECT_THROW(stopwatch->time(operators(1), 1), c10::AcceleratorError);
}

TEST_F(StopwatchOnDevice, ADeviceThatWaitsForTheHostIsLaunchBound) {
  const auto stopwatch = make("operator=5ms");
  const auto slow_host = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    at::relu(x_);
  };
  TimingOptions options;
  options.warm_up_seconds = 0;
  options.maximum_seconds = 0;
  const TimingResult result = time_pair(slow_host, operators(40), *stopwatch, options);
  EXPECT_TRUE(result.reference_launch_bound);
  EXPECT_FALSE(result.candidate_launch_bound);
  EXPECT_GE(result.reference_wall_seconds, 0.105);
}

}  // namespace
}  // namespace graphnet::test_device
