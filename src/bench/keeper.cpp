#include "keeper.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace graphnet {
namespace {

constexpr int kControl = 0;  // where keep() moves its descriptors; all others are closed
constexpr int kStatus = 1;

[[noreturn]] void become(const ChildImage& image, pid_t keeper) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != keeper) ::_exit(127);  // it was gone before it could be watched
  ::dup2(image.in, STDIN_FILENO);
  ::dup2(image.out, STDOUT_FILENO);
  if (image.log >= 0) ::dup2(image.log, STDERR_FILENO);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::execvpe(image.arguments[0], image.arguments, image.environment);
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = ::write(image.report, &reason, sizeof reason);
  ::_exit(127);
}

void close_from(int first) {
  if (::close_range(static_cast<unsigned int>(first), ~0U, 0) == 0) return;
  constexpr int kUsual = 1024;
  for (int descriptor = first; descriptor < kUsual; ++descriptor) ::close(descriptor);
}

void say(KeeperMessage::Kind kind, int value) {
  const KeeperMessage message{kind, value};
  [[maybe_unused]] const ssize_t written = ::write(kStatus, &message, sizeof message);
}

void say_ended(const siginfo_t& info) {
  say(info.si_code == CLD_EXITED ? KeeperMessage::kExited : KeeperMessage::kSignaled, info.si_status);
}

// Kills this process's own children: the child, and what became an orphan below it.
void kill_children() {
  const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::array<char, 4096> text;
  pid_t number = 0;
  for (ssize_t size = 0; (size = ::read(file, text.data(), text.size())) > 0;) {
    for (ssize_t i = 0; i < size; ++i) {
      const char digit = text[static_cast<std::size_t>(i)];
      if (digit >= '0' && digit <= '9') {
        number = number * 10 + (digit - '0');
      } else if (number > 0) {
        ::kill(number, SIGKILL);
        number = 0;
      }
    }
  }
  if (number > 0) ::kill(number, SIGKILL);
  ::close(file);
}

// Kills whatever is left, as often as it takes: the children of what dies become this process's own.
[[noreturn]] void end_all(pid_t child, bool ended, const sigset_t& child_signal) {
  ::kill(-child, SIGKILL);
  while (true) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG) != 0 && errno == ECHILD) ::_exit(0);
    if (info.si_pid == child && !ended) say_ended(info);
    if (info.si_pid != 0) continue;
    kill_children();
    const timespec pause{0, 5'000'000};
    ::sigtimedwait(&child_signal, nullptr, &pause);
  }
}

}  // namespace

void keep(const ChildImage& image, int control, int status) {
  // Ctrl-C on a terminal is for this program's parent to judge, and nothing but SIGKILL may end a keeper.
  ::setpgid(0, 0);
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);

  const pid_t keeper = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become(image, keeper);
  const int fork_errno = errno;
  // It must hold no pipe open whose end others wait for.
  ::dup2(control, kControl);
  ::dup2(status, kStatus);
  close_from(kStatus + 1);
  if (child < 0) {
    say(KeeperMessage::kFailed, fork_errno);
    ::_exit(1);
  }
  ::setpgid(child, child);  // in both processes, so that the group exists whichever runs first
  say(KeeperMessage::kStarted, child);

  sigset_t child_signal;
  ::sigemptyset(&child_signal);
  ::sigaddset(&child_signal, SIGCHLD);
  const int signals = ::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
  bool ended = false;
  while (true) {
    // The child is not reaped before the end: until then its number, which is the group's too, is nobody else's.
    siginfo_t info{};
    if (!ended && ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == child) {
      ended = true;
      say_ended(info);
    }
    std::array<pollfd, 2> ready{{{kControl, POLLIN, 0}, {ended ? -1 : signals, POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) break;
    if (ready[0].revents != 0) break;
    signalfd_siginfo received;
    while (ready[1].revents != 0 && ::read(signals, &received, sizeof received) > 0) {
    }
  }
  end_all(child, ended, child_signal);
}

}  // namespace graphnet
