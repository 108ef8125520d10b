// How far a score depends on which samples happened to be in the dataset (resampling groups of samples), and, apart
// from it, on the noise of the timings (resampling the trials within each sample). Percentile intervals.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graphnet/score/score.h"
#include "graphnet/score/statistics.h"
#include "graphnet/score/unit_result.h"

namespace graphnet {

struct BootstrapOptions {
  int resamples = 2000;
  double confidence = 0.95;
  std::uint64_t seed = 0;
};

// More groups than this are first put together at random into this many bundles, which are then resampled: an interval
// from a thousand bundles is as wide as one from all groups, give or take 2 %, and a table of any size takes no longer.
inline constexpr std::size_t kMostBundles = 1000;

// An interval for the mean of the values. Whole groups are drawn with replacement, as many as there are; groups[i] is
// the group of values[i]. The result depends on the seed, the values and the names of their groups only, on every
// machine. No value with fewer than two groups, where resampling tells nothing. Throws Error when the spans differ in
// length, or on fewer than one resample or a confidence outside 0..1.
std::optional<Interval> bootstrap_mean(std::span<const double> values, std::span<const std::string> groups,
                                       const BootstrapOptions& options);

// The same for several values of each sample at once, row by row: rows[i * columns + j]. All columns see the same
// draws, so that the intervals of a curve move together. Empty with fewer than two groups.
std::vector<Interval> bootstrap_means(std::span<const double> rows, std::size_t columns,
                                      std::span<const std::string> groups, const BootstrapOptions& options);

struct ScoreInterval {
  Interval speedup_score;
  Interval error_aware_score;
};

// Intervals for S(t) and ES(t), resampling the scored outcomes by Outcome::group. Same conditions as score_at; no value
// with fewer than two groups.
std::optional<ScoreInterval> score_interval(std::span<const Outcome> outcomes, int level, const ScoreOptions& options,
                                            const BootstrapOptions& bootstrap);

// The same at every level of score_series, in its order. Empty with fewer than two groups.
std::vector<ScoreInterval> score_bands(std::span<const Outcome> outcomes, const ScoreOptions& options,
                                       const BootstrapOptions& bootstrap);

// An interval for S(level) over these very samples: the recorded trials of each correct sample are resampled and its
// speedup moves with their median, while failures stay what they are. A sample with fewer than two trials keeps its
// speedup. No value where no sample has two.
std::optional<Interval> trial_interval(std::span<const UnitResult> results, int level, const ScoreOptions& options,
                                       const BootstrapOptions& bootstrap);

}  // namespace graphnet
