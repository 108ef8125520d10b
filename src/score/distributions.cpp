#include "graphnet/score/distributions.h"

#include <cmath>
#include <numbers>
#include <numeric>

namespace graphnet {
namespace {

// The x >= 0 at which the increasing `probability_below` reaches the confidence.
template <class Function>
double bisect(double confidence, const Function& probability_below) {
  double low = 0;
  double high = 1;
  while (probability_below(high) < confidence && high < 1e12) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = std::midpoint(low, high);
    (probability_below(middle) < confidence ? low : high) = middle;
  }
  return low;
}

}  // namespace

double two_sided_normal_p(double z) {
  return std::erfc(std::abs(z) / std::numbers::sqrt2);
}

double two_sided_normal_quantile(double confidence) {
  return bisect(confidence, [](double z) { return 1 - two_sided_normal_p(z); });
}

double two_sided_student_probability(double t, std::size_t degrees) {
  const double angle = std::atan(std::abs(t) / std::sqrt(static_cast<double>(degrees)));
  const double squared_cosine = std::cos(angle) * std::cos(angle);
  const bool is_odd = degrees % 2 == 1;
  double term = is_odd ? std::cos(angle) : 1;
  double sum = 0;
  for (std::size_t k = is_odd ? 1 : 0; k + 2 <= degrees; k += 2) {
    sum += term;
    const auto step = static_cast<double>(k);
    term *= squared_cosine * (step + 1) / (step + 2);
  }
  const double value = std::sin(angle) * sum;
  return is_odd ? 2 / std::numbers::pi * (angle + value) : value;
}

double two_sided_student_quantile(double confidence, std::size_t degrees) {
  return bisect(confidence, [degrees](double t) { return two_sided_student_probability(t, degrees); });
}

}  // namespace graphnet
