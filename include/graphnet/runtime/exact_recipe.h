// Recipes that make exactly the contents a tensor has now.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include <ATen/core/Tensor.h>

#include "graphnet/graph/recipe.h"

namespace graphnet {

// The shortest exact recipe: constant, arange, or values. Equal contents give equal recipes. Nothing where it would
// take more than `maximum_runs` runs of values. NaN payloads are not kept. Throws Error(kUnsupported) for quantized
// tensors and for uint64 elements beyond int64.
std::optional<Recipe> exact_recipe(const at::Tensor& tensor,
                                   std::size_t maximum_runs = std::numeric_limits<std::size_t>::max());

}  // namespace graphnet
