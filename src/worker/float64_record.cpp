#include "float64_record.h"

#include <algorithm>
#include <cmath>

#include "graphnet/graph/memory.h"
#include "graphnet/runtime/device.h"
#include "graphnet/runtime/exception_text.h"
#include "graphnet/runtime/float64.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using nlohmann::json;

constexpr std::int64_t kQuicklyConverted = std::int64_t{1} << 30;  // bytes of weights in float64, for Float64Run::kAuto
constexpr double kTellingFactor = 1.25;                            // errors closer to one another are alike

json error_json(const Float64Error& error) {
  return {{"maximum_absolute", error.maximum_absolute}, {"relative", error.relative}};
}

const char* verdict(double reference, double candidate) {
  if (candidate * kTellingFactor < reference) return "closer";
  if (candidate > reference * kTellingFactor) return "further";
  return "alike";
}

}  // namespace

std::string float64_obstacle(Float64Run wanted, const Graph& graph, c10::Device device) {
  if (wanted == Float64Run::kOff) return "not asked for";
  try {
    const MemoryNeed need = memory_need(in_float64(graph));
    if (need.total() > available_memory(device)) return "it does not fit the memory";
    if (wanted == Float64Run::kAuto && need.weights > kQuicklyConverted) {
      return "its weights take more than 1 GiB, which --float64 auto leaves out";
    }
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

json float64_record(const Sample& sample, const GraphTensors& tensors, std::span<const at::Tensor> inputs,
                    std::span<const at::Tensor> reference, std::span<const at::Tensor> candidate, c10::Device device) {
  std::vector<at::Tensor> exact;
  try {
    exact = run_in_float64(in_float64(sample.graph), inputs, tensors.weights, tensors.constants, device);
    synchronize(device);
  } catch (const std::exception& exception) {
    const std::string text = exception_text(exception);
    return {{"skipped", text.substr(0, text.find('\n'))}};
  }
  json outputs = json::array();
  double worst_reference = 0;
  double worst_candidate = 0;
  for (std::size_t i = 0; i < std::min(exact.size(), candidate.size()); ++i) {
    const auto of_reference = float64_error(exact[i], reference[i]);
    const auto of_candidate = float64_error(exact[i], candidate[i]);
    if (!of_reference || !of_candidate) {
      outputs.push_back(nullptr);
      continue;
    }
    worst_reference = std::max(worst_reference, of_reference->relative);
    worst_candidate = std::max(worst_candidate, of_candidate->relative);
    outputs.push_back({{"reference", error_json(*of_reference)}, {"candidate", error_json(*of_candidate)}});
  }
  return {{"candidate", verdict(worst_reference, worst_candidate)}, {"outputs", std::move(outputs)}};
}

}  // namespace graphnet
