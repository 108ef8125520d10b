#include "graphnet/runtime/aliases.h"

#include <gtest/gtest.h>

#include "fixtures.h"

namespace graphnet {
namespace {

using testing::make_module;
using testing::record_module;

TEST(Aliases, FollowViewsToTheWrittenInput) {
  auto module = make_module("def forward(self, x, y):\n    x.view([6])[1:3].add_(1.0)\n    return x + y");
  const Aliases aliases = find_aliases(record_module(module, {at::ones({2, 3}), at::ones({2, 3})}).graph);
  EXPECT_TRUE(aliases.written[0]);
  EXPECT_FALSE(aliases.written[1]);
  EXPECT_TRUE(aliases.share(0, 3));
}

TEST(Aliases, FollowListsOfViews) {
  auto module = make_module("def forward(self, x):\n    a, b = torch.chunk(x, 2)\n    b.zero_()\n    return x");
  EXPECT_TRUE(find_aliases(record_module(module, {at::ones({4})}).graph).written[0]);
}

TEST(Aliases, StopWhereAReshapeHadToCopy) {
  auto module = make_module("def forward(self, x):\n    y = x.t().reshape([6])\n    y.add_(1.0)\n    return x, y");
  EXPECT_FALSE(find_aliases(record_module(module, {at::ones({2, 3})}).graph).written[0]);
}

TEST(Aliases, StopWhereAConversionCopied) {
  auto module = make_module("def forward(self, x):\n    y = x.to(7)\n    y.add_(1.0)\n    return y");
  EXPECT_FALSE(find_aliases(record_module(module, {at::ones({2})}).graph).written[0]);
}

TEST(Aliases, KnowViewsThatSchemasDoNotDeclare) {
  auto module = make_module(R"(
    def forward(self, x, y):
        parts = torch.meshgrid([x, y], indexing="ij")
        return parts[0].add_(1.0)
  )");
  EXPECT_TRUE(find_aliases(record_module(module, {at::ones({2}), at::ones({1})}).graph).written[0]);
}

TEST(Aliases, JoinWeightsThatAreViews) {
  const at::Tensor table = at::ones({2, 3});
  auto module = make_module("def forward(self, x):\n    self.row.add_(x)\n    return self.table.sin()",
                            {{"table", table}, {"row", table[1]}});
  const Aliases aliases = find_aliases(record_module(module, {at::ones({3})}).graph);
  EXPECT_TRUE(aliases.share(1, 2));
  EXPECT_TRUE(aliases.written[1]);
}

}  // namespace
}  // namespace graphnet
