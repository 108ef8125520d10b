#include "graphnet/bench/device_lock.h"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

namespace graphnet {
namespace {

using Use = DeviceLock::Use;

class DeviceLockTest : public testing::Test {
 protected:
  // Whether the lock is had without waiting.
  static bool is_free(DeviceLock& lock, Use use) {
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
  DeviceLock first("cpu", folder_.path());
  DeviceLock second("cpu", folder_.path());
  EXPECT_TRUE(is_free(first, Use::kAlone));
  EXPECT_FALSE(is_free(second, Use::kAlone));
  first.release();
  EXPECT_TRUE(is_free(second, Use::kAlone));
}

TEST_F(DeviceLockTest, IsSharedByThoseWhoDoNotTime) {
  DeviceLock first("cpu", folder_.path());
  DeviceLock second("cpu", folder_.path());
  DeviceLock timing("cpu", folder_.path());
  EXPECT_TRUE(is_free(first, Use::kShared));
  EXPECT_TRUE(is_free(second, Use::kShared));
  EXPECT_FALSE(is_free(timing, Use::kAlone));
}

TEST_F(DeviceLockTest, IsOfOneDevice) {
  DeviceLock first("cuda:0", folder_.path());
  DeviceLock second("cuda:1", folder_.path());
  EXPECT_TRUE(is_free(first, Use::kAlone));
  EXPECT_TRUE(is_free(second, Use::kAlone));
}

TEST_F(DeviceLockTest, ComesToTheOneWhoWaitsBeforeTheOneWhoHadIt) {
  DeviceLock holder("cpu", folder_.path());
  ASSERT_TRUE(is_free(holder, Use::kAlone));
  std::atomic<bool> waits = false;
  std::atomic<bool> may_end = false;
  std::thread waiting([&] {
    DeviceLock waiter("cpu", folder_.path());
    EXPECT_TRUE(waiter.acquire(
        Use::kAlone, [&] { waits = true; }, -1));
    while (!may_end) std::this_thread::yield();
  });
  while (!waits) std::this_thread::yield();
  holder.release();
  EXPECT_FALSE(is_free(holder, Use::kAlone)) << "the waiter is next";
  may_end = true;
  waiting.join();
  EXPECT_TRUE(is_free(holder, Use::kAlone));
}

TEST_F(DeviceLockTest, IsOfOneFileForAllUsersOfTheMachine) {
  setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
  EXPECT_NE(DeviceLock::default_folder(), folder_.path()) << "a session's own folder";
  unsetenv("XDG_RUNTIME_DIR");
  setenv("GRAPHNET_LOCK_FOLDER", folder_.path().c_str(), 1);
  EXPECT_EQ(DeviceLock("cpu").file().parent_path(), folder_.path());
  unsetenv("GRAPHNET_LOCK_FOLDER");
}

TEST_F(DeviceLockTest, ThatCannotBeMadeIsAnError) {
  EXPECT_THROW(DeviceLock("cpu", folder_.path() / "none"), Error);
}

}  // namespace
}  // namespace graphnet
