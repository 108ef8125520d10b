// Philox4x32 with 7 rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011), as an
// array of 64-bit words that can be read from any place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphnet/sample/generator.h"

namespace graphnet {

// Writes words [2 * first_block, 2 * (first_block + blocks)) of the stream. Block b is Philox of the counter
// (b low, b high, index low, index high) under the key (seed low, seed high); its four 32-bit results x0..x3 are the
// words x0 | x1 << 32 and x2 | x3 << 32.
void philox_words(Stream stream, std::uint64_t first_block, std::size_t blocks, std::uint64_t* words);

}  // namespace graphnet
