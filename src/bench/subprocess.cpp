#include "graphnet/bench/subprocess.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

#include "keeper.h"
#include "process_memory.h"

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
    throw Error(write_error_kind(errno), "cannot write " + path.string() + ": " + std::strerror(errno));
  }
  return log;
}

// Milliseconds for poll(), rounded up so that a wait never ends before its deadline.
int poll_timeout(Clock::time_point deadline) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  if (left <= 0) return 0;
  return static_cast<int>(std::min<std::int64_t>(left, 60'000));
}

bool read_whole(int descriptor, void* target, std::size_t size) {
  while (true) {
    const ssize_t count = ::read(descriptor, target, size);  // of a pipe: whole where it was written in one piece
    if (count < 0 && errno == EINTR) continue;
    return count == static_cast<ssize_t>(size);
  }
}

[[noreturn]] void throw_not_started(int reason) {
  throw Error(ErrorKind::kEnvironment, std::string("cannot start a process: ") + std::strerror(reason));
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
  Pipe control;
  Pipe status;
  const int log = options.error_log.empty() ? -1 : open_log(options.error_log);

  keeper_ = ::fork();
  if (keeper_ == 0) {
    keep({argument_pointers.data(), environment_pointers.data(), to_child.read_end(), from_child.write_end(), log,
          report.write_end()},
         control.read_end(), status.write_end());
  }
  const int fork_errno = errno;
  if (log >= 0) ::close(log);
  if (keeper_ < 0) throw_not_started(fork_errno);
  control_ = control.release_write_end();
  status_pipe_ = status.release_read_end();
  ::close(status.release_write_end());
  ::close(report.release_write_end());

  KeeperMessage started;
  if (!read_whole(status_pipe_, &started, sizeof started)) started = {KeeperMessage::kFailed, ECHILD};
  int reason = 0;
  const bool cannot_run = read_whole(report.read_end(), &reason, sizeof reason);
  if (started.kind == KeeperMessage::kFailed || cannot_run) {
    end_keeper();
    if (cannot_run) {
      throw Error(ErrorKind::kEnvironment, "cannot run " + command.front() + ": " + std::strerror(reason));
    }
    throw_not_started(started.value);
  }
  process_ = started.value;
  stdin_ = to_child.release_write_end();
  stdout_ = from_child.release_read_end();
  ::fcntl(stdin_, F_SETFL, O_NONBLOCK);
  ::fcntl(stdout_, F_SETFL, O_NONBLOCK);
}

Subprocess::~Subprocess() {
  if (keeper_ > 0) kill(std::chrono::milliseconds(0));
  close_stdin();
  if (stdout_ >= 0) ::close(stdout_);
}

std::int64_t Subprocess::memory(std::int64_t limit) const {
  return keeper_ > 0 ? descendants_memory(keeper_, limit) : 0;
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
  // Before the lines that are there already: a child that never stops talking can be interrupted, too.
  pollfd interrupt{interrupt_descriptor, POLLIN, 0};
  if (interrupt_descriptor >= 0 && ::poll(&interrupt, 1, 0) > 0) return ReadState::kInterrupted;
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

// Takes how the child ended from the keeper's pipe, where it comes by the deadline. Returns false at the deadline and
// at the pipe's end.
bool Subprocess::read_status(Clock::time_point deadline) {
  while (!status_) {
    pollfd ready{status_pipe_, POLLIN, 0};
    const int count = ::poll(&ready, 1, poll_timeout(deadline));
    if (count > 0) {
      KeeperMessage message;
      if (!read_whole(status_pipe_, &message, sizeof message)) return false;
      status_ = message.kind == KeeperMessage::kExited ? ExitStatus{message.value, 0} : ExitStatus{0, message.value};
    } else if (Clock::now() >= deadline) {
      return false;
    }
  }
  return true;
}

// Asks the keeper to end everything and waits until nothing is left.
void Subprocess::end_keeper() {
  ::close(std::exchange(control_, -1));
  // A process that hangs in the kernel (a device that does not answer) cannot be killed. The keeper goes on waiting.
  constexpr std::chrono::seconds kLongest{30};
  const Clock::time_point deadline = Clock::now() + kLongest;
  read_status(deadline);
  pollfd ready{status_pipe_, 0, 0};  // its end only
  while (::poll(&ready, 1, poll_timeout(deadline)) <= 0 && Clock::now() < deadline) {
  }
  ::close(std::exchange(status_pipe_, -1));
  if (ready.revents != 0) {
    while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  keeper_ = -1;
}

ExitStatus Subprocess::end_group(bool forced) {
  end_keeper();
  process_ = -1;
  // Where the keeper was killed, too, its child got the same signal.
  if (!status_) status_ = ExitStatus{0, SIGKILL};
  status_->forced = forced;
  return *status_;
}

ExitStatus Subprocess::finish(Clock::time_point deadline) {
  if (keeper_ < 0) return *status_;
  close_stdin();
  return read_status(deadline) ? end_group(/*forced=*/false) : kill();
}

ExitStatus Subprocess::kill(std::chrono::milliseconds grace) {
  if (keeper_ < 0) return *status_;
  if (grace.count() > 0) {
    ::kill(-process_, SIGTERM);
    read_status(Clock::now() + grace);
  }
  return end_group(/*forced=*/true);
}

}  // namespace graphnet
