#include "graphnet/score/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>

#include "graphnet/score/autocorrelation.h"
#include "graphnet/score/distributions.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

// Sums over the samples of each group, row by row; `counts` are the numbers of samples.
struct Groups {
  std::size_t columns = 0;
  std::vector<double> sums;
  std::vector<double> counts;

  std::size_t size() const { return counts.size(); }
};

// Uniform in 0..count-1. The standard library's distribution gives other numbers in other implementations; its engine
// does not.
std::size_t draw_below(std::size_t count, std::mt19937_64& engine) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = kMax - kMax % count;
  std::uint64_t bits = engine();
  while (bits >= limit) bits = engine();
  return static_cast<std::size_t>(bits % count);
}

// The bundle of each of `count` groups: itself, or one of kMostBundles of equal size, drawn at random.
std::vector<std::size_t> bundles_of(std::size_t count, std::mt19937_64& engine) {
  std::vector<std::size_t> bundles(count);
  for (std::size_t i = 0; i < count; ++i) bundles[i] = i % kMostBundles;
  if (count <= kMostBundles) return bundles;
  for (std::size_t i = count; i > 1; --i) std::swap(bundles[i - 1], bundles[draw_below(i, engine)]);
  return bundles;
}

// In the order of their names, so that the draw does not depend on the order in which units finished.
Groups collect(std::span<const double> rows, std::size_t columns, std::span<const std::string> names,
               std::mt19937_64& engine) {
  std::map<std::string_view, std::size_t> index_by_name;
  for (const std::string& name : names) index_by_name.emplace(name, 0);
  std::size_t next = 0;
  for (auto& [name, index] : index_by_name) index = next++;
  const std::vector<std::size_t> bundles = bundles_of(index_by_name.size(), engine);
  const std::size_t count = std::min(index_by_name.size(), kMostBundles);

  Groups groups{columns, std::vector<double>(count * columns), std::vector<double>(count)};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t group = bundles[index_by_name[names[i]]];
    groups.counts[group] += 1.0;
    for (std::size_t j = 0; j < columns; ++j) groups.sums[group * columns + j] += rows[i * columns + j];
  }
  return groups;
}

// Adds one resample's means to the end of each column.
void resample(const Groups& groups, std::mt19937_64& engine, std::vector<double>& sums,
              std::vector<std::vector<double>>& means) {
  std::ranges::fill(sums, 0.0);
  double count = 0.0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t drawn = draw_below(groups.size(), engine);
    count += groups.counts[drawn];
    const double* row = &groups.sums[drawn * groups.columns];
    for (std::size_t j = 0; j < groups.columns; ++j) sums[j] += row[j];
  }
  for (std::size_t j = 0; j < groups.columns; ++j) means[j].push_back(sums[j] / count);
}

// P(Z <= -sqrt(n / (n - 1)) * t), for the quantile t of Student's distribution with n - 1 degrees of freedom: the tail
// to cut off on either side of the means of resamples of n groups.
double expanded_tail(double confidence, std::size_t groups) {
  const auto n = static_cast<double>(groups);
  return two_sided_normal_p(std::sqrt(n / (n - 1)) * two_sided_student_quantile(confidence, groups - 1)) / 2;
}

Interval percentile_interval(std::span<const double> values, double confidence, double tail) {
  return {quantile(values, tail), quantile(values, 1.0 - tail), confidence};
}

Interval exponential(const Interval& interval) {
  return {std::exp(interval.low), std::exp(interval.high), interval.confidence};
}

// From the columns of S and ES, which begin at `first`.
std::optional<ScoreInterval> score_interval_of(std::span<const std::optional<Interval>> columns, std::size_t first) {
  if (columns.size() < first + 2 || !columns[first] || !columns[first + 1]) return std::nullopt;
  return ScoreInterval{exponential(*columns[first]), exponential(*columns[first + 1])};
}

void check(const BootstrapOptions& options) {
  if (options.resamples < 1 || !(options.confidence > 0.0 && options.confidence < 1.0)) {
    throw Error(ErrorKind::kUsage, "the bootstrap takes at least 1 resample and a confidence between 0 and 1");
  }
}

std::vector<std::string> groups_of(std::span<const Outcome> outcomes) {
  std::vector<std::string> groups;
  for (const Outcome& outcome : outcomes) {
    if (is_scored(outcome)) groups.push_back(outcome.group.empty() ? outcome.sample : outcome.group);
  }
  return groups;
}

// Which of n ordered values the median of a resample of all n is, as a table to draw from with equal probabilities. It
// is at most the k-th where at least h of the n draws are, each with probability k/n, so that no trial needs to be
// drawn. An even n has two middle values; either is taken half of the time.
constexpr std::size_t kRankTableSize = 1024;
using RankTable = std::vector<std::uint32_t>;

// P(binomial(n, probability) >= least).
double binomial_tail(std::size_t n, double probability, std::size_t least) {
  if (probability >= 1.0) return 1.0;
  const auto count = static_cast<double>(n);
  double tail = 0.0;
  for (std::size_t k = least; k <= n; ++k) {
    const auto hits = static_cast<double>(k);
    const double log_term = std::lgamma(count + 1) - std::lgamma(hits + 1) - std::lgamma(count - hits + 1) +
                            hits * std::log(probability) + (count - hits) * std::log1p(-probability);
    const double term = std::exp(log_term);
    tail += term;
    if (hits > count * probability && term < 1e-12) break;
  }
  return std::min(tail, 1.0);
}

RankTable rank_table(std::size_t n) {
  RankTable table;
  table.reserve(kRankTableSize);
  constexpr std::size_t kHalf = kRankTableSize / 2;
  for (const std::size_t least : {(n + 1) / 2, n / 2 + 1}) {
    std::size_t rank = 1;
    double up_to_rank = binomial_tail(n, 1.0 / static_cast<double>(n), least);
    for (std::size_t i = 0; i < kHalf; ++i) {
      const double wanted = (static_cast<double>(i) + 0.5) / kHalf;
      while (up_to_rank < wanted && rank < n) {
        ++rank;
        up_to_rank = binomial_tail(n, static_cast<double>(rank) / static_cast<double>(n), least);
      }
      table.push_back(static_cast<std::uint32_t>(rank - 1));
    }
  }
  return table;
}

// What is resampled over samples: contributions whose mean is the log score, and whose spread is that of the score. The
// mean of the timed correct samples stands in for those that are not timed too, so that each timed one counts for more
// than itself: its distance from that mean is multiplied by correct / timed (the linearised ratio estimator).
std::vector<Contribution> spread_contributions(std::span<const Outcome> outcomes, int level,
                                               const ScoreOptions& options) {
  std::vector<Contribution> result = contributions(outcomes, level, options);
  std::vector<std::size_t> timed;
  double correct = 0;
  double mean = 0;
  std::size_t next = 0;
  for (const Outcome& outcome : outcomes) {
    if (!is_scored(outcome)) continue;
    const std::size_t i = next++;
    if (!is_correct(outcome, correctness_level(level))) continue;
    correct += 1;
    if (outcome.is_timed) timed.push_back(i);
    mean += result[i].log_speedup;
  }
  mean /= correct;
  const double weight = correct / static_cast<double>(timed.size());
  for (const std::size_t i : timed) {
    const double value = mean + weight * (result[i].log_speedup - mean);
    result[i] = {value, value};
  }
  return result;
}

// The stream of one sample's draws, by the seed and its name (FNV-1a).
std::mt19937_64 engine_of(const std::string& sample, std::uint64_t seed) {
  std::uint64_t hash = 14695981039346656037U ^ seed;
  for (const char byte : sample) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  return std::mt19937_64(hash);
}

// Adds a sample's contribution to every resample's sum: that of its log speedup, moved as far as a drawn order
// statistic of its log ratios lies from their median, or further where trials resemble the ones before them. Medians
// spread no less than the centre that the speedup itself is.
void add_resampled(double log_speedup, std::vector<double> log_ratios, double slowdown_penalty, const RankTable& table,
                   std::mt19937_64 engine, std::vector<double>& sums) {
  const double widening = std::sqrt(variance_inflation(log_ratios));
  std::ranges::sort(log_ratios);
  const double centre = median(log_ratios);
  for (double& value : log_ratios) {
    value = log_speedup + widening * (value - centre);
    if (value < 0.0) value *= slowdown_penalty + 1.0;
  }
  constexpr unsigned kBitsOfDraw = 10;  // 2^10 entries of the table
  static_assert(kRankTableSize == std::size_t{1} << kBitsOfDraw);
  std::uint64_t bits = 0;
  unsigned left = 0;
  for (double& sum : sums) {
    if (left < kBitsOfDraw) {
      bits = engine();
      left = 64;
    }
    sum += log_ratios[table[bits & (kRankTableSize - 1)]];
    bits >>= kBitsOfDraw;
    left -= kBitsOfDraw;
  }
}

}  // namespace

std::vector<std::optional<Interval>> bootstrap_means(std::span<const double> rows, std::size_t columns,
                                                     std::span<const std::string> groups,
                                                     const BootstrapOptions& options) {
  if (rows.size() != groups.size() * columns) {
    throw Error(ErrorKind::kInternal, "bootstrap: " + std::to_string(rows.size()) + " values, but groups for " +
                                          std::to_string(groups.size() * columns));
  }
  check(options);
  std::mt19937_64 engine(options.seed);
  const Groups collected = collect(rows, columns, groups, engine);
  if (collected.size() < kFewestGroups) return {};

  std::vector<std::vector<double>> means(columns);
  std::vector<double> sums(columns);
  for (int i = 0; i < options.resamples; ++i) resample(collected, engine, sums, means);
  const double tail = expanded_tail(options.confidence, collected.size());
  std::vector<std::optional<Interval>> intervals(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    const double total = std::accumulate(means[j].begin(), means[j].end(), 0.0);
    if (!std::isnan(total)) intervals[j] = percentile_interval(means[j], options.confidence, tail);
  }
  return intervals;
}

std::optional<ScoreInterval> score_interval(std::span<const Outcome> outcomes, int level, const ScoreOptions& options,
                                            const BootstrapOptions& bootstrap) {
  std::vector<double> rows;
  for (const Contribution& contribution : spread_contributions(outcomes, level, options)) {
    rows.insert(rows.end(), {contribution.log_speedup, contribution.log_error_aware});
  }
  return score_interval_of(bootstrap_means(rows, 2, groups_of(outcomes), bootstrap), 0);
}

std::vector<std::optional<ScoreInterval>> score_bands(std::span<const Outcome> outcomes, const ScoreOptions& options,
                                                      const BootstrapOptions& bootstrap) {
  constexpr std::size_t kLevels = kLoosestScoreLevel - kStrictestScoreLevel + 1;
  constexpr std::size_t kColumns = 2 * kLevels;
  const std::vector<std::string> groups = groups_of(outcomes);
  std::vector<double> rows(groups.size() * kColumns);
  for (std::size_t i = 0; i < kLevels; ++i) {
    std::size_t at = 2 * i;
    const int level = kStrictestScoreLevel + static_cast<int>(i);
    for (const Contribution& each : spread_contributions(outcomes, level, options)) {
      rows[at] = each.log_speedup;
      rows[at + 1] = each.log_error_aware;
      at += kColumns;
    }
  }
  const std::vector<std::optional<Interval>> intervals = bootstrap_means(rows, kColumns, groups, bootstrap);
  std::vector<std::optional<ScoreInterval>> bands;
  for (std::size_t i = 0; i < intervals.size(); i += 2) bands.push_back(score_interval_of(intervals, i));
  return bands;
}

std::optional<Interval> trial_interval(std::span<const UnitResult> results, int level, const ScoreOptions& options,
                                       const BootstrapOptions& bootstrap) {
  check(bootstrap);
  const std::vector<Contribution> fixed = contributions(outcomes_in(results), level, options);
  std::vector<double> sums(static_cast<std::size_t>(bootstrap.resamples));  // over timed correct samples
  std::map<std::size_t, RankTable> tables;                                  // by number of trials
  double of_errors = 0.0;
  double without_trials = 0.0;  // of timed correct samples
  double correct = 0.0;
  double timed = 0.0;
  std::size_t scored = 0;
  for (const UnitResult& result : results) {
    const Outcome& outcome = result.outcome;
    if (!is_scored(outcome)) continue;
    const double log_speedup = fixed[scored++].log_speedup;
    if (!is_correct(outcome, correctness_level(level))) {
      of_errors += log_speedup;
      continue;
    }
    correct += 1;
    if (!outcome.is_timed) continue;
    timed += 1;
    const std::size_t trials = result.log_ratios.size();
    if (trials < 2) {
      without_trials += log_speedup;
      continue;
    }
    const auto [table, is_new] = tables.try_emplace(trials);
    if (is_new) table->second = rank_table(trials);
    add_resampled(std::log(*outcome.speedup), result.log_ratios, options.slowdown_penalty, table->second,
                  engine_of(outcome.sample, bootstrap.seed), sums);
  }
  if (tables.empty()) return std::nullopt;
  // The timed ones stand for all that are correct.
  for (double& sum : sums) {
    sum = ((sum + without_trials) * correct / timed + of_errors) / static_cast<double>(scored);
  }
  return exponential(percentile_interval(sums, bootstrap.confidence, (1.0 - bootstrap.confidence) / 2.0));
}

}  // namespace graphnet
