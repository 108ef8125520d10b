#include "process_memory.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace graphnet {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(pid_t process) {
  return fs::path("/proc") / std::to_string(process);
}

// Appends the children of all the process's threads.
void append_children(pid_t process, std::vector<pid_t>& found) {
  std::error_code gone;
  for (fs::directory_iterator task(folder_of(process) / "task", gone), end; !gone && task != end;
       task.increment(gone)) {
    std::ifstream file(task->path() / "children");
    for (pid_t child = 0; file >> child;) found.push_back(child);
  }
}

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found;
  append_children(root, found);
  for (std::size_t i = 0; i < found.size(); ++i) append_children(found[i], found);
  return found;
}

// 0 for a process that is gone.
std::int64_t resident_bytes(pid_t process) {
  std::ifstream file(folder_of(process) / "statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  file >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

// Shared pages divided among those that share them; what is resident where the system does not tell.
std::int64_t proportional_bytes(pid_t process) {
  std::ifstream file(folder_of(process) / "smaps_rollup");
  for (std::string word; file >> word;) {
    std::int64_t kilobytes = 0;
    if (word == "Pss:" && file >> kilobytes) return kilobytes * 1024;
  }
  return resident_bytes(process);
}

}  // namespace

std::int64_t descendants_memory(pid_t root, std::int64_t limit) {
  const std::vector<pid_t> processes = descendants(root);
  std::int64_t sum = 0;
  for (const pid_t process : processes) sum += resident_bytes(process);
  if (sum <= limit) return sum;
  sum = 0;
  for (const pid_t process : processes) sum += proportional_bytes(process);
  return sum;
}

}  // namespace graphnet
