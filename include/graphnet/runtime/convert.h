// Between graphnet's types and LibTorch's: dtypes, tensor types, arguments.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>

#include "graphnet/graph/argument.h"
#include "graphnet/graph/tensor_type.h"

namespace graphnet {

// Throw Error(kUnsupported) for a dtype that the other side does not have.
Dtype to_dtype(at::ScalarType type);
at::ScalarType to_scalar_type(Dtype dtype);

// The type of a strided tensor. Throws Error(kUnsupported) for sparse, nested and other layouts, naming the layout.
TensorType type_of(const at::Tensor& tensor);

}  // namespace graphnet
