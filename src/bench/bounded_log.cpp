#include "bounded_log.h"

#include <algorithm>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace graphnet {
namespace {

// The last `size` bytes before `end`, from the beginning of a line on where there is one.
std::string read_tail(int file, std::int64_t end, std::int64_t size) {
  std::string text(static_cast<std::size_t>(size), '\0');
  const ssize_t count = ::pread(file, text.data(), text.size(), end - size);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (const std::size_t line_end = text.find('\n'); line_end != std::string::npos) text.erase(0, line_end + 1);
  return text;
}

}  // namespace

void bound_log(const std::filesystem::path& log, std::int64_t limit) {
  struct stat status {};
  if (log.empty() || ::stat(log.c_str(), &status) != 0 || status.st_size <= limit) return;
  const int file = ::open(log.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  const std::int64_t head = limit / 2;
  const std::string tail = read_tail(file, status.st_size, std::min(limit / 8, std::int64_t{64} << 10));
  const std::int64_t left_out = status.st_size - head - static_cast<std::int64_t>(tail.size());
  const std::string text = "\n[graphnet left out " + std::to_string(left_out) + " bytes here: the log's limit is " +
                           std::to_string(limit) + "]\n" + tail;
  if (::ftruncate(file, head) == 0) {
    [[maybe_unused]] const ssize_t written = ::write(file, text.data(), text.size());
  }
  ::close(file);
}

}  // namespace graphnet
