// Inputs from a file (--inputs FILE): specs in JSON, or example tensors of torch.save or .safetensors. Example tensors
// become recipes: exact for small integers, masks and constants, else their range or their statistics.
#pragma once

#include <filesystem>
#include <vector>

#include "graphnet/sample/input_spec.h"

namespace graphnet {

// Throws Error(kInput) naming the file and what is wrong with it.
std::vector<NamedInput> read_input_file(const std::filesystem::path& path);

}  // namespace graphnet
