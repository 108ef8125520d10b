#include "graphnet/bench/shared_memory.h"

#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "graphnet/support/files.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

std::string id_of_an_ended_process() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return std::to_string(child);
}

class SharedMemory : public testing::Test {
 protected:
  bool survives(const std::string& name) {
    write_file(folder_.path() / name, "segment");
    remove_orphaned_shared_memory(folder_.path());
    return fs::exists(folder_.path() / name);
  }

  TemporaryFolder folder_{"graphnet-test-"};
  const std::string ended_ = id_of_an_ended_process();
};

TEST_F(SharedMemory, OfEndedProcessesIsRemoved) {
  EXPECT_FALSE(survives("__KMP_REGISTERED_LIB_" + ended_ + "_0"));
  EXPECT_FALSE(survives("torch_" + ended_ + "_1234567_0"));
  EXPECT_FALSE(survives("sem.loky-" + ended_ + "-ab12"));
}

TEST_F(SharedMemory, OfLiveProcessesIsLeftAlone) {
  EXPECT_TRUE(survives("torch_" + std::to_string(getpid()) + "_1234567_0"));
}

TEST_F(SharedMemory, ThatNamesNoProcessIsLeftAlone) {
  for (const std::string& name : {"torch_" + ended_, "torch_" + ended_ + "abc", "database_" + ended_ + "_0",
                                  std::string("torch_"), std::string("torch_-5_0")}) {
    EXPECT_TRUE(survives(name)) << name;
  }
}

TEST_F(SharedMemory, InAFolderThatIsNotThereIsNoError) {
  remove_orphaned_shared_memory(folder_.path() / "none");
}

}  // namespace
}  // namespace graphnet
