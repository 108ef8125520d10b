// How far a score depends on which samples happened to be in the dataset: percentile bootstrap over groups of samples.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "graphnet/score/score.h"
#include "graphnet/score/statistics.h"

namespace graphnet {

struct BootstrapOptions {
  int resamples = 2000;
  double confidence = 0.95;
  std::uint64_t seed = 0;
};

// An interval for the mean of the values. Whole groups are drawn with replacement, as many as there are; groups[i] is
// the group of values[i]. The result depends on the seed, the values and the names of their groups only, on every
// machine. No value with fewer than two groups, where resampling tells nothing. Throws Error when the spans differ in
// length, or on fewer than one resample or a confidence outside 0..1.
std::optional<Interval> bootstrap_mean(std::span<const double> values, std::span<const std::string> groups,
                                       const BootstrapOptions& options);

struct ScoreInterval {
  Interval speedup_score;
  Interval error_aware_score;
};

// Intervals for S(t) and ES(t), resampling the scored outcomes by Outcome::group. Same conditions as score_at; no value
// with fewer than two groups.
std::optional<ScoreInterval> score_interval(std::span<const Outcome> outcomes, int level, const ScoreOptions& options,
                                            const BootstrapOptions& bootstrap);

}  // namespace graphnet
