// What a model returned, flattened in the order of a graph's output, and whether a replayed graph returned the same.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "graphnet/graph/graph.h"

namespace graphnet {

struct FlatOutput {
  std::vector<at::Tensor> tensors;
  std::vector<std::string> plain;  // numbers, strings and none, as the graph's text form writes them
};

FlatOutput flatten(const c10::IValue& output);

// The plain leaves of a graph's output, in order.
std::vector<std::string> plain_outputs(const Graph& graph);

// Whether all floating and complex outputs are finite.
bool all_finite(const std::vector<at::Tensor>& outputs);

// Those of a graph's outputs that it computes: inputs and weights that it hands back say nothing about it.
std::vector<at::Tensor> computed_outputs(const Graph& graph, const std::vector<at::Tensor>& outputs);

// Why the tensors cannot be called the outputs of a run that means something, or empty: none computed, not finite, all
// constant, or of no sane scale. The scale of outputs that an operator fixes (softmax over many classes) is measured
// against their mean.
std::string degenerate_outputs(const Graph& graph, const std::vector<at::Tensor>& outputs, bool finite_expected);

// Whether two runs gave the same outputs: as many, of the same dtypes, shapes and values.
bool all_same(const std::vector<at::Tensor>& one, const std::vector<at::Tensor>& other);

// Whether what differed between two runs shows in their outputs: some floating or complex output differs by more than
// rounding. True also where there is no such output to tell by.
bool outputs_differ(const std::vector<at::Tensor>& one, const std::vector<at::Tensor>& other);

}  // namespace graphnet
