// What to tell a user who gave no inputs, or wrong ones.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/function_schema.h>

#include "graphnet/runtime/recorder.h"

namespace graphnet {

// The signature of forward and an example of inputs that the model is likely to take, judged by its arguments' names
// and its first weight.
std::string input_help(const c10::FunctionSchema& schema, const std::vector<KnownTensor>& tensors);

}  // namespace graphnet
