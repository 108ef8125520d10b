// The folder for everything temporary that a run and its processes make. It goes with the run, and where a run was
// killed, with the next one that starts.
#pragma once

#include <filesystem>

namespace graphnet {

class RunTemporary {
 public:
  // Makes the folder below `parent` (default: the system's folder for temporary files) and removes those that killed
  // runs of this user left there. A live run holds a lock within its own, so that it is never taken for a dead one's.
  // Throws Error(kInterrupted) for a full disk, Error(kEnvironment) where it cannot be made.
  explicit RunTemporary(const std::filesystem::path& parent = {});
  ~RunTemporary();
  RunTemporary(const RunTemporary&) = delete;
  RunTemporary& operator=(const RunTemporary&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace graphnet
