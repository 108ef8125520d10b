// Draws a tensor's elements from its recipe, with the same bits on every machine: a counter-based generator
// (Philox4x32, 7 rounds; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), one stream a tensor,
// and only exactly rounded IEEE arithmetic behind it.
//
// Block b of a stream is Philox of the counter (b, stream index), 64 bits each, under the run's seed as key; it gives
// two 64-bit words. Number i of a tensor, in row-major order, comes from word i alone; an element of a complex dtype is
// two numbers, real before imaginary.
//   normal     the sum of the word's four 16-bit parts (Irwin-Hall), scaled to unit variance: it ends at +-3.4642
//              deviations and needs no logarithm, whose last bit differs between machines; clamped before rounding
//   uniform    the leading 24 bits (float64 and complex128: 53) as a fraction of the interval; never rounded to its end
//   range      the upper half of the 128-bit product of word and span
//   bernoulli  the leading 53 bits below p * 2^53
// Numbers are computed in double and rounded once to float32 or float64; smaller types are rounded from float32, as
// LibTorch does. constant and arange give complex tensors imaginary parts of 0.
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
