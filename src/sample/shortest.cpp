#include "shortest.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "elements.h"

namespace graphnet {
namespace {

double parse(const char* begin, const char* end) {
  double value = 0;
  std::from_chars(begin, end, value);
  return value;
}

bool rounds_to(double decimal, double value, Dtype dtype) {
  return std::bit_cast<std::uint64_t>(round_to(decimal, dtype)) == std::bit_cast<std::uint64_t>(value);
}

}  // namespace

double shortest_decimal(double value, Dtype dtype) {
  constexpr int kDigitsOfSmallFloats = 5;  // enough for float16, and for all smaller types
  if (!std::isfinite(value) || value == 0 || real_dtype(dtype) == Dtype::kFloat64) return value;
  char text[64];
  double decimal = value;
  if (real_dtype(dtype) == Dtype::kFloat32) {
    const auto end = std::to_chars(std::begin(text), std::end(text), static_cast<float>(value)).ptr;
    decimal = parse(text, end);
  } else {
    for (int digits = 1; digits <= kDigitsOfSmallFloats; ++digits) {
      decimal = round_to_digits(value, digits);
      if (rounds_to(decimal, value, dtype)) return decimal;
    }
  }
  // A decimal that is shortest as float32 may round otherwise by way of double.
  return rounds_to(decimal, value, dtype) ? decimal : value;
}

double round_to_digits(double value, int digits) {
  if (!std::isfinite(value)) return value;
  char text[64];
  const auto end =
      std::to_chars(std::begin(text), std::end(text), value, std::chars_format::scientific, digits - 1).ptr;
  return parse(text, end);
}

}  // namespace graphnet
