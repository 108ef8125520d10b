#include "graphnet/runtime/convert.h"

#include <string>
#include <utility>

#include <c10/core/Layout.h>
#include <c10/util/StringUtil.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

constexpr std::pair<Dtype, at::ScalarType> kDtypes[] = {
    {Dtype::kFloat16, at::ScalarType::Half},
    {Dtype::kBfloat16, at::ScalarType::BFloat16},
    {Dtype::kFloat32, at::ScalarType::Float},
    {Dtype::kFloat64, at::ScalarType::Double},
    {Dtype::kComplex32, at::ScalarType::ComplexHalf},
    {Dtype::kComplex64, at::ScalarType::ComplexFloat},
    {Dtype::kComplex128, at::ScalarType::ComplexDouble},
    {Dtype::kBool, at::ScalarType::Bool},
    {Dtype::kUint8, at::ScalarType::Byte},
    {Dtype::kInt8, at::ScalarType::Char},
    {Dtype::kInt16, at::ScalarType::Short},
    {Dtype::kInt32, at::ScalarType::Int},
    {Dtype::kInt64, at::ScalarType::Long},
    {Dtype::kUint16, at::ScalarType::UInt16},
    {Dtype::kUint32, at::ScalarType::UInt32},
    {Dtype::kUint64, at::ScalarType::UInt64},
    {Dtype::kFloat8E4m3fn, at::ScalarType::Float8_e4m3fn},
    {Dtype::kFloat8E5m2, at::ScalarType::Float8_e5m2},
    {Dtype::kQint8, at::ScalarType::QInt8},
    {Dtype::kQuint8, at::ScalarType::QUInt8},
    {Dtype::kQint32, at::ScalarType::QInt32},
};

}  // namespace

Dtype to_dtype(at::ScalarType type) {
  for (const auto& [dtype, scalar_type] : kDtypes) {
    if (scalar_type == type) return dtype;
  }
  throw Error(ErrorKind::kUnsupported, std::string("dtype ") + c10::toString(type) + " cannot be written in a graph");
}

at::ScalarType to_scalar_type(Dtype dtype) {
  for (const auto& [known, scalar_type] : kDtypes) {
    if (known == dtype) return scalar_type;
  }
  throw Error(ErrorKind::kUnsupported, "this LibTorch has no dtype " + std::string(dtype_name(dtype)));
}

TensorType type_of(const at::Tensor& tensor) {
  if (tensor.is_nested()) throw Error(ErrorKind::kUnsupported, "nested tensors cannot be written in a graph");
  if (tensor.layout() != at::kStrided) {
    throw Error(ErrorKind::kUnsupported,
                "tensors of layout " + c10::str(tensor.layout()) + " cannot be written in a graph, only strided ones");
  }
  return make_tensor_type(to_dtype(tensor.scalar_type()), tensor.sizes().vec(), tensor.strides().vec());
}

std::int64_t dense_bytes(const at::Tensor& tensor) {
  return tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
}

bool is_broadcast(const at::Tensor& tensor) {
  for (std::int64_t dimension = 0; dimension < tensor.dim(); ++dimension) {
    if (tensor.size(dimension) > 1 && tensor.stride(dimension) == 0) return true;
  }
  return false;
}

}  // namespace graphnet
