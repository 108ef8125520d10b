#include "graphnet/runtime/cache_flush.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <unistd.h>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

namespace graphnet {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;
constexpr std::int64_t kUnknownCacheBytes = 32 * kMebibyte;
constexpr std::int64_t kAcceleratorBytes = 256 * kMebibyte;
constexpr std::int64_t kBytesPerThread = 8 * kMebibyte;  // more than the cache of one processor core

// "32768K" -> bytes; 0 for any other text.
std::int64_t size_of(const std::string& text) {
  std::size_t end = 0;
  try {
    const std::int64_t number = std::stoll(text, &end);
    const char unit = end < text.size() ? text[end] : 'B';
    return number * (unit == 'K' ? 1024 : unit == 'M' ? kMebibyte : 1);
  } catch (const std::exception&) {
    return 0;
  }
}

std::int64_t buffer_bytes(c10::Device device) {
  if (!device.is_cpu()) return kAcceleratorBytes;
  return std::max(2 * last_level_cache_bytes(), kBytesPerThread * at::get_num_threads());
}

}  // namespace

std::int64_t last_level_cache_bytes() {
  std::int64_t largest = std::max<std::int64_t>(::sysconf(_SC_LEVEL3_CACHE_SIZE), 0);
  for (int index = 0;; ++index) {
    std::ifstream stream("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::string text;
    if (!(stream >> text)) break;
    largest = std::max(largest, size_of(text));
  }
  return largest > 0 ? largest : kUnknownCacheBytes;
}

// Every byte is written here, so that the pages are there before anything is timed.
CacheFlush::CacheFlush(c10::Device device)
    : buffer_(at::zeros({buffer_bytes(device) / 4}, at::device(device).dtype(at::kFloat))) {
  run();
}

void CacheFlush::run() {
  buffer_.fill_(1);
}

}  // namespace graphnet
