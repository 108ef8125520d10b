#include "graphnet/frontend/tiled_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include <ATen/ATen.h>

#include "graphnet/runtime/convert.h"
#include "graphnet/runtime/tensors.h"
#include "graphnet/sample/generator.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorKind::kEnvironment,
              std::string("cannot map memory for weights: ") + what + ": " + std::strerror(errno));
}

// Of one tensor. Linux allows a process 65,530 mappings by default.
constexpr std::int64_t kMostTiles = 64;

std::int64_t tile_bytes_for(std::int64_t bytes) {
  std::int64_t tile = kTileBytes;
  while (tile * kMostTiles < bytes) tile *= 2;
  return tile;
}

// A file in memory that holds the tile.
class TileFile {
 public:
  explicit TileFile(std::int64_t bytes) : descriptor_(memfd_create("graphnet-tile", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail("memfd_create");
    if (ftruncate(descriptor_, bytes) != 0) {
      close(descriptor_);
      fail("ftruncate");
    }
  }
  ~TileFile() { close(descriptor_); }
  TileFile(const TileFile&) = delete;
  TileFile& operator=(const TileFile&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

void draw_tile(const TileFile& file, std::int64_t bytes, const TensorType& type, const Recipe& recipe, Stream stream) {
  void* memory =
      mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
  if (memory == MAP_FAILED) fail("mmap");
  const auto count = std::min(element_count(type), bytes / static_cast<std::int64_t>(dtype_size(type.dtype)));
  const std::span<std::byte> elements(static_cast<std::byte*>(memory),
                                      static_cast<std::size_t>(count) * dtype_size(type.dtype));
  try {
    fill(elements, type.dtype, recipe, stream, 0);
  } catch (...) {
    munmap(memory, static_cast<std::size_t>(bytes));
    throw;
  }
  munmap(memory, static_cast<std::size_t>(bytes));
}

// Puts the tile at every place of the range. Pages stay shared with the tile until they are written to.
void map_tiles(std::byte* begin, std::int64_t bytes, std::int64_t tile, const TileFile& file) {
  for (std::int64_t place = 0; place < bytes; place += tile) {
    const auto size = static_cast<std::size_t>(std::min(tile, bytes - place));
    if (mmap(begin + place, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file.descriptor(),
             0) == MAP_FAILED) {
      fail("mmap");
    }
  }
}

// Exact contents other than a constant depend on where an element lies.
bool is_tiled(const TensorType& type, const Recipe& recipe) {
  return storage_bytes(type) > kTileBytes && (!is_exact(recipe) || std::holds_alternative<ConstantRecipe>(recipe));
}

}  // namespace

at::Tensor make_tiled(const TensorType& type, const Recipe& recipe, std::uint64_t seed, ValueId id) {
  if (!is_tiled(type, recipe)) return make_tensor(type, recipe, seed, id, c10::kCPU);
  const auto bytes = static_cast<std::size_t>(storage_bytes(type));
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fail("mmap");
  const std::vector<std::int64_t> strides = type.strides.empty() ? contiguous_strides(type.shape) : type.strides;
  at::Tensor tensor = at::from_blob(
      memory, type.shape, strides, [bytes](void* begin) { munmap(begin, bytes); },
      at::dtype(to_scalar_type(type.dtype)));
  refill_tiled(tensor, type, recipe, seed, id);
  return tensor;
}

void refill_tiled(at::Tensor& tensor, const TensorType& type, const Recipe& recipe, std::uint64_t seed, ValueId id) {
  if (!is_tiled(type, recipe)) {
    refill(tensor, recipe, seed, id);
    return;
  }
  const std::int64_t bytes = storage_bytes(type);
  const std::int64_t tile = tile_bytes_for(bytes);
  const TileFile file(tile);
  draw_tile(file, tile, type, recipe, Stream{seed, id});
  map_tiles(static_cast<std::byte*>(tensor.storage().mutable_data()), bytes, tile, file);
}

}  // namespace graphnet
