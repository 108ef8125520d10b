// What makes two graphs the same graph, and which line of a graph differs from the one that was recorded.
#pragma once

#include <string>
#include <string_view>

#include "graphnet/graph/graph.h"

namespace graphnet {

// SHA-256 (64 hexadecimal digits) over the graph's lines in the text form, without names, schemas, and the recipes of
// inputs and weights: types, which weights share storage, constants with their contents, calls and output. Graphs that
// compute the same from the same are equal, whatever they are called and whichever LibTorch printed the schemas.
std::string identity(const Graph& graph);

// A short fingerprint of every line of the graph (inputs, weights, constants, calls, output; names left out, recipes
// included): four hexadecimal digits each, concatenated. Kept beside the graph, it lets `validate` name the line that
// was changed. Not a safeguard against intent (a change goes unseen once in 65,536 times): identity() is.
std::string fingerprints(const Graph& graph);

// The first line of `graph` whose fingerprint differs from `recorded`, with its place and what happened to it; empty
// where all agree. Examples:
//   call 12: ["aten::add.Tensor",["%3","%4",2],["%5 float32[2]"]] was changed
//   weight conv1.weight (float32[64,3,7,7] normal(0.0,0.05)) follows 1 line that was removed
//   input mask (bool[1,8] constant(1)) was added
std::string first_difference(const Graph& graph, std::string_view recorded);

}  // namespace graphnet
