// The extra file graphnet.json of a TorchScript archive: what the model is, where it comes from, what it is called
// with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graphnet/sample/input_spec.h"
#include "graphnet/sample/metadata.h"

namespace graphnet {

struct ModelDescription {
  std::string name;
  std::string category;
  std::string task;
  Source source;
  std::vector<NamedInput> inputs;
};

// Throws Error(kInput) naming file and key.
ModelDescription parse_model_description(std::string_view text, std::string_view file);

}  // namespace graphnet
