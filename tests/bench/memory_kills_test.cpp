#include "graphnet/bench/memory_kills.h"

#include <gtest/gtest.h>

#include "graphnet/support/files.h"

namespace graphnet {
namespace {

class MemoryKills : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_.path() / file).parent_path());
    write_file(root_.path() / file, text);
  }

  TemporaryFolder root_{"graphnet-memory-kills-"};
};

TEST_F(MemoryKills, AreThoseOfTheControlGroup) {
  write("proc/self/cgroup", "0::/jobs/12\n");
  write("sys/fs/cgroup/jobs/12/memory.events", "low 0\nhigh 7\nmax 5\noom 4\noom_kill 3\n");
  write("proc/vmstat", "pgfault 12\noom_kill 99\n");
  EXPECT_EQ(memory_kills(root_.path()), 3);
}

TEST_F(MemoryKills, AreReadFromTheFirstVersionsFilesToo) {
  write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/jobs/12\n0::/\n");
  write("sys/fs/cgroup/memory/jobs/12/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  EXPECT_EQ(memory_kills(root_.path()), 2);
}

TEST_F(MemoryKills, OfAContainerStandAtTheRootOfWhatItSees) {
  write("proc/self/cgroup", "0::/outside/of/the/container\n");
  write("sys/fs/cgroup/memory.events", "oom_kill 5\n");
  EXPECT_EQ(memory_kills(root_.path()), 5);
}

TEST_F(MemoryKills, AreTheMachinesWhereNoControlGroupCounts) {
  write("proc/vmstat", "pgfault 12\noom_kill 99\n");
  EXPECT_EQ(memory_kills(root_.path()), 99);
}

TEST_F(MemoryKills, AreNoneWhereNothingTells) {
  EXPECT_EQ(memory_kills(root_.path()), 0);
}

}  // namespace
}  // namespace graphnet
