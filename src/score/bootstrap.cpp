#include "graphnet/score/bootstrap.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <random>
#include <string_view>
#include <vector>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

struct Group {
  double sum = 0.0;
  double count = 0.0;
};

// In the order of their names, so that the draw does not depend on the order in which units finished.
std::vector<Group> collect(std::span<const double> values, std::span<const std::string> names) {
  std::map<std::string_view, Group> by_name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Group& group = by_name[names[i]];
    group.sum += values[i];
    group.count += 1.0;
  }
  std::vector<Group> groups;
  groups.reserve(by_name.size());
  for (const auto& [name, group] : by_name) groups.push_back(group);
  return groups;
}

// Uniform in 0..count-1. The standard library's distribution gives other numbers in other implementations; its engine
// does not.
std::size_t draw_below(std::size_t count, std::mt19937_64& engine) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = kMax - kMax % count;
  std::uint64_t bits = engine();
  while (bits >= limit) bits = engine();
  return static_cast<std::size_t>(bits % count);
}

double resampled_mean(std::span<const Group> groups, std::mt19937_64& engine) {
  Group total;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& drawn = groups[draw_below(groups.size(), engine)];
    total.sum += drawn.sum;
    total.count += drawn.count;
  }
  return total.sum / total.count;
}

Interval exponential(const Interval& interval) {
  return {std::exp(interval.low), std::exp(interval.high), interval.confidence};
}

}  // namespace

std::optional<Interval> bootstrap_mean(std::span<const double> values, std::span<const std::string> groups,
                                       const BootstrapOptions& options) {
  if (values.size() != groups.size()) {
    throw Error(ErrorKind::kInternal, "bootstrap: " + std::to_string(values.size()) + " values, but groups for " +
                                          std::to_string(groups.size()));
  }
  if (options.resamples < 1 || !(options.confidence > 0.0 && options.confidence < 1.0)) {
    throw Error(ErrorKind::kUsage, "the bootstrap takes at least 1 resample and a confidence between 0 and 1");
  }
  const std::vector<Group> collected = collect(values, groups);
  if (collected.size() < 2) return std::nullopt;

  std::mt19937_64 engine(options.seed);
  std::vector<double> means(static_cast<std::size_t>(options.resamples));
  for (double& mean : means) mean = resampled_mean(collected, engine);
  const double tail = (1.0 - options.confidence) / 2.0;
  return Interval{quantile(means, tail), quantile(means, 1.0 - tail), options.confidence};
}

std::optional<ScoreInterval> score_interval(std::span<const Outcome> outcomes, int level, const ScoreOptions& options,
                                            const BootstrapOptions& bootstrap) {
  std::vector<double> log_speedups;
  std::vector<double> log_error_aware;
  for (const Contribution& contribution : contributions(outcomes, level, options)) {
    log_speedups.push_back(contribution.log_speedup);
    log_error_aware.push_back(contribution.log_error_aware);
  }
  std::vector<std::string> groups;
  for (const Outcome& outcome : outcomes) {
    if (is_scored(outcome)) groups.push_back(outcome.group.empty() ? outcome.sample : outcome.group);
  }
  const std::optional<Interval> speedup = bootstrap_mean(log_speedups, groups, bootstrap);
  const std::optional<Interval> error_aware = bootstrap_mean(log_error_aware, groups, bootstrap);
  if (!speedup || !error_aware) return std::nullopt;
  return ScoreInterval{exponential(*speedup), exponential(*error_aware)};
}

}  // namespace graphnet
