// Which values of a graph share memory, and which of them calls write to: from the recorded schemas and types alone.
#pragma once

#include <cstdint>
#include <vector>

#include "graphnet/graph/graph.h"

namespace graphnet {

struct Aliases {
  std::vector<ValueId> owner;  // for each value the first value of its memory: itself, where it has memory of its own
  std::vector<bool> written;   // for each value whether any call writes to its memory

  bool share(ValueId a, ValueId b) const { return owner[a] == owner[b]; }
};

// Views are results that the schema declares as aliases ("Tensor(a)") and weights with a view recipe. Operators that
// return either a view or a copy (reshape, contiguous) are decided by the recorded types: the result is a view where
// the strides allow one, and the same value where nothing was to do. Throws Error(kInput) for a schema that cannot be
// read.
Aliases find_aliases(const Graph& graph);

// The outputs, by their place among output_values(graph), that are inputs, weights or constants which no call writes
// to.
std::vector<std::int64_t> unchanged_outputs(const Graph& graph);

}  // namespace graphnet
