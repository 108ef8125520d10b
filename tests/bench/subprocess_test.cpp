#include "graphnet/bench/subprocess.h"

#include <fstream>
#include <signal.h>
#include <sys/wait.h>
#include <thread>

#include <gtest/gtest.h>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

namespace graphnet {
namespace {

using namespace std::chrono_literals;
using Clock = Subprocess::Clock;

SubprocessOptions shell(const std::string& script) {
  return {{"sh", "-c", script}, {}, {}};
}

Clock::time_point soon() {
  return Clock::now() + 20s;
}

TEST(Subprocess, SendsALineAndReadsTheAnswer) {
  Subprocess process(shell("read word; echo \"heard $word\""));
  ASSERT_TRUE(process.write_line("hello", soon()));
  std::string line;
  ASSERT_EQ(process.read_line(line, soon()), Subprocess::ReadState::kLine);
  EXPECT_EQ(line, "heard hello");
}

TEST(Subprocess, NamesAProgramThatIsNotThere) {
  try {
    Subprocess process({{"/no/such/program"}, {}, {}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_NE(std::string(error.what()).find("/no/such/program"), std::string::npos);
  }
}

TEST(Subprocess, ReportsTheExitCode) {
  Subprocess process(shell("exit 3"));
  EXPECT_EQ(process.finish(soon()).to_string(), "exit code 3");
}

TEST(Subprocess, ReportsTheSignalByName) {
  Subprocess process(shell("kill -SEGV $$"));
  EXPECT_EQ(process.finish(soon()).to_string(), "signal SIGSEGV (Segmentation fault)");
}

TEST(Subprocess, DropsAnUnfinishedLastLine) {
  Subprocess process(shell("printf half"));
  std::string line;
  EXPECT_EQ(process.read_line(line, soon()), Subprocess::ReadState::kClosed);
}

TEST(Subprocess, StopsWaitingAtTheDeadline) {
  Subprocess process(shell("sleep 60"));
  std::string line;
  EXPECT_EQ(process.read_line(line, Clock::now() + 20ms), Subprocess::ReadState::kTimedOut);
}

TEST(Subprocess, RefusesALineWithoutEnd) {
  SubprocessOptions options = shell("yes | tr -d '\\n'");
  options.longest_line = 1 << 16;
  Subprocess process(options);
  std::string line;
  EXPECT_EQ(process.read_line(line, soon()), Subprocess::ReadState::kTooLong);
}

TEST(Subprocess, ReadsManyLinesThatArriveTogether) {
  Subprocess process(shell("printf 'a\\n\\nb\\n'"));
  std::string lines;
  std::string line;
  while (process.read_line(line, soon()) == Subprocess::ReadState::kLine) lines += line + "|";
  EXPECT_EQ(lines, "a||b|");
}

TEST(Subprocess, WritesStderrToTheLog) {
  TemporaryFolder folder("graphnet-test-");
  SubprocessOptions options = shell("echo trouble >&2");
  options.error_log = folder.path() / "log";
  Subprocess process(options);
  process.finish(soon());
  EXPECT_EQ(read_file(folder.path() / "log"), "trouble\n");
}

TEST(Subprocess, PassesEnvironmentVariablesOn) {
  SubprocessOptions options = shell("echo $GRAPHNET_TEST_WORD");
  options.environment = {{"GRAPHNET_TEST_WORD", "tensor"}};
  Subprocess process(options);
  std::string line;
  process.read_line(line, soon());
  EXPECT_EQ(line, "tensor");
}

// A zombie of another process still has its number; a process that is gone or a zombie runs no more.
bool runs(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.at(name_end + 2) != 'Z';
}

TEST(Subprocess, KillsGrandchildrenThatIgnoreSigterm) {
  Subprocess process(shell("trap '' TERM; (trap '' TERM; sleep 60) & echo $!; sleep 60"));
  std::string line;
  ASSERT_EQ(process.read_line(line, soon()), Subprocess::ReadState::kLine);
  process.kill(50ms);
  for (int i = 0; i < 200 && runs(std::stoi(line)); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(runs(std::stoi(line)));
}

TEST(Subprocess, KillsDescendantsThatLeftTheGroup) {
  Subprocess process(shell("setsid sh -c '(setsid sleep 60 & echo $!) & wait' & sleep 60"));
  std::string line;
  ASSERT_EQ(process.read_line(line, soon()), Subprocess::ReadState::kLine);
  process.kill(0ms);
  EXPECT_FALSE(runs(std::stoi(line)));
}

TEST(Subprocess, LeavesNothingOfAChildThatEndedByItself) {
  Subprocess process(shell("setsid sleep 60 >/dev/null & echo $!"));
  std::string line;
  ASSERT_EQ(process.read_line(line, soon()), Subprocess::ReadState::kLine);
  EXPECT_EQ(process.finish(soon()).to_string(), "exit code 0");
  EXPECT_FALSE(runs(std::stoi(line)));
}

TEST(Subprocess, TakesAllDescendantsAlongWhenThisProgramIsKilled) {
  TemporaryFolder folder("graphnet-test-");
  const std::string file = folder.path() / "grandchild";
  const pid_t program = fork();
  if (program == 0) {
    Subprocess process(
        shell("trap '' TERM; (trap '' TERM; exec setsid sleep 600) & echo $! > " + file + "; echo; sleep 600"));
    std::string line;
    process.read_line(line, soon());
    raise(SIGKILL);
  }
  waitpid(program, nullptr, 0);
  const pid_t grandchild = std::stoi(read_file(file));
  for (int i = 0; i < 1000 && runs(grandchild); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(runs(grandchild));
}

TEST(Subprocess, ReportsAChildThatDoesNotReadAnyMore) {
  signal(SIGPIPE, SIG_IGN);
  Subprocess process(shell("exec <&-; echo closed; sleep 60"));
  std::string line;
  process.read_line(line, soon());
  EXPECT_FALSE(process.write_line(std::string(1 << 20, 'x'), soon()));
}

}  // namespace
}  // namespace graphnet
