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

// The numbers of a sample: counts, parameters, bytes by role, operators with their counts, inputs and outputs with
// types. Keys in a fixed order. Nothing but the types is looked at.
nlohmann::ordered_json sample_json(const Sample& sample);

}  // namespace graphnet
