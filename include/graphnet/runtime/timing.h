// Paired timing of two callables: alternating, in random order, until the speedup is known well enough.
//
// Every trial times a block of calls of either side, back to back, so that what slows the machine down slows both. The
// speedup is the centre of the trials' log ratios (Hodges-Lehmann), with the interval of the signed-rank test, widened
// where trials resemble the ones before them. Both ask of the noise only that it is symmetric, which random order
// gives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include <c10/core/Device.h>

#include "graphnet/runtime/interference.h"

namespace graphnet {

// No timed block is shorter than this many times what the clock can tell apart, where the largest batch allows it.
inline constexpr double kClockSteps = 1000;

struct TimingOptions {
  double warm_up_seconds = 0.5;      // each side at most, but at least three calls
  double maximum_seconds = 10;       // of timed trials, both sides together; twice that where fewer than three of them
                                     // were undisturbed until then
  double target_half_width = 0.01;   // of the 95 % interval of the log speedup
  std::int64_t minimum_trials = 20;  // before the interval is first looked at
  // Short calls are batched so that one timed block lasts at least this, and at least kClockSteps of the clock's.
  double minimum_block_seconds = 2e-3;
  std::int64_t largest_batch = 1'000'000;
  std::uint64_t seed = 0;  // of the order within pairs
};

// One pair: seconds per call of each side, by device events on accelerators and else by the wall clock.
struct Trial {
  double reference_seconds = 0;
  double candidate_seconds = 0;
  double reference_wall_seconds = 0;  // the wall clock until all work is done; on the CPU the same number
  double candidate_wall_seconds = 0;
  double reference_host_seconds = 0;  // the wall clock until the host has queued the work; 0 on the CPU
  double candidate_host_seconds = 0;
  Interference reference_interference;  // of the whole block
  Interference candidate_interference;
  bool reference_first = true;
  bool disturbed = false;  // in one of the blocks, threads waited for a processor, or the machine's host took them
                           // away, for more than 2 % of the time
};

enum class TimingVerdict {
  kConverged,  // the interval is as narrow as was asked for
  kCapped,     // the time was up before
  kNoisy,      // the time was up, and the interval is more than five times as wide as was asked for
  kContended,  // other programs held the processors: the time was up and fewer than 3 trials, or than a quarter of
               // them, were undisturbed, so that all were used; or the machine's host took more than 2 % of the time
};
std::string_view timing_verdict_name(TimingVerdict verdict);

struct TimingResult {
  std::vector<Trial> trials;         // in the order they were run
  double clock_resolution = 0;       // seconds that the clock can tell apart, measured
  std::int64_t reference_batch = 1;  // calls in one timed block
  std::int64_t candidate_batch = 1;
  std::int64_t reference_warm_up = 0;  // calls before the first trial
  std::int64_t candidate_warm_up = 0;

  // Over the undisturbed trials, or over all where the verdict is kContended.
  double reference_seconds = 0;  // median
  double candidate_seconds = 0;
  double reference_wall_seconds = 0;  // median
  double candidate_wall_seconds = 0;
  // The device waits for the host rather than the host for the device: the host needs about as long to queue the calls
  // as the device, waits included, to do them. More launches in a block than the device's queue holds (about 1,000 on
  // CUDA) make the host wait too, and may look the same.
  bool reference_launch_bound = false;
  bool candidate_launch_bound = false;
  double speedup = 0;      // exp(centre of log(reference / candidate))
  double speedup_low = 0;  // interval of that centre
  double speedup_high = 0;
  double confidence = 0;  // what the interval attains: at least 0.95 from 6 trials on, less below
  TimingVerdict verdict = TimingVerdict::kCapped;
};

// Measures blocks of calls. The seam by which tests replace the clock.
class Stopwatch {
 public:
  struct Reading {
    double seconds = 0;       // from the first call's start to the last one's end, on the device
    double wall_seconds = 0;  // the same by the wall clock, until all work is done
    double host_seconds = 0;  // by the wall clock, until the host has queued all calls; 0 on the CPU
    Interference interference;
  };

  virtual ~Stopwatch() = default;
  virtual double now() = 0;         // seconds, monotonic
  virtual double resolution() = 0;  // the shortest time that a reading's seconds can tell from none
  virtual Reading time(const std::function<void()>& call, std::int64_t calls) = 0;
};

// The monotonic clock on the CPU. On an accelerator, c10::Event pairs on the current stream, and what the device went
// on working on other streams after the second event; the wall clock where its backend has no timing events. What was
// queued on the device before a block is waited for first. An error of the device is thrown by the block whose work it
// belongs to.
std::unique_ptr<Stopwatch> make_stopwatch(c10::Device device);

enum class BlockSide { kReference, kCandidate };

// Each callable runs one call on the device and returns when the call is queued (accelerators) or done (CPU).
// Exceptions of the callables pass through. At least three trials are taken whatever the cap says. `before_block` is
// told before each block, outside what is timed, whose calls it has.
//
// The interval is looked at only when the number of undisturbed trials has grown by half since the last look. Stopping
// at the first narrow interval among many would make it too narrow on average; with few looks it keeps its confidence.
TimingResult time_pair(const std::function<void()>& reference, const std::function<void()>& candidate,
                       Stopwatch& stopwatch, const TimingOptions& options = {},
                       const std::function<void(BlockSide side)>& before_block = {});

}  // namespace graphnet
