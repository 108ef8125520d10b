// Order statistics and means of measured values, without any assumption on how the values are distributed.
#pragma once

#include <span>

namespace graphnet {

struct Interval {
  double low = 0.0;
  double high = 0.0;
  double confidence = 0.0;  // the probability that the interval covers the true value, such as 0.95

  friend bool operator==(const Interval&, const Interval&) = default;
};

// These take values in any order and throw Error when there are none, or when one is not a number.
double median(std::span<const double> values);

// The quantile at `probability` in 0..1, linear between the two nearest values (the default of R and NumPy).
double quantile(std::span<const double> values, double probability);

// Computed in logarithms; throws Error also when a value is not positive and finite.
double geometric_mean(std::span<const double> values);

}  // namespace graphnet
