// A sample on disk: a folder with graph.json, sample.json and, only where asked for, weights.safetensors.
#pragma once

#include <filesystem>
#include <string_view>

#include "graphnet/graph/graph.h"
#include "graphnet/sample/metadata.h"

namespace graphnet {

struct Sample {
  std::filesystem::path directory;  // where it was read from; empty for one that was just made
  Graph graph;
  Metadata metadata;
};

inline constexpr std::string_view kGraphFile = "graph.json";
inline constexpr std::string_view kMetadataFile = "sample.json";
inline constexpr std::string_view kWeightsFile = "weights.safetensors";

// Reads and checks a sample. Executes nothing of it. Throws Error(kInput) naming file and line, and where the graph
// does not have the identity that sample.json records, the first line that was changed.
Sample read_sample(const std::filesystem::path& directory);

// The same, but tolerating a graph that differs from the recorded identity: validate reports that itself.
Sample read_sample_unverified(const std::filesystem::path& directory);

// Throws Error(kInput) naming the first changed line where the graph is not the one sample.json describes.
void verify_identity(const Sample& sample);

// Throws Error(kInput) where `directory` is there and is neither an empty folder nor a sample of this name with nothing
// else in it: writing a sample would delete what is there.
void require_replaceable(const std::filesystem::path& directory, std::string_view name);

// Writes the sample so that the folder appears whole or not at all: into a temporary sibling, flushed, then renamed.
// An existing sample of the same name at `directory` is replaced, its weights file included; anything else there is
// refused (require_replaceable). Does not write the weights file: `weights_file`, where not empty, is moved in. Throws
// Error(kUnsupported) for a sample that the strict reader would refuse, before anything is written;
// Error(kInterrupted) for a full disk and Error(kEnvironment) for what else the system refuses.
void write_sample(const Sample& sample, const std::filesystem::path& directory,
                  const std::filesystem::path& weights_file = {});

}  // namespace graphnet
