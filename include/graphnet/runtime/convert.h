// Between graphnet's types and LibTorch's: dtypes and tensor types.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "graphnet/graph/tensor_type.h"

namespace graphnet {

// Throw Error(kUnsupported) for a dtype that the other side does not have.
Dtype to_dtype(at::ScalarType type);
at::ScalarType to_scalar_type(Dtype dtype);

// The type of a strided tensor. Throws Error(kUnsupported) for sparse, nested and other layouts, naming the layout.
TensorType type_of(const at::Tensor& tensor);

// Bytes of the elements, however they lie.
std::int64_t dense_bytes(const at::Tensor& tensor);

// Whether several elements lie at one place: some dimension of more than one element has stride 0.
bool is_broadcast(const at::Tensor& tensor);

}  // namespace graphnet
