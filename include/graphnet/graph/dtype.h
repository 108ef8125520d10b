// Element types of tensors, under the names that PyTorch users write: "float32", "int64", "bool".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace graphnet {

enum class Dtype : std::uint8_t {
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
  kComplex32,
  kComplex64,
  kComplex128,
  kBool,
  kUint8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint16,
  kUint32,
  kUint64,
  kFloat8E4m3fn,
  kFloat8E5m2,
  kQint8,  // quantized tensors appear only as results inside a graph; they carry scale and zero point with them
  kQuint8,
  kQint32,
};

// "float32". Never fails.
std::string_view dtype_name(Dtype dtype);

// The dtype of that exact name, or nothing.
std::optional<Dtype> parse_dtype(std::string_view name);

// Bytes of one element.
std::size_t dtype_size(Dtype dtype);

bool is_floating(Dtype dtype);  // real floating point, float8 included
bool is_complex(Dtype dtype);
bool is_integer(Dtype dtype);  // signed or unsigned, without bool and without quantized types

// The real dtype of a complex one (complex64 -> float32); any other dtype unchanged.
Dtype real_dtype(Dtype dtype);

}  // namespace graphnet
