#include <string>
#include <utility>

#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "graphnet/runtime/candidate.h"
#include "graphnet/support/error.h"

#include "torchscript_builder.h"

namespace graphnet {
namespace {

// The profiling executor watches the first run and optimizes at the second; some of its failures show at the third.
constexpr int kFirstRuns = 3;

class TorchScriptCandidate : public Candidate {
 public:
  explicit TorchScriptCandidate(torch::jit::Module module) : module_(std::move(module)) {}

  std::vector<at::Tensor> run(std::span<const at::Tensor> inputs) override {
    const c10::InferenceMode without_gradients;
    const c10::IValue result = module_.forward(std::vector<c10::IValue>(inputs.begin(), inputs.end()));
    std::vector<at::Tensor> outputs;
    for (const c10::IValue& element : result.toTupleRef().elements()) outputs.push_back(element.toTensor());
    return outputs;
  }

 private:
  torch::jit::Module module_;
};

}  // namespace

std::unique_ptr<Candidate> compile_torchscript(const CandidateSource& source, std::span<const at::Tensor> inputs,
                                               const TorchScriptOptions& options) {
  torch::jit::setGraphExecutorOptimize(true);
  std::string activity = "rebuilding the graph";
  try {
    const c10::InferenceMode without_gradients;
    torch::jit::Module module = build_torchscript(source);
    activity = "freezing";
    module = torch::jit::freeze(module);
    if (options.optimize) {
      activity = "optimizing for inference";
      module = torch::jit::optimize_for_inference(module);
    }
    activity = "a first run";
    auto candidate = std::make_unique<TorchScriptCandidate>(std::move(module));
    for (int i = 0; i < kFirstRuns; ++i) candidate->run(inputs);
    return candidate;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kUnsupported, "TorchScript failed at " + activity + ": " + error.what());
  }
}

}  // namespace graphnet
