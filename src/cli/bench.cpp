// graphnet bench: reference against compiled on every sample, with a table and scores at the end.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <span>
#include <tuple>
#include <unistd.h>
#include <vector>

#include "graphnet/bench/installation.h"
#include "graphnet/bench/interrupt.h"
#include "graphnet/bench/results.h"
#include "graphnet/bench/run.h"
#include "graphnet/report/bench_table.h"
#include "graphnet/report/score_report.h"
#include "graphnet/sample/dataset.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "command.h"
#include "progress.h"

namespace graphnet::cli {
namespace {

using nlohmann::json;

struct BenchCommand {
  CommonOptions common;
  std::vector<std::string> paths = {"samples"};
  std::vector<std::string> compilers;
  std::string output;
  BenchOptions bench;
  ScoreOptions score;
};

// runs/2026-12-01T09-30-02, local time; with a number behind it where that is taken.
std::filesystem::path default_folder() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H-%M-%S", &parts);
  std::filesystem::path folder = std::filesystem::path("runs") / text;
  for (int i = 2; std::filesystem::exists(folder); ++i)
    folder = std::filesystem::path("runs") / (text + ("-" + std::to_string(i)));
  return folder;
}

std::string machine_line(const json& machine, std::size_t samples, std::size_t compilers, const std::string& folder) {
  return machine.at("processor").get<std::string>() + ", " + std::to_string(machine.at("threads").get<int>()) +
         " threads, " + machine.at("device").get<std::string>() + " | " + machine.at("framework").get<std::string>() +
         " | " + std::to_string(samples) + " samples x " + std::to_string(compilers) + " compilers | " + folder;
}

// How a unit ended, in a few words: "converged", "compile: signal SIGSEGV (Segmentation fault)".
std::pair<std::string, Tone> ending(const UnitRecord& record) {
  const Outcome& outcome = record.outcome;
  std::string first_line = outcome.message.substr(0, outcome.message.find('\n'));
  std::string stage = outcome.stage ? std::string(stage_name(*outcome.stage)) + ": " : "";
  switch (outcome.status) {
    case OutcomeStatus::kCorrect:
      return {record.verdict, Tone::kPlain};
    case OutcomeStatus::kAccuracy:
      return {"wrong: " + first_line, Tone::kBad};
    case OutcomeStatus::kFailed:
      return {stage + first_line, Tone::kBad};
    case OutcomeStatus::kExcluded:
      return {"excluded: " + stage + first_line, Tone::kWarning};
    case OutcomeStatus::kUnavailable:
      return {"unavailable: " + first_line, Tone::kWarning};
  }
  return {"", Tone::kPlain};
}

BenchRow row_of(const UnitRecord& record) {
  BenchRow row;
  row.sample = record.outcome.sample;
  row.compiler = record.outcome.compiler;
  row.speedup = record.outcome.speedup;
  row.correct_to = record.outcome.strictest_level;
  if (record.compile_seconds > 0) row.compile_seconds = record.compile_seconds;
  if (auto worker = record.measurements.find("worker"); worker != record.measurements.end()) {
    const json& timing = worker->at("timing");
    row.reference_seconds = timing.at("reference_seconds").get<double>();
    row.candidate_seconds = timing.at("candidate_seconds").get<double>();
    row.low = timing.at("low").get<double>();
    row.high = timing.at("high").get<double>();
    row.confidence = timing.value("confidence", 0.0);
  }
  std::tie(row.verdict, row.tone) = ending(record);
  return row;
}

// Units that ended early, each with the line that runs it again.
void print_troubles(const BenchSummary& summary, const std::filesystem::path& folder) {
  for (const UnitRecord& record : summary.records) {
    if (record.outcome.status != OutcomeStatus::kFailed && record.outcome.status != OutcomeStatus::kAccuracy) continue;
    const std::string text = record.outcome.sample + " with " + record.outcome.compiler + ": " +
                             record.outcome.message + "\n  again: " + record.reproduce +
                             "   (log: " + (folder / record.log).string() + ")\n";
    std::fputs(printable(text).c_str(), stdout);
  }
}

// What is printed while the run goes: the status line on stderr, and the table on stdout where it is wanted.
class Display {
 public:
  Display(const CommonOptions& common, const BenchOptions& options)
      : options_(options),
        table_wanted_(!common.json && !common.quiet),
        progress_(common),
        table_(display_names(options.samples), labels(options.compilers), style_of(STDOUT_FILENO)) {}

  BenchEvents events() {
    BenchEvents events;
    events.on_preparation = [this](const std::string& compiler) { progress_.show("preparing " + compiler, "start"); };
    events.on_machine = [this](const json& machine) { show_machine(machine); };
    events.on_stage = [this](std::size_t done, std::size_t total, const std::string& sample,
                             const std::string& compiler, const std::string& stage) {
      progress_.show("[" + std::to_string(done + 1) + "/" + std::to_string(total) + "] " + sample + " with " + compiler,
                     stage);
    };
    events.on_unit = [this](const UnitRecord& record) { print(table_.row(row_of(record))); };
    return events;
  }

  void clear() { progress_.clear(); }

 private:
  static std::vector<std::string> labels(const std::vector<Compiler>& compilers) {
    std::vector<std::string> result;
    for (const Compiler& compiler : compilers) result.push_back(compiler.label);
    return result;
  }

  void show_machine(const json& machine) {
    print(machine_line(machine, options_.samples.size(), options_.compilers.size(), options_.folder.string()) + "\n" +
          table_.header());
  }

  void print(const std::string& text) {
    progress_.clear();
    if (!table_wanted_) return;
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  const BenchOptions& options_;
  bool table_wanted_;
  Progress progress_;
  BenchTable table_;
};

std::vector<UnitQuality> qualities(const BenchSummary& summary) {
  std::vector<UnitQuality> units;
  for (const UnitRecord& record : summary.records) {
    units.push_back({record.outcome.sample, record.outcome.compiler, record.verdict, record.degenerate});
  }
  return units;
}

// The scores of what was finished, be it all or nothing.
void print_scores(const BenchCommand& command, const BenchSummary& summary) {
  const std::filesystem::path& folder = command.bench.folder;
  LabelledResults run{folder.string(), {}};
  for (const UnitRecord& record : summary.records) run.results.push_back(result_of(record));
  const ScoreReport report = make_score_report(std::span(&run, 1), {.score = command.score});
  if (command.common.json) {
    nlohmann::ordered_json result = to_json(report);
    result["quality"] = quality_json(qualities(summary));
    result["interrupted"] = !summary.interruption.empty();
    print_json(result);
    return;
  }
  if (command.common.quiet || summary.records.empty()) return;
  const TextStyle style = style_of(STDOUT_FILENO);
  std::printf("\n%s%s%s", summary_text(report, style).c_str(), quality_text(qualities(summary), style).c_str(),
              incidents_text(report, style).c_str());
  print_troubles(summary, folder);
  std::printf("The full series: graphnet score %s\n", shell_quoted(folder.string()).c_str());
}

int exit_code_of(const BenchSummary& summary) {
  const std::vector<UnitRecord>& records = summary.records;
  const bool failed = std::any_of(records.begin(), records.end(), [](const UnitRecord& record) {
    const Outcome& outcome = record.outcome;
    bool unreadable = outcome.status == OutcomeStatus::kExcluded && outcome.cause != Cause::kInsufficientMemory;
    return outcome.status == OutcomeStatus::kFailed || outcome.status == OutcomeStatus::kAccuracy || unreadable;
  });
  const bool scored =
      std::any_of(records.begin(), records.end(), [](const UnitRecord& record) { return is_scored(record.outcome); });
  const bool available = std::any_of(records.begin(), records.end(), [](const UnitRecord& record) {
    return record.outcome.status != OutcomeStatus::kUnavailable;
  });
  if (!available) return exit_code(ErrorKind::kEnvironment);
  return failed || !scored ? 1 : 0;
}

int bench(BenchCommand& command) {
  std::vector<std::filesystem::path> paths(command.paths.begin(), command.paths.end());
  BenchOptions& options = command.bench;
  options.samples = find_samples(paths);
  options.compilers = parse_compilers(command.compilers);
  options.folder = command.output.empty() ? default_folder() : std::filesystem::path(command.output);
  check_options(command.score);
  Installation installation = find_installation();

  InterruptWatch interrupt;
  Display display(command.common, options);
  const BenchSummary summary = run_bench(options, installation, interrupt, display.events());
  display.clear();
  print_scores(command, summary);
  if (summary.interruption.empty()) return exit_code_of(summary);
  throw Error(ErrorKind::kInterrupted, summary.interruption + (summary.records.empty() ? "; no unit was finished"
                                                                                       : "; what was finished is in " +
                                                                                             options.folder.string()));
}

}  // namespace

void add_bench(CLI::App& program, Action& action) {
  auto options = std::make_shared<BenchCommand>();
  CLI::App* command = add_command(program, "bench", "Time eager against compiled, and score the compiler",
                                  "  graphnet bench --compiler inductor\n"
                                  "  graphnet bench samples/vision --compiler inductor,torchscript --device cpu\n"
                                  "  graphnet bench samples/ --compiler inductor:max_autotune=true -o runs/autotuned",
                                  options->common);
  command->add_option("PATH", options->paths, "Samples, folders of samples, or text files with a path a line")
      ->envname("GRAPHNET_SAMPLES")
      ->capture_default_str();
  command
      ->add_option(
          "--compiler", options->compilers,
          "Compilers, separated by commas: inductor (ahead of time), torchscript (frozen and optimized), eager "
          "(the self-test). Options follow a colon: inductor:max_autotune=true")
      ->required()
      ->allow_extra_args(false)
      ->envname("GRAPHNET_COMPILER");
  command->add_option("-o,--output", options->output, "Folder of the run (default: runs/ and the time)");
  command->add_option("--device", options->bench.device, "Device to run on: auto, cpu, cuda, cuda:1")
      ->envname("GRAPHNET_DEVICE")
      ->capture_default_str();
  command
      ->add_option("--op-library", options->bench.operator_libraries,
                   "Library of operators to load first: a .so file, or a Python package. Repeatable")
      ->allow_extra_args(false);
  command->add_option("--threads", options->bench.threads, "Threads of one operator (default: one a processor)")
      ->envname("GRAPHNET_THREADS")
      ->check(CLI::Range(1, 4096));
  command->add_option("--seed", options->bench.seed, "Seed of inputs and weights")
      ->envname("GRAPHNET_SEED")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--timeout", options->bench.stage_timeout, "Seconds that one stage of a unit may take")
      ->envname("GRAPHNET_TIMEOUT")
      ->check(positive_number())
      ->capture_default_str();
  command->add_option("--timing-seconds", options->bench.timing_seconds, "Most seconds of timed trials a unit")
      ->check(positive_number())
      ->capture_default_str();
  command
      ->add_option("--target", options->bench.target,
                   "Timing stops once the 95 % interval of the speedup is within this share of it")
      ->check(positive_number())
      ->check(CLI::Range(1e-4, 1.0))
      ->capture_default_str();
  command->add_option("--b", options->score.failure_base, "Score of a failed sample, as a speedup")
      ->capture_default_str();
  command->add_option("--p", options->score.slowdown_penalty, "Extra weight of slowdowns")->capture_default_str();
  run_when_chosen(command, action, options->common, [options] { return bench(*options); });
}

}  // namespace graphnet::cli
