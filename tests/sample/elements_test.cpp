#include "elements.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace graphnet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double decode(std::uint64_t code, Dtype dtype) {
  std::byte bytes[8];
  std::memcpy(bytes, &code, 8);
  double value = 0;
  load_reals(bytes, 1, dtype, &value);
  return value;
}

std::uint64_t encode(double value, Dtype dtype) {
  std::byte bytes[8] = {};
  store_reals(&value, 1, dtype, bytes);
  std::uint64_t code = 0;
  std::memcpy(&code, bytes, 8);
  return code;
}

struct SmallFormat {
  Dtype dtype;
  std::uint64_t largest;  // code of the largest finite number
};

class SmallFloats : public testing::TestWithParam<SmallFormat> {
 protected:
  Dtype dtype() const { return GetParam().dtype; }
  std::uint64_t sign() const { return std::uint64_t{1} << (8 * dtype_size(dtype()) - 1); }
};

TEST_P(SmallFloats, EncodeWhatTheyDecode) {
  for (std::uint64_t code = 0; code <= GetParam().largest; ++code) {
    ASSERT_EQ(encode(decode(code, dtype()), dtype()), code);
    ASSERT_EQ(encode(decode(code | sign(), dtype()), dtype()), code | sign());
  }
}

TEST_P(SmallFloats, DecodeIncreasingNumbers) {
  for (std::uint64_t code = 1; code <= GetParam().largest; ++code) {
    ASSERT_GT(decode(code, dtype()), decode(code - 1, dtype()));
  }
}

TEST_P(SmallFloats, RoundTiesToTheEvenCode) {
  for (std::uint64_t code = 0; code < GetParam().largest; ++code) {
    const double middle = (decode(code, dtype()) + decode(code + 1, dtype())) / 2;
    ASSERT_EQ(encode(middle, dtype()), code + code % 2);
  }
}

TEST_P(SmallFloats, RoundToTheNearestNumber) {
  for (std::uint64_t code = 0; code < GetParam().largest; ++code) {
    const auto below = static_cast<float>(decode(code, dtype()));
    const auto above = static_cast<float>(decode(code + 1, dtype()));
    const float middle = below + (above - below) / 2;
    if (middle == below || middle == above) continue;  // of float32's smallest numbers there is nothing in between
    ASSERT_EQ(encode(std::nextafter(middle, below), dtype()), code);
    ASSERT_EQ(encode(std::nextafter(middle, above), dtype()), code + 1);
  }
}

TEST_P(SmallFloats, KeepNan) {
  EXPECT_TRUE(std::isnan(decode(encode(std::nan(""), dtype()), dtype())));
}

TEST_P(SmallFloats, OverflowToInfinityOrNan) {
  const double overflowed = decode(encode(1e30 * decode(GetParam().largest, dtype()), dtype()), dtype());
  EXPECT_TRUE(dtype() == Dtype::kFloat8E4m3fn ? std::isnan(overflowed) : overflowed == kInfinity);
}

TEST_P(SmallFloats, FindTheNumberBelow) {
  for (std::uint64_t code = 1; code <= GetParam().largest; ++code) {
    ASSERT_EQ(largest_below(decode(code, dtype()), dtype()), decode(code - 1, dtype()));
  }
  EXPECT_EQ(largest_below(0.0, dtype()), decode(1 | sign(), dtype()));
}

INSTANTIATE_TEST_SUITE_P(Formats, SmallFloats,
                         testing::Values(SmallFormat{Dtype::kFloat16, 0x7BFF}, SmallFormat{Dtype::kBfloat16, 0x7F7F},
                                         SmallFormat{Dtype::kFloat8E5m2, 0x7B},
                                         SmallFormat{Dtype::kFloat8E4m3fn, 0x7E}),
                         [](const auto& test) { return std::string(dtype_name(test.param.dtype)); });

TEST(Elements, Float16HasTheNumbersOfIeee754) {
  EXPECT_EQ(decode(0x0001, Dtype::kFloat16), std::ldexp(1.0, -24));
  EXPECT_EQ(decode(0x0400, Dtype::kFloat16), std::ldexp(1.0, -14));
  EXPECT_EQ(decode(0x3C00, Dtype::kFloat16), 1.0);
  EXPECT_EQ(decode(0x7BFF, Dtype::kFloat16), 65504.0);
  EXPECT_EQ(decode(0xFC00, Dtype::kFloat16), -kInfinity);
}

TEST(Elements, Bfloat16IsTheUpperHalfOfFloat32) {
  EXPECT_EQ(decode(0x3F80, Dtype::kBfloat16), 1.0);
  EXPECT_EQ(decode(0x4049, Dtype::kBfloat16), 3.140625);
  EXPECT_EQ(encode(kInfinity, Dtype::kBfloat16), 0x7F80U);
}

TEST(Elements, Float8TypesHaveTheirLargestNumbers) {
  EXPECT_EQ(decode(0x7E, Dtype::kFloat8E4m3fn), 448.0);
  EXPECT_EQ(decode(0x7B, Dtype::kFloat8E5m2), 57344.0);
  EXPECT_EQ(encode(464.0, Dtype::kFloat8E4m3fn), 0x7EU);  // halfway to 480, which the format uses for NaN
}

TEST(Elements, LargestBelowIsTheNeighbour) {
  EXPECT_EQ(largest_below(1.0, Dtype::kFloat32), 1.0 - std::ldexp(1.0, -24));
  EXPECT_EQ(largest_below(0.1, Dtype::kFloat32), static_cast<double>(std::nextafter(0.1F, 0.0F)));
  EXPECT_EQ(largest_below(-1.0, Dtype::kFloat64), std::nextafter(-1.0, -2.0));
}

TEST(Elements, SmallestFromIsTheNumberItselfOrTheNextAbove) {
  EXPECT_EQ(smallest_from(1.0, Dtype::kFloat16), 1.0);
  EXPECT_EQ(smallest_from(1.0001, Dtype::kFloat16), 1.0 + std::ldexp(1.0, -10));
  EXPECT_EQ(smallest_from(-1.0001, Dtype::kFloat16), -1.0);
  EXPECT_EQ(smallest_from(1e-30, Dtype::kFloat16), std::ldexp(1.0, -24));
}

TEST(Elements, IntegersKeepTheirLowBits) {
  const std::int64_t values[] = {-1, 127, 255};
  std::byte bytes[3];
  store_integers(values, 3, Dtype::kInt8, bytes);
  std::int64_t loaded[3];
  load_integers(bytes, 3, Dtype::kInt8, loaded);
  EXPECT_EQ(std::vector<std::int64_t>(loaded, loaded + 3), (std::vector<std::int64_t>{-1, 127, -1}));
}

TEST(Elements, LimitsOfUint64EndAtInt64) {
  EXPECT_EQ(integer_limits(Dtype::kUint64).highest, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integer_limits(Dtype::kInt8).lowest, -128);
  EXPECT_EQ(integer_limits(Dtype::kBool).highest, 1);
}

}  // namespace
}  // namespace graphnet
