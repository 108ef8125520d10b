// How much memory a process and all that came of it hold.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace graphnet {

// Bytes that the descendants of `root` hold in memory, `root` itself not counted. Pages that several of them share
// count once each where the sum is at most `limit`, which is cheap to tell, and else by shares, which is exact.
std::int64_t descendants_memory(pid_t root, std::int64_t limit);

}  // namespace graphnet
