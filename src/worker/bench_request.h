// The parameters of the worker's method "bench", read and checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/runtime/timing.h"

namespace graphnet {

// What the timed calls find in the processor's or the device's cache.
enum class CacheState {
  kWarm,  // what the calls before left there
  kCold,  // nothing of theirs: the cache is flushed before each timed call
};

// Which sides a request runs.
enum class Sides { kBoth, kReference, kCandidate };

// Whether the graph also runs in float64, to tell which side is closer to what it should give.
enum class Float64Run {
  kAuto,  // where its weights take at most a moment to convert
  kOn,    // wherever it fits the memory
  kOff,
};

struct BenchRequest {
  std::filesystem::path sample;
  std::string compiler;
  nlohmann::json options;
  std::filesystem::path package;
  std::string device;
  std::vector<std::string> operator_libraries;  // given beside those that the sample names
  std::uint64_t seed = 0;
  int threads = 0;  // 0: as many as LibTorch chose
  CacheState cache = CacheState::kWarm;
  Sides sides = Sides::kBoth;
  Float64Run float64 = Float64Run::kAuto;
  TimingOptions timing;
};

// Throws Error(kUsage) naming what is missing or of the wrong kind.
BenchRequest parse_bench_request(const nlohmann::json& params);

}  // namespace graphnet
