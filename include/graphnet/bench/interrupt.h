// Ctrl-C: once, finish the running unit and stop; twice, stop now.
#pragma once

namespace graphnet {

// Installs handlers for SIGINT and SIGTERM for its lifetime, and ignores SIGPIPE. One at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  // How often the user has asked to stop.
  int requests() const;

  // Becomes readable with the second request, and stays so: for poll().
  int stop_now_descriptor() const;
};

}  // namespace graphnet
