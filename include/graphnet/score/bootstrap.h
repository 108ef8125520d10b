// How far a score depends on which samples happened to be in the dataset (resampling groups of samples), and, apart
// from it, on the noise of the timings (resampling the trials within each sample).
//
// Over samples: percentile intervals, whose tails are moved out as far as the t distribution with one degree of freedom
// less than there are groups asks for (Hesterberg 2015, "What Teachers Should Know About the Bootstrap", 4.2.2). Plain
// ones are too narrow for few groups.
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

// With fewer groups there is no interval: resampling so few of them tells too little.
inline constexpr std::size_t kFewestGroups = 6;

// Intervals for the mean of each column of values: rows[i * columns + j] belongs to groups[i]. Whole groups are drawn
// with replacement, as many as there are. All columns see the same draws, so that the intervals of a curve move
// together. The result depends on the seed, the values and the names of their groups only, on every machine. Empty with
// fewer than kFewestGroups groups; no interval for a column with a value that is not a number. Throws Error when the
// spans do not fit each other, or on fewer than one resample or a confidence outside 0..1.
std::vector<std::optional<Interval>> bootstrap_means(std::span<const double> rows, std::size_t columns,
                                                     std::span<const std::string> groups,
                                                     const BootstrapOptions& options);

struct ScoreInterval {
  Interval speedup_score;
  Interval error_aware_score;
};

// Intervals for S(t) and ES(t), resampling the scored outcomes by Outcome::group. Same conditions as score_at; no value
// with fewer than kFewestGroups groups, and where the scores are not a number.
std::optional<ScoreInterval> score_interval(std::span<const Outcome> outcomes, int level, const ScoreOptions& options,
                                            const BootstrapOptions& bootstrap);

// The same at every level of score_series, in its order. Empty with fewer than kFewestGroups groups.
std::vector<std::optional<ScoreInterval>> score_bands(std::span<const Outcome> outcomes, const ScoreOptions& options,
                                                      const BootstrapOptions& bootstrap);

// An interval for S(level) over these very samples: the recorded trials of each timed correct sample are resampled and
// its speedup moves with their median, by more where the trials resemble the ones before them (variance_inflation of
// autocorrelation.h), while failures stay what they are. A sample with fewer than two trials keeps its speedup. Each
// sample's draws depend on the seed and its name only. No value where no sample has two trials.
std::optional<Interval> trial_interval(std::span<const UnitResult> results, int level, const ScoreOptions& options,
                                       const BootstrapOptions& bootstrap);

}  // namespace graphnet
