// Dense tensors larger than the memory: one tile of memory, mapped over and over. They have the strides of real
// weights, which stride-0 tensors have not, and contents that vary within a tile, at the price of page tables only. CPU
// only.
#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Tensor.h>

#include "graphnet/graph/argument.h"
#include "graphnet/graph/recipe.h"
#include "graphnet/graph/tensor_type.h"

namespace graphnet {

class TiledMemory {
 public:
  TiledMemory();
  ~TiledMemory();
  TiledMemory(const TiledMemory&) = delete;
  TiledMemory& operator=(const TiledMemory&) = delete;

  // A tensor of this type, dense. One larger than a tile, whose recipe is no table of exact values, has a storage that
  // repeats one tile drawn from the recipe; any other holds exactly what make_tensor gives. Writing to a tiled tensor
  // writes to all its tiles. The tensor may outlive this object.
  at::Tensor make(const TensorType& type, const Recipe& recipe, std::uint64_t seed, ValueId id);

  // Draws a tensor of make() again in place.
  void refill(at::Tensor& tensor, const TensorType& type, const Recipe& recipe, std::uint64_t seed, ValueId id);

 private:
  struct Ranges;
  class Trimmer;
  std::shared_ptr<Ranges> ranges_;  // shared with the tensors, which take theirs out when they die
  std::unique_ptr<Trimmer> trimmer_;
};

// Bytes of the smallest tile. Larger tensors have larger ones: the mappings that a process may have are limited.
inline constexpr std::int64_t kTileBytes = std::int64_t{1} << 20;

}  // namespace graphnet
