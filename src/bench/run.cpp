#include "graphnet/bench/run.h"

#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <utility>

#include "graphnet/bench/unit.h"
#include "graphnet/bench/worker_client.h"
#include "graphnet/sample/dataset.h"
#include "graphnet/support/error.h"
#include "graphnet/support/version.h"

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

json describe_machine(const BenchOptions& options, const Installation& installation, const UnitContext& context) {
  WorkerClient worker({{installation.worker.string()},
                       unit_environment(context),
                       {},
                       std::chrono::seconds(120),
                       context.interrupt_descriptor});
  Reply reply = worker.call("describe", {{"device", options.device}}, std::chrono::seconds(120));
  worker.stop();
  if (!reply.failure) return *reply.result;
  if (reply.failure->interrupted) throw Error(ErrorKind::kInterrupted, "stopped by the user");
  ErrorKind kind = reply.failure->kind == ErrorKind::kUsage ? ErrorKind::kUsage : ErrorKind::kEnvironment;
  throw Error(kind, "device " + options.device + ": " + reply.failure->message);
}

ordered_json run_information(const BenchOptions& options, const json& machine, int threads) {
  ordered_json run;
  run["graphnet"] = 1;
  run["version"] = version();
  run["revision"] = revision();
  run["started"] = timestamp();
  run["machine"] = machine;
  run["device"] = options.device;
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

// The Python process of an ahead-of-time compiler, started with the first unit that needs it.
class CompileServers {
 public:
  CompileServers(const UnitContext& context, const Installation& installation)
      : context_(context), installation_(installation) {}

  WorkerClient& server(const Compiler& compiler) {
    auto [place, is_new] = servers_.try_emplace(compiler.name);
    if (is_new) {
      WorkerOptions options;
      options.command = {installation_.python, (installation_.backends / (compiler.name + ".py")).string()};
      options.environment = unit_environment(context_);
      options.error_log = context_.options.folder / "logs" / (compiler.name + ".log");
      options.interrupt_descriptor = context_.interrupt_descriptor;
      place->second = std::make_unique<WorkerClient>(std::move(options));
    }
    return *place->second;
  }

  // Why the compiler cannot be used on this machine, or nothing.
  std::optional<std::string> unavailable(const Compiler& compiler) {
    if (compiler.kind != CompilerKind::kAheadOfTime) return std::nullopt;
    auto [place, is_new] = reasons_.try_emplace(compiler.name);
    if (is_new) {
      Reply reply = server(compiler).call("describe", {{"device", context_.options.device}}, std::chrono::seconds(300));
      if (reply.failure) {
        place->second = reply.failure->message +
                        " (log: " + (context_.options.folder / "logs" / (compiler.name + ".log")).string() + ")";
      } else if (!reply.result->value("available", false)) {
        place->second = reply.result->value("reason", std::string("it does not say why"));
      }
    }
    return place->second;
  }

 private:
  const UnitContext& context_;
  const Installation& installation_;
  std::map<std::string, std::unique_ptr<WorkerClient>> servers_;
  std::map<std::string, std::optional<std::string>> reasons_;
};

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

}  // namespace

BenchSummary run_bench(const BenchOptions& options, const Installation& installation, const InterruptWatch& interrupt,
                       const BenchEvents& events) {
  UnitContext context{options, installation, interrupt.stop_now_descriptor(), 0, options.threads};
  json machine = describe_machine(options, installation, context);
  if (context.threads == 0) context.threads = machine.at("threads").get<int>();
  context.available_memory = machine.at("available_memory").get<std::int64_t>();
  if (events.on_machine) events.on_machine(machine);

  Journal journal(options.folder, run_information(options, machine, context.threads));
  std::filesystem::create_directories(options.folder / "logs");
  CompileServers servers(context, installation);
  std::vector<std::string> names = display_names(options.samples);

  struct CacheRemover {
    std::filesystem::path folder;
    ~CacheRemover() {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
    }
  } remover{options.folder / kCompilerCache};

  BenchSummary summary;
  std::size_t total = options.samples.size() * options.compilers.size();
  for (std::size_t i = 0; i < options.samples.size(); ++i) {
    for (const Compiler& compiler : options.compilers) {
      if (interrupt.requests() > 0) {
        summary.interrupted = true;
        return summary;
      }
      UnitJob job{options.samples[i], names[i], &compiler, [&](const std::string& stage) {
                    if (events.on_stage)
                      events.on_stage(summary.records.size(), total, names[i], compiler.label, stage);
                  }};
      std::optional<UnitRecord> record;
      if (auto reason = servers.unavailable(compiler)) {
        record = unavailable_record(job, *reason);
      } else {
        bool ahead = compiler.kind == CompilerKind::kAheadOfTime;
        record = run_unit(context, job, ahead ? &servers.server(compiler) : nullptr);
      }
      if (!record) {
        summary.interrupted = true;
        return summary;
      }
      journal.append(*record);
      if (events.on_unit) events.on_unit(*record);
      summary.records.push_back(std::move(*record));
    }
  }
  return summary;
}

}  // namespace graphnet
