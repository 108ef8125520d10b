#include "graphnet/runtime/convert.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

TEST(Convert, TakesEveryDtypeThereAndBack) {
  for (int i = 0; i <= static_cast<int>(Dtype::kQint32); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    EXPECT_EQ(to_dtype(to_scalar_type(dtype)), dtype);
    EXPECT_EQ(c10::elementSize(to_scalar_type(dtype)), dtype_size(dtype)) << dtype_name(dtype);
  }
}

TEST(Convert, RefusesADtypeThatGraphsDoNotHave) {
  EXPECT_THROW(to_dtype(at::ScalarType::Bits8), Error);
}

TEST(Convert, WritesStridesOnlyWhereTheyMatter) {
  EXPECT_EQ(to_string(type_of(at::ones({2, 3}))), "float32[2,3]");
  EXPECT_EQ(to_string(type_of(at::ones({2, 3}).t())), "float32[3,2]{1,3}");
}

TEST(Convert, RefusesSparseTensorsByLayout) {
  try {
    type_of(at::ones({2, 2}).to_sparse());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Sparse"), std::string::npos);
  }
}

TEST(Convert, KnowsBroadcastTensors) {
  EXPECT_TRUE(is_broadcast(at::ones({1}).expand({3})));
  EXPECT_FALSE(is_broadcast(at::ones({3})));
  EXPECT_FALSE(is_broadcast(at::ones({1, 3}).expand({1, 3})));
}

}  // namespace
}  // namespace graphnet
