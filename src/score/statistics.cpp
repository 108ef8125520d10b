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

struct Ranks {
  std::size_t below;  // the interval leaves out this many values on either side
  double confidence;
};

// The number of values on one side of the median is binomial(count, 1/2), so leaving out k values on either side costs
// 2 * P(at most k on that side). The largest k whose cost fits is taken.
std::optional<Ranks> median_ranks(std::size_t count, double confidence) {
  const auto n = static_cast<double>(count);
  double log_probability = -n * std::log(2.0);  // of exactly k
  double cumulative = 0.0;                      // of at most k
  std::optional<Ranks> ranks;
  for (std::size_t k = 0; 2 * k + 1 < count; ++k) {
    cumulative += std::exp(log_probability);
    const double covered = 1.0 - 2.0 * cumulative;
    if (covered < confidence) break;
    ranks = Ranks{k, covered};
    const auto step = static_cast<double>(k);
    log_probability += std::log((n - step) / (step + 1.0));
  }
  return ranks;
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

std::optional<Interval> median_interval(std::span<const double> values, double confidence) {
  if (!(confidence > 0.0 && confidence < 1.0)) {
    throw Error(ErrorKind::kInternal, "confidence outside 0..1: " + std::to_string(confidence));
  }
  const std::vector<double> ordered = sorted(values);
  const std::optional<Ranks> ranks = median_ranks(ordered.size(), confidence);
  if (!ranks) return std::nullopt;
  return Interval{ordered[ranks->below], ordered[ordered.size() - 1 - ranks->below], ranks->confidence};
}

}  // namespace graphnet
