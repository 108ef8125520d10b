#include <algorithm>
#include <cmath>

#include "graphnet/sample/infer_recipe.h"

#include "elements.h"
#include "shortest.h"

namespace graphnet {
namespace {

constexpr int kDigits = 6;
constexpr double kNormalReach = 3.4642;  // deviations from the mean that a drawn normal deviate can have at most

double rounded(double value) {
  return round_to_digits(value, kDigits);
}

std::int64_t to_integer(double value, Dtype dtype) {
  const IntegerLimits limits = integer_limits(dtype);
  if (value <= static_cast<double>(limits.lowest)) return limits.lowest;
  if (value >= static_cast<double>(limits.highest)) return limits.highest;
  return static_cast<std::int64_t>(value);
}

Recipe range_of(const TensorStatistics& statistics, Dtype dtype) {
  const std::int64_t low = to_integer(std::floor(statistics.low), dtype);
  const std::int64_t high = to_integer(std::floor(statistics.high), dtype);
  // The end of a range is not part of it, so the largest int64 cannot be.
  const std::int64_t end = high == std::numeric_limits<std::int64_t>::max() ? high : high + 1;
  return RangeRecipe{std::min(low, end - 1), end};
}

// Interval and deviation fit a uniform distribution: a normal one of as many numbers reaches further, one of few heaps
// less far. Below 64 numbers no such thing can be told.
bool looks_uniform(const TensorStatistics& statistics) {
  const double width = statistics.high - statistics.low;
  const double deviations = width / statistics.deviation;
  const double center = statistics.low + width / 2;
  return statistics.count >= 64 && deviations > 3.25 && deviations < 3.6 &&
         std::abs(statistics.mean - center) < 0.1 * width;
}

}  // namespace

Recipe recipe_from_statistics(const TensorStatistics& statistics, Dtype dtype) {
  const bool is_real = is_floating(dtype) || is_complex(dtype);
  if (dtype == Dtype::kBool) return BernoulliRecipe{std::clamp(rounded(statistics.mean), 0.0, 1.0)};
  if (!is_real) return range_of(statistics, dtype);
  if (statistics.count == 0) return ConstantRecipe{0.0};
  if (statistics.low == statistics.high) return ConstantRecipe{shortest_decimal(statistics.low, dtype)};

  const double low = rounded(statistics.low);
  const double high = rounded(statistics.high);
  const bool is_drawable = std::isfinite(high - low) && largest_below(high, dtype) >= smallest_from(low, dtype);
  if (looks_uniform(statistics) && is_drawable) return UniformRecipe{low, high};
  // Squares of numbers beyond 1e154 overflow; a quarter of the interval is as good a guess as any.
  const double deviation =
      std::isfinite(statistics.deviation) ? statistics.deviation : statistics.high / 4 - statistics.low / 4;
  const double mean = std::isfinite(statistics.mean) ? statistics.mean : statistics.high / 2 + statistics.low / 2;
  NormalRecipe normal{rounded(mean), rounded(deviation)};
  if (statistics.low > mean - kNormalReach * deviation || statistics.high < mean + kNormalReach * deviation) {
    normal.low = low;
    normal.high = high;
  }
  return normal;
}

}  // namespace graphnet
