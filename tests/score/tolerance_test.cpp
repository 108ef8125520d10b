#include "graphnet/score/tolerance.h"

#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

struct PublishedTolerance {
  int level;
  Dtype dtype;
  double absolute;
  double relative;
};

// As printed, so to three digits.
constexpr PublishedTolerance kPublished[] = {
    {-10, Dtype::kFloat16, 1e-10, 1.0e-6},
    {-10, Dtype::kBfloat16, 1e-10, 2.56e-4},
    {-10, Dtype::kFloat32, 1e-10, 1.69e-12},
    {-10, Dtype::kFloat64, 1e-14, 1e-14},
    {-5, Dtype::kFloat16, 1e-5, 1.0e-3},
    {-5, Dtype::kBfloat16, 1e-5, 1.60e-2},
    {-5, Dtype::kFloat32, 1e-5, 1.30e-6},
    {-5, Dtype::kFloat64, 1e-7, 1e-7},
    {0, Dtype::kFloat16, 1, 1},
    {0, Dtype::kBfloat16, 1, 1},
    {0, Dtype::kFloat32, 1, 1},
    {0, Dtype::kFloat64, 1, 1},
    {1, Dtype::kFloat16, 10, 3.98},
    {1, Dtype::kBfloat16, 10, 2.29},
    {1, Dtype::kFloat32, 10, 15.0},
    {1, Dtype::kFloat64, 25.1, 25.1},
};

std::string three_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  return text;
}

TEST(Tolerance, HasThePublishedValues) {
  for (const PublishedTolerance& row : kPublished) {
    const Tolerance computed = tolerance(row.dtype, row.level);
    EXPECT_EQ(three_digits(computed.absolute), three_digits(row.absolute)) << dtype_name(row.dtype) << row.level;
    EXPECT_EQ(three_digits(computed.relative), three_digits(row.relative)) << dtype_name(row.dtype) << row.level;
  }
}

TEST(Tolerance, OfComplexDtypesIsThatOfTheirRealParts) {
  for (int level = kStrictestLevel; level <= kLoosestLevel; ++level) {
    EXPECT_EQ(tolerance(Dtype::kComplex32, level), tolerance(Dtype::kFloat16, level));
    EXPECT_EQ(tolerance(Dtype::kComplex64, level), tolerance(Dtype::kFloat32, level));
    EXPECT_EQ(tolerance(Dtype::kComplex128, level), tolerance(Dtype::kFloat64, level));
  }
}

TEST(Tolerance, DemandsEqualityOfEveryOtherDtype) {
  const Tolerance none{0.0, 0.0};
  for (const Dtype dtype : {Dtype::kBool, Dtype::kInt64, Dtype::kUint8, Dtype::kFloat8E4m3fn, Dtype::kQint8}) {
    EXPECT_EQ(tolerance(dtype, kLoosestLevel), none);
  }
}

TEST(Tolerance, GrowsWithTheLevel) {
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    for (int level = kStrictestLevel; level < kLoosestLevel; ++level) {
      EXPECT_LT(tolerance(dtype, level).absolute, tolerance(dtype, level + 1).absolute);
      EXPECT_LT(tolerance(dtype, level).relative, tolerance(dtype, level + 1).relative);
    }
  }
}

TEST(Tolerance, RejectsLevelsOutsideTheRange) {
  EXPECT_THROW(tolerance(Dtype::kFloat32, kStrictestLevel - 1), Error);
  EXPECT_THROW(tolerance(Dtype::kFloat32, kLoosestLevel + 1), Error);
}

}  // namespace
}  // namespace graphnet
