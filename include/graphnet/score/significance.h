// Whether a difference can be chance: rank tests, which assume nothing about how the noise is distributed, the interval
// that belongs to them, and the correction for looking at many samples at once.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "graphnet/score/statistics.h"

namespace graphnet {

// The two-sided Wilcoxon signed-rank test of paired differences against a symmetric distribution around 0. Differences
// of exactly 0 are left out. The exact distribution is used up to 50 differences without ties and zeros, else the
// normal approximation with its variance corrected for ties, without a continuity correction
// (scipy.stats.wilcoxon, method "auto").
struct SignedRankTest {
  std::size_t count = 0;      // differences that are not 0
  double positive_ranks = 0;  // sum of the ranks of |difference| over positive differences (V of R)
  double p_value = 1;         // 1 where every difference is 0 or none is there
};
SignedRankTest wilcoxon_signed_rank(std::span<const double> differences);

// The Hodges-Lehmann estimate of the differences' centre, the median of the means of all pairs (each value with itself
// too), and the interval of those means that the signed-rank test would not reject (wilcox.test(conf.int = TRUE) of R).
// No interval where there are too few values for the confidence: 95 % takes 6. Values that resemble their predecessors
// need a wider interval: `variance_inflation` (autocorrelation.h) says by how much. No interval either where it would
// have to be wider than the range of the values, which says less than the confidence. Throws Error for no values.
struct ShiftEstimate {
  double centre = 0;
  std::optional<Interval> interval;  // Interval::confidence is what it attains
};
ShiftEstimate hodges_lehmann(std::span<const double> differences, double confidence = 0.95,
                             double variance_inflation = 1);

// The two-sided exact sign test: the probability that of first + second coins as few or fewer lie on the rarer side, or
// on the other (scipy.stats.binomtest(first, first + second)). 1 for no coins.
double sign_test(std::size_t first, std::size_t second);

// Benjamini and Hochberg's adjusted p-values, in the order of the given ones: those at most q are rejected where the
// share of false ones among the rejected is to stay below q (p.adjust(method = "BH") of R,
// scipy.stats.false_discovery_control).
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace graphnet
