// Calls a TorchScript model of one tensor argument again and again, either through LibTorch's own interpreter or
// through the replay of its recorded graph, and prints the median time of a call as JSON.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>
#include <torch/script.h>

#include "graphnet/runtime/recorder.h"
#include "graphnet/runtime/replayer.h"

namespace {

using Clock = std::chrono::steady_clock;

// At least `warm_up` calls of both kinds come first: the interpreter profiles and optimizes during its first calls.
double median_seconds(const std::function<void()>& call, double seconds) {
  constexpr int kWarmUp = 50;
  for (int i = 0; i < kWarmUp; ++i) call();
  std::vector<double> times;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    const auto start = Clock::now();
    call();
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

double run(const std::string& model_file, const std::string& kind, double seconds, std::size_t& calls) {
  const c10::InferenceMode inference;
  torch::jit::Module model = torch::jit::load(model_file, c10::kCPU);
  model.eval();
  const at::Tensor input = at::ones({4, 4});
  const graphnet::Recording recording =
      graphnet::record({{"x", input}}, {}, c10::kCPU, [&] { return model.forward({input}); });
  calls = recording.graph.calls.size();
  if (kind == "interpreter") {
    return median_seconds([&] { model.forward({input}); }, seconds);
  }
  graphnet::Replayer replayer(recording.graph, c10::kCPU);
  replayer.set_weights({}, recording.constants);
  const std::vector<at::Tensor> inputs = {input};
  if (!at::equal(replayer.run(inputs)[0], model.forward({input}).toTensor())) {
    throw std::runtime_error("the replay does not compute what the model computes");
  }
  return median_seconds([&] { replayer.run(inputs); }, seconds);
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::string kind = argument_count == 4 ? arguments[2] : "";
  if (kind != "replay" && kind != "interpreter") {
    std::fprintf(stderr, "usage: %s MODEL.pt replay|interpreter SECONDS\n", arguments[0]);
    return 2;
  }
  try {
    std::size_t calls = 0;
    const double median = run(arguments[1], kind, std::atof(arguments[3]), calls);
    std::printf("{\"operators\": %zu, \"seconds_per_call\": %.9f}\n", calls, median);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", arguments[0], error.what());
    return 1;
  }
  return 0;
}
