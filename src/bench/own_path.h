// Whether a path is this user's, so that what lies in a folder of all users may be removed.
#pragma once

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace graphnet {

// `type` is S_IFREG or S_IFDIR. Links are neither: they are not followed.
inline bool is_own(const std::filesystem::path& path, mode_t type) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && (status.st_mode & S_IFMT) == type && status.st_uid == ::geteuid();
}

}  // namespace graphnet
