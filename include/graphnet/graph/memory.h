// How much memory a graph needs, from its types alone: nothing is allocated to know it.
#pragma once

#include <cstdint>

#include "graphnet/graph/graph.h"

namespace graphnet {

// Bytes, each tensor counted by its storage.
struct MemoryNeed {
  std::int64_t weights = 0;  // views of other weights not counted
  std::int64_t constants = 0;
  std::int64_t inputs = 0;
  std::int64_t peak_results = 0;  // the largest sum of call results that are alive at the same time

  std::int64_t total() const { return weights + constants + inputs + peak_results; }
};

// Results are alive from their call to the last use of their storage. A result that the schema declares an alias of an
// argument ("Tensor(a)") shares that argument's storage; so do in-place results. What operators allocate inside their
// kernels is not known here. Throws Error(kInput) where a size overflows.
MemoryNeed memory_need(const Graph& graph);

}  // namespace graphnet
