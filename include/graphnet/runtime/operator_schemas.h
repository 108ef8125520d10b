// Whether the schemas that a graph was recorded with are those of this LibTorch's operators.
#pragma once

#include <string>

#include "graphnet/graph/graph.h"

namespace graphnet {

enum class SchemaAgreement {
  kSameText,  // recorded with this version: every schema is what LibTorch prints now
  kSameUse,   // with another one: arguments may have come since, but shared ones have the same types and aliases
};

// The first operator whose schema in the graph disagrees with the registered one, with both texts; empty where all
// agree. Operators that are not registered are left to the replayer, which names their library.
std::string schema_difference(const Graph& graph, SchemaAgreement agreement);

}  // namespace graphnet
