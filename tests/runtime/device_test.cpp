#include "graphnet/runtime/device.h"

#include <fstream>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

#include "../../src/runtime/host_memory.h"

namespace graphnet {
namespace {

using testing::HasSubstr;

ErrorKind kind_of_failure(const std::string& device) {
  try {
    parse_device(device);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kInternal;
}

TEST(ParseDevice, CpuIsAlwaysThere) {
  load_accelerator_libraries();
  EXPECT_EQ(parse_device("cpu"), c10::Device(c10::kCPU));
}

TEST(ParseDevice, AutoAlwaysFindsADevice) {
  EXPECT_NO_THROW(parse_device("auto"));
}

TEST(ParseDevice, TextThatIsNoDeviceIsWrongUsage) {
  EXPECT_EQ(kind_of_failure("toaster"), ErrorKind::kUsage);
}

TEST(ParseDevice, ADeviceThatIsNotThereNeedsAnotherEnvironment) {
  EXPECT_EQ(kind_of_failure("cuda:99"), ErrorKind::kEnvironment);
}

TEST(DescribeMachine, EveryFieldIsFilled) {
  const MachineDescription machine = describe_machine(c10::kCPU);
  EXPECT_FALSE(machine.processor.empty());
  EXPECT_FALSE(machine.capability.empty());
  EXPECT_EQ(machine.device, "cpu");
  EXPECT_THAT(machine.framework, HasSubstr("torch 2."));
  EXPECT_GE(machine.threads, 1);
}

TEST(AvailableMemory, OfTheHostIsPositive) {
  EXPECT_GT(available_memory(c10::kCPU), 0);
}

// A made-up root folder with the files that the kernel would have.
class HostMemory : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::int64_t available() const { return available_host_memory(root_.path()); }

  TemporaryFolder root_{"graphnet-host-memory-"};
};

TEST_F(HostMemory, WithoutControlGroupsTheSystemDecides) {
  write("proc/meminfo", "MemTotal: 4096 kB\nMemFree: 10 kB\nMemAvailable: 1000 kB\n");
  EXPECT_EQ(available(), 1000 * 1024);
}

TEST_F(HostMemory, Version2LimitsCountAtEveryLevel) {
  write("proc/meminfo", "MemAvailable: 1000000 kB\n");
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/memory.max", "5000\n");
  write("sys/fs/cgroup/outer/memory.current", "3000\n");
  write("sys/fs/cgroup/outer/memory.stat", "anon 2000\ninactive_file 400\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  write("sys/fs/cgroup/outer/inner/memory.current", "3000\n");
  EXPECT_EQ(available(), 5000 - (3000 - 400));
}

TEST_F(HostMemory, Version1Limits) {
  write("proc/meminfo", "MemAvailable: 1000000 kB\n");
  write("proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/job\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "8000\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1000\n");
  write("sys/fs/cgroup/memory/job/memory.stat", "cache 5\ntotal_inactive_file 500\n");
  EXPECT_EQ(available(), 8000 - 500);
}

TEST_F(HostMemory, InAContainerTheMountPointIsTheGroup) {
  write("proc/meminfo", "MemAvailable: 1000000 kB\n");
  write("proc/self/cgroup", "0::/docker/abc\n");
  write("sys/fs/cgroup/memory.max", "7000\n");
  write("sys/fs/cgroup/memory.current", "1000\n");
  EXPECT_EQ(available(), 6000);
}

TEST_F(HostMemory, AGroupOverItsLimitLeavesNothing) {
  write("proc/meminfo", "MemAvailable: 1000000 kB\n");
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "1000\n");
  write("sys/fs/cgroup/memory.current", "2000\n");
  EXPECT_EQ(available(), 0);
}

TEST_F(HostMemory, MissingSystemFilesAreAnError) {
  EXPECT_THROW(available(), Error);
}

TEST(PeakHostMemory, StartsAnewAfterAReset) {
  constexpr std::int64_t kLarge = std::int64_t{256} << 20;
  { const at::Tensor touched = at::ones({kLarge}, at::kByte); }
  const std::int64_t before = peak_host_memory();
  if (!reset_peak_host_memory()) GTEST_SKIP() << "this system resets no counters";
  EXPECT_LT(peak_host_memory(), before - kLarge / 2);
}

}  // namespace
}  // namespace graphnet
