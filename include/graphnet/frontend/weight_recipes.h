// How a model's weights are drawn again: from their own statistics, exactly where they are tables, or by their role in
// the graph where the model came without values.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "graphnet/frontend/roles.h"
#include "graphnet/graph/graph.h"

namespace graphnet {

// The recipe of a weight with values. Buffers (except running statistics) with few distinct runs, and integers and
// bools of moderate number, are kept exactly; integers of greater number by range; everything else by distribution.
Recipe recipe_from_values(const Weight& weight, const at::Tensor& values, const WeightUse& use);

// The recipe of a weight without values.
Recipe recipe_from_role(const Weight& weight, const WeightUse& use);

// The recipe times a factor; nothing where it is exact and not constant.
std::optional<Recipe> scaled(const Recipe& recipe, double factor);

}  // namespace graphnet
