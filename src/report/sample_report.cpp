#include "graphnet/report/sample_report.h"

#include <map>
#include <vector>

#include "graphnet/graph/memory.h"
#include "graphnet/report/number.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

using nlohmann::ordered_json;

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  std::string result;
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    if (!result.empty()) result += separator;
    result += text;
  }
  return result;
}

std::string source_text(const Source& source) {
  return joined({source.model, source.package.empty() ? "" : source.package + " " + source.version, source.license},
                ", ");
}

std::string size_text(const Sample& sample) {
  const MemoryNeed need = memory_need(sample.graph);
  return group_thousands(static_cast<std::int64_t>(sample.graph.calls.size())) + " calls of " +
         group_thousands(static_cast<std::int64_t>(sample.graph.operators.size())) + " operators, " +
         group_thousands(sample.metadata.parameter_count) + " parameters; needs " + bytes_text(need.total()) +
         " (weights " + bytes_text(need.weights) + ")";
}

// What is unusual about the sample.
std::string marks_text(const Metadata& metadata) {
  std::vector<std::string> libraries;
  for (const OperatorLibrary& library : metadata.libraries) libraries.push_back("operators of " + library.name);
  return joined(
      {metadata.random ? "random operators" : "", metadata.data_dependent_shapes ? "shapes that depend on values" : "",
       metadata.finite ? "" : "outputs that are not finite",
       metadata.broadcast_weights ? "recorded with broadcast weights" : "", joined(libraries, ", ")},
      ", ");
}

// The types of all values as they are at the end of the graph.
std::vector<const TensorType*> final_types(const Graph& graph) {
  std::vector<const TensorType*> types(value_count(graph), nullptr);
  ValueId id = 0;
  for (const Input& input : graph.inputs) types[id++] = &input.type;
  for (const Weight& weight : graph.weights) types[id++] = &weight.type;
  for (const Constant& constant : graph.constants) types[id++] = &constant.type;
  for (const Call& call : graph.calls) {
    for_each_result(call, [&](const TensorResult& result) { types.at(result.id) = &result.type; });
  }
  return types;
}

ordered_json operators_json(const Graph& graph) {
  std::map<std::string, std::int64_t> counts;
  for (const Call& call : graph.calls) ++counts[graph.operator_of(call).full_name()];
  ordered_json operators = ordered_json::object();
  for (const auto& [name, count] : counts) operators[name] = count;
  return operators;
}

ordered_json tensor_json(const TensorType& type) {
  return {{"type", to_string(type)},
          {"dtype", std::string(dtype_name(type.dtype))},
          {"shape", type.shape},
          {"bytes", storage_bytes(type)}};
}

ordered_json inputs_json(const Graph& graph) {
  ordered_json inputs = ordered_json::array();
  for (const Input& input : graph.inputs) {
    ordered_json each = {{"name", input.name}, {"recipe", to_string(input.recipe)}};
    each.update(tensor_json(input.type));
    inputs.push_back(std::move(each));
  }
  return inputs;
}

ordered_json outputs_json(const Graph& graph) {
  const std::vector<const TensorType*> types = final_types(graph);
  ordered_json outputs = ordered_json::array();
  for (const ValueId id : output_values(graph)) outputs.push_back(tensor_json(*types.at(id)));
  return outputs;
}

ordered_json source_json(const Metadata& metadata) {
  return {{"package", metadata.source.package},
          {"version", metadata.source.version},
          {"model", metadata.source.model},
          {"license", metadata.source.license}};
}

}  // namespace

std::string head_text(const Sample& sample, const TextStyle& style) {
  const Metadata& metadata = sample.metadata;
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"name", metadata.name},
      {"category", joined({metadata.category, metadata.task}, ", ")},
      {"source", source_text(metadata.source)},
      {"made by", joined({metadata.tool, metadata.framework}, " with ")},
      {"size", size_text(sample)},
      {"dtypes", joined(metadata.dtypes, ", ")},
      {"has", marks_text(metadata)},
      {"identity", metadata.identity},
  };
  std::string text;
  for (const auto& [title, contents] : lines) {
    if (contents.empty()) continue;
    text += paint(title, Tone::kFaint, style) + std::string(9 - title.size(), ' ') + one_line(contents) + "\n";
  }
  return text;
}

ordered_json sample_json(const Sample& sample) {
  const Metadata& metadata = sample.metadata;
  const Graph& graph = sample.graph;
  const MemoryNeed need = memory_need(graph);
  ordered_json result;
  result["name"] = metadata.name;
  result["category"] = metadata.category;
  result["task"] = metadata.task;
  result["source"] = source_json(metadata);
  result["framework"] = metadata.framework;
  result["tool"] = metadata.tool;
  result["identity"] = metadata.identity;
  result["calls"] = graph.calls.size();
  result["weights"] = graph.weights.size();
  result["constants"] = graph.constants.size();
  result["parameters"] = metadata.parameter_count;
  result["bytes"] = {{"weights", need.weights},
                     {"constants", need.constants},
                     {"inputs", need.inputs},
                     {"peak_results", need.peak_results},
                     {"total", need.total()}};
  result["dtypes"] = metadata.dtypes;
  result["random"] = metadata.random;
  result["data_dependent_shapes"] = metadata.data_dependent_shapes;
  result["broadcast_weights"] = metadata.broadcast_weights;
  result["inputs"] = inputs_json(graph);
  result["outputs"] = outputs_json(graph);
  result["operators"] = operators_json(graph);
  return result;
}

}  // namespace graphnet
