// graphnet score: the scores of finished runs again, at every level, and with other parameters where wanted.

#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <unistd.h>
#include <vector>

#include <spdlog/spdlog.h>

#include "graphnet/bench/journal.h"
#include "graphnet/report/score_report.h"
#include "graphnet/support/error.h"

#include "command.h"

namespace graphnet::cli {
namespace {

struct ScoreCommand {
  CommonOptions common;
  std::vector<std::string> runs;
  ScoreOptions score;
  BootstrapOptions bootstrap;
  std::string interpretation = "definition";
  bool csv = false;
};

// "runs/a/" and "runs/a" are the same run.
std::string label_of(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();
}

// Units that the run set out to do; 0 where its run.json does not say.
std::size_t planned_units(const nlohmann::json& info) {
  const auto samples = info.find("samples");
  const auto compilers = info.find("compilers");
  return samples == info.end() || compilers == info.end() ? 0 : samples->size() * compilers->size();
}

LabelledOutcomes read(const std::string& folder) {
  const RecordedRun run = read_run(folder);
  const std::string label = label_of(folder);
  if (run.records.empty()) throw Error(ErrorKind::kInput, label + " holds no finished unit: there is nothing to score");
  if (const std::size_t planned = planned_units(run.info); run.records.size() < planned) {
    spdlog::warn("{} is not finished: {} of {} units; the others are not in its scores", label, run.records.size(),
                 planned);
  } else if (run.torn) {
    spdlog::warn("the last line of {} is incomplete and was left out", label);
  }
  return {label, outcomes(run)};
}

void print(const ScoreReport& report) {
  const TextStyle style = style_of(STDOUT_FILENO);
  std::printf("%s%s", summary_text(report, style).c_str(), incidents_text(report, style).c_str());
  if (report.compilers.size() > 1) std::printf("\n%s", comparison_text(report, style).c_str());
  for (const CompilerReport& compiler : report.compilers) {
    std::printf("\n%s\n%s", paint(one_line(compiler.run + " " + compiler.compiler), Tone::kStrong, style).c_str(),
                series_text(compiler, style).c_str());
  }
}

int score(ScoreCommand& command) {
  command.score.interpretation = parse_interpretation(command.interpretation).value();
  check_options(command.score);
  std::vector<LabelledOutcomes> runs;
  std::set<std::string> labels;
  for (const std::string& folder : command.runs) {
    if (!labels.insert(label_of(folder)).second) throw Error(ErrorKind::kUsage, folder + " is given twice");
    runs.push_back(read(folder));
  }
  const ScoreReport report = make_score_report(runs, command.score, command.bootstrap);
  if (command.common.json) {
    print_json(to_json(report));
  } else if (command.csv) {
    std::fputs(to_csv(report).c_str(), stdout);
  } else {
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
  command->add_option("--b", options->score.failure_base, "b: a failure counts as a speedup of this; 0 < b <= 1")
      ->capture_default_str();
  command->add_option("--p", options->score.slowdown_penalty, "p: extra weight of a sample that became slower; p >= 0")
      ->capture_default_str();
  command
      ->add_option("--interpretation", options->interpretation,
                   "Level from which ES forgives runtime errors: 2 (definition) or 3 (published)")
      ->check(CLI::IsMember({"definition", "published"}))
      ->capture_default_str();
  command->add_option("--resamples", options->bootstrap.resamples, "Resamples of the bootstrap intervals")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seed", options->bootstrap.seed, "Seed of the bootstrap")->capture_default_str();
  auto* csv = command->add_flag("--csv", options->csv, "Print one line a run, compiler and level, and nothing else");
  csv->excludes(command->get_option("--json"));
  run_when_chosen(command, action, options->common, [options] { return score(*options); });
}

}  // namespace graphnet::cli
