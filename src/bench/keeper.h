// The process that stands between this program and a child of its: it tells how the child ended, and it ends everything
// that came of the child once this program asks for it or is gone itself, be it by SIGKILL. Descendants that leave the
// child's process group or session are handed to it by the kernel when their parents die, so that none escapes.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace graphnet {

// What a keeper says over its status pipe.
struct KeeperMessage {
  enum Kind : std::int32_t {
    kStarted,  // value: the child's process number
    kFailed,   // value: errno of a fork that failed
    kExited,   // value: the child's exit code
    kSignaled  // value: the signal that ended the child
  };
  std::int32_t kind = kStarted;
  std::int32_t value = 0;
};

// What the child becomes, prepared before fork: nothing may be allocated after it.
struct ChildImage {
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  int in = -1;      // its stdin
  int out = -1;     // its stdout
  int log = -1;     // its stderr; negative: this program's
  int report = -1;  // receives errno where the program cannot be run; closed by a successful exec
};

// Runs in a process just forked: starts the child, in a process group of its own, and keeps it. `control` becomes
// readable (or at its end) once everything is to end; `status` takes KeeperMessages and is at its end when nothing of
// the child is left. Makes only calls that are safe between fork and exec.
[[noreturn]] void keep(const ChildImage& image, int control, int status);

}  // namespace graphnet
