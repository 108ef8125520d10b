// What is said about one sample without running it: where it comes from, and its numbers.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "graphnet/report/terminal.h"
#include "graphnet/sample/sample.h"

namespace graphnet {

// The lines above a printed graph: name, category, source, sizes, dtypes, identity. Lines without contents are left
// out.
std::string head_text(const Sample& sample, const TextStyle& style = {});

// The numbers of a sample, from its types alone. Keys in this order:
//   name, category, task, source {package, version, model, license}, framework, tool, identity,
//   calls, weights, constants, parameters, bytes {weights, constants, inputs, peak_results, total},
//   dtypes [..], random, data_dependent_shapes, broadcast_weights,
//   inputs [{name, recipe, type, dtype, shape, bytes}], outputs [{type, dtype, shape, bytes}], operators {name: calls}
nlohmann::ordered_json sample_json(const Sample& sample);

}  // namespace graphnet
