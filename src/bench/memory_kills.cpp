#include "graphnet/bench/memory_kills.h"

#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphnet {
namespace {

namespace fs = std::filesystem;

// The number in the line "oom_kill N" of a file; nothing where there is no such file or line.
std::optional<std::int64_t> kills_in(const fs::path& file) {
  std::ifstream stream(file);
  std::string key;
  std::int64_t count = 0;
  while (stream >> key >> count) {
    if (key == "oom_kill") return count;
  }
  return std::nullopt;
}

bool names_memory(std::string_view controllers) {
  return ("," + std::string(controllers) + ",").find(",memory,") != std::string::npos;
}

// The files that may count kills of this program's control group. A container sees its own group as the root of what
// is mounted, whatever path /proc tells.
std::vector<fs::path> group_files(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::vector<fs::path> files;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:memory:/user/12", "0::/user/12"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = fs::path(line.substr(second + 1)).relative_path();
    if (controllers.empty()) {
      files.insert(files.begin(), {mount / group / "memory.events", mount / "memory.events"});
    } else if (names_memory(controllers)) {
      files.push_back(mount / "memory" / group / "memory.oom_control");
      files.push_back(mount / "memory" / "memory.oom_control");
    }
  }
  return files;
}

}  // namespace

std::int64_t memory_kills(const fs::path& root) {
  for (const fs::path& file : group_files(root)) {
    if (const auto count = kills_in(file)) return *count;
  }
  return kills_in(root / "proc/vmstat").value_or(0);
}

}  // namespace graphnet
