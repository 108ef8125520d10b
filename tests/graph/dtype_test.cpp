#include "graphnet/graph/dtype.h"

#include <gtest/gtest.h>

namespace graphnet {
namespace {

TEST(Dtype, EveryNameReadsBackAsTheSameDtype) {
  for (int i = 0; i <= static_cast<int>(Dtype::kQint32); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    EXPECT_EQ(parse_dtype(dtype_name(dtype)), dtype) << dtype_name(dtype);
  }
}

TEST(Dtype, OnlyExactNamesAreRead) {
  EXPECT_EQ(parse_dtype("float"), std::nullopt);
  EXPECT_EQ(parse_dtype("Float32"), std::nullopt);
  EXPECT_EQ(parse_dtype("float32 "), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(Dtype, SizesAreThoseOfOneElement) {
  EXPECT_EQ(dtype_size(Dtype::kBfloat16), 2U);
  EXPECT_EQ(dtype_size(Dtype::kFloat64), 8U);
  EXPECT_EQ(dtype_size(Dtype::kComplex128), 16U);
  EXPECT_EQ(dtype_size(Dtype::kBool), 1U);
  EXPECT_EQ(dtype_size(Dtype::kFloat8E5m2), 1U);
  EXPECT_EQ(dtype_size(Dtype::kQint32), 4U);
}

TEST(Dtype, FamiliesDoNotOverlap) {
  for (int i = 0; i <= static_cast<int>(Dtype::kQint32); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    const int families = int{is_floating(dtype)} + int{is_complex(dtype)} + int{is_integer(dtype)};
    const bool has_none = dtype == Dtype::kBool || dtype >= Dtype::kQint8;
    EXPECT_EQ(families, has_none ? 0 : 1) << dtype_name(dtype);
  }
}

TEST(Dtype, ComplexDtypesHaveARealOneAndOthersStayThemselves) {
  EXPECT_EQ(real_dtype(Dtype::kComplex32), Dtype::kFloat16);
  EXPECT_EQ(real_dtype(Dtype::kComplex64), Dtype::kFloat32);
  EXPECT_EQ(real_dtype(Dtype::kComplex128), Dtype::kFloat64);
  EXPECT_EQ(real_dtype(Dtype::kInt16), Dtype::kInt16);
}

}  // namespace
}  // namespace graphnet
