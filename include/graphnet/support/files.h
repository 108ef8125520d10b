// Files: whole reads with a bound, and writes that appear whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "graphnet/support/error.h"

namespace graphnet {

// The file's contents. Throws Error(kInput) naming the path and the system's reason, or that it is larger than `limit`
// bytes, or no regular file.
std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 30);

// Writes to a temporary sibling, flushes it to disk and renames it. Throws Error(kInterrupted) for a full disk,
// Error(kEnvironment) for any other reason, naming the path; the old file, if any, is then untouched.
void write_file(const std::filesystem::path& path, std::string_view contents);

// Brings what was written to a file, or the names in a folder, to the disk. What cannot be flushed is as safe as its
// file system makes it: some cannot flush folders.
void flush_to_disk(const std::filesystem::path& path);

// What a failed write means, by its errno: kInterrupted for a full disk, since the work can go on once there is room,
// and else kEnvironment.
ErrorKind write_error_kind(int error);

// A folder that is removed with everything in it when the object dies.
class TemporaryFolder {
 public:
  // Made below `parent` (default: the system's temporary folder) with a name that begins with `prefix`.
  explicit TemporaryFolder(std::string_view prefix, const std::filesystem::path& parent = {});
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace graphnet
