#include "graphnet/score/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  if (values.empty()) throw Error(ErrorKind::kInternal, "statistics of no values");
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) {
    throw Error(ErrorKind::kInternal, "statistics of a value that is not a number");
  }
  std::vector<double> result(values.begin(), values.end());
  std::ranges::sort(result);
  return result;
}

}  // namespace

double quantile(std::span<const double> values, double probability) {
  if (!(probability >= 0.0 && probability <= 1.0)) {
    throw Error(ErrorKind::kInternal, "quantile at a probability outside 0..1: " + std::to_string(probability));
  }
  const std::vector<double> ordered = sorted(values);
  const double position = probability * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, ordered.size() - 1);
  const double fraction = position - static_cast<double>(below);
  if (fraction == 0.0) return ordered[below];  // keeps an infinite neighbour out of it
  return std::lerp(ordered[below], ordered[above], fraction);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double geometric_mean(std::span<const double> values) {
  if (values.empty()) throw Error(ErrorKind::kInternal, "geometric mean of no values");
  double sum_of_logs = 0.0;
  for (const double value : values) {
    if (!(std::isfinite(value) && value > 0.0)) {
      throw Error(ErrorKind::kInternal, "geometric mean of a value that is not positive: " + std::to_string(value));
    }
    sum_of_logs += std::log(value);
  }
  return std::exp(sum_of_logs / static_cast<double>(values.size()));
}

}  // namespace graphnet
