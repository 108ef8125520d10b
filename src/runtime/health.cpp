#include "graphnet/runtime/health.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include "graphnet/runtime/parallel.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

constexpr std::int64_t kChunk = std::int64_t{1} << 20;  // elements converted to float64 at once

// Count, mean and sum of squared deviations, merged as in Chan, Golub and LeVeque, "Updating formulae and a pairwise
// algorithm for computing sample variances" (1979).
struct Moments {
  std::int64_t count = 0;
  double mean = 0;
  double squares = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool finite = true;

  void merge(const Moments& other) {
    finite = finite && other.finite;
    if (other.count == 0) return;
    const double total = static_cast<double>(count + other.count);
    const double difference = other.mean - mean;
    mean += difference * static_cast<double>(other.count) / total;
    squares +=
        other.squares + difference * difference * static_cast<double>(count) * static_cast<double>(other.count) / total;
    count += other.count;
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

// Two passes over a chunk, which stays in the cache.
Moments moments_of(const double* values, Part part) {
  Moments moments;
  double sum = 0;
  for (std::int64_t i = part.begin; i < part.end; ++i) {
    if (!std::isfinite(values[i])) {
      moments.finite = false;
      continue;
    }
    ++moments.count;
    sum += values[i];
    moments.low = std::min(moments.low, values[i]);
    moments.high = std::max(moments.high, values[i]);
  }
  if (moments.count == 0) return moments;
  moments.mean = sum / static_cast<double>(moments.count);
  for (std::int64_t i = part.begin; i < part.end; ++i) {
    if (std::isfinite(values[i])) moments.squares += (values[i] - moments.mean) * (values[i] - moments.mean);
  }
  return moments;
}

Moments moments_of(const at::Tensor& elements) {
  Moments all;
  for (std::int64_t first = 0; first < elements.numel(); first += kChunk) {
    const std::int64_t count = std::min(kChunk, elements.numel() - first);
    const at::Tensor chunk = elements.narrow(0, first, count).to(at::kDouble).contiguous();
    const double* values = chunk.const_data_ptr<double>();
    for (const Moments& moments : for_each_part(split(count, at::get_num_threads(), kChunk / 8),
                                                [&](Part part) { return moments_of(values, part); })) {
      all.merge(moments);
    }
  }
  return all;
}

bool is_sane(double scale) {
  return scale >= kSmallestDeviation && scale <= kLargestDeviation;
}

}  // namespace

OutputHealth health_of(const at::Tensor& output) {
  at::Tensor elements = output.detach();
  if (elements.is_quantized()) elements = elements.dequantize();
  elements = elements.cpu().resolve_conj().resolve_neg();
  if (elements.is_complex()) elements = at::view_as_real(elements);
  const Moments moments = moments_of(elements.flatten());
  OutputHealth health;
  health.finite = moments.finite;
  health.constant = output.numel() > 1 && moments.finite && moments.low == moments.high;
  health.mean = moments.mean;
  if (moments.count > 0) health.deviation = std::sqrt(moments.squares / static_cast<double>(moments.count));
  return health;
}

std::string degenerate_reason(const std::vector<at::Tensor>& outputs, bool finite_expected) {
  bool all_constant = true;
  bool any_elements = false;
  bool any_floating = false;
  bool any_sane = false;
  double closest = 0;  // the largest deviation seen, for the message
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const at::Tensor& output = outputs[i];
    if (output.numel() == 0) continue;
    any_elements = true;
    const OutputHealth health = health_of(output);
    all_constant = all_constant && health.constant;
    if (!output.is_floating_point() && !output.is_complex()) continue;
    if (finite_expected && !health.finite) return "output " + std::to_string(i) + " is not finite";
    any_floating = true;
    // A single number has no deviation: its own size counts.
    const double scale = output.numel() > 1 ? health.deviation : std::abs(health.mean);
    any_sane = any_sane || is_sane(scale) || (output.numel() == 1 && output.is_complex() && is_sane(health.deviation));
    closest = std::max(closest, scale);
  }
  if (outputs.empty()) return "there is no tensor among them";
  if (!any_elements) return "none of them has any elements";
  if (all_constant) return "all outputs are constant";
  if (any_floating && !any_sane) {
    return "no floating output has a standard deviation between " + double_text(kSmallestDeviation) + " and " +
           double_text(kLargestDeviation) + " (the largest is " + double_text(closest) + ")";
  }
  return "";
}

}  // namespace graphnet
