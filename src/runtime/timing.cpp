#include "graphnet/runtime/timing.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "graphnet/score/autocorrelation.h"
#include "graphnet/score/significance.h"
#include "graphnet/score/statistics.h"

namespace graphnet {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kTolerableLoss = 0.02;       // share of a block
constexpr double kNoisyFactor = 5;            // times the target
constexpr double kLaunchBoundShare = 0.9;     // of a block's time, spent by the host to queue it
constexpr double kSmallestCleanShare = 0.25;  // of trials that must be undisturbed to be used alone
constexpr std::size_t kFewestTrials = 3;
constexpr std::size_t kFewestForInterval = 6;  // below, no interval of order statistics has 95 %
constexpr std::int64_t kFewestWarmUpCalls = 3;
constexpr std::size_t kStableWindow = 8;  // calls whose medians are compared to see whether warming up is over
constexpr double kStableChange = 0.02;
constexpr double kBatchMargin = 1.2;  // for calls that get faster when they follow one another

// One of the two callables.
struct Side {
  BlockSide which;
  const std::function<void()>& call;
  const std::function<void(BlockSide side)>& before_block;
  std::int64_t warm_up_calls = 0;
  std::int64_t batch = 1;
};

Stopwatch::Reading time_block(const Side& side, std::int64_t calls, Stopwatch& stopwatch) {
  if (side.before_block) side.before_block(side.which);
  return stopwatch.time(side.call, calls);
}

// The last calls are as fast as those before them.
bool is_stable(const std::vector<double>& seconds) {
  if (seconds.size() < 2 * kStableWindow) return false;
  const std::span<const double> recent = std::span(seconds).last(2 * kStableWindow);
  return median(recent.last(kStableWindow)) >= (1 - kStableChange) * median(recent.first(kStableWindow));
}

// The batch whose block lasts long enough, tried out: calls that follow one another may be faster than each alone.
void choose_batch(Side& side, double call_seconds, Stopwatch& stopwatch, const TimingOptions& options) {
  const double shortest = std::max(options.minimum_block_seconds, kClockSteps * stopwatch.resolution());
  const auto batch_for = [&](double seconds, double call) {
    return std::clamp(static_cast<std::int64_t>(std::ceil(seconds / std::max(call, 1e-9))), std::int64_t{1},
                      std::max(options.largest_batch, std::int64_t{1}));
  };
  side.batch = batch_for(shortest, call_seconds);
  if (side.batch == 1) return;
  while (side.batch < options.largest_batch) {
    const double seconds = time_block(side, side.batch, stopwatch).seconds;
    side.warm_up_calls += side.batch;
    if (seconds >= shortest) break;
    const std::int64_t larger = batch_for(kBatchMargin * shortest, seconds / static_cast<double>(side.batch));
    side.batch = std::max(larger, std::min(2 * side.batch, options.largest_batch));
  }
}

// Runs calls until they are no longer getting faster or the time is up, and chooses the batch by the fastest of them.
void warm_up(Side& side, Stopwatch& stopwatch, const TimingOptions& options) {
  const double start = stopwatch.now();
  std::vector<double> seconds;
  while (side.warm_up_calls < kFewestWarmUpCalls ||
         (stopwatch.now() - start < options.warm_up_seconds && !is_stable(seconds))) {
    seconds.push_back(time_block(side, 1, stopwatch).seconds);
    ++side.warm_up_calls;
  }
  choose_batch(side, *std::min_element(seconds.begin(), seconds.end()), stopwatch, options);
}

bool is_disturbed(const Stopwatch::Reading& reading) {
  const Interference& interference = reading.interference;
  const double stolen = interference.steal_seconds - kStealTick;  // at least
  return std::max(interference.waiting_seconds, stolen) > kTolerableLoss * reading.wall_seconds;
}

Trial run_trial(const Side& reference, const Side& candidate, bool reference_first, Stopwatch& stopwatch) {
  const Side& first_side = reference_first ? reference : candidate;
  const Side& second_side = reference_first ? candidate : reference;
  const Stopwatch::Reading first = time_block(first_side, first_side.batch, stopwatch);
  const Stopwatch::Reading second = time_block(second_side, second_side.batch, stopwatch);
  Trial trial;
  trial.reference_first = reference_first;
  trial.disturbed = is_disturbed(first) || is_disturbed(second);
  const Stopwatch::Reading& r = reference_first ? first : second;
  const Stopwatch::Reading& c = reference_first ? second : first;
  trial.reference_seconds = r.seconds / static_cast<double>(reference.batch);
  trial.candidate_seconds = c.seconds / static_cast<double>(candidate.batch);
  trial.reference_wall_seconds = r.wall_seconds / static_cast<double>(reference.batch);
  trial.candidate_wall_seconds = c.wall_seconds / static_cast<double>(candidate.batch);
  trial.reference_host_seconds = r.host_seconds / static_cast<double>(reference.batch);
  trial.candidate_host_seconds = c.host_seconds / static_cast<double>(candidate.batch);
  trial.reference_interference = r.interference;
  trial.candidate_interference = c.interference;
  return trial;
}

double log_ratio(const Trial& trial) {
  return std::log(trial.reference_seconds / trial.candidate_seconds);
}

struct Estimate {
  double log_speedup = 0;
  Interval interval;
};

// The centre of the log ratios, which are in the order of their trials. Where they are too few for 95 %, or resemble
// each other too much, the interval is the range of all, which covers the centre with probability 1 - 2^(1-n) for n
// independent ones.
Estimate estimate(const std::vector<double>& log_ratios) {
  const double inflation = variance_inflation(log_ratios);
  const ShiftEstimate shift = hodges_lehmann(log_ratios, kConfidence, inflation);
  const auto count = static_cast<double>(log_ratios.size());
  if (shift.interval) return {shift.centre, *shift.interval};
  const auto [low, high] = std::minmax_element(log_ratios.begin(), log_ratios.end());
  return {shift.centre, {*low, *high, std::max(0.0, 1 - std::exp2(1 - count / inflation))}};
}

double half_width(const Interval& interval) {
  return (interval.high - interval.low) / 2;
}

// Whether the machine's host took the processors for more than is tolerable over all of these trials: in a short block
// a tick of stolen time says little.
bool is_stolen_from(const TimingResult& result, const std::vector<Trial>& trials) {
  double stolen = 0;
  double wall = 0;
  for (const Trial& trial : trials) {
    stolen += trial.reference_interference.steal_seconds + trial.candidate_interference.steal_seconds;
    wall += trial.reference_wall_seconds * static_cast<double>(result.reference_batch) +
            trial.candidate_wall_seconds * static_cast<double>(result.candidate_batch);
  }
  return stolen - kStealTick > kTolerableLoss * wall;
}

void summarise(TimingResult& result, bool converged, double target) {
  std::vector<Trial> used;
  std::copy_if(result.trials.begin(), result.trials.end(), std::back_inserter(used),
               [](const Trial& trial) { return !trial.disturbed; });
  const auto all = static_cast<double>(result.trials.size());
  const bool too_few =
      !converged && (used.size() < kFewestTrials || static_cast<double>(used.size()) < kSmallestCleanShare * all);
  if (too_few) used = result.trials;
  const bool contended = too_few || is_stolen_from(result, used);

  std::vector<double> ratios;
  for (const Trial& trial : used) ratios.push_back(log_ratio(trial));
  const auto [log_speedup, interval] = estimate(ratios);
  const auto median_of = [&](double Trial::*seconds) {
    std::vector<double> values;
    for (const Trial& trial : used) values.push_back(trial.*seconds);
    return median(values);
  };
  result.reference_seconds = median_of(&Trial::reference_seconds);
  result.candidate_seconds = median_of(&Trial::candidate_seconds);
  result.reference_wall_seconds = median_of(&Trial::reference_wall_seconds);
  result.candidate_wall_seconds = median_of(&Trial::candidate_wall_seconds);
  result.reference_launch_bound =
      median_of(&Trial::reference_host_seconds) > kLaunchBoundShare * result.reference_seconds;
  result.candidate_launch_bound =
      median_of(&Trial::candidate_host_seconds) > kLaunchBoundShare * result.candidate_seconds;
  result.speedup = std::exp(log_speedup);
  result.speedup_low = std::exp(interval.low);
  result.speedup_high = std::exp(interval.high);
  result.confidence = interval.confidence;
  if (contended) {
    result.verdict = TimingVerdict::kContended;
  } else if (converged) {
    result.verdict = TimingVerdict::kConverged;
  } else {
    result.verdict = half_width(interval) > kNoisyFactor * target ? TimingVerdict::kNoisy : TimingVerdict::kCapped;
  }
}

}  // namespace

std::string_view timing_verdict_name(TimingVerdict verdict) {
  switch (verdict) {
    case TimingVerdict::kConverged:
      return "converged";
    case TimingVerdict::kCapped:
      return "capped";
    case TimingVerdict::kNoisy:
      return "noisy";
    case TimingVerdict::kContended:
      return "contended";
  }
  return "capped";
}

TimingResult time_pair(const std::function<void()>& reference, const std::function<void()>& candidate,
                       Stopwatch& stopwatch, const TimingOptions& options,
                       const std::function<void(BlockSide side)>& before_block) {
  Side reference_side{BlockSide::kReference, reference, before_block};
  Side candidate_side{BlockSide::kCandidate, candidate, before_block};
  warm_up(reference_side, stopwatch, options);
  warm_up(candidate_side, stopwatch, options);

  TimingResult result;
  result.clock_resolution = stopwatch.resolution();
  result.reference_batch = reference_side.batch;
  result.candidate_batch = candidate_side.batch;
  result.reference_warm_up = reference_side.warm_up_calls;
  result.candidate_warm_up = candidate_side.warm_up_calls;

  std::mt19937_64 random(options.seed);
  std::vector<double> ratios;  // of undisturbed trials
  std::size_t next_look = std::max(static_cast<std::size_t>(options.minimum_trials), kFewestForInterval);
  bool converged = false;
  const double start = stopwatch.now();
  while (!converged) {
    result.trials.push_back(run_trial(reference_side, candidate_side, (random() & 1) == 0, stopwatch));
    if (!result.trials.back().disturbed) ratios.push_back(log_ratio(result.trials.back()));
    if (ratios.size() == next_look) {
      const Interval interval = estimate(ratios).interval;
      converged = interval.confidence >= kConfidence && half_width(interval) <= options.target_half_width;
      next_look += (next_look + 1) / 2;
    }
    const double spent = stopwatch.now() - start;
    // Slow calls get a second chance: one disturbed trial of three would leave too few.
    const bool enough = ratios.size() >= kFewestTrials || spent >= 2 * options.maximum_seconds;
    if (result.trials.size() >= kFewestTrials && enough && spent >= options.maximum_seconds) break;
  }
  summarise(result, converged, options.target_half_width);
  return result;
}

}  // namespace graphnet
