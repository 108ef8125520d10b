// What holds on every accelerator: scripts/check_gpu runs these tests on a real one.
#include "any_device.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/bench/worker_client.h"
#include "graphnet/runtime/timing.h"
#include "graphnet/support/files.h"

#include "small_samples.h"

namespace graphnet::test {
namespace {

using nlohmann::json;

class AnyDevice : public testing::Test {
 protected:
  at::Tensor square(std::int64_t size) const { return at::ones({size, size}, at::device(device_)); }

  // Work that keeps any device busy for a while.
  std::function<void()> heavy_work() {
    test_device::configure(test_device::parse_settings("operator=5ms"));
    const at::Tensor x = square(device_.is_privateuseone() ? 8 : 4096);
    return [x] {
      for (int i = 0; i < 20; ++i) at::mm(x, x);
    };
  }

  const c10::Device device_ = open_device();
  const at::Tensor first_ = square(1);  // starts the device and its allocator, as loading a sample does
};

TEST_F(AnyDevice, IsDescribedAndHasMemory) {
  EXPECT_FALSE(describe_machine(device_).device.empty());
  EXPECT_GT(available_memory(device_), 0);
}

TEST_F(AnyDevice, TheWallClockOfABlockHoldsItsDeviceTime) {
  const std::unique_ptr<Stopwatch> stopwatch = make_stopwatch(device_);
  const auto work = heavy_work();
  stopwatch->time(work, 1);
  const Stopwatch::Reading reading = stopwatch->time(work, 2);
  EXPECT_GT(reading.seconds, 0);
  EXPECT_GE(reading.wall_seconds, 0.999 * reading.seconds);  // two clocks
  EXPECT_LT(reading.host_seconds, reading.wall_seconds);
}

TEST_F(AnyDevice, TwiceTheWorkTakesAboutTwiceTheDeviceTime) {
  const std::unique_ptr<Stopwatch> stopwatch = make_stopwatch(device_);
  const auto work = heavy_work();
  stopwatch->time(work, 2);
  const double once = stopwatch->time(work, 2).seconds;
  const double twice = stopwatch->time(work, 4).seconds;
  EXPECT_NEAR(twice / once, 2, 0.5);
}

TEST_F(AnyDevice, ThePeakOfItsMemoryIsCounted) {
  constexpr std::int64_t kBytes = 64 << 20;
  reset_peak_memory(device_);
  const std::optional<std::int64_t> before = peak_memory(device_);
  ASSERT_TRUE(before);
  at::empty({kBytes}, at::device(device_).dtype(at::kByte)).reset();
  EXPECT_GE(peak_memory(device_).value(), *before + kBytes);
  reset_peak_memory(device_);
  EXPECT_LT(peak_memory(device_).value(), *before + kBytes);
}

TEST_F(AnyDevice, WorksOnAfterItRanOutOfMemory) {
  const auto bytes = at::device(device_).dtype(at::kByte);
  const std::int64_t too_much = available_memory(device_) + (std::int64_t{1} << 30);
  EXPECT_THROW(at::empty({too_much}, bytes), c10::OutOfMemoryError);
  EXPECT_TRUE(at::equal(square(4) + 1, square(4) * 2));
}

TEST_F(AnyDevice, AFailedAllocationIsToldAsLackOfMemory) {
  try {
    at::empty({available_memory(device_) + (std::int64_t{1} << 30)}, at::device(device_).dtype(at::kByte));
    FAIL() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("out of memory"));
  }
}

class WorkerOnAnyDevice : public testing::Test {
 protected:
  std::string sample() const { return (folder_.path() / "small").string(); }

  Reply bench(const std::string& compiler) {
    const json params = {{"sample", sample()},
                         {"compiler", compiler},
                         {"device", device_name()},
                         {"op_libraries", device_libraries()},
                         {"timing", {{"maximum_seconds", 0.2}, {"warm_up_seconds", 0.1}}}};
    return WorkerClient(WorkerOptions{{GRAPHNET_WORKER}, {}, {}, std::chrono::seconds(240)})
        .call("bench", params, std::chrono::seconds(240));
  }

  TemporaryFolder folder_{"graphnet-any-device-"};
};

TEST_F(WorkerOnAnyDevice, EagerAgainstItselfIsCorrectAndHasItsRecord) {
  write_relu_sample(sample());
  const Reply reply = bench("eager");
  ASSERT_TRUE(reply.result) << reply.failure->message;
  EXPECT_LE(reply.result->at("correctness").at("strictest_level").get<int>(), -5);
  EXPECT_TRUE(reply.result->at("timing").contains("launch_bound"));
  for (const char* side : {"reference", "candidate"}) {
    EXPECT_GE(reply.result->at("device_peak_memory_bytes").at(side).get<std::int64_t>(), 4 * (256 << 10));
  }
}

TEST_F(WorkerOnAnyDevice, TorchScriptIsCorrect) {
  write_linear_sample(sample());
  const Reply reply = bench("torchscript");
  ASSERT_TRUE(reply.result) << reply.failure->message;
  EXPECT_LE(reply.result->at("correctness").at("strictest_level").get<int>(), -3);
}

TEST_F(WorkerOnAnyDevice, AFaultOfTheReferenceIsToldAtTheReference) {
  write_faulty_sample(sample());
  const Reply reply = bench("eager");
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->stage, "reference");
  EXPECT_EQ(reply.failure->cause, Cause::kException);
}

}  // namespace
}  // namespace graphnet::test
