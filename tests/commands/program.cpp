#include "program.h"

#include <algorithm>
#include <fcntl.h>
#include <limits>
#include <signal.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "graphnet/support/files.h"

namespace graphnet::test {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> environment_of(const RunOptions& options, const std::filesystem::path& own_folder) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    if (name.starts_with("GRAPHNET_") || name.starts_with("XDG_") || options.environment.contains(name)) continue;
    result.emplace_back(text);
  }
  // Neither packages that an earlier test compiled nor locks of tests that run at the same time are to be met.
  for (const char* name : {"XDG_CACHE_HOME", "GRAPHNET_LOCK_FOLDER"}) {
    if (!options.environment.contains(name)) result.push_back(name + ("=" + own_folder.string()));
  }
  for (const auto& [name, value] : options.environment) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

void redirect(int descriptor, const char* path, int flags) {
  const int file = open(path, flags, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
  close(file);
}

std::chrono::duration<double> seconds_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

// Waits for the process; kills its group at the deadline and returns -1.
int wait_for(pid_t process, Clock::time_point deadline, rusage& usage) {
  int status = 0;
  while (wait4(process, &status, WNOHANG, &usage) == 0) {
    if (Clock::now() > deadline) {
      kill(-process, SIGKILL);
      wait4(process, &status, 0, &usage);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Finished run_program(const std::vector<std::string>& command, const RunOptions& options) {
  const TemporaryFolder folder("graphnet-command-");
  const std::string output = folder.path() / "stdout";
  const std::string errors = folder.path() / "stderr";
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_of(options, folder.path());
  std::vector<char*> argument_pointers = pointers_to(arguments);
  std::vector<char*> environment_pointers = pointers_to(environment);

  const Clock::time_point start = Clock::now();
  const pid_t process = fork();
  if (process == 0) {
    setpgid(0, 0);
    if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) _exit(126);
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
    redirect(STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
    execvpe(argument_pointers[0], argument_pointers.data(), environment_pointers.data());
    _exit(127);
  }
  Finished finished;
  rusage usage{};
  finished.exit_code = wait_for(process, start + options.timeout, usage);
  finished.seconds = Clock::now() - start;
  finished.processor_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  finished.output = read_file(output);
  finished.errors = read_file(errors);
  if (finished.exit_code < 0) ADD_FAILURE() << command[0] << " did not end in time\n" << finished.errors;
  return finished;
}

Finished graphnet(const std::vector<std::string>& arguments, const RunOptions& options) {
  std::vector<std::string> command = {graphnet_path()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_program(command, options);
}

double least_processor_seconds(const std::vector<std::string>& arguments) {
  constexpr int kRuns = 5;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRuns; ++i) least = std::min(least, graphnet(arguments).processor_seconds.count());
  return least;
}

std::string graphnet_path() {
  return GRAPHNET_PROGRAM;
}

}  // namespace graphnet::test
