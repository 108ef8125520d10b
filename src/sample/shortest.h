// Decimals that are no longer than a dtype needs.
#pragma once

#include "graphnet/graph/dtype.h"

namespace graphnet {

// The double of the shortest decimal that rounds to `value`, which must be a number of the dtype: 0.1 for the float32
// 0.100000001490116.
double shortest_decimal(double value, Dtype dtype);

// Rounded to this many significant decimal digits.
double round_to_digits(double value, int digits);

}  // namespace graphnet
