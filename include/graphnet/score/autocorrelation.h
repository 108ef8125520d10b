// How much less a series of measurements says where each resembles the one before it.
#pragma once

#include <span>

namespace graphnet {

// How much larger the variance of the values' mean rank is than that of as many independent values; at least 1.
// `values` are in the order in which they were measured. It is 1 + 2 * (the autocorrelations of the ranks, summed up to
// where pairs of neighbouring lags stop being positive: the initial positive sequence of Geyer 1992, "Practical Markov
// Chain Monte Carlo"). Lags beyond a quarter of the values, or 20, are left out: too few pairs tell of them.
double variance_inflation(std::span<const double> values);

}  // namespace graphnet
