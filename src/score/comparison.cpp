#include "graphnet/score/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "graphnet/score/autocorrelation.h"
#include "graphnet/score/distributions.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

// Pairs the results that are left over and have the same key; an empty key has no partner.
class Matcher {
 public:
  Matcher(std::span<const UnitResult> a, std::span<const UnitResult> b)
      : a_(a), b_(b), partner_(a.size()), is_taken_(b.size()) {}

  template <class Key, class Allowed>
  std::size_t match(const Key& key, const Allowed& allowed) {
    std::map<std::string, std::vector<std::size_t>> candidates;  // of B, last one first
    for (std::size_t j = b_.size(); j-- > 0;) {
      if (!is_taken_[j] && !key(b_[j]).empty()) candidates[key(b_[j])].push_back(j);
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (partner_[i] || key(a_[i]).empty()) continue;
      const auto found = candidates.find(key(a_[i]));
      if (found == candidates.end() || found->second.empty()) continue;
      const std::size_t j = found->second.back();
      if (!allowed(a_[i], b_[j])) continue;
      found->second.pop_back();
      partner_[i] = j;
      is_taken_[j] = true;
      ++count;
    }
    return count;
  }

  Pairing finish() const {
    Pairing pairing;
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (partner_[i]) {
        pairing.pairs.push_back({i, *partner_[i]});
      } else {
        pairing.only_a.push_back(i);
        names.insert(a_[i].outcome.sample);
      }
    }
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (is_taken_[j]) continue;
      pairing.only_b.push_back(j);
      if (names.contains(b_[j].outcome.sample)) ++pairing.changed_graphs;
    }
    return pairing;
  }

 private:
  std::span<const UnitResult> a_;
  std::span<const UnitResult> b_;
  std::vector<std::optional<std::size_t>> partner_;
  std::vector<bool> is_taken_;
};

// What a sample's outcome is at the level, as far as a flip is concerned.
struct End {
  OutcomeStatus status;
  ErrorClass error;

  friend bool operator==(const End&, const End&) = default;
};

End end_of(const Outcome& outcome, int level) {
  if (!is_scored(outcome)) return {outcome.status, ErrorClass::kNone};
  if (is_correct(outcome, level)) return {OutcomeStatus::kCorrect, ErrorClass::kNone};
  const ErrorClass error = error_class(outcome, level);
  return {error == ErrorClass::kAccuracy ? OutcomeStatus::kAccuracy : OutcomeStatus::kFailed, error};
}

bool is_error(const End& end) {
  return end.error != ErrorClass::kNone;
}

bool is_contended(const UnitResult& result) {
  return result.verdict == kContendedVerdict;
}

// Of the centre of a side's trials, as one process shows them.
std::optional<double> standard_error(const UnitResult& result) {
  if (result.log_ratios.empty()) return std::nullopt;
  const auto interval = hodges_lehmann(result.log_ratios, 0.95, variance_inflation(result.log_ratios)).interval;
  if (!interval) return std::nullopt;
  return (interval->high - interval->low) / 2 / two_sided_normal_quantile(interval->confidence);
}

// That a change of at most the margin looks as large as this one: the one-sided test against the nearer end of the
// margin, doubled because the side is chosen by the data.
std::optional<double> change_p(const UnitResult& a, const UnitResult& b, double log_ratio,
                               const ComparisonOptions& options) {
  const auto error_a = standard_error(a);
  const auto error_b = standard_error(b);
  if (!error_a || !error_b) return std::nullopt;
  const double excess = std::abs(log_ratio) - std::log1p(options.margin);
  if (excess <= 0) return 1;
  const double process = options.process_deviation;
  const double error = std::sqrt(*error_a * *error_a + *error_b * *error_b + 2 * process * process);
  return two_sided_normal_p(excess / error);
}

std::optional<double> quotient(const std::optional<double>& b, const std::optional<double>& a) {
  return a && b && *a > 0 && *b > 0 ? std::optional(*b / *a) : std::nullopt;
}

void find_changes(std::span<const UnitResult> a, std::span<const UnitResult> b, const ComparisonOptions& options,
                  RunComparison& comparison) {
  const int level = correctness_level(options.level);
  for (const Pair& pair : comparison.pairing.pairs) {
    const UnitResult& before = a[pair.a];
    const UnitResult& after = b[pair.b];
    if (!is_correct(before.outcome, level) || !is_correct(after.outcome, level)) continue;
    if (!options.include_contended && (is_contended(before) || is_contended(after))) {
      ++comparison.contended;
      continue;
    }
    Change change{.pair = pair, .ratio = *after.outcome.speedup / *before.outcome.speedup};
    change.reference_ratio = quotient(after.reference_seconds, before.reference_seconds);
    change.candidate_ratio = quotient(after.candidate_seconds, before.candidate_seconds);
    change.p_value = change_p(before, after, std::log(change.ratio), options);
    comparison.changes.push_back(change);
  }
}

void mark_significant(const ComparisonOptions& options, std::vector<Change>& changes) {
  std::vector<double> p_values;
  for (const Change& change : changes) {
    if (change.p_value) p_values.push_back(*change.p_value);
  }
  const std::vector<double> adjusted = benjamini_hochberg(p_values);
  std::size_t next = 0;
  for (Change& change : changes) {
    if (!change.p_value) continue;
    change.q_value = adjusted[next++];
    change.significant = *change.q_value <= options.false_discovery;
  }
  std::ranges::stable_sort(changes, [](const Change& left, const Change& right) {
    if (left.significant != right.significant) return left.significant;
    return std::abs(std::log(left.ratio)) > std::abs(std::log(right.ratio));
  });
}

// The mean log of what `ratio_of` gives for the changes of each model, where it gives something.
template <class RatioOf>
std::vector<double> log_changes_by_model(std::span<const UnitResult> a, std::span<const Change> changes,
                                         const RatioOf& ratio_of) {
  std::map<std::string_view, std::pair<double, double>> sums;  // of log ratios, and their number
  for (const Change& change : changes) {
    const std::optional<double> ratio = ratio_of(change);
    if (!ratio) continue;
    const Outcome& outcome = a[change.pair.a].outcome;
    auto& [sum, count] = sums[outcome.group.empty() ? outcome.sample : outcome.group];
    sum += std::log(*ratio);
    count += 1;
  }
  std::vector<double> means;
  for (const auto& [model, sum] : sums) means.push_back(sum.first / sum.second);
  return means;
}

std::optional<double> centre_of(std::span<const double> log_changes) {
  if (log_changes.empty()) return std::nullopt;
  return std::exp(hodges_lehmann(log_changes).centre);
}

// The change that is called BETTER with 80 % probability: it has to lie so far beyond what is needed, an interval above
// 1 and an estimate beyond the margin, that the estimate falls short of it one time in five.
double detectable_ratio(const Interval& log_interval, double margin) {
  constexpr double kFourInFive = 0.841621;  // quantile of the normal distribution
  const double half_width = (log_interval.high - log_interval.low) / 2;
  const double error = half_width / two_sided_normal_quantile(log_interval.confidence);
  return std::exp(std::max(half_width, std::log1p(margin)) + kFourInFive * error);
}

void test_all(std::span<const UnitResult> a, const ComparisonOptions& options, RunComparison& comparison) {
  const auto& changes = comparison.changes;
  const std::vector<double> values =
      log_changes_by_model(a, changes, [](const Change& change) { return std::optional(change.ratio); });
  comparison.models = values.size();
  if (values.empty()) return;
  comparison.test = wilcoxon_signed_rank(values);
  const ShiftEstimate estimate = hodges_lehmann(values, options.confidence);
  comparison.ratio = std::exp(estimate.centre);
  comparison.reference_ratio =
      centre_of(log_changes_by_model(a, changes, [](const Change& change) { return change.reference_ratio; }));
  comparison.candidate_ratio =
      centre_of(log_changes_by_model(a, changes, [](const Change& change) { return change.candidate_ratio; }));
  if (const auto& interval = estimate.interval) {
    comparison.interval = Interval{std::exp(interval->low), std::exp(interval->high), interval->confidence};
    comparison.detectable = detectable_ratio(*interval, options.margin);
  }
  comparison.speed = speed_verdict(estimate.centre, estimate.interval, options.margin);
}

void find_flips(std::span<const UnitResult> a, std::span<const UnitResult> b, int level, RunComparison& comparison) {
  for (const Pair& pair : comparison.pairing.pairs) {
    const End before = end_of(a[pair.a].outcome, level);
    const End after = end_of(b[pair.b].outcome, level);
    if (before == after) continue;
    const bool broke = before.status == OutcomeStatus::kCorrect && is_error(after);
    const bool fixed = is_error(before) && after.status == OutcomeStatus::kCorrect;
    const bool lost = before.status == OutcomeStatus::kCorrect && !is_scored(b[pair.b].outcome);
    comparison.broke += broke;
    comparison.fixed += fixed;
    comparison.lost += lost;
    comparison.flips.push_back({pair, broke, fixed, lost});
  }
  for (const std::size_t position : comparison.pairing.only_a) {
    comparison.lost += is_correct(a[position].outcome, level);
  }
  const auto rank = [](const Flip& flip) { return flip.broke ? 0 : flip.lost ? 1 : flip.fixed ? 2 : 3; };
  std::ranges::stable_sort(comparison.flips, {}, rank);
}

// Both scores over the same samples, those that say something on both sides, and over the same of their speedups.
void score_both(std::span<const UnitResult> a, std::span<const UnitResult> b, const ComparisonOptions& options,
                const ScoreOptions& score, RunComparison& comparison) {
  std::vector<Outcome> of_a;
  std::vector<Outcome> of_b;
  for (const Pair& pair : comparison.pairing.pairs) {
    if (!is_scored(a[pair.a].outcome) || !is_scored(b[pair.b].outcome)) continue;
    of_a.push_back(a[pair.a].outcome);
    of_b.push_back(b[pair.b].outcome);
    const bool is_left_out = !options.include_contended && (is_contended(a[pair.a]) || is_contended(b[pair.b]));
    of_a.back().is_timed = of_b.back().is_timed = !is_left_out;
  }
  comparison.score_a = score_at(of_a, options.level, score);
  comparison.score_b = score_at(of_b, options.level, score);
}

// By what broke and what was fixed alone. Failures do not come and go by chance, so one that has no counterpart says
// enough; where some broke and others were fixed, one side has to outweigh the other. SAME where nothing flipped.
Verdict outcome_verdict(std::size_t broke, std::size_t fixed) {
  constexpr double kSignificance = 0.05;
  if (broke == 0 && fixed == 0) return Verdict::kSame;
  if (broke > 0 && fixed > 0 && sign_test(broke, fixed) > kSignificance) return Verdict::kUnclear;
  return broke > fixed ? Verdict::kWorse : Verdict::kBetter;
}

Verdict overall_verdict(const RunComparison& comparison) {
  const Verdict outcomes = outcome_verdict(comparison.broke, comparison.fixed);
  if (outcomes == Verdict::kSame) return comparison.speed;
  if (outcomes == Verdict::kUnclear || comparison.speed == outcomes) return outcomes;
  const bool contradict = comparison.speed == Verdict::kBetter || comparison.speed == Verdict::kWorse;
  return contradict ? Verdict::kUnclear : outcomes;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBetter:
      return "BETTER";
    case Verdict::kWorse:
      return "WORSE";
    case Verdict::kSame:
      return "SAME";
    case Verdict::kUnclear:
      return "UNCLEAR";
  }
  throw Error(ErrorKind::kInternal, "a verdict without a name");
}

void check_options(const ComparisonOptions& options) {
  const auto inside = [](double share) { return share > 0 && share < 1; };
  if (!inside(options.margin) || !inside(options.confidence) || !inside(options.false_discovery)) {
    throw Error(ErrorKind::kUsage,
                "the margin, the confidence and the false discovery rate lie between 0 and 1: 0.01 is 1 %");
  }
  if (!(options.process_deviation >= 0 && options.process_deviation < 1)) {
    throw Error(ErrorKind::kUsage, "the process deviation is a share, at least 0 and below 1: 0.005 is 0.5 %");
  }
}

Pairing pair_results(std::span<const UnitResult> a, std::span<const UnitResult> b) {
  check_each_sample_once(a);
  check_each_sample_once(b);
  const auto always = [](const UnitResult&, const UnitResult&) { return true; };
  const auto unknown_graph = [](const UnitResult& left, const UnitResult& right) {
    return left.identity.empty() || right.identity.empty();
  };
  Matcher matcher(a, b);
  matcher.match([](const UnitResult& each) { return each.identity.empty() ? "" : each.identity + each.outcome.sample; },
                always);
  matcher.match([](const UnitResult& each) { return each.identity; }, always);
  const std::size_t by_name = matcher.match([](const UnitResult& each) { return each.outcome.sample; }, unknown_graph);
  Pairing pairing = matcher.finish();
  pairing.by_name = by_name;
  return pairing;
}

Verdict speed_verdict(double log_ratio, const std::optional<Interval>& log_interval, double margin) {
  if (!log_interval) return Verdict::kUnclear;
  const double bound = std::log1p(margin);
  if (log_interval->low > 0 && log_ratio >= bound) return Verdict::kBetter;
  if (log_interval->high < 0 && log_ratio <= -bound) return Verdict::kWorse;
  if (log_interval->low > -bound && log_interval->high < bound) return Verdict::kSame;
  return Verdict::kUnclear;
}

RunComparison compare(std::span<const UnitResult> a, std::span<const UnitResult> b, const ComparisonOptions& options,
                      const ScoreOptions& score) {
  check_options(options);
  RunComparison comparison;
  comparison.pairing = pair_results(a, b);
  find_flips(a, b, correctness_level(options.level), comparison);
  find_changes(a, b, options, comparison);
  mark_significant(options, comparison.changes);
  test_all(a, options, comparison);
  score_both(a, b, options, score, comparison);
  comparison.verdict = overall_verdict(comparison);
  return comparison;
}

}  // namespace graphnet
