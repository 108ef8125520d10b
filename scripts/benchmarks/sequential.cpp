// Times a sample against itself the way that many benchmarks do: five trials of one side, then five of the other, the
// median of each. Prints the ratios of the medians as JSON, to be shown beside those of paired timing.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include "graphnet/runtime/replayer.h"
#include "graphnet/runtime/tensors.h"
#include "graphnet/sample/sample.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmUp = 10;
constexpr std::size_t kTrials = 5;
constexpr double kShortestTrial = 2e-3;  // seconds, as in paired timing

class Side {
 public:
  Side(const graphnet::Sample& sample, const graphnet::GraphTensors& tensors)
      : replayer_(sample.graph, c10::kCPU), inputs_(tensors.inputs) {
    replayer_.set_weights(tensors.weights, tensors.constants);
  }

  double seconds_per_call() {
    for (int i = 0; i < kWarmUp; ++i) replayer_.run(inputs_);
    const auto calls = static_cast<std::int64_t>(std::ceil(kShortestTrial / time(1)));
    std::array<double, kTrials> trials{};
    for (double& trial : trials) trial = time(calls);
    std::ranges::sort(trials);
    return trials[kTrials / 2];
  }

 private:
  double time(std::int64_t calls) {
    const auto start = Clock::now();
    for (std::int64_t i = 0; i < calls; ++i) replayer_.run(inputs_);
    return std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(calls);
  }

  graphnet::Replayer replayer_;
  std::vector<at::Tensor> inputs_;
};

void run(const char* folder, int repetitions, int threads) {
  const c10::InferenceMode without_gradients;
  if (threads > 0) at::set_num_threads(threads);
  const graphnet::Sample sample = graphnet::read_sample(folder);
  const graphnet::GraphTensors tensors = graphnet::make_tensors(sample, 0, c10::kCPU);
  Side first(sample, tensors);
  Side second(sample, tensors);
  std::printf("{\"ratios\": [");
  for (int i = 0; i < repetitions; ++i) {
    const double seconds = first.seconds_per_call();
    std::printf("%s%.6f", i == 0 ? "" : ", ", seconds / second.seconds_per_call());
  }
  std::printf("]}\n");
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 3 || argument_count > 4) {
    std::fprintf(stderr, "usage: %s SAMPLE REPETITIONS [THREADS]\n", arguments[0]);
    return 2;
  }
  try {
    run(arguments[1], std::atoi(arguments[2]), argument_count == 4 ? std::atoi(arguments[3]) : 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", arguments[0], error.what());
    return 1;
  }
  return 0;
}
