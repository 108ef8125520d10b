#include "output_check.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <ATen/Functions.h>

#include "graphnet/score/tolerance.h"

namespace graphnet {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Outputs that pass at this level or a stricter one are taken for computed from the inputs given.
constexpr int kTrustedLevel = -2;

// How long outputs that are not trusted may take to change, in calls of the reference, and in seconds.
constexpr double kLateCalls = 3;
constexpr double kShortestWait = 0.25;
constexpr double kLongestWait = 5;
constexpr Seconds kPause{0.01};

// The first reading of an output that is there takes about as long as the second.
constexpr double kSlowRead = 10;
constexpr std::size_t kFewestReads = 3;

at::Tensor copy_to_host(const at::Tensor& tensor) {
  if (!tensor.defined()) return {};
  return tensor.device().is_cpu() ? tensor.clone() : tensor.cpu();
}

double seconds_since(Clock::time_point start) {
  return Seconds(Clock::now() - start).count();
}

bool has_changed(const at::Tensor& live, const at::Tensor& copy) {
  return live.defined() && !same_contents(live, copy);
}

bool is_trusted(const OutputComparison& output) {
  return output.equal || (output.strictest_level && *output.strictest_level <= kTrustedLevel);
}

bool any_changed(const CapturedOutputs& captured) {
  for (std::size_t i = 0; i < captured.live.size(); ++i) {
    if (has_changed(captured.live[i], captured.copies[i])) return true;
  }
  return false;
}

}  // namespace

CapturedOutputs capture(std::vector<at::Tensor> outputs, double call_seconds) {
  CapturedOutputs captured{.live = std::move(outputs), .call_seconds = call_seconds};
  const Clock::time_point first = Clock::now();
  for (const at::Tensor& output : captured.live) captured.copies.push_back(copy_to_host(output));
  captured.first_read_seconds = seconds_since(first);
  const Clock::time_point second = Clock::now();
  for (const at::Tensor& output : captured.live) copy_to_host(output);
  captured.second_read_seconds = seconds_since(second);
  return captured;
}

OutputCheck::OutputCheck(const Graph& graph, c10::Device device, double reference_seconds)
    : graph_(graph), device_(device), reference_seconds_(reference_seconds) {}

Comparison OutputCheck::judge(std::span<const at::Tensor> expected, CapturedOutputs captured,
                              std::span<const at::Tensor> inputs) {
  ++calls_;
  const bool slow = captured.first_read_seconds > captured.call_seconds &&
                    captured.first_read_seconds > reference_seconds_ / 2 &&
                    captured.first_read_seconds > kSlowRead * captured.second_read_seconds;
  slow_first_reads_ += slow ? 1 : 0;

  Comparison comparison = compare({expected.begin(), expected.end()}, captured.copies);
  if (!std::ranges::all_of(comparison.outputs, is_trusted)) {
    const double limit = std::clamp(kLateCalls * reference_seconds_, kShortestWait, kLongestWait);
    const Clock::time_point start = Clock::now();
    while (!any_changed(captured) && seconds_since(start) < limit) std::this_thread::sleep_for(kPause);
  }
  for (std::size_t i = 0; i < comparison.outputs.size(); ++i) {
    const bool trusted = is_trusted(comparison.outputs[i]);
    std::string problem;
    if (captured.live[i].defined() && captured.live[i].device() != device_) {
      problem = "on device " + captured.live[i].device().str() + " instead of " + device_.str();
    } else if (has_changed(captured.live[i], captured.copies[i])) {
      problem = "its outputs were still being computed after the call returned";
    } else if (!trusted) {
      problem = problem_of(i, captured, inputs);
    }
    if (!problem.empty()) condemn(comparison, i, problem);
  }
  latest_ = std::move(captured.copies);
  return comparison;
}

std::string OutputCheck::problem_of(std::size_t output, const CapturedOutputs& captured,
                                    std::span<const at::Tensor> inputs) const {
  const at::Tensor& copy = captured.copies[output];
  if (!copy.defined()) return "";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (same_contents(copy, inputs[i])) return "it returned its input " + graph_.inputs[i].name;
  }
  const bool is_earlier = std::ranges::any_of(
      latest_, [&](const at::Tensor& earlier) { return earlier.defined() && same_contents(copy, earlier); });
  return is_earlier ? "it returned the result of an earlier call" : "";
}

std::string OutputCheck::lazy_reading() const {
  if (calls_ < kFewestReads || slow_first_reads_ < calls_) return "";
  return "its outputs were still being computed after the call returned: reading them took longer than the call, and "
         "next to nothing the second time";
}

}  // namespace graphnet
