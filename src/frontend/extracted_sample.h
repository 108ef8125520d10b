// Parts of a sample that an extraction writes beside the graph: its folder, stored weights, libraries.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "graphnet/graph/graph.h"
#include "graphnet/runtime/operator_library.h"
#include "graphnet/sample/metadata.h"

namespace graphnet {

// The name of a sample's folder: the sample's name without what a file system or a shell may stumble over. Letters of
// all languages stay.
std::string sample_folder_name(const std::string& name);

// The loaded libraries that the graph needs, each with the operators of it that the graph calls.
std::vector<OperatorLibrary> used_libraries(const Graph& graph, const std::vector<LoadedLibrary>& loaded);

// Writes the values of weights with a stored recipe to a safetensors file, and their hashes into the recipes. `tensors`
// are those of graph.weights. Returns whether there were any; without, no file is written.
bool store_weights(Graph& graph, const std::vector<at::Tensor>& tensors, const std::filesystem::path& file);

}  // namespace graphnet
