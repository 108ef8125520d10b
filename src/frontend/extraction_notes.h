// What an extraction tells of a model that a graph cannot hold, or holds in a way worth knowing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graphnet/frontend/torchscript.h"
#include "graphnet/runtime/recorder.h"
#include "graphnet/support/error.h"

namespace graphnet {

// The error for a model whose control flow depends on values: `what` showed it; the values that were read and the lines
// of TorchScript are added.
Error control_flow_error(const std::filesystem::path& model_file, const TorchScriptModel& model,
                         const RecordingNotes& notes, const std::string& what);

// State that forward keeps between calls, and values of tensors that became fixed numbers. `inputs_vary`: the recorded
// graph was checked on other inputs than those it was recorded with.
std::vector<std::string> state_warnings(const TorchScriptModel& model, const Recording& recording, bool inputs_vary);

}  // namespace graphnet
