#include "graphnet/bench/device_lock.h"

#include <cstdlib>
#include <unistd.h>

#include <gtest/gtest.h>

#include "graphnet/support/files.h"

namespace graphnet {
namespace {

class DeviceLockTest : public testing::Test {
 protected:
  void SetUp() override { setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1); }
  void TearDown() override { unsetenv("XDG_RUNTIME_DIR"); }

  // Whether the lock is had without waiting.
  static bool is_free(DeviceLock& lock, DeviceLock::Use use) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    EXPECT_EQ(write(ends[1], "x", 1), 1);  // no patience
    bool waited = false;
    const bool acquired = lock.acquire(
        use, [&] { waited = true; }, ends[0]);
    EXPECT_EQ(waited, !acquired);
    close(ends[0]);
    close(ends[1]);
    return acquired;
  }

  TemporaryFolder folder_{"graphnet-test-"};
};

TEST_F(DeviceLockTest, IsForOneAtATime) {
  DeviceLock first("cpu");
  DeviceLock second("cpu");
  EXPECT_TRUE(is_free(first, DeviceLock::Use::kAlone));
  EXPECT_FALSE(is_free(second, DeviceLock::Use::kAlone));
  first.release();
  EXPECT_TRUE(is_free(second, DeviceLock::Use::kAlone));
}

TEST_F(DeviceLockTest, IsSharedByThoseWhoDoNotTime) {
  DeviceLock first("cpu");
  DeviceLock second("cpu");
  DeviceLock timing("cpu");
  EXPECT_TRUE(is_free(first, DeviceLock::Use::kShared));
  EXPECT_TRUE(is_free(second, DeviceLock::Use::kShared));
  EXPECT_FALSE(is_free(timing, DeviceLock::Use::kAlone));
}

TEST_F(DeviceLockTest, IsOfOneDevice) {
  DeviceLock first("cuda:0");
  DeviceLock second("cuda:1");
  EXPECT_TRUE(is_free(first, DeviceLock::Use::kAlone));
  EXPECT_TRUE(is_free(second, DeviceLock::Use::kAlone));
}

}  // namespace
}  // namespace graphnet
