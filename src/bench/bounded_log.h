// Keeps the log of a child that talks without end from filling the disk.
#pragma once

#include <cstdint>
#include <filesystem>

namespace graphnet {

inline constexpr std::int64_t kLogLimit = std::int64_t{64} << 20;  // bytes of a unit's log

// Where the file is larger than the limit: keeps its first half of the limit and its last part, and says between them
// how much was left out. Children may go on appending meanwhile; a file that is not there is none of its business.
void bound_log(const std::filesystem::path& log, std::int64_t limit = kLogLimit);

}  // namespace graphnet
