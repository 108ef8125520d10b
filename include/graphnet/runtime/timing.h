// Paired timing of two callables: alternating, in random order, until the speedup is known well enough.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <c10/core/Device.h>

namespace graphnet {

struct TimingOptions {
  double warm_up_seconds = 0.5;       // each side; at least three calls
  double maximum_seconds = 10;        // of timed trials, both sides together
  double target_half_width = 0.01;    // of the 95 % interval of the log speedup
  std::int64_t minimum_trials = 20;
  double minimum_block_seconds = 2e-3;  // short calls are batched so that one timed region lasts at least this
  std::uint64_t seed = 0;               // of the order within pairs
};

// One pair: seconds per call of each side, by the wall clock and, on accelerators, by device events.
struct Trial {
  double reference_seconds = 0;
  double candidate_seconds = 0;
  bool reference_first = true;
};

enum class TimingVerdict { kConverged, kCapped };
std::string_view timing_verdict_name(TimingVerdict verdict);

struct TimingResult {
  std::vector<Trial> trials;
  std::int64_t reference_batch = 1;  // calls in one timed region
  std::int64_t candidate_batch = 1;
  double reference_seconds = 0;  // median of the trials
  double candidate_seconds = 0;
  double speedup = 0;            // exp(median of log(reference / candidate))
  double speedup_low = 0;        // 95 % interval of that median (order statistics)
  double speedup_high = 0;
  TimingVerdict verdict = TimingVerdict::kCapped;
};

// Each callable runs one call on the device and returns when the call is queued (accelerators) or done (CPU). Accelerators
// are timed by c10::Event pairs on the current stream. Exceptions of the callables pass through.
TimingResult time_pair(const std::function<void()>& reference, const std::function<void()>& candidate, c10::Device device,
                       const TimingOptions& options = {});

}  // namespace graphnet
