// graphnet score: the scores of finished runs again, at every level, and with other parameters where wanted.

#include <cstdio>
#include <memory>
#include <unistd.h>
#include <utility>
#include <vector>

#include "graphnet/report/score_report.h"

#include "command.h"
#include "runs.h"
#include "score_options.h"

namespace graphnet::cli {
namespace {

struct ScoreCommand {
  CommonOptions common;
  std::vector<std::string> runs;
  ScoreReportCommandOptions score;
  bool csv = false;
};

void print(const ScoreReport& report) {
  const TextStyle style = style_of(STDOUT_FILENO);
  std::string text = summary_text(report, style) + incidents_text(report, style) + degenerate_text(report, style) +
                     "\n" + timing_text(report, style);
  for (const std::string& table : {category_text(report, style), dtype_text(report, style)}) {
    if (!table.empty()) text += "\n" + table;
  }
  if (report.compilers.size() > 1) text += "\n" + comparison_text(report, style);
  for (const CompilerReport& compiler : report.compilers) {
    text += "\n" + paint(one_line(compiler.run + " " + compiler.compiler), Tone::kStrong, style) + "\n" +
            series_text(compiler, style);
  }
  std::fputs(text.c_str(), stdout);
}

int score(ScoreCommand& command) {
  const ScoreReportOptions& options = checked(command.score);
  std::vector<LabelledResults> runs;
  for (ReadRun& run : read_runs(command.runs)) runs.push_back({run.label, std::move(run.contents.results)});
  const ScoreReport report = make_score_report(std::move(runs), options);
  if (command.common.json) {
    print_json(to_json(report));
  } else if (command.csv) {
    std::fputs(to_csv(report).c_str(), stdout);
  } else if (!command.common.quiet) {
    print(report);
  }
  return 0;
}

}  // namespace

void add_score(CLI::App& program, Action& action) {
  auto options = std::make_shared<ScoreCommand>();
  CLI::App* command = add_command(program, "score", "Score finished runs, at every level and with any parameters",
                                  "  graphnet score runs/2027-01-12T09-30-02\n"
                                  "  graphnet score runs/before runs/after --csv > scores.csv\n"
                                  "  graphnet score runs/before --p 0.1 --b 0.1 --interpretation published",
                                  options->common);
  command->add_option("RUN", options->runs, "Folders that graphnet bench wrote")->required();
  add_score_report_options(*command, options->score);
  command->add_option("--resamples", options->score.report.bootstrap.resamples, "Resamples of the bootstrap intervals")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seed", options->score.report.bootstrap.seed, "Seed of the bootstrap")->capture_default_str();
  auto* csv =
      command->add_flag("--csv", options->csv, "Print one line a run, compiler and level or slice, and nothing else");
  csv->excludes(command->get_option("--json"));
  run_when_chosen(command, action, options->common, [options] { return score(*options); });
}

}  // namespace graphnet::cli
