#include "graphnet/bench/device_lock.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace graphnet {
namespace {

std::filesystem::path lock_folder() {
  std::error_code none;
  if (const char* folder = std::getenv("XDG_RUNTIME_DIR"); folder != nullptr && *folder != '\0') {
    if (std::filesystem::is_directory(folder, none)) return folder;
  }
  return std::filesystem::temp_directory_path(none);
}

// Opened for reading only, which a lock needs no more than, so that another user's file will do.
int open_lock(const std::filesystem::path& file) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const int present = ::open(file.c_str(), kFlags);
  return present >= 0 ? present : ::open(file.c_str(), kFlags | O_CREAT, 0644);
}

}  // namespace

DeviceLock::DeviceLock(const std::string& device) {
  std::string name = device;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  file_ = lock_folder() / ("graphnet-" + name + ".lock");
  descriptor_ = open_lock(file_);
}

DeviceLock::~DeviceLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool DeviceLock::acquire(Use use, const std::function<void()>& on_wait, int interrupt_descriptor) {
  if (descriptor_ < 0) return true;
  const int operation = (use == Use::kAlone ? LOCK_EX : LOCK_SH) | LOCK_NB;
  bool waiting = false;
  while (::flock(descriptor_, operation) != 0) {
    if (!waiting && on_wait) on_wait();
    waiting = true;
    constexpr int kBetweenTries = 50;  // milliseconds
    pollfd interrupt{interrupt_descriptor, POLLIN, 0};
    if (::poll(&interrupt, 1, kBetweenTries) > 0) return false;
  }
  return true;
}

void DeviceLock::release() {
  if (descriptor_ >= 0) ::flock(descriptor_, LOCK_UN);
}

}  // namespace graphnet
