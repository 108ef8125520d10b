#include "host_memory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

// The number in a file that holds one; nothing for "max", and where there is no such file.
std::optional<std::int64_t> read_number(const fs::path& file) {
  std::ifstream stream(file);
  std::int64_t number = 0;
  if (!(stream >> number)) return std::nullopt;
  return number;
}

// The number after a key in a file of "key number" lines.
std::optional<std::int64_t> read_keyed_number(const fs::path& file, const std::string& key) {
  std::ifstream stream(file);
  std::string word;
  while (stream >> word) {
    std::int64_t number = 0;
    if (word == key && stream >> number) return number;
  }
  return std::nullopt;
}

struct ControllerFiles {
  const char* limit;
  const char* usage;
  const char* droppable;  // key in memory.stat
};
constexpr ControllerFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr ControllerFiles kVersion2{"memory.max", "memory.current", "inactive_file"};

// What the group and those above it leave. Inside a container the group's path may not exist below the mount point;
// then the mount point itself is this process's group.
std::optional<std::int64_t> remaining(const fs::path& mount, fs::path group, const ControllerFiles& files) {
  std::optional<std::int64_t> least;
  while (true) {
    const fs::path folder = mount / group;
    const auto limit = read_number(folder / files.limit);
    const auto usage = read_number(folder / files.usage);
    if (limit && usage) {
      const std::int64_t droppable = read_keyed_number(folder / "memory.stat", files.droppable).value_or(0);
      const std::int64_t left = std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, *usage - droppable));
      least = std::min(least.value_or(left), left);
    }
    if (group.empty()) return least;
    group = group.parent_path();
  }
}

// Whether "memory" is in a list such as "cpu,cpuacct,memory".
bool has_memory(const std::string& controllers) {
  std::istringstream stream(controllers);
  std::string name;
  while (std::getline(stream, name, ',')) {
    if (name == "memory") return true;
  }
  return false;
}

// The path of this process's group in a line of /proc/self/cgroup, "ID:CONTROLLERS:/PATH", relative to the mount point.
std::optional<fs::path> group_path(const fs::path& root, bool version2) {
  std::ifstream stream(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(stream, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool matches = version2 ? controllers.empty() : has_memory(controllers);
    if (matches) return fs::path(line.substr(second + 1)).relative_path();
  }
  return std::nullopt;
}

}  // namespace

std::int64_t available_host_memory(const fs::path& root) {
  constexpr std::int64_t kKibibyte = 1024;
  const auto available = read_keyed_number(root / "proc/meminfo", "MemAvailable:");
  if (!available) throw Error(ErrorKind::kEnvironment, "/proc/meminfo does not say how much memory is available");
  std::int64_t bytes = *available * kKibibyte;
  if (const auto group = group_path(root, true)) {
    if (const auto left = remaining(root / "sys/fs/cgroup", *group, kVersion2)) bytes = std::min(bytes, *left);
  }
  if (const auto group = group_path(root, false)) {
    if (const auto left = remaining(root / "sys/fs/cgroup/memory", *group, kVersion1)) bytes = std::min(bytes, *left);
  }
  return bytes;
}

}  // namespace graphnet
