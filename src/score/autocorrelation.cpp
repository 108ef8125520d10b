#include "graphnet/score/autocorrelation.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ranks.h"

namespace graphnet {
namespace {

constexpr std::size_t kLargestLag = 20;
constexpr int kPasses = 3;

// Ranks around 0; equal values share the mean of theirs.
std::vector<double> centred_ranks(std::span<const double> values) {
  std::vector<double> ranks = rank(values).ranks;
  const double centre = (static_cast<double>(values.size()) + 1) / 2;
  for (double& each : ranks) each -= centre;
  return ranks;
}

}  // namespace

double variance_inflation(std::span<const double> values) {
  const std::vector<double> ranks = centred_ranks(values);
  const double variance = std::inner_product(ranks.begin(), ranks.end(), ranks.begin(), 0.0);
  if (variance == 0) return 1;
  const auto count = static_cast<double>(ranks.size());
  std::vector<double> pairs;  // sums of the correlations at two successive lags
  const std::size_t largest = std::min(kLargestLag, ranks.size() / 4);
  const auto correlation = [&](std::size_t lag) {
    const auto shift = static_cast<std::ptrdiff_t>(lag);
    return std::inner_product(ranks.begin() + shift, ranks.end(), ranks.begin(), 0.0) / variance;
  };
  for (std::size_t lag = 1; lag + 1 <= largest; lag += 2) pairs.push_back(correlation(lag) + correlation(lag + 1));

  // Each correlation is estimated too low, by about inflation/n, because the mean is that of the same values.
  double inflation = 1;
  for (int pass = 0; pass < kPasses; ++pass) {
    const double bias = inflation / count;
    inflation = 1;
    for (const double pair : pairs) {
      if (pair + 2 * bias <= 0) break;
      inflation += 2 * (pair + 2 * bias);
    }
  }
  return inflation;
}

}  // namespace graphnet
