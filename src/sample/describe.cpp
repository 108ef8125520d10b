#include <set>

#include "graphnet/graph/identity.h"
#include "graphnet/sample/metadata.h"

namespace graphnet {
namespace {

std::vector<std::string> dtypes_of(const Graph& graph) {
  std::set<Dtype> dtypes;
  for (const Input& input : graph.inputs) dtypes.insert(input.type.dtype);
  for (const Weight& weight : graph.weights) dtypes.insert(weight.type.dtype);
  for (const Call& call : graph.calls) {
    for_each_result(call, [&](const TensorResult& result) { dtypes.insert(result.type.dtype); });
  }
  std::set<std::string> names;
  for (const Dtype dtype : dtypes) names.emplace(dtype_name(dtype));
  return {names.begin(), names.end()};
}

}  // namespace

void describe(Metadata& metadata, const Graph& graph) {
  metadata.parameter_count = 0;
  metadata.weight_bytes = 0;
  for (const Weight& weight : graph.weights) {
    if (std::holds_alternative<ViewRecipe>(weight.recipe)) continue;
    metadata.weight_bytes += storage_bytes(weight.type);
    if (!weight.is_buffer) metadata.parameter_count += element_count(weight.type);
  }
  metadata.dtypes = dtypes_of(graph);
  metadata.operators.clear();
  for (const Operator& known : graph.operators) metadata.operators.push_back(known.full_name());
  metadata.identity = identity(graph);
  metadata.fingerprints = fingerprints(graph);
}

}  // namespace graphnet
