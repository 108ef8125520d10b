#include "graphnet/score/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

constexpr std::array kErrorClasses{ErrorClass::kAccuracy, ErrorClass::kRuntime, ErrorClass::kCompile};

std::size_t index_of(ErrorClass error_class) {
  return static_cast<std::size_t>(error_class) - 1;
}

void check_table(std::span<const Outcome> outcomes, int level, const ScoreOptions& options) {
  check_options(options);
  if (level < kStrictestScoreLevel || level > kLoosestScoreLevel) {
    throw Error(ErrorKind::kUsage, "score level " + std::to_string(level) + " is outside " +
                                       std::to_string(kStrictestScoreLevel) + ".." +
                                       std::to_string(kLoosestScoreLevel));
  }
  for (const Outcome& outcome : outcomes) {
    check_outcome(outcome);
    if (outcome.compiler != outcomes.front().compiler) {
      throw Error(ErrorKind::kInternal, "one score over the outcomes of two compilers, '" + outcomes.front().compiler +
                                            "' and '" + outcome.compiler + "'");
    }
  }
}

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

double mean_or_zero(double sum, int count) {
  return count == 0 ? 0.0 : sum / count;
}

void count_outcomes(std::span<const Outcome> outcomes, Score& score) {
  double sum_of_logs = 0.0;
  double sum_of_slow_logs = 0.0;
  for (const Outcome& outcome : outcomes) {
    if (!is_scored(outcome)) {
      ++(outcome.status == OutcomeStatus::kExcluded ? score.excluded : score.unavailable);
      continue;
    }
    ++score.samples;
    const ErrorClass error = error_class(outcome, correctness_level(score.level));
    if (error != ErrorClass::kNone) {
      ++score.errors[index_of(error)];
      continue;
    }
    ++score.correct;
    if (!outcome.is_timed) continue;
    ++score.timed;
    const double log_speedup = std::log(outcome.speedup.value());
    sum_of_logs += log_speedup;
    if (*outcome.speedup < 1.0) {
      ++score.slow;
      sum_of_slow_logs += log_speedup;
    }
  }
  score.aggregates.lambda = mean_or_zero(score.correct, score.samples);
  if (score.correct > 0 && score.timed == 0) {
    score.aggregates.alpha = score.aggregates.beta = score.aggregates.eta = kNotANumber;
    return;
  }
  score.aggregates.alpha = std::exp(mean_or_zero(sum_of_logs, score.timed));
  score.aggregates.beta = std::exp(mean_or_zero(sum_of_slow_logs, score.slow));
  score.aggregates.eta = mean_or_zero(score.slow, score.timed);
}

void weigh_errors(const ScoreOptions& options, Score& score) {
  const int errors = score.samples - score.correct;
  double exponent = 0.0;
  for (const ErrorClass error : kErrorClasses) {
    const double share = mean_or_zero(score.errors[index_of(error)], errors);
    score.error_share[index_of(error)] = share;
    if (score.level < tolerated_from(error, options.interpretation)) exponent += share;
  }
  score.gamma = std::pow(options.failure_base, exponent);
}

Contribution contribution(const Outcome& outcome, int level, const ScoreOptions& options) {
  const ErrorClass error = error_class(outcome, correctness_level(level));
  if (error != ErrorClass::kNone) {
    const double log_base = std::log(options.failure_base);
    return {log_base, level < tolerated_from(error, options.interpretation) ? log_base : 0.0};
  }
  const double weight = *outcome.speedup < 1.0 ? options.slowdown_penalty + 1.0 : 1.0;
  const double log_speedup = weight * std::log(*outcome.speedup);
  return {log_speedup, log_speedup};
}

bool is_correct_but_not_timed(const Outcome& outcome, int level) {
  return !outcome.is_timed && is_correct(outcome, correctness_level(level));
}

}  // namespace

int correctness_level(int level) {
  return std::min(level, kFreezeLevel);
}

void check_options(const ScoreOptions& options) {
  if (!(options.failure_base > 0.0 && options.failure_base <= 1.0)) {
    throw Error(ErrorKind::kUsage,
                "the failure base b has to be above 0 and at most 1, not " + std::to_string(options.failure_base));
  }
  if (!(std::isfinite(options.slowdown_penalty) && options.slowdown_penalty >= 0.0)) {
    throw Error(ErrorKind::kUsage,
                "the slowdown penalty p has to be at least 0, not " + std::to_string(options.slowdown_penalty));
  }
}

std::string_view interpretation_name(Interpretation interpretation) {
  return interpretation == Interpretation::kDefinition ? "definition" : "published";
}

std::optional<Interpretation> parse_interpretation(std::string_view name) {
  for (const Interpretation interpretation : {Interpretation::kDefinition, Interpretation::kPublished}) {
    if (name == interpretation_name(interpretation)) return interpretation;
  }
  return std::nullopt;
}

int tolerated_from(ErrorClass error_class, Interpretation interpretation) {
  if (error_class == ErrorClass::kRuntime && interpretation == Interpretation::kPublished) return 3;
  return static_cast<int>(error_class);
}

double aggregate_score(const Aggregates& aggregates, double base, double slowdown_penalty) {
  const auto& [alpha, beta, lambda, eta] = aggregates;
  return std::exp(lambda * std::log(alpha) + lambda * eta * slowdown_penalty * std::log(beta) +
                  (1.0 - lambda) * std::log(base));
}

Score score_at(std::span<const Outcome> outcomes, int level, const ScoreOptions& options) {
  check_table(outcomes, level, options);
  Score score;
  score.level = level;
  count_outcomes(outcomes, score);
  weigh_errors(options, score);
  if (score.samples == 0) {
    score.speedup_score = score.error_aware_score = kNotANumber;
    return score;
  }
  score.speedup_score = aggregate_score(score.aggregates, options.failure_base, options.slowdown_penalty);
  score.error_aware_score = aggregate_score(score.aggregates, score.gamma, options.slowdown_penalty);
  return score;
}

std::vector<Score> score_series(std::span<const Outcome> outcomes, const ScoreOptions& options) {
  std::vector<Score> series;
  for (int level = kStrictestScoreLevel; level <= kLoosestScoreLevel; ++level) {
    series.push_back(score_at(outcomes, level, options));
  }
  return series;
}

std::vector<Contribution> contributions(std::span<const Outcome> outcomes, int level, const ScoreOptions& options) {
  check_table(outcomes, level, options);
  std::vector<Contribution> result;
  std::vector<std::size_t> not_timed;
  double sum = 0.0;  // of the timed correct ones
  int timed = 0;
  for (const Outcome& outcome : outcomes) {
    if (!is_scored(outcome)) continue;
    if (is_correct_but_not_timed(outcome, level)) {
      not_timed.push_back(result.size());
      result.emplace_back();
      continue;
    }
    result.push_back(contribution(outcome, level, options));
    if (!is_correct(outcome, correctness_level(level))) continue;
    sum += result.back().log_speedup;
    ++timed;
  }
  const double mean = timed == 0 ? kNotANumber : sum / timed;
  for (const std::size_t i : not_timed) result[i] = {mean, mean};
  return result;
}

double fast_share(std::span<const Outcome> outcomes, int level, double p) {
  int scored = 0;
  int correct = 0;
  int timed = 0;
  int fast = 0;
  for (const Outcome& outcome : outcomes) {
    if (!is_scored(outcome)) continue;
    ++scored;
    if (!is_correct(outcome, correctness_level(level))) continue;
    ++correct;
    if (!outcome.is_timed) continue;
    ++timed;
    if (*outcome.speedup > p) ++fast;
  }
  if (scored == 0) return kNotANumber;
  if (p <= 0 || correct == 0) return mean_or_zero(correct, scored);
  return timed == 0 ? kNotANumber : static_cast<double>(correct) / scored * fast / timed;
}

}  // namespace graphnet
