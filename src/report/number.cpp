#include "graphnet/report/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "graphnet/support/text.h"

namespace graphnet {
namespace {

constexpr const char* kNothing = "-";

std::string formatted(double value, std::chars_format format, int precision) {
  std::array<char, 400> buffer;  // the longest fixed double has 309 digits before the point
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision).ptr;
  return std::string(buffer.data(), end);
}

// The power of ten of the first significant digit once the value is rounded to `digits` of them: 9.996 is 10.00.
int leading_power(double value, int digits) {
  const std::string text = formatted(std::abs(value), std::chars_format::scientific, digits - 1);
  int power = 0;
  const char* exponent = text.data() + text.find('e') + 1;
  if (*exponent == '+') ++exponent;
  std::from_chars(exponent, text.data() + text.size(), power);
  return power;
}

}  // namespace

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return std::isnan(value) ? kNothing : double_text(value);
  return formatted(value, std::chars_format::fixed, decimals);
}

std::string significant(double value, int digits) {
  if (!std::isfinite(value) || value == 0.0) return fixed(value, 0);
  const int power = leading_power(value, digits);
  if (power < -4 || power >= 7) return formatted(value, std::chars_format::scientific, digits - 1);
  return fixed(value, std::max(0, digits - 1 - power));
}

std::string milliseconds(double seconds) {
  const double value = seconds * 1e3;
  if (!std::isfinite(value) || value <= 0.0) return std::isnan(value) ? kNothing : fixed(value, 0);
  return fixed(value, std::clamp(3 - leading_power(value, 4), 0, 4));
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return fixed(seconds, 0);
  if (seconds < 0) return "-" + duration_text(-seconds);
  if (seconds == 0) return "0 s";
  if (seconds < 999.5e-6) return significant(seconds * 1e6, 3) + " us";
  if (seconds < 999.5e-3) return significant(seconds * 1e3, 3) + " ms";
  if (seconds < 99.95) return significant(seconds, 3) + " s";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return group_thousands(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

std::string bytes_text(std::int64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (std::abs(value) >= 1023.5 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return (unit == 0 ? fixed(value, 0) : significant(value, 3)) + " " + kUnits[unit];
}

std::string percent(double share) {
  return std::isnan(share) ? kNothing : fixed(share * 100.0, 1) + " %";
}

std::string speedup_text(double speedup) {
  return fixed(speedup, speedup < 9.9995 ? 3 : speedup < 99.995 ? 2 : 1);
}

}  // namespace graphnet
