#include "graphnet/score/autocorrelation.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace graphnet {
namespace {

constexpr std::size_t kLargestLag = 20;

// Ranks around 0; equal values share the mean of theirs.
std::vector<double> centred_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  const double centre = (static_cast<double>(values.size()) - 1) / 2;
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = (static_cast<double>(begin) + static_cast<double>(end - 1)) / 2 - centre;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = rank;
  }
  return ranks;
}

}  // namespace

double variance_inflation(std::span<const double> values) {
  const std::vector<double> ranks = centred_ranks(values);
  const double variance = std::inner_product(ranks.begin(), ranks.end(), ranks.begin(), 0.0);
  if (variance == 0) return 1;
  const auto correlation = [&](std::size_t lag) {
    const auto shift = static_cast<std::ptrdiff_t>(lag);
    const double sum = std::inner_product(ranks.begin() + shift, ranks.end(), ranks.begin(), 0.0);
    return sum / variance + 1 / static_cast<double>(ranks.size());  // the estimate is too low by about 1/n
  };
  double inflation = 1;
  const std::size_t largest = std::min(kLargestLag, ranks.size() / 4);
  for (std::size_t lag = 1; lag + 1 <= largest; lag += 2) {
    const double pair = correlation(lag) + correlation(lag + 1);
    if (pair <= 0) break;
    inflation += 2 * pair;
  }
  return inflation;
}

}  // namespace graphnet
