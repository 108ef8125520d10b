#include "graphnet/runtime/cache_flush.h"

#include <gtest/gtest.h>

namespace graphnet {
namespace {

TEST(CacheFlush, WritesMoreThanTheCachesHold) {
  EXPECT_GE(last_level_cache_bytes(), 1 << 20);
  CacheFlush flush(c10::kCPU);
  EXPECT_GE(flush.bytes(), 2 * last_level_cache_bytes());
  EXPECT_NO_THROW(flush.run());
}

}  // namespace
}  // namespace graphnet
