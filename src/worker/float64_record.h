// Which side's outputs are closer to those of the same graph in float64: shown beside the correctness, not scored.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include "graphnet/runtime/tensors.h"
#include "graphnet/sample/sample.h"

#include "bench_request.h"

namespace graphnet {

// Why the run is left out: it was not asked for, it does not fit the memory of the device, its weights take too long
// to convert, or the graph cannot be changed. Empty where it can be run.
std::string float64_obstacle(Float64Run wanted, const Graph& graph, c10::Device device);

// One run in float64 against what both sides gave for the same inputs:
// {candidate: "closer"|"further"|"alike", outputs: [null | {reference: E, candidate: E}]} with E = {maximum_absolute,
// relative}, or {skipped: reason} where an operator has no float64. What both sides get exactly right is alike.
nlohmann::json float64_record(const Sample& sample, const GraphTensors& tensors, std::span<const at::Tensor> inputs,
                              std::span<const at::Tensor> reference, std::span<const at::Tensor> candidate,
                              c10::Device device);

}  // namespace graphnet
