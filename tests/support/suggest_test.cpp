#include "graphnet/support/suggest.h"

#include <gtest/gtest.h>

namespace graphnet {
namespace {

TEST(EditDistance, CountsInsertedRemovedReplacedAndSwappedCharacters) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("bench", "bench"), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("bnech", "bench"), 1U);
  EXPECT_EQ(edit_distance("extrct", "extract"), 1U);
  EXPECT_EQ(edit_distance("showw", "show"), 1U);
  EXPECT_EQ(edit_distance("store", "score"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Suggestion, IsTheNearestCandidate) {
  const std::vector<std::string> commands = {"extract", "validate", "bench", "score", "show"};
  EXPECT_EQ(suggestion("bnech", commands), "bench");
  EXPECT_EQ(suggestion("validat", commands), "validate");
  EXPECT_EQ(suggestion("sore", commands), "score");
}

TEST(Suggestion, IsWhatTheWordBegins) {
  EXPECT_EQ(suggestion("--timi", {"--seed", "--timing-seconds"}), "--timing-seconds");
}

TEST(Suggestion, IsNothingWhereNothingIsNear) {
  EXPECT_EQ(suggestion("frobnicate", {"extract", "bench"}), "");
  EXPECT_EQ(suggestion("", {"a"}), "");
  EXPECT_EQ(suggestion("x", {}), "");
  EXPECT_EQ(suggestion(std::string(1000, 'a'), {std::string(1000, 'a')}), "");
}

TEST(Suggestion, EndsAMessage) {
  EXPECT_EQ(did_you_mean("bnech", {"bench"}), "; did you mean bench?");
  EXPECT_EQ(did_you_mean("x", {"bench"}), "");
}

}  // namespace
}  // namespace graphnet
