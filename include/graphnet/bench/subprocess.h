// A child process in a process group of its own, spoken with in lines over pipes. Whatever happens, the child and all
// that came of it (compilers start processes of their own, some in sessions of their own) are gone when the object
// dies, and when this program does, be it by SIGKILL.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace graphnet {

struct SubprocessOptions {
  std::vector<std::string> command;                // program (a path, or a name looked up in PATH) and its arguments
  std::map<std::string, std::string> environment;  // added to, or overriding, this process's environment
  std::filesystem::path error_log;  // the child's stderr is appended here; empty: it goes to this process's
  std::size_t longest_line = std::size_t{64} << 20;  // a longer line from the child is a protocol error
};

// How a process ended.
struct ExitStatus {
  int code = 0;         // exit code, where it exited
  int signal = 0;       // signal number, where one ended it
  bool forced = false;  // this program ended it

  // "exit code 3", "signal SIGSEGV (segmentation fault)".
  std::string to_string() const;
};

class Subprocess {
 public:
  using Clock = std::chrono::steady_clock;

  // Starts the program. Throws Error(kEnvironment) naming the program where it cannot be started.
  explicit Subprocess(const SubprocessOptions& options);
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  // Writes a line to the child's stdin. Returns false where the child does not read any more. Gives up at the deadline.
  bool write_line(std::string_view line, Clock::time_point deadline);

  enum class ReadState {
    kLine,         // a whole line is in `line`
    kClosed,       // the child closed its stdout; an unfinished last line is dropped
    kTimedOut,     // the deadline passed
    kTooLong,      // a line exceeded longest_line
    kInterrupted,  // `interrupt` became readable
  };
  // Waits for the next line of the child's stdout. `interrupt_descriptor`, where not negative, ends the wait early.
  ReadState read_line(std::string& line, Clock::time_point deadline, int interrupt_descriptor = -1);

  // Closes the child's stdin, which asks a worker to end, and waits for it. Past the deadline the group is killed.
  ExitStatus finish(Clock::time_point deadline);

  // Ends the group: SIGTERM, then SIGKILL after `grace`.
  ExitStatus kill(std::chrono::milliseconds grace = std::chrono::milliseconds(500));

  // Bytes that the child and all that came of it hold in memory; exact where it is more than `limit`.
  std::int64_t memory(std::int64_t limit) const;

 private:
  void close_stdin();
  bool read_status(Clock::time_point deadline);
  void end_keeper();
  ExitStatus end_group(bool forced);

  pid_t process_ = -1;
  pid_t keeper_ = -1;     // the process between this program and the child, which ends whatever the child leaves
  int control_ = -1;      // its end asks the keeper to end everything
  int status_pipe_ = -1;  // from the keeper
  int stdin_ = -1;
  int stdout_ = -1;
  std::size_t longest_line_;
  std::string buffer_;
  std::size_t scanned_ = 0;  // bytes of buffer_ known to hold no line end
  std::optional<ExitStatus> status_;
};

}  // namespace graphnet
