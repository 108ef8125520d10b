#include "graphnet/graph/tensor_type.h"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(std::string_view text) {
  try {
    parse_tensor_type(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TensorType, CanonicalTextsReadBackAsThemselves) {
  for (const char* text : {"float32[1,64,56,56]", "int64[]", "bool[0]", "float32[2,3]{1,2}", "bfloat16[4,5]{0,1}",
                           "complex64[2]{2}", "float32[2,0,3]{1,1,1}", "qint8[3]"}) {
    EXPECT_EQ(to_string(parse_tensor_type(text)), text);
  }
}

TEST(TensorType, StridesAreLeftOutWhereContiguous) {
  EXPECT_EQ(to_string(make_tensor_type(Dtype::kFloat32, {2, 3}, {3, 1})), "float32[2,3]");
  EXPECT_EQ(to_string(make_tensor_type(Dtype::kFloat32, {2, 3}, {1, 2})), "float32[2,3]{1,2}");
}

TEST(TensorType, AnEmptyDimensionCountsAsOneInContiguousStrides) {
  EXPECT_THAT(contiguous_strides({2, 0, 3}), ElementsAre(3, 3, 1));
  EXPECT_THAT(contiguous_strides({}), ElementsAre());
}

TEST(TensorType, StorageHoldsExactlyWhatTheStridesReach) {
  EXPECT_EQ(storage_bytes(parse_tensor_type("float32[2,3]")), 24);
  EXPECT_EQ(storage_bytes(parse_tensor_type("float32[2,3]{8,1}")), (1 + 8 + 2) * 4);
  EXPECT_EQ(storage_bytes(parse_tensor_type("float32[1000,1000]{0,0}")), 4);
  EXPECT_EQ(storage_bytes(parse_tensor_type("float64[]")), 8);
  EXPECT_EQ(storage_bytes(parse_tensor_type("float64[5,0]")), 0);
}

TEST(TensorType, ElementCountMultipliesTheSizes) {
  EXPECT_EQ(element_count(parse_tensor_type("float32[2,3,4]")), 24);
  EXPECT_EQ(element_count(parse_tensor_type("float32[]")), 1);
  EXPECT_EQ(element_count(parse_tensor_type("float32[0,7]")), 0);
}

TEST(TensorType, OverflowIsAnErrorAndNotAWrongNumber) {
  const TensorType huge{Dtype::kFloat32, {INT64_MAX, 2}, {}};
  EXPECT_THROW(element_count(huge), Error);
  EXPECT_THROW(storage_bytes(huge), Error);
  EXPECT_THROW(contiguous_strides({INT64_MAX, 2, 1}), Error);
  EXPECT_THROW(storage_bytes({Dtype::kFloat32, {3}, {INT64_MAX}}), Error);
  EXPECT_THAT(error_of("float32[9223372036854775807,2]"), HasSubstr("exceeds 64 bits"));
  EXPECT_THAT(error_of("float32[4611686018427387904]"), HasSubstr("exceeds 64 bits"));
  EXPECT_THAT(error_of("float32[0,9223372036854775807,9]"), HasSubstr("exceeds 64 bits"));
}

TEST(TensorType, TextThatIsNotCanonicalIsRefused) {
  EXPECT_THAT(error_of("float[2]"), HasSubstr("expected a dtype"));
  EXPECT_THAT(error_of("float32"), HasSubstr("expected a tensor type"));
  EXPECT_THAT(error_of("]float32["), HasSubstr("expected a tensor type"));
  EXPECT_THAT(error_of("float32[2, 3]"), HasSubstr("whole numbers"));
  EXPECT_THAT(error_of("float32[02]"), HasSubstr("whole numbers"));
  EXPECT_THAT(error_of("float32[-1]"), HasSubstr("whole numbers"));
  EXPECT_THAT(error_of("float32[2,]"), HasSubstr("whole numbers"));
  EXPECT_THAT(error_of("float32[9223372036854775808]"), HasSubstr("whole numbers"));
  EXPECT_THAT(error_of("float32[2,3]{3,1}"), HasSubstr("no strides where the tensor is contiguous"));
  EXPECT_THAT(error_of("float32[2,3]{3}"), HasSubstr("as many strides as sizes"));
  EXPECT_THAT(error_of("float32[2]x"), HasSubstr("expected a tensor type"));
  EXPECT_THAT(error_of("float32[]{}"), HasSubstr("no strides"));
}

TEST(TensorType, AtMost64DimensionsAreRead) {
  std::string sizes = "1";
  for (int i = 1; i < 64; ++i) sizes += ",1";
  EXPECT_EQ(parse_tensor_type("bool[" + sizes + "]").shape.size(), 64U);
  EXPECT_THAT(error_of("bool[" + sizes + ",1]"), HasSubstr("at most 64 dimensions"));
}

}  // namespace
}  // namespace graphnet
