#include "philox.h"

#include <vector>

#include <gtest/gtest.h>

namespace graphnet {
namespace {

// Known answers published with the algorithm (Random123, kat_vectors), for 7 rounds. Only one word of the counter can
// be chosen freely here, so the first two vectors are those with equal words.
TEST(Philox, GivesThePublishedAnswerForZeros) {
  std::uint64_t words[2];
  philox_words({0, 0}, 0, 1, words);
  EXPECT_EQ(words[0], 0x0d893f64'5f6fb709);
  EXPECT_EQ(words[1], 0x4f730a48'4f121f81);
}

TEST(Philox, GivesThePublishedAnswerForOnes) {
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  std::uint64_t words[2];
  philox_words({kOnes, kOnes}, kOnes, 1, words);
  EXPECT_EQ(words[0], 0x45165e59'5207ddc2);
  EXPECT_EQ(words[1], 0x8c52f662'4d8ee751);
}

TEST(Philox, GivesThePublishedAnswerForDigitsOfPi) {
  std::uint64_t words[2];
  philox_words({0x299f31d0'a4093822, 0x03707344'13198a2e}, 0x85a308d3'243f6a88, 1, words);
  EXPECT_EQ(words[0], 0x190a87f0'4dfccaba);
  EXPECT_EQ(words[1], 0xb6b5242a'c47362ba);
}

TEST(Philox, GivesTheSameWordsWhereverABlockOfThemBegins) {
  std::vector<std::uint64_t> whole(200);
  philox_words({5, 9}, 1000, 100, whole.data());
  std::vector<std::uint64_t> part(74);
  philox_words({5, 9}, 1063, 37, part.data());
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 126));
}

TEST(Philox, CountsBlocksBeyond32Bits) {
  std::uint64_t low[2];
  std::uint64_t high[2];
  philox_words({1, 1}, 7, 1, low);
  philox_words({1, 1}, (std::uint64_t{1} << 32) + 7, 1, high);
  EXPECT_NE(low[0], high[0]);
}

}  // namespace
}  // namespace graphnet
