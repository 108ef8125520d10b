#include "graphnet/bench/device_lock.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

// As in /tmp: all may make files, and none removes another's.
bool is_for_all_users(const fs::path& folder) {
  constexpr fs::perms kForAll = fs::perms::others_write | fs::perms::sticky_bit;
  std::error_code none;
  const fs::file_status status = fs::status(folder, none);
  return fs::is_directory(status) && (status.permissions() & kForAll) == kForAll;
}

// Opened for reading only, which a lock needs no more than, so that another user's file will do.
int open_lock(const fs::path& file) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int lock = ::open(file.c_str(), kFlags);
  if (lock < 0) lock = ::open(file.c_str(), kFlags | O_CREAT, 0644);
  if (lock >= 0) return lock;
  throw Error(ErrorKind::kEnvironment, file.string() + ": cannot be opened: " + std::strerror(errno) +
                                           " (the lock on a device; GRAPHNET_LOCK_FOLDER names another folder)");
}

// Waits for a lock on a file; false where `interrupt_descriptor` became readable first.
bool wait_for(int file, int operation, const std::function<void()>& on_wait, int interrupt_descriptor) {
  while (::flock(file, operation | LOCK_NB) != 0) {
    on_wait();
    constexpr int kBetweenTries = 50;  // milliseconds
    pollfd interrupt{interrupt_descriptor, POLLIN, 0};
    if (::poll(&interrupt, 1, kBetweenTries) > 0) return false;
  }
  return true;
}

}  // namespace

fs::path DeviceLock::default_folder() {
  if (const char* folder = std::getenv("GRAPHNET_LOCK_FOLDER"); folder != nullptr && *folder != '\0') return folder;
  if (const fs::path locks = "/run/lock"; is_for_all_users(locks)) return locks;
  std::error_code none;
  return fs::temp_directory_path(none);
}

DeviceLock::DeviceLock(const std::string& device, const fs::path& folder) {
  std::string name = "graphnet-" + device;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  file_ = folder / (name + ".lock");
  lock_ = open_lock(file_);
  try {
    turnstile_ = open_lock(folder / (name + ".next.lock"));
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

DeviceLock::~DeviceLock() {
  ::close(lock_);
  ::close(turnstile_);
}

// The system's locks have no queue, and a waiter that asks now and then would never find the device free between two
// units of a run. So whoever wants it passes a turnstile first, and the one who waits for the device holds that.
bool DeviceLock::acquire(Use use, const std::function<void()>& on_wait, int interrupt_descriptor) {
  release();
  bool told = false;
  const auto tell = [&] {
    if (!told && on_wait) on_wait();
    told = true;
  };
  if (!wait_for(turnstile_, LOCK_EX, tell, interrupt_descriptor)) return false;
  const bool acquired = wait_for(lock_, use == Use::kAlone ? LOCK_EX : LOCK_SH, tell, interrupt_descriptor);
  ::flock(turnstile_, LOCK_UN);
  return acquired;
}

void DeviceLock::release() {
  ::flock(lock_, LOCK_UN);
}

}  // namespace graphnet
