// The static type of a tensor value: dtype, shape and strides, with its text form "float32[1,64,56,56]".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graphnet/graph/dtype.h"

namespace graphnet {

struct TensorType {
  Dtype dtype = Dtype::kFloat32;
  std::vector<std::int64_t> shape;    // sizes, each >= 0
  std::vector<std::int64_t> strides;  // in elements; empty where the tensor is contiguous in row-major order

  bool operator==(const TensorType&) const = default;
};

// Row-major strides of a shape, in elements, as LibTorch computes them (a size of 0 counts as 1).
std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape);

// A type whose strides are left out when they equal contiguous_strides(shape). Two equal tensors give equal types.
TensorType make_tensor_type(Dtype dtype, std::vector<std::int64_t> shape, const std::vector<std::int64_t>& strides);

// Product of the sizes. Throws Error(kInput) on overflow of int64.
std::int64_t element_count(const TensorType& type);

// Bytes of the smallest storage that holds the tensor at offset 0: (1 + sum((size-1)*stride)) * element size, or 0.
// Throws Error(kInput) on overflow.
std::int64_t storage_bytes(const TensorType& type);

// "float32[1,64,56,56]", a 0-dim tensor "float32[]", non-contiguous "float32[2,3]{1,2}" (strides in braces).
std::string to_string(const TensorType& type);
void append_to(std::string& text, const TensorType& type);

// Reads exactly the text form above (the canonical one only: no spaces, no redundant strides). Throws Error(kInput)
// naming what was expected. Bounded: at most 64 dimensions, sizes and strides within int64, storage_bytes within int64.
TensorType parse_tensor_type(std::string_view text);

}  // namespace graphnet
