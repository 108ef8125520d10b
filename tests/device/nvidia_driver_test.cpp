#include "../../src/runtime/nvidia_driver.h"

#include <dlfcn.h>

#include <gtest/gtest.h>

namespace graphnet {
namespace {

// A library that is loaded already is found under its own name, wherever it lies.
class NvidiaDriver : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* library : {GRAPHNET_FAKE_CUDA, GRAPHNET_FAKE_NVML}) {
      ASSERT_NE(dlopen(library, RTLD_NOW), nullptr) << dlerror();
    }
  }
};

TEST_F(NvidiaDriver, TellsTheNameOfADevice) {
  EXPECT_EQ(nvidia_device_name(0), "Imagined GPU");
  EXPECT_EQ(nvidia_device_name(1), "");
}

TEST_F(NvidiaDriver, TellsHowLongADeviceWasThrottled) {
  const std::optional<Throttling> before = nvidia_throttling(0);
  const std::optional<Throttling> after = nvidia_throttling(0);
  ASSERT_TRUE(before && after);
  EXPECT_DOUBLE_EQ(after->power_seconds - before->power_seconds, 2);
  EXPECT_DOUBLE_EQ(after->thermal_seconds - before->thermal_seconds, 0.5);
}

TEST_F(NvidiaDriver, KnowsNothingOfDevicesThatAreNotThere) {
  EXPECT_FALSE(nvidia_throttling(1));
}

TEST(Throttling, OfTheCpuIsNotKnown) {
  EXPECT_FALSE(throttling(c10::kCPU));
}

}  // namespace
}  // namespace graphnet
