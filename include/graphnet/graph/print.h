// A graph as a person reads it: one line an operator call, with argument names where the schema asks for keywords.
//
//   inputs   %0 input_ids int64[1,16] range(0,50257)
//   weights  81 tensors, 124,439,808 parameters, float32
//   %82 = aten::embedding(%1 wte.weight, %0 input_ids, -1, false, false)   float32[1,16,768]
#pragma once

#include <string>

#include "graphnet/graph/graph.h"

namespace graphnet {

std::string print(const Graph& graph);

// Graphviz text: one node a call, one edge a tensor.
std::string print_dot(const Graph& graph);

}  // namespace graphnet
