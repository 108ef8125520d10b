#include "graphnet/bench/run_temporary.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "graphnet/support/files.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

// The folder that a process made and did not remove, because it was killed.
fs::path folder_of_a_killed_run(const fs::path& parent) {
  const pid_t child = fork();
  if (child == 0) {
    const RunTemporary folder(parent);
    write_file(folder.path() / "file", "of a compiler");
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  return fs::directory_iterator(parent)->path();
}

TEST(RunTemporary, GoesWithItsRun) {
  const TemporaryFolder parent("graphnet-test-");
  fs::path path;
  {
    const RunTemporary folder(parent.path());
    path = folder.path();
    EXPECT_TRUE(fs::is_directory(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(RunTemporary, RemovesThoseOfKilledRuns) {
  const TemporaryFolder parent("graphnet-test-");
  const fs::path left = folder_of_a_killed_run(parent.path());
  fs::create_directory(parent.path() / "graphnet-new-abcdef");    // killed before it was locked
  fs::create_directory(parent.path() / "graphnet-run-1-abcdef");  // its removal was killed
  ASSERT_TRUE(fs::exists(left / "file"));
  const RunTemporary next(parent.path());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_FALSE(fs::exists(parent.path() / "graphnet-new-abcdef"));
  EXPECT_FALSE(fs::exists(parent.path() / "graphnet-run-1-abcdef"));
}

TEST(RunTemporary, LeavesLiveRunsAndOtherFoldersAlone) {
  const TemporaryFolder parent("graphnet-test-");
  fs::create_directory(parent.path() / "graphnet-samples");
  const RunTemporary live(parent.path());
  const RunTemporary next(parent.path());
  EXPECT_TRUE(fs::exists(live.path()));
  EXPECT_TRUE(fs::exists(parent.path() / "graphnet-samples"));
}

}  // namespace
}  // namespace graphnet
