#include "graphnet/score/significance.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>

#include "graphnet/score/distributions.h"
#include "graphnet/support/error.h"

#include "ranks.h"

namespace graphnet {
namespace {

constexpr std::size_t kLargestExact = 50;  // differences; 2^50 sign patterns are counted exactly in a double

// Of all 2^n ways to give signs to the ranks 1..n, how many have the positive ranks sum up to each number.
std::vector<double> signed_rank_counts(std::size_t n) {
  std::vector<double> counts(n * (n + 1) / 2 + 1);
  counts[0] = 1;
  for (std::size_t next = 1; next <= n; ++next) {
    for (std::size_t sum = counts.size() - 1; sum >= next; --sum) counts[sum] += counts[sum - next];
  }
  return counts;
}

double exact_signed_rank_p(double positive_ranks, std::size_t n) {
  const std::vector<double> counts = signed_rank_counts(n);
  const double largest = static_cast<double>(counts.size() - 1);
  // The distribution is symmetric: both tails are as large as the one below the smaller of the two sums.
  const auto smaller = static_cast<std::ptrdiff_t>(std::min(positive_ranks, largest - positive_ranks));
  const double below = std::accumulate(counts.begin(), counts.begin() + smaller + 1, 0.0);
  return std::min(1.0, 2 * below / std::exp2(static_cast<double>(n)));
}

double signed_rank_variance(double n) {
  return n * (n + 1) * (2 * n + 1) / 24;
}

struct PairMeanRanks {
  std::uint64_t low;  // the interval reaches from the low-th smallest pair mean to the low-th largest, from 1 on
  double confidence;
};

// The largest interval rank whose tails are small enough; nothing where even the whole range is not.
std::optional<PairMeanRanks> pair_mean_ranks(std::size_t count, double confidence) {
  const auto n = static_cast<double>(count);
  if (count > kLargestExact) {
    const double middle = n * (n + 1) / 4;
    return PairMeanRanks{
        static_cast<std::uint64_t>(std::max(
            1.0, std::floor(middle - two_sided_normal_quantile(confidence) * std::sqrt(signed_rank_variance(n))))),
        confidence};
  }
  const std::vector<double> counts = signed_rank_counts(count);
  std::optional<PairMeanRanks> result;
  double below = 0;
  for (std::uint64_t rank = 1; rank <= counts.size() / 2; ++rank) {
    below += counts[rank - 1];
    const double covered = 1 - 2 * below / std::exp2(n);
    if (covered < confidence) break;
    result = PairMeanRanks{rank, covered};
  }
  return result;
}

// How many of the means of two values, each value with itself too, are at most `limit`. The values are ascending.
std::uint64_t pair_means_up_to(std::span<const double> values, double limit) {
  std::uint64_t count = 0;
  std::size_t partners = values.size();  // values from 0 on that are small enough to go with the current one
  for (std::size_t i = 0; i < values.size(); ++i) {
    while (partners > 0 && (values[i] + values[partners - 1]) / 2 > limit) --partners;
    if (partners <= i) break;
    count += partners - i;
  }
  return count;
}

// The rank-th smallest of those means, from 1 on. Bisection over values, so that a million pairs need no memory.
double pair_mean(std::span<const double> values, std::uint64_t rank) {
  double low = values.front();
  double high = values.back();
  if (pair_means_up_to(values, low) >= rank) return low;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::midpoint(low, high);
    if (middle <= low || middle >= high) break;
    (pair_means_up_to(values, middle) >= rank ? high : low) = middle;
  }
  return high;
}

void check_numbers(std::span<const double> values) {
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    throw Error(ErrorKind::kInternal, "a rank test of a value that is not finite");
  }
}

}  // namespace

SignedRankTest wilcoxon_signed_rank(std::span<const double> differences) {
  check_numbers(differences);
  std::vector<double> values;
  std::ranges::copy_if(differences, std::back_inserter(values), [](double value) { return value != 0; });
  SignedRankTest test{.count = values.size()};
  if (values.empty()) return test;

  std::vector<double> sizes;
  for (const double value : values) sizes.push_back(std::abs(value));
  const Ranking ranking = rank(sizes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0) test.positive_ranks += ranking.ranks[i];
  }
  const bool has_zeros = values.size() < differences.size();
  if (values.size() <= kLargestExact && ranking.ties == 0 && !has_zeros) {
    test.p_value = exact_signed_rank_p(test.positive_ranks, values.size());
    return test;
  }
  const auto n = static_cast<double>(values.size());
  const double variance = signed_rank_variance(n) - ranking.ties / 48;
  test.p_value = two_sided_normal_p((test.positive_ranks - n * (n + 1) / 4) / std::sqrt(variance));
  return test;
}

ShiftEstimate hodges_lehmann(std::span<const double> differences, double confidence, double variance_inflation) {
  check_numbers(differences);
  if (differences.empty()) throw Error(ErrorKind::kInternal, "the centre of no differences");
  std::vector<double> values(differences.begin(), differences.end());
  std::ranges::sort(values);
  const std::uint64_t n = values.size();
  const std::uint64_t pairs = n * (n + 1) / 2;
  ShiftEstimate estimate;
  estimate.centre = std::midpoint(pair_mean(values, (pairs + 1) / 2), pair_mean(values, pairs / 2 + 1));
  if (const auto ranks = pair_mean_ranks(values.size(), confidence)) {
    const double middle = static_cast<double>(pairs + 1) / 2;
    const double distance = (middle - static_cast<double>(ranks->low)) * std::sqrt(variance_inflation);
    if (middle - distance < 1) return estimate;  // even the whole range would not be wide enough
    const auto low = static_cast<std::uint64_t>(middle - distance);
    estimate.interval = Interval{pair_mean(values, low), pair_mean(values, pairs + 1 - low), ranks->confidence};
  }
  return estimate;
}

double sign_test(std::size_t first, std::size_t second) {
  const auto n = static_cast<double>(first + second);
  double log_probability = -n * std::log(2.0);  // of exactly k on one side
  double below = 0;
  for (std::size_t k = 0; k <= std::min(first, second); ++k) {
    below += std::exp(log_probability);
    const auto step = static_cast<double>(k);
    log_probability += std::log((n - step) / (step + 1));
  }
  return std::min(1.0, 2 * below);
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  const std::vector<std::size_t> order = ascending_order(p_values);
  std::vector<double> adjusted(p_values.size());
  const auto count = static_cast<double>(p_values.size());
  double smallest = 1;
  for (std::size_t i = order.size(); i-- > 0;) {  // from the largest p on: an adjusted value never exceeds a later one
    smallest = std::min(smallest, p_values[order[i]] * count / static_cast<double>(i + 1));
    adjusted[order[i]] = smallest;
  }
  return adjusted;
}

}  // namespace graphnet
