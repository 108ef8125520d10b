#include "graphnet/bench/run.h"

#include <chrono>
#include <ctime>
#include <optional>
#include <system_error>
#include <utility>

#include "graphnet/bench/unit.h"
#include "graphnet/bench/worker_client.h"
#include "graphnet/sample/dataset.h"
#include "graphnet/support/error.h"
#include "graphnet/support/version.h"

#include "compile_servers.h"

namespace graphnet {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// UTC, "2026-12-01T09:30:02Z".
std::string timestamp() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// Loads the given operator libraries too, so that a wrong one shows before anything is run.
json describe_machine(const UnitContext& context) {
  WorkerClient worker({{context.installation.worker.string()},
                       unit_environment(context),
                       {},
                       std::chrono::seconds(120),
                       context.interrupt_descriptor});
  const json params = {{"device", context.options.device}, {"op_libraries", context.options.operator_libraries}};
  Reply reply = worker.call("describe", params, std::chrono::seconds(120));
  worker.stop();
  if (!reply.failure) return *reply.result;
  if (reply.failure->interrupted) throw Error(ErrorKind::kInterrupted, "stopped by the user");
  const Failure& failure = *reply.failure;
  const ErrorKind kind = failure.kind == ErrorKind::kUsage ? ErrorKind::kUsage : ErrorKind::kEnvironment;
  throw Error(kind, failure.cause == Cause::kException ? failure.message : "graphnet-worker: " + failure.message);
}

ordered_json run_information(const BenchOptions& options, const json& machine, int threads) {
  ordered_json run;
  run["graphnet"] = kRunFormatVersion;
  run["version"] = version();
  run["revision"] = revision();
  run["started"] = timestamp();
  run["machine"] = machine;
  run["device"] = options.device;
  run["op_libraries"] = options.operator_libraries;
  run["threads"] = threads;
  run["seed"] = options.seed;
  run["stage_timeout_seconds"] = options.stage_timeout;
  run["timing_seconds"] = options.timing_seconds;
  run["target"] = options.target;
  run["compilers"] = ordered_json::array();
  for (const Compiler& compiler : options.compilers) {
    run["compilers"].push_back({{"name", compiler.name}, {"options", compiler.options}, {"label", compiler.label}});
  }
  run["samples"] = ordered_json::array();
  for (const auto& sample : options.samples) run["samples"].push_back(sample.string());
  return run;
}

UnitRecord unavailable_record(const UnitJob& job, const std::string& reason) {
  UnitRecord record;
  record.outcome.sample = job.sample;
  record.outcome.compiler = job.compiler->label;
  record.outcome.status = OutcomeStatus::kUnavailable;
  record.outcome.cause = Cause::kNotInstalled;
  record.outcome.message = reason;
  record.path = job.path.string();
  record.measurements = json::object();
  return record;
}

class Run {
 public:
  Run(const UnitContext& context, const InterruptWatch& interrupt, const BenchEvents& events, BenchSummary& summary)
      : options_(context.options),
        context_(context),
        interrupt_(interrupt),
        events_(events),
        summary_(summary),
        names_(display_names(options_.samples)) {}

  ~Run() {
    std::error_code ignored;
    std::filesystem::remove_all(options_.folder / kCompilerCache, ignored);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Throws Error(kInterrupted) where it ends early; the summary holds what was finished.
  void execute() {
    check_run_folder(options_.folder);
    const json machine = describe_machine(context_);
    if (context_.threads == 0) context_.threads = machine.at("threads").get<int>();
    context_.available_memory = machine.at("available_memory").get<std::int64_t>();
    for (const Compiler& compiler : options_.compilers) {
      if (compiler.kind != CompilerKind::kAheadOfTime) continue;
      if (events_.on_preparation) events_.on_preparation(compiler.label);
      servers_.prepare(compiler);
    }
    if (events_.on_machine) events_.on_machine(machine);

    Journal journal(options_.folder, run_information(options_, machine, context_.threads));
    std::filesystem::create_directories(options_.folder / kLogFolder);
    for (std::size_t i = 0; i < options_.samples.size(); ++i) {
      for (const Compiler& compiler : options_.compilers) {
        if (interrupt_.requests() > 0) stop();
        UnitRecord record = finished_unit(i, compiler);
        journal.append(record);
        if (events_.on_unit) events_.on_unit(record);
        summary_.records.push_back(std::move(record));
      }
    }
  }

 private:
  [[noreturn]] static void stop() { throw Error(ErrorKind::kInterrupted, "stopped by the user"); }

  UnitRecord finished_unit(std::size_t sample, const Compiler& compiler) {
    const std::size_t total = options_.samples.size() * options_.compilers.size();
    UnitJob job{options_.samples[sample], names_[sample], &compiler, [&](const std::string& stage) {
                  if (!events_.on_stage) return;
                  events_.on_stage(summary_.records.size(), total, names_[sample], compiler.label, stage);
                }};
    if (const std::string reason = servers_.unavailable(compiler); !reason.empty()) {
      return unavailable_record(job, reason);
    }
    std::optional<UnitRecord> record = run_unit(context_, job, servers_.server(compiler));
    if (!record) stop();
    return std::move(*record);
  }

  const BenchOptions& options_;
  UnitContext context_;
  const InterruptWatch& interrupt_;
  const BenchEvents& events_;
  BenchSummary& summary_;
  std::vector<std::string> names_;
  CompileServers servers_{context_};
};

}  // namespace

BenchSummary run_bench(const BenchOptions& options, const Installation& installation, const InterruptWatch& interrupt,
                       const BenchEvents& events) {
  BenchSummary summary;
  try {
    Run({options, installation, interrupt.stop_now_descriptor(), 0, options.threads}, interrupt, events, summary)
        .execute();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInterrupted) throw;
    summary.interruption = error.what();
  }
  return summary;
}

}  // namespace graphnet
