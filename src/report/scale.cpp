#include "scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "graphnet/report/number.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

constexpr double kSlack = 1e-9;  // of a range: ticks at its very ends are inside

// The first step of 1, 2, 5, 10, 20, ... that puts at most `most` ticks into the range.
double nice_step(double range, int most) {
  double step = std::pow(10.0, std::floor(std::log10(range / most)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (std::floor(range / (step * factor)) + 1 <= most) return step * factor;
  }
  return step * 20;
}

std::string trimmed(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

Scale::Scale(bool is_logarithmic, double low, double high, double first, double last)
    : is_logarithmic_(is_logarithmic), low_(low), high_(high), first_(first), last_(last) {
  if (!(low < high) || !std::isfinite(high - low) || (is_logarithmic && low <= 0)) {
    throw Error(ErrorKind::kInternal, "an axis from " + significant(low, 6) + " to " + significant(high, 6));
  }
}

Scale Scale::linear(double low, double high, double first, double last) {
  return {false, low, high, first, last};
}

Scale Scale::logarithmic(double low, double high, double first, double last) {
  return {true, low, high, first, last};
}

double Scale::operator()(double value) const {
  const double inside = std::clamp(value, low_, high_);
  const double share =
      is_logarithmic_ ? std::log(inside / low_) / std::log(high_ / low_) : (inside - low_) / (high_ - low_);
  return first_ + share * (last_ - first_);
}

std::string tick_label(double value) {
  const double size = std::abs(value);
  for (const auto& [unit, name] : {std::pair(1e12, "T"), std::pair(1e9, "G"), std::pair(1e6, "M")}) {
    if (size >= unit) return trimmed(fixed(value / unit, 1)) + name;
  }
  if (size >= 1e3) return trimmed(fixed(value / 1e3, 1)) + "k";
  return size == 0 ? "0" : trimmed(fixed(value, size < 0.001 ? 5 : 3));
}

std::vector<Tick> linear_ticks(double low, double high, int most) {
  const double range = high - low;
  const double step = nice_step(range, most);
  std::vector<Tick> ticks;
  for (double i = std::ceil(low / step - kSlack); i * step <= high + kSlack * range; ++i) {
    ticks.push_back({i * step, tick_label(i * step)});
  }
  return ticks;
}

std::vector<Tick> decimal_ticks(double low, double high, int most) {
  constexpr double kFewestDecades = 0.6;  // below a factor of 4, 1-2-5 gives hardly two ticks
  if (std::log10(high / low) < kFewestDecades) return linear_ticks(low, high, most);
  const std::array<std::vector<double>, 2> choices{std::vector{1.0, 2.0, 5.0}, std::vector{1.0}};
  const auto first = static_cast<int>(std::floor(std::log10(low) + kSlack));
  const auto last = static_cast<int>(std::ceil(std::log10(high) - kSlack));
  for (int stride = 1;; ++stride) {
    for (const std::vector<double>& factors : choices) {
      if (stride > 1 && factors.size() > 1) continue;
      std::vector<Tick> ticks;
      for (int power = first; power <= last; ++power) {
        if (power % stride != 0) continue;
        for (const double factor : factors) {
          const double value = factor * std::pow(10.0, power);
          if (value >= low * (1 - kSlack) && value <= high * (1 + kSlack)) ticks.push_back({value, tick_label(value)});
        }
      }
      if (std::cmp_less_equal(ticks.size(), most)) return ticks;
    }
  }
}

std::vector<Tick> binary_ticks(double low, double high, int most) {
  const auto first = static_cast<int>(std::ceil(std::log2(low) - kSlack));
  const auto last = static_cast<int>(std::floor(std::log2(high) + kSlack));
  if (last - first < 2) return linear_ticks(low, high, most);
  int stride = 1;
  while ((last - first) / stride + 1 > most) ++stride;
  std::vector<Tick> ticks;
  for (int power = first; power <= last; ++power) {
    if (power % stride == 0) ticks.push_back({std::exp2(power), tick_label(std::exp2(power))});
  }
  return ticks;
}

}  // namespace graphnet
