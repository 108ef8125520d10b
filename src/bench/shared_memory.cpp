#include "graphnet/bench/shared_memory.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <system_error>

#include "own_path.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

// What comes before the process id in a segment's name.
constexpr std::string_view kPrefixes[] = {"__KMP_REGISTERED_LIB_", "torch_", "sem.loky-"};

// The process id behind the prefix; 0 where the name has none.
pid_t process_in(std::string_view name) {
  for (const std::string_view prefix : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    pid_t process = 0;
    const char* end = name.data() + name.size();
    const auto [rest, failure] = std::from_chars(name.data() + prefix.size(), end, process);
    // A number that goes on as a word is no process id.
    if (failure == std::errc() && process > 0 && rest != end && (*rest == '_' || *rest == '-')) return process;
  }
  return 0;
}

bool is_gone(pid_t process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

}  // namespace

void remove_orphaned_shared_memory(const fs::path& folder) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename();
    const pid_t process = process_in(name);
    if (process == 0 || !is_gone(process) || !is_own(entry->path(), S_IFREG)) continue;
    std::error_code ignored;
    fs::remove(entry->path(), ignored);
  }
}

}  // namespace graphnet
