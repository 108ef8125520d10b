// Empties the caches, so that a timed call finds none of what the calls before left there.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

namespace graphnet {

// Bytes of the processor's largest cache, as the kernel or the C library tells; 32 MiB where neither does.
std::int64_t last_level_cache_bytes();

// Writes a buffer larger than the caches: on the CPU twice the last-level cache, each thread a part of it, so that the
// threads' own caches are emptied too; on accelerators 256 MiB, more than twice what their L2 caches hold today.
class CacheFlush {
 public:
  explicit CacheFlush(c10::Device device);

  void run();  // returns when all is written (CPU) or queued on the current stream (accelerators)
  std::int64_t bytes() const { return static_cast<std::int64_t>(buffer_.nbytes()); }

 private:
  at::Tensor buffer_;
};

}  // namespace graphnet
