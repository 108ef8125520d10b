#include "graphnet/bench/shard.h"

#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

TEST(Shard, ReadsItsNumberAndCount) {
  const Shard shard = parse_shard("2/4");
  EXPECT_EQ(shard.number, 2);
  EXPECT_EQ(shard.count, 4);
  EXPECT_EQ(shard.to_string(), "2/4");
}

TEST(Shard, RefusesWhatIsNoPartOfAWhole) {
  for (const char* text : {"", "1", "0/4", "5/4", "1/", "/4", "a/b", "1/4/2", "-1/4"}) {
    EXPECT_THROW(parse_shard(text), Error) << text;
  }
}

TEST(Shard, ShardsTogetherHaveEverySampleOnce) {
  for (int sample = 0; sample < 50; ++sample) {
    int found = 0;
    for (int number = 1; number <= 3; ++number) {
      found += is_in_shard("no/such/sample-" + std::to_string(sample), {number, 3}) ? 1 : 0;
    }
    EXPECT_EQ(found, 1);
  }
}

}  // namespace
}  // namespace graphnet
