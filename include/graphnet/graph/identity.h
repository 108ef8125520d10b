// What makes two graphs the same graph, and which line of a graph differs from the one that was recorded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graphnet/graph/graph.h"

namespace graphnet {

// SHA-256 (64 hexadecimal digits) over the canonical graph without names, recipes of inputs and weights, and schemas:
// types, constants with their contents, calls and output. Graphs that compute the same from the same are equal,
// whatever they are called and whichever LibTorch printed the schemas.
std::string identity(const Graph& graph);

// A short fingerprint of every line of the graph (inputs, weights, constants, calls, output; names left out, recipes
// included): four hexadecimal digits each, concatenated. Kept beside the graph, it lets `validate` name the line that
// was changed. Not a safeguard against intent: identity() is.
std::string fingerprints(const Graph& graph);

// The place of the first line of `graph` whose fingerprint differs from `recorded`, as "call 12: aten::add.Tensor ..."
// or "weight conv1.weight"; empty where all agree. Says so when lines were added or removed.
std::string first_difference(const Graph& graph, std::string_view recorded);

}  // namespace graphnet
