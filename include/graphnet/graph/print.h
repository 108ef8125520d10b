// A graph as a person reads it: one line an operator call, names beside the ids of inputs and weights, contents beside
// those of constants, keyword-only arguments by name (and left out where they have their default), result types in a
// column of their own.
//
//   inputs     %0 input_ids int64[1,16] range(0,50257)
//   weights    81 tensors, 124,439,808 parameters, float32
//   %82 = aten::embedding(%1 wte.weight float32[50257,768], %0 input_ids, -1, false, false)  float32[1,16,768]
//   %83 = aten::arange.start(0, 16, dtype=int64, device=sample)                              int64[16]
//   output     (%120 float32[1,16,768], %83 int64[16])
#pragma once

#include <string>

#include "graphnet/graph/graph.h"

namespace graphnet {

// Both take graphs that check() accepts.
std::string print(const Graph& graph);

// Graphviz text: one node an input, a call and the output, one edge a tensor. Weights and constants stand in the label
// of the call that uses them.
std::string print_dot(const Graph& graph);

}  // namespace graphnet
