#include "graphnet/report/score_report.h"

#include <utility>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

Slice slice_of(const std::string& name, std::span<const Outcome> outcomes, const ScoreReportOptions& options) {
  return {name, score_at(outcomes, kSummaryLevel, options.score),
          score_interval(outcomes, kSummaryLevel, options.score, options.bootstrap)};
}

template <class Name>
std::vector<Slice> slices(std::span<const UnitResult> results, const Name& name, const ScoreReportOptions& options) {
  std::map<std::string, std::vector<Outcome>> parts;
  for (const UnitResult& result : results) parts[name(result)].push_back(result.outcome);
  std::vector<Slice> result;
  for (const auto& [part, outcomes] : parts) result.push_back(slice_of(part, outcomes, options));
  return result;
}

// Counts verdicts, and marks the results whose speedup is not to be trusted.
void judge_timing(std::span<UnitResult> results, const ScoreReportOptions& options, CompilerReport& report) {
  for (UnitResult& result : results) {
    if (!result.verdict.empty()) ++report.verdicts[result.verdict];
    Outcome& outcome = result.outcome;
    if (outcome.status != OutcomeStatus::kCorrect) continue;
    const SetAside reason = set_aside(result, options);
    if (reason == SetAside::kContended) report.contended.push_back(outcome.sample);
    if (reason == SetAside::kNoisy) report.noisy.push_back(outcome.sample);
    outcome.is_timed = reason == SetAside::kNo;
  }
}

CompilerReport report_of(const std::string& run, std::vector<UnitResult> results, const ScoreReportOptions& options) {
  check_each_sample_once(results, run);
  CompilerReport report;
  report.run = run;
  report.compiler = results.front().outcome.compiler;
  for (const UnitResult& result : results) {
    if (!result.degenerate.empty()) report.degenerate.push_back(result);
  }
  judge_timing(results, options, report);
  const std::vector<Outcome> outcomes = outcomes_in(results);
  report.series = score_series(outcomes, options.score);
  report.bands = score_bands(outcomes, options.score, options.bootstrap);
  report.trial_interval = trial_interval(results, kSummaryLevel, options.score, options.bootstrap);
  for (const double p : kFastThresholds) report.fast_shares.push_back(fast_share(outcomes, kSummaryLevel, p));
  report.by_category = slices(results, category_of, options);
  report.by_dtype = slices(results, dtype_class, options);
  for (const Outcome& outcome : outcomes) {
    if (!is_correct(outcome, kSummaryLevel)) report.not_correct.push_back(outcome);
  }
  return report;
}

}  // namespace

SetAside set_aside(const UnitResult& result, const ScoreReportOptions& options) {
  if (!options.include_contended && result.verdict == kContendedVerdict) return SetAside::kContended;
  if (options.exclude_noisy && result.verdict == kNoisyVerdict) return SetAside::kNoisy;
  return SetAside::kNo;
}

const Score& CompilerReport::at(int level) const {
  for (const Score& score : series) {
    if (score.level == level) return score;
  }
  throw Error(ErrorKind::kInternal, "the series has no level " + std::to_string(level));
}

std::optional<ScoreInterval> CompilerReport::interval_at(int level) const {
  for (std::size_t i = 0; i < bands.size(); ++i) {
    if (series[i].level == level) return bands[i];
  }
  return std::nullopt;
}

ScoreReport make_score_report(std::span<const LabelledResults> runs, const ScoreReportOptions& options) {
  return make_score_report(std::vector(runs.begin(), runs.end()), options);
}

ScoreReport make_score_report(std::vector<LabelledResults>&& runs, const ScoreReportOptions& options) {
  check_options(options.score);
  ScoreReport report{options, {}};
  for (LabelledResults& run : runs) {
    for (CompilerResults& each : by_compiler(std::move(run.results))) {
      report.compilers.push_back(report_of(run.run, std::move(each.results), options));
    }
  }
  return report;
}

}  // namespace graphnet
