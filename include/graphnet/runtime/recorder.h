// Records the operator calls that LibTorch's dispatcher executes on this thread, into a graph.
//
// A boxed fallback on DispatchKey::TESTING_ONLY_GenericMode sees every call before autograd and the backends, so
// control flow comes out flat and shapes concrete. Calls made inside an operator's kernel are not seen.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "graphnet/graph/graph.h"

namespace graphnet {

// A tensor that the recording knows before it starts.
struct KnownTensor {
  std::string name;
  at::Tensor tensor;
  bool is_buffer = false;
};

// What was seen besides the graph, for reports.
struct RecordingNotes {
  bool random = false;                 // an operator drew from the generator
  bool data_dependent_shapes = false;  // an operator whose result's shape depends on values ran
  // A tensor that depends on an input was turned into a number (item, a condition): the graph holds that number for
  // good.
  std::vector<std::string> baked_values;  // "call 12: aten::_local_scalar_dense of %40 ..."
};

// What a graph's weights and constants were during the recording: weight i of the graph is known tensor
// weight_sources[i]; constant i had the contents constants[i] when it was first read.
struct Recording {
  Graph graph;  // recipes of inputs and weights are left at their defaults; constants' recipes are exact
  std::vector<std::size_t> weight_sources;
  std::vector<at::Tensor> constants;
  std::vector<std::string> places;  // for each call where in the model it was made, as `place` told; else empty
  RecordingNotes notes;
};

// Runs `call` and records it. `inputs` become the graph's inputs in this order, `weights` those of its weights that are
// used, in order of first use; any other tensor that is read becomes a constant with its contents at that moment. The
// result of `call` becomes the graph's output. Tensors with equal storage, offset, shape, strides and dtype are one
// value; weights that overlap otherwise become views of the first. Stride-0 weights are recorded as dense ones of their
// shape.
//
// `call` runs once, without gradients (c10::InferenceMode). What the model writes to its inputs and weights stays
// written; their recorded types are those from before. Work that the model hands to other threads (fork) is refused.
//
// Throws Error(kUnsupported) naming operator and argument for what a graph cannot hold: packed weights and other custom
// objects, generators, sparse or nested tensors, devices other than the sample's and the CPU. An exception of the model
// passes through. `place`, where given, is asked at each call.
Recording record(const std::vector<KnownTensor>& inputs, const std::vector<KnownTensor>& weights, c10::Device device,
                 const std::function<c10::IValue()>& call, const std::function<std::string()>& place = {});

}  // namespace graphnet
