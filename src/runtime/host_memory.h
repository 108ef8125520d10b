// Memory that this process may still use on the host.
#pragma once

#include <cstdint>
#include <filesystem>

namespace graphnet {

// The smallest of what the system has available (MemAvailable) and what each control group above this process still
// allows, version 1 or 2, page cache that can be dropped not counted as used. `root` is "/" but for tests. Throws
// Error(kEnvironment) where <root>/proc/meminfo does not tell.
std::int64_t available_host_memory(const std::filesystem::path& root = "/");

}  // namespace graphnet
