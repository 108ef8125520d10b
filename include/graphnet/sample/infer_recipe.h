// Recipes from a tensor's contents: exact ones for what cannot be drawn (tables, masks, small constants), and
// distributions for the rest. Bytes are those of a dense tensor in row-major order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "graphnet/graph/recipe.h"
#include "graphnet/graph/tensor_type.h"

namespace graphnet {

inline constexpr std::size_t kExactRecipeLimit = std::size_t{64} << 10;

// The shortest recipe that makes exactly these elements: constant, arange or values, with decimals no longer than the
// dtype needs. Equal contents give equal recipes. Nothing where its text would be longer than `limit` bytes, for
// quantized dtypes and for integers beyond int64. All NaNs count as equal. Stops reading as soon as the answer is
// known.
std::optional<Recipe> infer_exact(std::span<const std::byte> bytes, Dtype dtype, std::size_t limit = kExactRecipeLimit);

// Of all finite elements; those of complex dtypes count as two. Integers are converted to double.
struct TensorStatistics {
  std::int64_t count = 0;  // of finite numbers; the rest is 0 where there are none
  double mean = 0;
  double deviation = 0;  // of the whole population (divided by count)
  double low = 0;
  double high = 0;
  bool finite = true;  // no NaN and no infinity among the elements
  bool operator==(const TensorStatistics&) const = default;
};

// The same figures on every machine. Throws Error(kUnsupported) for quantized dtypes.
TensorStatistics measure(std::span<const std::byte> bytes, Dtype dtype);

// A distribution with these statistics, its parameters rounded to six significant digits: constant where all numbers
// are equal, uniform where they fill their interval as a uniform one does, else normal, clamped to [low, high] where it
// would reach beyond. Integers: range(low, high + 1); bool: bernoulli(mean).
Recipe recipe_from_statistics(const TensorStatistics& statistics, Dtype dtype);

}  // namespace graphnet
