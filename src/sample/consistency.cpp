#include "graphnet/sample/consistency.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graphnet/sample/input_spec.h"
#include "graphnet/sample/safetensors.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& message) {
  throw Error(ErrorKind::kInput, file.string() + ": " + message);
}

std::string described(const TensorType& type, const Recipe& recipe) {
  return to_string(type) + " " + excerpt(to_string(recipe));
}

void verify_arguments(const Sample& sample, const std::filesystem::path& file) {
  const std::string& text = sample.metadata.arguments;
  const std::vector<NamedInput> arguments =
      parse_inputs_json(text.empty() ? "{}" : text, file.string() + ": arguments");
  const std::vector<std::pair<std::string, const TensorSpec*>> tensors = tensors_of(arguments);
  const std::vector<Input>& inputs = sample.graph.inputs;
  for (std::size_t i = 0; i < std::min(tensors.size(), inputs.size()); ++i) {
    const auto& [name, spec] = tensors[i];
    const Input& input = inputs[i];
    if (name != input.name) {
      fail(file, "arguments: tensor " + std::to_string(i) + " is " + excerpt(name) + ", the graph's input is " +
                     excerpt(input.name));
    }
    if (spec->type.dtype != input.type.dtype || spec->type.shape != input.type.shape || spec->recipe != input.recipe) {
      fail(file, "arguments: " + excerpt(name) + " is " + described(spec->type, spec->recipe) +
                     ", the graph's input is " + described(input.type, input.recipe));
    }
  }
  if (tensors.size() != inputs.size()) {
    fail(file, "arguments: " + std::to_string(tensors.size()) + " tensors where the graph has " +
                   std::to_string(inputs.size()) + " inputs");
  }
}

void verify_libraries(const Metadata& metadata, const std::filesystem::path& file) {
  for (const OperatorLibrary& library : metadata.libraries) {
    for (const std::string& name : library.operators) {
      if (std::ranges::find(metadata.operators, name) != metadata.operators.end()) continue;
      fail(file, "libraries: " + excerpt(library.name) + " gives the operator " + excerpt(name) +
                     ", which the graph does not call");
    }
  }
}

void verify_digest(const Metadata& metadata, const std::filesystem::path& file) {
  const bool has_none = metadata.random || metadata.broadcast_weights;
  if (metadata.digest.has_value() != has_none) return;
  const std::string reason = metadata.random ? "random" : "broadcast_weights";
  fail(file, has_none ? "digest: there can be none where " + reason + " is true"
                      : "digest: missing, although neither random nor broadcast_weights is true");
}

// The types of the tensors with a stored recipe, by their names in the file.
std::map<std::string, TensorType> stored_tensors(const Graph& graph) {
  std::map<std::string, TensorType> stored;
  const auto add = [&](std::size_t id, const TensorType& type, const Recipe& recipe) {
    if (std::holds_alternative<StoredRecipe>(recipe)) {
      stored.emplace(std::string("%").append(std::to_string(id)), make_tensor_type(type.dtype, type.shape, {}));
    }
  };
  for (std::size_t i = 0; i < graph.weights.size(); ++i) {
    add(graph.first_weight() + i, graph.weights[i].type, graph.weights[i].recipe);
  }
  for (std::size_t i = 0; i < graph.constants.size(); ++i) {
    add(graph.first_constant() + i, graph.constants[i].type, graph.constants[i].recipe);
  }
  return stored;
}

}  // namespace

void verify_description(const Sample& sample) {
  const std::filesystem::path file = sample.directory / kMetadataFile;
  verify_arguments(sample, file);
  verify_libraries(sample.metadata, file);
  verify_digest(sample.metadata, file);
}

void verify_weights_file(const Sample& sample) {
  const std::filesystem::path file = sample.directory / kWeightsFile;
  const std::map<std::string, TensorType> stored = stored_tensors(sample.graph);
  const bool exists = std::filesystem::exists(std::filesystem::symlink_status(file));
  if (stored.empty()) {
    if (exists) fail(file, "no weight of the graph is stored, so the file belongs to no sample of this graph");
    return;
  }
  if (!exists) fail(file, "missing, although the graph has stored weights, such as " + stored.begin()->first);
  const SafetensorsFile weights(file);
  for (const auto& [name, entry] : weights.entries()) {
    const auto expected = stored.find(name);
    if (expected == stored.end()) fail(file, "the tensor " + excerpt(name) + " is none of the graph's stored weights");
    if (expected->second != entry.type) {
      fail(file, name + " is " + to_string(entry.type) + " where the graph has " + to_string(expected->second));
    }
  }
  for (const auto& [name, type] : stored) {
    if (!weights.entries().contains(name)) fail(file, "no tensor " + name);
  }
}

}  // namespace graphnet
