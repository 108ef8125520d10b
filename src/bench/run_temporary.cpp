#include "graphnet/bench/run_temporary.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

#include "own_path.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "graphnet-run-";
constexpr std::string_view kNewPrefix = "graphnet-new-";  // until it is locked
constexpr std::string_view kLockFile = "lock";

// Takes the lock within a folder; -1 where somebody else holds it, or where there is none.
int try_lock(const fs::path& folder, int flags) {
  const int lock = ::open((folder / kLockFile).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  if (lock >= 0) ::close(lock);
  return -1;
}

void remove_stale(const fs::path& base) {
  std::error_code failure;
  for (fs::directory_iterator entry(base, failure), end; !failure && entry != end; entry.increment(failure)) {
    const fs::path& folder = entry->path();
    const std::string name = folder.filename();
    if ((!name.starts_with(kNewPrefix) && !name.starts_with(kPrefix)) || !is_own(folder, S_IFDIR)) continue;
    // One without its lock was being removed by a run that was killed over it. A new one that is not locked yet may be
    // a live run's, which then makes another.
    const int lock = try_lock(folder, O_CREAT);
    if (lock < 0) continue;
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    ::close(lock);
  }
}

[[noreturn]] void fail(const fs::path& path, int reason) {
  throw Error(write_error_kind(reason), path.string() + ": cannot be made: " + std::strerror(reason));
}

}  // namespace

RunTemporary::RunTemporary(const fs::path& parent) {
  std::error_code no_folder;
  const fs::path base = fs::absolute(parent.empty() ? fs::temp_directory_path(no_folder) : parent);
  if (no_folder) fail(base, no_folder.value());
  remove_stale(base);
  int reason = 0;
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::string pattern = (base / (std::string(kNewPrefix) + "XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) fail(pattern, errno);
    lock_ = try_lock(pattern, O_CREAT);
    path_ = base / (std::string(kPrefix) + std::to_string(::getpid()) + pattern.substr(pattern.rfind('-')));
    if (lock_ >= 0 && ::rename(pattern.c_str(), path_.c_str()) == 0) return;
    reason = errno;
    if (lock_ >= 0) ::close(std::exchange(lock_, -1));
    std::error_code ignored;
    fs::remove_all(pattern, ignored);
  }
  fail(path_, reason);
}

RunTemporary::~RunTemporary() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace graphnet
