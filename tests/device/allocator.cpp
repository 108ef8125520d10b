#include "allocator.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <utility>

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>

#include "test_device.h"
#include "timeline.h"

namespace graphnet::test_device {
namespace {

constexpr std::size_t kGrain = 512;  // bytes; allocations are rounded up, as CUDA's are

// Frees on the host's timeline, which is safe because work on a stream is in order, and keeps nothing.
class TestAllocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, the_device()};
    const std::size_t rounded = (bytes + kGrain - 1) / kGrain * kGrain;
    const std::size_t capacity = Timeline::instance().settings().capacity;
    {
      const std::lock_guard lock(mutex_);
      const auto used = static_cast<std::size_t>(total(stats_.allocated_bytes).current);
      if (used + rounded > capacity) {
        ++stats_.num_ooms;
        TORCH_CHECK_WITH(OutOfMemoryError, false, "test_device out of memory. Tried to allocate ", bytes, " bytes. ",
                         used, " of ", capacity, " bytes are in use.");
      }
      count(static_cast<std::int64_t>(rounded));
    }
    auto* block = new Block{c10::alloc_cpu(rounded), rounded};
    return {block->data, block, &release, the_device()};
  }

  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t /*pool*/) override {}
  void recordStream(const c10::DataPtr& /*data*/, c10::Stream /*stream*/) override {}

  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex /*device*/) override {
    const std::lock_guard lock(mutex_);
    return stats_;
  }
  void resetAccumulatedStats(c10::DeviceIndex /*device*/) override {
    const std::lock_guard lock(mutex_);
    for (auto* stat : counters()) stat->reset_accumulated();
  }
  void resetPeakStats(c10::DeviceIndex /*device*/) override {
    const std::lock_guard lock(mutex_);
    for (auto* stat : counters()) stat->reset_peak();
  }
#ifdef GRAPHNET_HAVE_ACCELERATOR_MEMORY_INFO
  std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex /*device*/) override {
    const Settings settings = Timeline::instance().settings();
    const std::size_t size = settings.reported > 0 ? settings.reported : settings.capacity;
    const std::lock_guard lock(mutex_);
    const auto used = static_cast<std::size_t>(total(stats_.allocated_bytes).current);
    return {size - std::min(used, size), size};
  }
#endif

 private:
  using Stats = c10::CachingDeviceAllocator::DeviceStats;
  using Stat = c10::CachingAllocator::Stat;
  struct Block {
    void* data;
    std::size_t bytes;
  };

  static Stat& total(c10::CachingAllocator::StatArray& stats) {
    return stats[0];
  }

  std::array<Stat*, 4> counters() {
    return {&total(stats_.allocation), &total(stats_.allocated_bytes), &total(stats_.active_bytes),
            &total(stats_.reserved_bytes)};
  }

  // Counts one block that came, or went where the bytes are negative.
  void count(std::int64_t bytes) {
    for (Stat* stat : counters()) {
      const std::int64_t amount = stat == &total(stats_.allocation) ? (bytes > 0 ? 1 : -1) : bytes;
      if (amount > 0) stat->increase(static_cast<std::size_t>(amount));
      if (amount < 0) stat->decrease(static_cast<std::size_t>(-amount));
    }
  }

  static void release(void* context) {
    const auto* block = static_cast<Block*>(context);
    auto& self = static_cast<TestAllocator&>(*allocator());
    Timeline::instance().forget(block->data);
    {
      const std::lock_guard lock(self.mutex_);
      self.count(-static_cast<std::int64_t>(block->bytes));
    }
    c10::free_cpu(block->data);
    delete block;
  }

  std::mutex mutex_;
  Stats stats_;
};

}  // namespace

c10::Allocator* allocator() {
  // Lives as long as the process: tensors may outlast static objects.
  static auto* instance = new TestAllocator;
  return instance;
}

}  // namespace graphnet::test_device
