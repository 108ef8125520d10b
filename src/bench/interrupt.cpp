#include "graphnet/bench/interrupt.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

// A signal handler can reach nothing but statics.
std::atomic<int> request_count{0};
std::array<int, 2> stop_pipe{-1, -1};

void on_signal(int) {
  int saved = errno;
  [[maybe_unused]] ssize_t written = 0;
  switch (request_count.fetch_add(1) + 1) {
    case 1: {
      constexpr std::string_view kNotice = "\ngraphnet: stopping after what runs now; Ctrl-C again stops at once\n";
      written = ::write(STDERR_FILENO, kNotice.data(), kNotice.size());
      break;
    }
    case 2:
      written = ::write(stop_pipe[1], "x", 1);
      break;
    default:
      break;
  }
  errno = saved;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  if (::pipe2(stop_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw Error(ErrorKind::kEnvironment, std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  request_count = 0;
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  handle(SIGPIPE, SIG_IGN);
}

InterruptWatch::~InterruptWatch() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
  for (int& end : stop_pipe) ::close(std::exchange(end, -1));
}

int InterruptWatch::requests() const {
  return request_count;
}

int InterruptWatch::stop_now_descriptor() const {
  return stop_pipe[0];
}

}  // namespace graphnet
