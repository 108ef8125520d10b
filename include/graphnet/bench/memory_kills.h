// Evidence of the kernel's out-of-memory killer: a process that ends by SIGKILL may as well have been killed by a
// person or a job scheduler.
#pragma once

#include <cstdint>
#include <filesystem>

namespace graphnet {

// How many processes the kernel has killed for lack of memory: in this program's control group where that is counted
// (version 2, else version 1), else on the whole machine. 0 where nothing tells. The number only grows: a process that
// was killed while it grew was most likely one of them. `root` is where /proc and /sys are found.
std::int64_t memory_kills(const std::filesystem::path& root = "/");

}  // namespace graphnet
