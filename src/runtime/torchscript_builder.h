// A graph as a TorchScript module.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include "graphnet/runtime/candidate.h"

namespace graphnet {

// A module whose forward takes the graph's inputs and returns a tuple of its output tensors. Weights and constants are
// buffers. Throws Error(kUnsupported) naming the call that TorchScript's schema matching refuses.
torch::jit::Module build_torchscript(const CandidateSource& source);

}  // namespace graphnet
