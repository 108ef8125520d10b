// The same sample after a compiler: something that runs and gives the reference's outputs.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "graphnet/graph/graph.h"

namespace graphnet {

class Candidate {
 public:
  virtual ~Candidate() = default;

  // One run. Returns the output tensors in the order of output_values(graph) and leaves the inputs as they are. On
  // accelerators it may return before the device is done.
  virtual std::vector<at::Tensor> run(std::span<const at::Tensor> inputs) = 0;
};

// What a candidate is made from. The tensors stay where they are: no candidate but TorchScript's keeps a second copy of
// the weights.
struct CandidateSource {
  const Graph& graph;
  const std::vector<at::Tensor>& weights;    // of graph.weights
  const std::vector<at::Tensor>& constants;  // of graph.constants
  c10::Device device;
};

// The reference itself, for testing the harness.
std::unique_ptr<Candidate> make_eager_candidate(const CandidateSource& source);

// A candidate whose every call takes longer by a share of itself, exactly: it is followed by a busy loop. For testing
// whether a benchmark sees a slowdown of that size. Throws Error(kUnsupported) for accelerators, whose calls return
// before they are done.
std::unique_ptr<Candidate> make_slowed_candidate(std::unique_ptr<Candidate> candidate, double share,
                                                 c10::Device device);

// Loads a package that scripts/backends/inductor.py compiled from this graph. Throws Error(kUnsupported) with the
// loader's reason, or where the package asks for weights that the graph does not have.
std::unique_ptr<Candidate> load_inductor_package(const std::filesystem::path& package, const CandidateSource& source);

struct TorchScriptOptions {
  bool optimize = true;  // torch::jit::optimize_for_inference after freezing
};

// Rebuilds the graph as TorchScript, freezes it, optimizes it and runs it three times on the inputs, so that the
// profiling executor has done its work. Throws Error(kUnsupported) naming the call that TorchScript cannot express, or
// with LibTorch's reason where a pass or one of the first runs fails.
std::unique_ptr<Candidate> compile_torchscript(const CandidateSource& source, std::span<const at::Tensor> inputs,
                                               const TorchScriptOptions& options = {});

}  // namespace graphnet
