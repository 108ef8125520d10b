// Draws a tensor's elements from its recipe, with the same bits on every machine: a counter-based generator
// (Philox4x32, 7 rounds; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), one stream a tensor,
// and only exactly rounded IEEE arithmetic behind it. Normal deviates are sums of four uniform 16-bit integers
// (Irwin-Hall), scaled to unit variance: they end at +-3.46 deviations and need no logarithm, whose last bit differs
// between machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graphnet/graph/recipe.h"
#include "graphnet/graph/tensor_type.h"

namespace graphnet {

// Which numbers a tensor gets: the run's seed and the tensor's place in its graph.
struct Stream {
  std::uint64_t seed = 0;
  std::uint64_t index = 0;  // ValueId of the input or weight
};

// Fills elements [first, first + count) in row-major order of a tensor of this dtype. `destination` holds exactly these
// elements, densely packed; parts filled separately equal the whole, so that threads can share one tensor. Throws
// Error(kInput) where the recipe does not suit the dtype, and for stored and view recipes, which are not drawn.
void fill(std::span<std::byte> destination, Dtype dtype, const Recipe& recipe, Stream stream, std::int64_t first);

// Throws Error(kInput) where a recipe cannot make a tensor of this type (kind, dtype, number of values).
void check_recipe(const Recipe& recipe, const TensorType& type);

}  // namespace graphnet
