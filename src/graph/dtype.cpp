#include "graphnet/graph/dtype.h"

#include <array>

namespace graphnet {
namespace {

enum class Family : std::uint8_t { kReal, kComplex, kBool, kInteger, kQuantized };

struct Row {
  Dtype dtype;
  std::string_view name;
  std::size_t size;
  Family family;
  Dtype real;
};

constexpr std::array<Row, 21> kRows = {{
    {Dtype::kFloat16, "float16", 2, Family::kReal, Dtype::kFloat16},
    {Dtype::kBfloat16, "bfloat16", 2, Family::kReal, Dtype::kBfloat16},
    {Dtype::kFloat32, "float32", 4, Family::kReal, Dtype::kFloat32},
    {Dtype::kFloat64, "float64", 8, Family::kReal, Dtype::kFloat64},
    {Dtype::kComplex32, "complex32", 4, Family::kComplex, Dtype::kFloat16},
    {Dtype::kComplex64, "complex64", 8, Family::kComplex, Dtype::kFloat32},
    {Dtype::kComplex128, "complex128", 16, Family::kComplex, Dtype::kFloat64},
    {Dtype::kBool, "bool", 1, Family::kBool, Dtype::kBool},
    {Dtype::kUint8, "uint8", 1, Family::kInteger, Dtype::kUint8},
    {Dtype::kInt8, "int8", 1, Family::kInteger, Dtype::kInt8},
    {Dtype::kInt16, "int16", 2, Family::kInteger, Dtype::kInt16},
    {Dtype::kInt32, "int32", 4, Family::kInteger, Dtype::kInt32},
    {Dtype::kInt64, "int64", 8, Family::kInteger, Dtype::kInt64},
    {Dtype::kUint16, "uint16", 2, Family::kInteger, Dtype::kUint16},
    {Dtype::kUint32, "uint32", 4, Family::kInteger, Dtype::kUint32},
    {Dtype::kUint64, "uint64", 8, Family::kInteger, Dtype::kUint64},
    {Dtype::kFloat8E4m3fn, "float8_e4m3fn", 1, Family::kReal, Dtype::kFloat8E4m3fn},
    {Dtype::kFloat8E5m2, "float8_e5m2", 1, Family::kReal, Dtype::kFloat8E5m2},
    {Dtype::kQint8, "qint8", 1, Family::kQuantized, Dtype::kQint8},
    {Dtype::kQuint8, "quint8", 1, Family::kQuantized, Dtype::kQuint8},
    {Dtype::kQint32, "qint32", 4, Family::kQuantized, Dtype::kQint32},
}};

constexpr bool rows_are_in_enumeration_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].dtype) != i) return false;
  }
  return true;
}
static_assert(rows_are_in_enumeration_order());

const Row& row(Dtype dtype) {
  return kRows[static_cast<std::size_t>(dtype)];
}

}  // namespace

std::string_view dtype_name(Dtype dtype) {
  return row(dtype).name;
}

std::optional<Dtype> parse_dtype(std::string_view name) {
  for (const Row& candidate : kRows) {
    if (candidate.name == name) return candidate.dtype;
  }
  return std::nullopt;
}

std::size_t dtype_size(Dtype dtype) {
  return row(dtype).size;
}

bool is_floating(Dtype dtype) {
  return row(dtype).family == Family::kReal;
}

bool is_complex(Dtype dtype) {
  return row(dtype).family == Family::kComplex;
}

bool is_integer(Dtype dtype) {
  return row(dtype).family == Family::kInteger;
}

Dtype real_dtype(Dtype dtype) {
  return row(dtype).real;
}

}  // namespace graphnet
