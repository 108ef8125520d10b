#include "philox.h"

#include "multiversion.h"

namespace graphnet {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kKeyStep0 = 0x9E3779B9;
constexpr std::uint32_t kKeyStep1 = 0xBB67AE85;
constexpr int kRounds = 7;
constexpr std::uint64_t kLowHalf = 0xFFFFFFFF;

}  // namespace

// The 32-bit state lives in 64-bit lanes: the products then need no widening, and the loop over blocks vectorizes.
GRAPHNET_MULTIVERSION
void philox_words(Stream stream, std::uint64_t first_block, std::size_t blocks, std::uint64_t* __restrict words) {
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::uint64_t counter = first_block + block;
    std::uint64_t x0 = counter & kLowHalf;
    std::uint64_t x1 = counter >> 32;
    std::uint64_t x2 = stream.index & kLowHalf;
    std::uint64_t x3 = stream.index >> 32;
    auto key0 = static_cast<std::uint32_t>(stream.seed);
    auto key1 = static_cast<std::uint32_t>(stream.seed >> 32);
#pragma GCC unroll 7
    for (int round = 0; round < kRounds; ++round) {
      const std::uint64_t product0 = (x0 & kLowHalf) * kMultiplier0;
      const std::uint64_t product1 = (x2 & kLowHalf) * kMultiplier1;
      x0 = (product1 >> 32) ^ x1 ^ key0;
      x1 = product1 & kLowHalf;
      x2 = (product0 >> 32) ^ x3 ^ key1;
      x3 = product0 & kLowHalf;
      key0 += kKeyStep0;
      key1 += kKeyStep1;
    }
    words[2 * block] = x0 | (x1 << 32);
    words[2 * block + 1] = x2 | (x3 << 32);
  }
}

}  // namespace graphnet
