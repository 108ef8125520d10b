#include "safetensors_dtype.h"

#include <array>

namespace graphnet {
namespace {

struct Row {
  Dtype dtype;
  std::string_view name;
};

constexpr std::array kRows = {
    Row{Dtype::kFloat16, "F16"},        Row{Dtype::kBfloat16, "BF16"}, Row{Dtype::kFloat32, "F32"},
    Row{Dtype::kFloat64, "F64"},        Row{Dtype::kComplex64, "C64"}, Row{Dtype::kBool, "BOOL"},
    Row{Dtype::kUint8, "U8"},           Row{Dtype::kInt8, "I8"},       Row{Dtype::kInt16, "I16"},
    Row{Dtype::kInt32, "I32"},          Row{Dtype::kInt64, "I64"},     Row{Dtype::kUint16, "U16"},
    Row{Dtype::kUint32, "U32"},         Row{Dtype::kUint64, "U64"},    Row{Dtype::kFloat8E4m3fn, "F8_E4M3"},
    Row{Dtype::kFloat8E5m2, "F8_E5M2"},
};

}  // namespace

std::optional<std::string_view> safetensors_name(Dtype dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return row.name;
  }
  return std::nullopt;
}

std::optional<Dtype> parse_safetensors_name(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace graphnet
