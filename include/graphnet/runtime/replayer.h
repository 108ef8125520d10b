// Runs a graph: the reference, "eager". Its operator calls are dispatched one by one, as LibTorch's interpreter would,
// and every value is freed after its last use.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>

#include "graphnet/graph/graph.h"

namespace graphnet {

struct ReplayProgram;

// A graph bound to operators of this LibTorch and to a device; built once, run often. Not thread-safe.
class Replayer {
 public:
  // Looks up every operator and binds arguments by the names of the recorded schema: an argument that this LibTorch's
  // schema adds takes its default. Throws Error(kEnvironment) naming the operator that is missing (and its library), or
  // Error(kUnsupported) naming operator and argument where the schemas do not fit.
  Replayer(const Graph& graph, c10::Device device);
  ~Replayer();
  Replayer(Replayer&&) noexcept;
  Replayer& operator=(Replayer&&) noexcept;

  // Weights and constants stay with the replayer between runs. The sizes are those of graph.weights and
  // graph.constants.
  void set_weights(std::vector<at::Tensor> weights, std::vector<at::Tensor> constants);

  // One run, without gradients (c10::InferenceMode: the outputs are inference tensors). Returns the output tensors in
  // the order of output_values(graph). Inputs, weights and constants that the graph writes to are copied first, so that
  // every run starts from the same state. An exception of an operator is rethrown as the Error that it amounts to
  // (error_of), naming call and operator.
  std::vector<at::Tensor> run(std::span<const at::Tensor> inputs);

  // As run(), but calls `observe` after each call with the call's index and its tensor results, before any of them is
  // freed.
  using Observer = std::function<void(std::size_t call, std::span<const at::Tensor> results)>;
  std::vector<at::Tensor> run(std::span<const at::Tensor> inputs, const Observer& observe);

 private:
  std::unique_ptr<ReplayProgram> program_;
};

}  // namespace graphnet
