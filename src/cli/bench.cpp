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
#include "graphnet/bench/package_cache.h"
#include "graphnet/bench/results.h"
#include "graphnet/bench/run.h"
#include "graphnet/bench/shard.h"
#include "graphnet/report/bench_table.h"
#include "graphnet/report/score_report.h"
#include "graphnet/sample/dataset.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "bench_resume.h"
#include "command.h"
#include "progress.h"
#include "score_options.h"

namespace graphnet::cli {
namespace {

using nlohmann::json;

struct BenchCommand {
  CommonOptions common;
  std::vector<std::string> paths = {"samples"};
  std::vector<std::string> compilers;
  std::string output;
  std::string resumed;  // the folder of a run
  std::string shard;
  CLI::App* app = nullptr;
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

// What is worth knowing of a unit that ended well: ", closer to float64 than eager".
std::string remarks(const UnitRecord& record) {
  const json worker = record.measurements.value("worker", json::object());
  std::string text;
  if (worker.value("reference", json::object()).value("nondeterministic", false)) text += ", nondeterministic";
  const json float64 = worker.value("float64", json::object());
  const std::string candidate = float64.value("candidate", std::string());
  if (float64.contains("failed")) text += ", float64 run failed";
  if (candidate == "closer" || candidate == "further") {
    text += ", " + candidate + (candidate == "closer" ? " to" : " from") + " float64 than eager";
  }
  return text;
}

// How a unit ended, in a few words: "converged", "compile: signal SIGSEGV (Segmentation fault)".
std::pair<std::string, Tone> ending(const UnitRecord& record) {
  const Outcome& outcome = record.outcome;
  std::string first_line = outcome.message.substr(0, outcome.message.find('\n'));
  std::string stage = outcome.stage ? std::string(stage_name(*outcome.stage)) + ": " : "";
  switch (outcome.status) {
    case OutcomeStatus::kCorrect:
      return {record.verdict + remarks(record), Tone::kPlain};
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
  row.compile_cached = record.compile_cached;
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
std::string troubles_text(const std::vector<UnitResult>& results, const std::filesystem::path& folder) {
  std::string text;
  for (const UnitResult& record : results) {
    if (record.outcome.status != OutcomeStatus::kFailed && record.outcome.status != OutcomeStatus::kAccuracy) continue;
    text += printable(record.outcome.sample + " with " + record.outcome.compiler + ": " + record.outcome.message +
                      "\n  again: " + record.reproduce + "   (log: " + (folder / record.log).string() + ")\n");
  }
  return text;
}

// What is printed while the run goes: the status line on stderr, and the table on stdout where it is wanted.
class Display {
 public:
  Display(const CommonOptions& common, const BenchOptions& options)
      : options_(options),
        table_wanted_(!common.json && !common.quiet),
        progress_(common),
        table_(options.names, labels(options.compilers), style_of(STDOUT_FILENO)) {}

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

// The scores of what was finished, be it all or nothing.
void print_scores(const BenchCommand& command, std::vector<UnitResult> results, bool interrupted) {
  const bool is_shown = !command.common.quiet && !results.empty();
  if (!command.common.json && !is_shown) return;
  const std::filesystem::path& folder = command.bench.folder;
  const std::string troubles = troubles_text(results, folder);
  std::vector<LabelledResults> runs;
  runs.push_back({folder.string(), std::move(results)});
  const ScoreReport report = make_score_report(std::move(runs), {.score = command.score});
  if (command.common.json) {
    nlohmann::ordered_json result = to_json(report);
    result["quality"] = quality_json(report);
    result["interrupted"] = interrupted;
    print_json(result);
    return;
  }
  const TextStyle style = style_of(STDOUT_FILENO);
  std::printf("\n%s%s%s%s", summary_text(report, style).c_str(), quality_text(report, style).c_str(),
              incidents_text(report, style).c_str(), troubles.c_str());
  std::printf("The full series: graphnet score %s\n", shell_quoted(folder.string()).c_str());
}

int exit_code_of(const std::vector<UnitResult>& records) {
  if (records.empty()) return 0;  // a shard may have no samples
  const bool failed = std::any_of(records.begin(), records.end(), [](const UnitResult& record) {
    const Outcome& outcome = record.outcome;
    bool unreadable = outcome.status == OutcomeStatus::kExcluded && outcome.cause != Cause::kInsufficientMemory;
    return outcome.status == OutcomeStatus::kFailed || outcome.status == OutcomeStatus::kAccuracy || unreadable;
  });
  const bool scored =
      std::any_of(records.begin(), records.end(), [](const UnitResult& record) { return is_scored(record.outcome); });
  const bool available = std::any_of(records.begin(), records.end(), [](const UnitResult& record) {
    return record.outcome.status != OutcomeStatus::kUnavailable;
  });
  if (!available) return exit_code(ErrorKind::kEnvironment);
  return failed || !scored ? 1 : 0;
}

void keep_shard(BenchOptions& options, const Shard& shard) {
  BenchOptions all = std::move(options);
  options = all;
  options.samples.clear();
  options.names.clear();
  options.shard = shard.to_string();
  for (std::size_t i = 0; i < all.samples.size(); ++i) {
    if (!is_in_shard(all.samples[i], shard)) continue;
    options.samples.push_back(all.samples[i]);
    options.names.push_back(all.names[i]);
  }
}

// Samples and compilers from the command line or, where a run is resumed, from that.
void choose_units(BenchCommand& command) {
  BenchOptions& options = command.bench;
  const auto is_given = [&](const std::string& flag) { return command.app->get_option(flag)->count() > 0; };
  options.resume = !command.resumed.empty();
  if (!options.resume && !is_given("--compiler")) {
    throw Error(ErrorKind::kUsage,
                "--compiler is required, as in: graphnet bench --compiler inductor (see graphnet bench --help)");
  }
  if (!options.resume || is_given("PATH")) {
    options.samples = find_samples({command.paths.begin(), command.paths.end()});
    options.names = display_names(options.samples);
    if (!command.shard.empty()) keep_shard(options, parse_shard(command.shard));
  }
  if (options.resume) {
    options.folder = command.resumed;
    const std::filesystem::path file = options.folder / kRunFile;
    if (!std::filesystem::exists(file)) {
      throw Error(ErrorKind::kUsage, "--resume: " + options.folder.string() + " holds no run that was begun");
    }
    try {
      take_options_of_run(read_run_information(file), is_given, options, command.compilers);
    } catch (const Error& error) {
      throw error.with_context(file.string());
    }
  } else {
    options.folder = command.output.empty() ? default_folder() : std::filesystem::path(command.output);
  }
  options.compilers = parse_compilers(command.compilers);
  options.packages = PackageCache::default_folder();
}

int bench(BenchCommand& command) {
  BenchOptions& options = command.bench;
  choose_units(command);
  check_options(command.score);
  Installation installation = find_installation();

  InterruptWatch interrupt;
  Display display(command.common, options);
  const BenchSummary summary = run_bench(options, installation, interrupt, display.events());
  display.clear();
  // Also where nothing is finished the folder may be there.
  std::vector<UnitResult> results;
  if (summary.finished > 0) results = read_results(options.folder).results;
  const int code = exit_code_of(results);
  print_scores(command, std::move(results), !summary.interruption.empty());
  if (summary.interruption.empty()) return code;
  const std::string again = ". Go on: graphnet bench --resume " + shell_quoted(options.folder.string());
  throw Error(
      ErrorKind::kInterrupted,
      summary.interruption + (summary.finished == 0 ? "; no unit was finished"
                                                    : "; what was finished is in " + options.folder.string() + again));
}

}  // namespace

void add_bench(CLI::App& program, Action& action) {
  auto options = std::make_shared<BenchCommand>();
  CLI::App* command = add_command(program, "bench", "Time eager against compiled, and score the compiler",
                                  "  graphnet bench --compiler inductor\n"
                                  "  graphnet bench samples/vision --compiler inductor,torchscript --device cpu\n"
                                  "  graphnet bench --resume runs/2026-12-01T09-30-02\n"
                                  "  graphnet bench samples/ --compiler inductor:max_autotune=true -o runs/autotuned",
                                  options->common);
  options->app = command;
  command->add_option("PATH", options->paths, "Samples, folders of samples, or text files with a path a line")
      ->envname("GRAPHNET_SAMPLES")
      ->capture_default_str();
  command
      ->add_option(
          "--compiler", options->compilers,
          "Compilers, separated by commas: inductor (ahead of time), torchscript (frozen and optimized), eager "
          "(the self-test; eager:slowdown=0.02 is slowed by exactly that share). Options follow a colon: "
          "inductor:max_autotune=true")
      ->allow_extra_args(false)
      ->envname("GRAPHNET_COMPILER");
  command->add_option("-o,--output", options->output, "Folder of the run (default: runs/ and the time)");
  command
      ->add_option("--resume", options->resumed,
                   "Folder of a run that was stopped or killed: do what it has not finished, with its own options")
      ->excludes("--output");
  command
      ->add_option("--shard", options->shard,
                   "Only a part of the samples, as I/N: 1/4 to 4/4 on four machines make the whole")
      ->envname("GRAPHNET_SHARD");
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
  command
      ->add_option("--memory-limit", options->bench.memory_limit,
                   "Most memory that the processes of a unit may hold together, such as 8GiB (default: no limit)")
      ->envname("GRAPHNET_MEMORY_LIMIT")
      ->transform(CLI::AsSizeValue(false));
  command
      ->add_option("--compile-jobs", options->bench.compile_jobs,
                   "Units that are compiled at once, ahead of timing; nothing is timed meanwhile")
      ->envname("GRAPHNET_COMPILE_JOBS")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_flag("--fresh", options->bench.fresh, "Compile also what an earlier run compiled");
  command->add_option("--timing-seconds", options->bench.timing_seconds, "Most seconds of timed trials a unit")
      ->check(positive_number())
      ->capture_default_str();
  command
      ->add_option("--target", options->bench.target,
                   "Timing stops once the 95 % interval of the speedup is within this share of it")
      ->check(positive_number())
      ->check(CLI::Range(1e-4, 1.0))
      ->capture_default_str();
  command
      ->add_option(
          "--cache", options->bench.cache,
          "What timed calls find in the caches: warm (what the calls before left) or cold (flushed before each)")
      ->check(CLI::IsMember({"warm", "cold"}))
      ->capture_default_str();
  command
      ->add_option("--float64", options->bench.float64,
                   "Also run the graph in float64, to tell which side is closer to it: on, off, or auto (where its "
                   "weights are small)")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  command->add_flag("--memory", options->bench.memory,
                    "Also run each side in a process of its own and record how much its memory grows");
  add_score_options(*command, options->score);
  run_when_chosen(command, action, options->common, [options] { return bench(*options); });
}

}  // namespace graphnet::cli
