#include "graphnet/graph/argument.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphnet {
namespace {

TEST(Argument, KindsOfEqualNumbersDiffer) {
  EXPECT_NE(Argument{std::int64_t{1}}, Argument{1.0});
  EXPECT_NE(Argument{std::int64_t{1}}, Argument{true});
  EXPECT_NE(Argument{1.0}, Argument{std::complex<double>(1.0, 0.0)});
  EXPECT_NE(Argument{Dtype::kFloat16}, Argument{Layout::kStrided});
}

TEST(Argument, DoublesCompareAsTheirTextsDo) {
  EXPECT_NE(Argument{0.0}, Argument{-0.0});
  EXPECT_EQ(Argument{std::nan("")}, Argument{-std::nan("")});
  EXPECT_EQ((Argument{std::complex<double>(0.0, std::nan(""))}), (Argument{std::complex<double>(0.0, std::nan(""))}));
  EXPECT_NE((Argument{std::complex<double>(0.0, 0.0)}), (Argument{std::complex<double>(0.0, -0.0)}));
}

TEST(Argument, ListsCompareElementByElement) {
  const Argument list{ArgumentList{{std::nan("")}, {None{}}}};
  EXPECT_EQ(list, (Argument{ArgumentList{{std::nan("")}, {None{}}}}));
  EXPECT_NE(list, (Argument{ArgumentList{{std::nan("")}}}));
  EXPECT_NE(list, (Argument{ArgumentList{{None{}}, {std::nan("")}}}));
}

TEST(Argument, ValuesAreVisitedInOrderAndInNestedLists) {
  const Argument inner{ArgumentList{{ValueReference{7}}, {None{}}, {ValueReference{1}}}};
  const Argument list{ArgumentList{{ValueReference{3}}, inner, {std::int64_t{9}}}};
  std::vector<ValueId> visited;
  for_each_value(list, [&](ValueId id) { visited.push_back(id); });
  EXPECT_THAT(visited, testing::ElementsAre(3, 7, 1));
}

TEST(Argument, EnumerationNamesReadBack) {
  for (const Layout layout : {Layout::kStrided, Layout::kSparseCsr, Layout::kJagged}) {
    EXPECT_EQ(parse_layout(layout_name(layout)), layout);
  }
  for (const MemoryFormat format : {MemoryFormat::kContiguous, MemoryFormat::kChannelsLast3d}) {
    EXPECT_EQ(parse_memory_format(memory_format_name(format)), format);
  }
  for (const DeviceRole role : {DeviceRole::kSample, DeviceRole::kCpu}) {
    EXPECT_EQ(parse_device_role(device_role_name(role)), role);
  }
  EXPECT_EQ(parse_device_role("cuda"), std::nullopt);
}

}  // namespace
}  // namespace graphnet
