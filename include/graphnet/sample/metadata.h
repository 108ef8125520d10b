// What is known about a sample beside its graph (sample.json): where it comes from, and what was recorded when it was
// made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphnet/graph/graph.h"

namespace graphnet {

// Where the model comes from. Empty fields are unknown.
struct Source {
  std::string package;
  std::string version;
  std::string model;    // class, entry point or configuration name
  std::string license;  // of the package, as SPDX text where it is known
};

// A library of operators outside LibTorch that the sample needs.
struct OperatorLibrary {
  std::string name;                    // a Python package ("torchvision") or a file name
  std::string sha256;                  // of the library file at extraction
  std::vector<std::string> operators;  // full names used by this sample
};

// SHA-256 over the outputs of a run with the recorded seed. Comparable only where machine and versions agree.
struct OutputDigest {
  std::string sha256;
  std::uint64_t seed = 0;
  std::string framework_version;  // "torch 2.13.0"
  std::string machine;            // processor model and instruction set level, or the accelerator's name
  std::int64_t threads = 0;       // intra-operator threads of the run
};

struct Metadata {
  std::string name;
  std::string category;  // one of the six task categories (kTaskCategories)
  std::string task;      // "image classification"; free text
  Source source;
  std::string framework;               // "torch 2.13.0"
  std::string tool;                    // "graphnet 0.1.0"
  std::string arguments;               // forward's arguments as JSON inputs (specs), as given at extraction
  std::int64_t parameter_count = 0;    // elements of weights that are no buffers
  std::int64_t weight_bytes = 0;       // of all weights, views not counted
  std::vector<std::string> dtypes;     // of inputs, weights and results, sorted
  std::vector<std::string> operators;  // full names, sorted
  std::vector<OperatorLibrary> libraries;
  bool random = false;                 // contains random operators: outputs depend on the generator's state
  bool data_dependent_shapes = false;  // some result's shape depends on values
  bool finite = true;                  // all floating outputs were finite
  bool broadcast_weights = false;      // recorded with stride-0 weights because they did not fit in memory
  // Outputs, by their place among the output tensors, that are inputs, weights or constants as they were: nothing is
  // computed for them. Mostly none.
  std::vector<std::int64_t> unchanged_outputs;
  std::string identity;                // identity(graph)
  std::string fingerprints;            // fingerprints(graph)
  std::optional<OutputDigest> digest;  // absent for random samples and those recorded with broadcast weights
};

inline constexpr std::string_view kTaskCategories[] = {"computer vision", "natural language processing", "audio",
                                                       "multimodal",      "scientific computing",        "other"};

inline constexpr std::int64_t kMetadataFormatVersion = 1;

// Why a text cannot be the name of a sample, or empty: no name at all, more than 200 bytes, control characters, or
// something that is a path ("/", "..").
std::string name_problem(std::string_view name);

// Whether the text has control characters, which terminals obey: names and descriptions have none.
bool has_control_characters(std::string_view text);

// Fills the fields that follow from the graph: counts, dtypes, operators, identity, fingerprints.
void describe(Metadata& metadata, const Graph& graph);

// sample.json: canonical JSON, two-space indent, fixed key order, trailing newline. Reading is strict and bounded, and
// refuses names that are none and texts with control characters; throws Error(kInput) as "file:line: ..." or "file:
// key: ...".
std::string write_metadata(const Metadata& metadata);
Metadata read_metadata(std::string_view text, std::string_view file);

}  // namespace graphnet
