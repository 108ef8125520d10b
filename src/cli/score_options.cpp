#include "score_options.h"

namespace graphnet::cli {

void add_score_options(CLI::App& command, ScoreOptions& options) {
  command.add_option("--b", options.failure_base, "b: a failure counts as a speedup of this; 0 < b <= 1")
      ->capture_default_str();
  command.add_option("--p", options.slowdown_penalty, "p: extra weight of a sample that became slower; p >= 0")
      ->capture_default_str();
}

void add_score_report_options(CLI::App& command, ScoreReportCommandOptions& options) {
  add_score_options(command, options.report.score);
  command
      .add_option("--interpretation", options.interpretation,
                  "Level from which ES forgives runtime errors: 2 (definition) or 3 (published)")
      ->check(CLI::IsMember({"definition", "published"}))
      ->capture_default_str();
  command.add_flag("--include-contended", options.report.include_contended,
                   "Score speedups too that were measured while other programs held the processors");
  command.add_flag("--exclude-noisy", options.report.exclude_noisy,
                   "Leave out speedups whose interval is more than five times as wide as asked for");
}

const ScoreReportOptions& checked(ScoreReportCommandOptions& options) {
  options.report.score.interpretation = parse_interpretation(options.interpretation).value();
  check_options(options.report.score);
  return options.report;
}

}  // namespace graphnet::cli
