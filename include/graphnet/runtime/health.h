// Whether a run's outputs mean anything: finite, of sane scale, dependent on inputs and weights.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace graphnet {

struct OutputHealth {
  bool finite = true;
  bool constant = false;  // all elements equal (tensors of one element excepted)
  double deviation = 0;   // standard deviation of the finite elements, float64
  double mean = 0;
};
OutputHealth health_of(const at::Tensor& output);

// The scale that floating outputs should have: standard deviation within [1e-2, 1e2].
inline constexpr double kSmallestDeviation = 1e-2;
inline constexpr double kLargestDeviation = 1e2;

// Why the outputs are degenerate, or empty. A sample is degenerate when there is no element to compare, a floating
// output is not finite (unless the record says so), no floating output has a sane deviation, or all outputs are
// constant.
std::string degenerate_reason(const std::vector<at::Tensor>& outputs, bool finite_expected = true);

}  // namespace graphnet
