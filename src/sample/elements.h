// Elements of tensors as bytes: from and to double and int64, a chunk at a time.
//
// float16, bfloat16 and the float8 types are rounded from double by way of float32, each step to the nearest with ties
// to even, as LibTorch converts. Overflow gives infinity, in float8_e4m3fn NaN, which has no infinity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graphnet/graph/dtype.h"

namespace graphnet {

// Rounds `count` numbers to a floating dtype, or to the parts of a complex one: the parts are then the elements.
void store_reals(const double* values, std::size_t count, Dtype dtype, std::byte* destination);

// Keeps the low bits of `count` integers, for integer dtypes, bool (0 or 1) and their quantized kin.
void store_integers(const std::int64_t* values, std::size_t count, Dtype dtype, std::byte* destination);

// The reverse; exact. Integers of uint64 beyond int64 wrap around.
void load_reals(const std::byte* source, std::size_t count, Dtype dtype, double* values);
void load_integers(const std::byte* source, std::size_t count, Dtype dtype, std::int64_t* values);

// The number as the floating dtype (or the part of a complex one) has it.
double round_to(double value, Dtype dtype);

// The largest number of the floating dtype below `value`, and the smallest that is `value` or above.
double largest_below(double value, Dtype dtype);
double smallest_from(double value, Dtype dtype);

// The integers that the dtype holds, those of uint64 up to the largest of int64.
struct IntegerLimits {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
};
IntegerLimits integer_limits(Dtype dtype);

// 1 for real dtypes, 2 for complex ones: how many numbers an element consists of.
std::size_t parts_of(Dtype dtype);

}  // namespace graphnet
