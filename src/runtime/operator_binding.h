// Operators of this LibTorch for recorded ones, and literal arguments as LibTorch wants them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <c10/core/Device.h>

#include "graphnet/graph/graph.h"

namespace graphnet {

// Which argument of the recorded schema fills each argument of this LibTorch's; nothing where its default does.
using ArgumentMap = std::vector<std::optional<std::size_t>>;

struct BoundOperator {
  c10::OperatorHandle op;
  ArgumentMap arguments;
  std::size_t recorded_arguments = 0;
};

// Throws Error(kEnvironment) for an operator that is not registered, Error(kUnsupported) where the schemas do not fit.
BoundOperator bind_operator(const Operator& recorded);

// A literal argument, as the operator's type wants it. `type` is the schema's plain type, in which enumerations are
// ints. Throws Error(kUnsupported) where it does not fit.
c10::IValue literal(const Argument& argument, const c10::Type& type, c10::Device device);

}  // namespace graphnet
