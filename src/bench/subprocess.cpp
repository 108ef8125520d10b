#include "graphnet/bench/subprocess.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "graphnet/support/error.h"

extern char** environ;

namespace graphnet {
namespace {

using Clock = Subprocess::Clock;

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw Error(ErrorKind::kEnvironment, std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    // Where this process was started without a standard descriptor, a pipe may get its number; dup2 onto itself would
    // then leave it closed in the child.
    for (int& end : ends_) {
      if (end > STDERR_FILENO) continue;
      int moved = ::fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
      ::close(std::exchange(end, moved));
    }
  }
  ~Pipe() {
    for (int end : ends_) {
      if (end >= 0) ::close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  int release_read_end() { return std::exchange(ends_[0], -1); }
  int release_write_end() { return std::exchange(ends_[1], -1); }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text(*entry);
    if (!changes.contains(std::string(text.substr(0, text.find('='))))) result.emplace_back(text);
  }
  for (const auto& [name, value] : changes) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

int open_log(const std::filesystem::path& path) {
  int log = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0) {
    throw Error(ErrorKind::kEnvironment, "cannot write " + path.string() + ": " + std::strerror(errno));
  }
  return log;
}

// Milliseconds for poll(), rounded up so that a wait never ends before its deadline.
int poll_timeout(Clock::time_point deadline) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  if (left <= 0) return 0;
  return static_cast<int>(std::min<std::int64_t>(left, 60'000));
}

// What runs between fork and exec: only calls that are safe there. Reports errno of a failed exec through `report`.
[[noreturn]] void become(char* const* arguments, char* const* environment, int in, int out, int log, int report,
                         pid_t parent) {
  ::setpgid(0, 0);
  // A graphnet that is killed takes its workers along: they would disturb whatever is measured next.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it was gone before it could be watched
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  if (log >= 0) ::dup2(log, STDERR_FILENO);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::execvpe(arguments[0], arguments, environment);
  int reason = errno;
  [[maybe_unused]] ssize_t written = ::write(report, &reason, sizeof reason);
  ::_exit(127);
}

void close_all_descriptors() {
  if (::close_range(0, ~0U, 0) == 0) return;
  constexpr int kUsual = 1024;
  for (int descriptor = 0; descriptor < kUsual; ++descriptor) ::close(descriptor);
}

// What a guard does, from fork on: only calls that are safe there. It is a member of the group, waits for the death of
// this program, whatever ends it, and then ends the group, whose leader cannot: children that a compiler started would
// outlive both.
[[noreturn]] void stand_guard(pid_t group, pid_t parent) {
  constexpr int kParentDied = SIGUSR1;
  sigset_t awaited;
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, kParentDied);
  ::sigprocmask(SIG_SETMASK, &awaited, nullptr);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  ::setpgid(0, group);
  ::prctl(PR_SET_PDEATHSIG, kParentDied);
  close_all_descriptors();  // it must hold no pipe open whose end others wait for
  int received = 0;
  if (::getppid() == parent) ::sigwait(&awaited, &received);
  ::kill(-group, SIGKILL);
  ::_exit(0);
}

}  // namespace

std::string ExitStatus::to_string() const {
  if (signal == 0) return "exit code " + std::to_string(code);
  const char* abbreviation = ::sigabbrev_np(signal);
  const char* description = ::sigdescr_np(signal);
  if (abbreviation == nullptr || description == nullptr) return "signal " + std::to_string(signal);
  return std::string("signal SIG") + abbreviation + " (" + description + ")";
}

Subprocess::Subprocess(const SubprocessOptions& options) : longest_line_(options.longest_line) {
  if (options.command.empty()) throw Error(ErrorKind::kInternal, "a subprocess needs a command");
  std::vector<std::string> command = options.command;
  std::vector<std::string> environment = merged_environment(options.environment);
  std::vector<char*> argument_pointers = pointers(command);
  std::vector<char*> environment_pointers = pointers(environment);

  Pipe to_child;
  Pipe from_child;
  Pipe report;
  int log = options.error_log.empty() ? -1 : open_log(options.error_log);

  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) {
    become(argument_pointers.data(), environment_pointers.data(), to_child.read_end(), from_child.write_end(), log,
           report.write_end(), parent);
  }
  int fork_errno = errno;
  if (log >= 0) ::close(log);
  if (process_ < 0) {
    throw Error(ErrorKind::kEnvironment, std::string("cannot start a process: ") + std::strerror(fork_errno));
  }
  // Set in both processes, so that the group exists whichever runs first.
  ::setpgid(process_, process_);

  ::close(report.release_write_end());
  int reason = 0;
  if (::read(report.read_end(), &reason, sizeof reason) == sizeof reason) {
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
    throw Error(ErrorKind::kEnvironment, "cannot run " + command.front() + ": " + std::strerror(reason));
  }
  guard_ = ::fork();
  if (guard_ == 0) stand_guard(process_, parent);
  if (guard_ > 0) ::setpgid(guard_, process_);
  stdin_ = to_child.release_write_end();
  stdout_ = from_child.release_read_end();
  ::fcntl(stdin_, F_SETFL, O_NONBLOCK);
  ::fcntl(stdout_, F_SETFL, O_NONBLOCK);
}

Subprocess::~Subprocess() {
  if (process_ > 0) kill(std::chrono::milliseconds(0));
  close_stdin();
  if (stdout_ >= 0) ::close(stdout_);
}

void Subprocess::close_stdin() {
  if (stdin_ >= 0) ::close(std::exchange(stdin_, -1));
}

bool Subprocess::write_line(std::string_view line, Clock::time_point deadline) {
  std::string text(line);
  text += '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    pollfd ready{stdin_, POLLOUT, 0};
    int count = ::poll(&ready, 1, poll_timeout(deadline));
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) {
      // SIGPIPE is ignored by the program, so that a child that is gone shows here as EPIPE.
      ssize_t written = ::write(stdin_, rest.data(), rest.size());
      if (written < 0 && errno != EAGAIN && errno != EINTR) return false;
      if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    }
    if (!rest.empty() && Clock::now() >= deadline) return false;
  }
  return true;
}

Subprocess::ReadState Subprocess::read_line(std::string& line, Clock::time_point deadline, int interrupt_descriptor) {
  while (true) {
    if (std::size_t end = buffer_.find('\n', scanned_); end != std::string::npos) {
      line.assign(buffer_, 0, end);
      buffer_.erase(0, end + 1);
      scanned_ = 0;
      return ReadState::kLine;
    }
    scanned_ = buffer_.size();
    if (buffer_.size() > longest_line_) return ReadState::kTooLong;

    std::array<pollfd, 2> ready{{{stdout_, POLLIN, 0}, {interrupt_descriptor, POLLIN, 0}}};
    int count = ::poll(ready.data(), ready.size(), poll_timeout(deadline));
    if (count < 0 && errno != EINTR) return ReadState::kClosed;
    if (count > 0 && ready[0].revents != 0) {
      std::array<char, 65536> chunk;
      ssize_t received = ::read(stdout_, chunk.data(), chunk.size());
      if (received == 0) return ReadState::kClosed;
      if (received < 0 && errno != EAGAIN && errno != EINTR) return ReadState::kClosed;
      if (received > 0) buffer_.append(chunk.data(), static_cast<std::size_t>(received));
      continue;
    }
    if (count > 0 && ready[1].revents != 0) return ReadState::kInterrupted;
    if (Clock::now() >= deadline) return ReadState::kTimedOut;
  }
}

// Whether the leader has ended by the deadline. It is not reaped yet: until then its number, which is the group's too,
// cannot be given to another process.
bool Subprocess::has_ended(Clock::time_point deadline) const {
  while (true) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == process_) {
      return true;
    }
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

ExitStatus Subprocess::end_group(bool forced) {
  // The group outlives its leader where a compiler left children behind.
  ::kill(-process_, SIGKILL);
  int raw = 0;
  while (::waitpid(process_, &raw, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (guard_ > 0) {
    ::kill(guard_, SIGKILL);
    while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
    }
    guard_ = -1;
  }
  status_ = WIFSIGNALED(raw) ? ExitStatus{0, WTERMSIG(raw), forced} : ExitStatus{WEXITSTATUS(raw), 0, forced};
  return *status_;
}

ExitStatus Subprocess::finish(Clock::time_point deadline) {
  if (status_) return *status_;
  close_stdin();
  return has_ended(deadline) ? end_group(/*forced=*/false) : kill();
}

ExitStatus Subprocess::kill(std::chrono::milliseconds grace) {
  if (status_) return *status_;
  if (grace.count() > 0) {
    ::kill(-process_, SIGTERM);
    has_ended(Clock::now() + grace);
  }
  return end_group(/*forced=*/true);
}

}  // namespace graphnet
