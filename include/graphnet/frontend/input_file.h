// Inputs from a file (--inputs FILE): specs in JSON, or example tensors of torch.save or .safetensors. Example tensors
// become recipes: exact for small integers, masks and constants, else their range or their statistics.
#pragma once

#include <filesystem>
#include <vector>

#include "graphnet/sample/input_spec.h"

namespace graphnet {

// Which contents of a file are kept as they are; of others only the distribution is.
enum class KeptContents {
  kShort,     // what is short as text: flags, masks, a few numbers
  kIntegers,  // integers and bools up to a megabyte of text too: indices that shapes follow from, such as a graph's
              // edges
};

// Throws Error(kInput) naming the file and what is wrong with it, Error(kUsage) where there is none.
std::vector<NamedInput> read_input_file(const std::filesystem::path& path, KeptContents kept = KeptContents::kShort);

}  // namespace graphnet
