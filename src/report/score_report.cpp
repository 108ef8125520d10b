#include "graphnet/report/score_report.h"

#include <set>
#include <string_view>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

void check_each_sample_once(const LabelledOutcomes& run, const std::vector<Outcome>& outcomes) {
  std::set<std::string_view> seen;
  for (const Outcome& outcome : outcomes) {
    if (seen.insert(outcome.sample).second) continue;
    throw Error(ErrorKind::kInput, run.run + ": sample " + outcome.sample + " has two results with compiler " +
                                       outcome.compiler + ": remove one of the lines from its results");
  }
}

CompilerReport report_of(const LabelledOutcomes& run, const std::string& compiler, const ScoreOptions& options,
                         const BootstrapOptions& bootstrap) {
  const std::vector<Outcome> outcomes = outcomes_of(run.outcomes, compiler);
  check_each_sample_once(run, outcomes);
  CompilerReport report;
  report.run = run.run;
  report.compiler = compiler;
  report.series = score_series(outcomes, options);
  report.interval = score_interval(outcomes, kSummaryLevel, options, bootstrap);
  for (const Outcome& outcome : outcomes) {
    if (!is_correct(outcome, kSummaryLevel)) report.not_correct.push_back(outcome);
  }
  return report;
}

}  // namespace

const Score& CompilerReport::at(int level) const {
  for (const Score& score : series) {
    if (score.level == level) return score;
  }
  throw Error(ErrorKind::kInternal, "the series has no level " + std::to_string(level));
}

ScoreReport make_score_report(std::span<const LabelledOutcomes> runs, const ScoreOptions& options,
                              const BootstrapOptions& bootstrap) {
  check_options(options);
  ScoreReport report{options, bootstrap, {}};
  for (const LabelledOutcomes& run : runs) {
    for (const std::string& compiler : compilers_in(run.outcomes)) {
      report.compilers.push_back(report_of(run, compiler, options, bootstrap));
    }
  }
  return report;
}

}  // namespace graphnet
