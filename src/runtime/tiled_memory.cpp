#include "graphnet/runtime/tiled_memory.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

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

// Of one tensor, as long as its tile can grow. Linux allows a process 65,530 mappings by default.
constexpr std::int64_t kMostTiles = 64;

// A tile is drawn and held in memory, whatever size the tensor claims to have.
constexpr std::int64_t kLargestTileBytes = std::int64_t{256} << 20;

std::int64_t tile_bytes_for(std::int64_t bytes) {
  std::int64_t tile = kTileBytes;
  while (tile < kLargestTileBytes && tile * kMostTiles < bytes) tile *= 2;
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

// Puts the tile at every place of the range.
void map_tiles(std::byte* begin, std::int64_t bytes, std::int64_t tile, const TileFile& file) {
  for (std::int64_t place = 0; place < bytes; place += tile) {
    const auto size = static_cast<std::size_t>(std::min(tile, bytes - place));
    if (mmap(begin + place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file.descriptor(),
             0) == MAP_FAILED) {
      fail("mmap");
    }
  }
}

// Exact contents other than a constant depend on where an element lies.
bool is_tileable(const TensorType& type, const Recipe& recipe) {
  return storage_bytes(type) > kTileBytes && (!is_exact(recipe) || std::holds_alternative<ConstantRecipe>(recipe));
}

// How often pages that were read are let go.
constexpr std::chrono::milliseconds kTrimInterval{20};

}  // namespace

// Where tiles are mapped.
struct TiledMemory::Ranges {
  std::mutex mutex;
  std::map<std::byte*, std::size_t> bytes;  // by begin

  void add(std::byte* begin, std::size_t size) {
    const std::lock_guard lock(mutex);
    bytes[begin] = size;
  }
  void unmap(std::byte* begin, std::size_t size) {
    const std::lock_guard lock(mutex);
    bytes.erase(begin);
    munmap(begin, size);
  }
  bool contains(std::byte* begin) {
    const std::lock_guard lock(mutex);
    return bytes.contains(begin);
  }
  // Every mapping of a tile's page counts as resident memory of its own, although there is one page. A page that is let
  // go comes back, with its contents, when it is read again.
  void trim() {
    const std::lock_guard lock(mutex);
    for (const auto& [begin, size] : bytes) madvise(begin, size, MADV_DONTNEED);
  }
};

// Trims from time to time while it lives.
class TiledMemory::Trimmer {
 public:
  explicit Trimmer(std::shared_ptr<Ranges> ranges)
      : thread_([ranges = std::move(ranges)](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any wake;
          std::unique_lock lock(mutex);
          while (!wake.wait_for(lock, stop, kTrimInterval, [&] { return stop.stop_requested(); })) ranges->trim();
        }) {}

 private:
  std::jthread thread_;
};

TiledMemory::TiledMemory() : ranges_(std::make_shared<Ranges>()) {}
TiledMemory::~TiledMemory() = default;

at::Tensor TiledMemory::make(const TensorType& type, const Recipe& recipe, std::uint64_t seed, ValueId id) {
  if (!is_tileable(type, recipe)) return make_tensor(type, recipe, seed, id, c10::kCPU);
  const auto bytes = static_cast<std::size_t>(storage_bytes(type));
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fail("mmap");
  ranges_->add(static_cast<std::byte*>(memory), bytes);
  if (!trimmer_) trimmer_ = std::make_unique<Trimmer>(ranges_);
  const auto release = [ranges = ranges_, bytes](void* begin) { ranges->unmap(static_cast<std::byte*>(begin), bytes); };
  const std::vector<std::int64_t> strides = type.strides.empty() ? contiguous_strides(type.shape) : type.strides;
  at::Tensor tensor = at::from_blob(memory, type.shape, strides, release, at::dtype(to_scalar_type(type.dtype)));
  refill(tensor, type, recipe, seed, id);
  return tensor;
}

void TiledMemory::refill(at::Tensor& tensor, const TensorType& type, const Recipe& recipe, std::uint64_t seed,
                         ValueId id) {
  auto* begin = static_cast<std::byte*>(tensor.storage().mutable_data());
  if (!ranges_->contains(begin)) {
    graphnet::refill(tensor, recipe, seed, id);
    return;
  }
  const std::int64_t bytes = storage_bytes(type);
  const std::int64_t tile = tile_bytes_for(bytes);
  const TileFile file(tile);
  draw_tile(file, tile, type, recipe, Stream{seed, id});
  map_tiles(begin, bytes, tile, file);
}

}  // namespace graphnet
