#include "graphnet/score/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "graphnet/score/autocorrelation.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

constexpr std::size_t kFewestTrials = 6;  // a side, for the normal approximation of the rank-sum test

void check_each_sample_once(std::span<const UnitResult> results) {
  std::set<std::string_view> seen;
  for (const UnitResult& result : results) {
    if (seen.insert(result.outcome.sample).second) continue;
    throw Error(ErrorKind::kInput, "sample " + result.outcome.sample + " has two results with compiler " +
                                       result.outcome.compiler + ": remove one of the lines from its results");
  }
}

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

std::optional<double> trial_p(const UnitResult& a, const UnitResult& b) {
  if (a.log_ratios.size() < kFewestTrials || b.log_ratios.size() < kFewestTrials) return std::nullopt;
  const double inflation = std::max(variance_inflation(a.log_ratios), variance_inflation(b.log_ratios));
  return mann_whitney(b.log_ratios, a.log_ratios, inflation).p_value;
}

void find_changes(std::span<const UnitResult> a, std::span<const UnitResult> b, const ComparisonOptions& options,
                  Comparison& comparison) {
  for (const Pair& pair : comparison.pairing.pairs) {
    const UnitResult& before = a[pair.a];
    const UnitResult& after = b[pair.b];
    if (!is_correct(before.outcome, options.level) || !is_correct(after.outcome, options.level)) continue;
    if (!options.include_contended && (is_contended(before) || is_contended(after))) {
      ++comparison.contended;
      continue;
    }
    comparison.changes.push_back(
        {.pair = pair, .ratio = *after.outcome.speedup / *before.outcome.speedup, .p_value = trial_p(before, after)});
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
    change.significant =
        *change.q_value <= options.false_discovery && std::abs(std::log(change.ratio)) > std::log1p(options.margin);
  }
  std::ranges::stable_sort(changes, [](const Change& left, const Change& right) {
    if (left.significant != right.significant) return left.significant;
    return std::abs(std::log(left.ratio)) > std::abs(std::log(right.ratio));
  });
}

std::vector<double> log_changes_by_model(std::span<const UnitResult> a, std::span<const Change> changes) {
  std::map<std::string_view, std::pair<double, double>> sums;  // of log ratios, and their number
  for (const Change& change : changes) {
    const Outcome& outcome = a[change.pair.a].outcome;
    auto& [sum, count] = sums[outcome.group.empty() ? outcome.sample : outcome.group];
    sum += std::log(change.ratio);
    count += 1;
  }
  std::vector<double> means;
  for (const auto& [model, sum] : sums) means.push_back(sum.first / sum.second);
  return means;
}

// The change that a test at 5 % finds with 80 % probability, from the interval's half width h: the standard error is
// about h / 1.96, and such a change is 1.96 + 0.84 of them.
double detectable_ratio(const Interval& log_interval) {
  constexpr double kInHalfWidths = (1.959964 + 0.841621) / 1.959964;
  return std::exp((log_interval.high - log_interval.low) / 2 * kInHalfWidths);
}

void test_all(std::span<const UnitResult> a, const ComparisonOptions& options, Comparison& comparison) {
  const std::vector<double> values = log_changes_by_model(a, comparison.changes);
  comparison.models = values.size();
  if (values.empty()) return;
  comparison.test = wilcoxon_signed_rank(values);
  const ShiftEstimate estimate = hodges_lehmann(values, options.confidence);
  comparison.ratio = std::exp(estimate.centre);
  if (const auto& interval = estimate.interval) {
    comparison.interval = Interval{std::exp(interval->low), std::exp(interval->high), interval->confidence};
    comparison.detectable = detectable_ratio(*interval);
  }
  comparison.speed = speed_verdict(estimate.centre, estimate.interval, options.margin);
}

void find_flips(std::span<const UnitResult> a, std::span<const UnitResult> b, int level, Comparison& comparison) {
  for (const Pair& pair : comparison.pairing.pairs) {
    const End before = end_of(a[pair.a].outcome, level);
    const End after = end_of(b[pair.b].outcome, level);
    if (before == after) continue;
    const bool broke = before.status == OutcomeStatus::kCorrect && is_error(after);
    const bool fixed = is_error(before) && after.status == OutcomeStatus::kCorrect;
    comparison.broke += broke;
    comparison.fixed += fixed;
    comparison.flips.push_back({pair, broke, fixed});
  }
  std::ranges::stable_sort(comparison.flips, {}, [](const Flip& flip) { return flip.broke ? 0 : flip.fixed ? 1 : 2; });
}

// Both scores over the same samples: those that say something on both sides.
void score_both(std::span<const UnitResult> a, std::span<const UnitResult> b, const ComparisonOptions& options,
                const ScoreOptions& score, Comparison& comparison) {
  std::vector<Outcome> of_a;
  std::vector<Outcome> of_b;
  for (const Pair& pair : comparison.pairing.pairs) {
    if (!is_scored(a[pair.a].outcome) || !is_scored(b[pair.b].outcome)) continue;
    if (!options.include_contended && (is_contended(a[pair.a]) || is_contended(b[pair.b]))) continue;
    of_a.push_back(a[pair.a].outcome);
    of_b.push_back(b[pair.b].outcome);
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

Verdict overall_verdict(const Comparison& comparison) {
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

Comparison compare(std::span<const UnitResult> a, std::span<const UnitResult> b, const ComparisonOptions& options,
                   const ScoreOptions& score) {
  check_options(options);
  Comparison comparison;
  comparison.pairing = pair_results(a, b);
  find_flips(a, b, options.level, comparison);
  find_changes(a, b, options, comparison);
  mark_significant(options, comparison.changes);
  test_all(a, options, comparison);
  score_both(a, b, options, score, comparison);
  comparison.verdict = overall_verdict(comparison);
  return comparison;
}

}  // namespace graphnet
