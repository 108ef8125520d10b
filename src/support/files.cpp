#include "graphnet/support/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(ErrorKind kind, const fs::path& path, const std::string& reason) {
  throw Error(kind, path.string() + ": " + reason);
}

[[noreturn]] void fail_to_write(const fs::path& path, int error) {
  fail(write_error_kind(error), path, std::string("cannot be written: ") + std::strerror(error));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

  // False with errno set where the last write did not reach the disk (network file systems say so only here).
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

// A file that is gone at the end of the scope unless it was kept.
class UnlinkLater {
 public:
  explicit UnlinkLater(fs::path path) : path_(std::move(path)) {}
  ~UnlinkLater() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  UnlinkLater(const UnlinkLater&) = delete;
  UnlinkLater& operator=(const UnlinkLater&) = delete;

  void keep() { path_.clear(); }

 private:
  fs::path path_;
};

bool write_all(int file, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t count = ::write(file, contents.data(), contents.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    contents.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// A sibling of `path` that no other process or thread uses. Opened with the usual permissions, which mkstemp would not.
std::pair<fs::path, int> open_sibling(const fs::path& path) {
  for (unsigned int attempt = 0;; ++attempt) {
    fs::path sibling = path;
    sibling += ".new-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    const int file = ::open(sibling.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST || attempt == 10'000) return {sibling, file};
  }
}

}  // namespace

ErrorKind write_error_kind(int error) {
  const bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return is_full ? ErrorKind::kInterrupted : ErrorKind::kEnvironment;
}

std::string read_file(const fs::path& path, std::size_t limit) {
  // O_NONBLOCK: opening a pipe must not wait for a writer before it is refused below.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) fail(ErrorKind::kInput, path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(ErrorKind::kInput, path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(ErrorKind::kInput, path, "is a folder, not a file");
  if (!S_ISREG(status.st_mode)) fail(ErrorKind::kInput, path, "is no regular file");
  const auto too_large = [&] {
    fail(ErrorKind::kInput, path, "is larger than the limit of " + std::to_string(limit) + " bytes");
  };
  if (static_cast<std::uintmax_t>(status.st_size) > limit) too_large();

  // The size is only a hint: the file may grow, and files under /proc claim 0 bytes.
  std::string contents(static_cast<std::size_t>(status.st_size) + 1, '\0');
  std::size_t size = 0;
  while (true) {
    const ssize_t count = ::read(file.get(), contents.data() + size, contents.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(ErrorKind::kInput, path, std::strerror(errno));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > limit) too_large();
    if (size == contents.size()) contents.resize(size + size / 2 + 4096);
  }
  contents.resize(size);
  return contents;
}

void write_file(const fs::path& path, std::string_view contents) {
  auto [sibling, number] = open_sibling(path);
  if (number < 0) fail_to_write(path, errno);
  FileDescriptor file(number);
  UnlinkLater leftover(sibling);
  if (!write_all(file.get(), contents) || ::fsync(file.get()) != 0 || !file.close()) fail_to_write(path, errno);
  if (::rename(sibling.c_str(), path.c_str()) != 0) fail_to_write(path, errno);
  leftover.keep();
  flush_to_disk(path.has_parent_path() ? path.parent_path() : fs::path("."));  // where the new name is
}

void flush_to_disk(const fs::path& path) {
  if (const FileDescriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); opened.is_open()) ::fsync(opened.get());
}

TemporaryFolder::TemporaryFolder(std::string_view prefix, const fs::path& parent) {
  std::error_code no_folder;
  const fs::path base = parent.empty() ? fs::temp_directory_path(no_folder) : parent;
  if (no_folder) fail(ErrorKind::kEnvironment, base, "no folder for temporary files: " + no_folder.message());
  std::string pattern = (base / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) fail_to_write(pattern, errno);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // a leftover in the temporary folder is no reason to fail
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

}  // namespace graphnet
