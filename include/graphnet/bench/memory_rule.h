// Whether a unit of work fits the memory at hand: decided from the graph's types, before anything is allocated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graphnet/graph/memory.h"

namespace graphnet {

// Bytes at the peak of a unit. Sums that exceed 63 bits (a hostile graph's) stop there.
struct UnitMemory {
  std::int64_t reference = 0;  // the reference against itself: weights, constants, input sets, results of both sides
  std::int64_t compiler = 0;   // what the compiler's own copies add to that

  std::int64_t total() const { return reference + compiler; }
};

UnitMemory unit_memory(const MemoryNeed& need, std::string_view compiler);

// Why the unit does not fit, for a person: what it needs, how much of it is the compiler's share where the reference
// alone would fit, and what is there. Empty where it fits.
std::string memory_shortage(const UnitMemory& memory, std::string_view compiler, std::int64_t available);

}  // namespace graphnet
