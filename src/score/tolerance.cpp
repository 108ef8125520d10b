#include "graphnet/score/tolerance.h"

#include <cmath>
#include <string>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

// The relative tolerance at level t is 10^(t*e/5): at t = -5 it is 10^-e, near the rounding error of the dtype.
constexpr double kFloat16Exponent = 3.0;
constexpr double kBfloat16Exponent = 1.796;
constexpr double kFloat32Exponent = 5.886;
constexpr double kFloat64Exponent = 7.0;

double scaled_power_of_ten(int level, double exponent) {
  return std::pow(10.0, level * exponent / 5.0);
}

Tolerance with_relative_exponent(int level, double exponent) {
  return {std::pow(10.0, level), scaled_power_of_ten(level, exponent)};
}

}  // namespace

Tolerance tolerance(Dtype dtype, int level) {
  if (level < kStrictestLevel || level > kLoosestLevel) {
    throw Error(ErrorKind::kUsage, "tolerance level " + std::to_string(level) + " is outside " +
                                       std::to_string(kStrictestLevel) + ".." + std::to_string(kLoosestLevel));
  }
  switch (dtype) {
    case Dtype::kFloat16:
    case Dtype::kComplex32:
      return with_relative_exponent(level, kFloat16Exponent);
    case Dtype::kBfloat16:
      return with_relative_exponent(level, kBfloat16Exponent);
    case Dtype::kFloat32:
    case Dtype::kComplex64:
      return with_relative_exponent(level, kFloat32Exponent);
    case Dtype::kFloat64:
    case Dtype::kComplex128: {
      // float64 is the one dtype whose absolute tolerance shrinks with its precision too.
      const double both = scaled_power_of_ten(level, kFloat64Exponent);
      return {both, both};
    }
    default:
      return {};
  }
}

}  // namespace graphnet
