// From a TorchScript file to a sample on disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <c10/core/Device.h>

#include "graphnet/sample/sample.h"

namespace graphnet {

// A folder that must not be written to again, and the model that it was made of.
struct TakenFolder {
  std::filesystem::path directory;
  std::string model;
};

struct ExtractOptions {
  std::filesystem::path model;
  std::filesystem::path output;     // the folder in which the sample's folder is made
  std::string name;                 // default: from graphnet.json, else the file's name
  std::string category;             // default: from graphnet.json, else "other"
  std::vector<std::string> inputs;  // specs; they and inputs_file exclude each other
  std::filesystem::path inputs_file;
  std::vector<std::string> operator_libraries;  // shared objects or Python packages
  c10::Device device = c10::kCPU;
  bool with_weights = false;      // keep the weights' values in weights.safetensors
  bool allow_degenerate = false;  // write the sample also where its outputs mean nothing
  std::uint64_t seed = 0;
  std::vector<TakenFolder> taken;  // by models before this one
};

struct ProgressEvents {
  std::function<void(const std::string& stage)> on_stage;
  std::function<void(const std::string& message)> on_warning;
};

struct ExtractResult {
  Sample sample;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, double>> stage_seconds;
};

// Records the model, gives its weights recipes, makes sure that the replayed sample computes what the model computes on
// inputs it was not recorded with, and writes it. A sample that lies there is replaced. Throws Error: kUsage for inputs
// that do not fit and names that cannot be used, kEnvironment for what does not fit in memory, kInput for a file or
// model that cannot run, kUnsupported for what a graph cannot hold, a model whose control flow depends on values, and
// outputs that mean nothing (constant, not finite, of no sane scale, the same for all inputs or weights, no tensors at
// all).
ExtractResult extract(const ExtractOptions& options, const ProgressEvents& events = {});

}  // namespace graphnet
