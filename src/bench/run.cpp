#include "graphnet/bench/run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "graphnet/bench/device_lock.h"
#include "graphnet/bench/resume.h"
#include "graphnet/bench/run_temporary.h"
#include "graphnet/bench/sample_digests.h"
#include "graphnet/bench/shared_memory.h"
#include "graphnet/bench/unit.h"
#include "graphnet/bench/worker_client.h"
#include "graphnet/support/error.h"
#include "graphnet/support/version.h"

#include "compile_servers.h"
#include "steering_environment.h"

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

ordered_json run_information(const UnitContext& context, const CompileServers& servers) {
  const BenchOptions& options = context.options;
  ordered_json run;
  run["graphnet"] = kRunFormatVersion;
  run["version"] = version();
  run["revision"] = revision();
  run["started"] = timestamp();
  run["machine"] = context.machine;
  run["environment"] = steering_environment();
  run["device"] = options.device;
  run["op_libraries"] = options.operator_libraries;
  run["threads"] = context.threads;
  run["seed"] = options.seed;
  run["stage_timeout_seconds"] = options.stage_timeout;
  run["timing_seconds"] = options.timing_seconds;
  run["target"] = options.target;
  run["cache"] = options.cache;
  run["float64"] = options.float64;
  run["memory"] = options.memory;
  run["memory_limit"] = options.memory_limit;
  run["shard"] = options.shard;
  run["compilers"] = ordered_json::array();
  for (const Compiler& compiler : options.compilers) {
    run["compilers"].push_back({{"name", compiler.name}, {"options", compiler.options}, {"label", compiler.label}});
    if (const std::string version = servers.version(compiler); !version.empty()) {
      run["compilers"].back()["version"] = version;
    }
  }
  run["samples"] = ordered_json::array();
  for (const auto& sample : options.samples) run["samples"].push_back(sample.string());
  run["sample_names"] = options.names;
  run["sample_digests"] = sample_digests(options.samples);
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

// Where the disk is full, whatever fails next fails for that, and would be held against a compiler.
void require_space(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kLeast = std::uintmax_t{1} << 20;  // bytes
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
  if (unknown || space.available >= kLeast) return;
  throw Error(ErrorKind::kInterrupted, "the disk that holds " + folder.string() + " is full");
}

class Run {
 public:
  Run(const BenchOptions& options, const Installation& installation, const InterruptWatch& interrupt,
      const BenchEvents& events, BenchSummary& summary)
      : options_(options),
        context_{options, installation, interrupt.stop_now_descriptor(), temporary_.path(), {}, options.threads},
        interrupt_(interrupt),
        events_(events),
        summary_(summary) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Throws Error(kInterrupted) where it ends early; what was finished is in the run's folder.
  void execute() {
    if (!options_.resume) check_run_folder(options_.folder);
    remove_orphaned_shared_memory();
    context_.machine = describe_machine(context_);
    if (context_.threads == 0) context_.threads = context_.machine.at("threads").get<int>();
    for (const Compiler& compiler : options_.compilers) {
      if (compiler.kind != CompilerKind::kAheadOfTime) continue;
      if (events_.on_preparation) events_.on_preparation(compiler.label);
      servers_.prepare(compiler);
    }
    Journal journal = begin();
    if (events_.on_machine) events_.on_machine(context_.machine);
    std::filesystem::create_directories(options_.folder / kLogFolder);

    lock_.emplace(context_.machine.value("address", context_.machine.at("device").get<std::string>()));
    const std::vector<Planned> planned = unfinished();
    // With one job a unit is compiled and timed before the next begins; with more, several are compiled and then timed.
    const auto jobs = static_cast<std::size_t>(options_.compile_jobs);
    const std::size_t window = jobs == 1 ? 1 : 4 * jobs;
    for (std::size_t first = 0; first < planned.size(); first += window) {
      run_window(std::span(planned).subspan(first, std::min(window, planned.size() - first)), journal);
    }
  }

 private:
  struct Planned {
    std::size_t sample = 0;
    const Compiler* compiler = nullptr;
  };

  [[noreturn]] static void stop() { throw Error(ErrorKind::kInterrupted, "stopped by the user"); }

  Journal begin() {
    const ordered_json information = run_information(context_, servers_);
    if (!options_.resume) return Journal(options_.folder, information);
    Journal journal(options_.folder);
    check_same_run(options_.folder, read_run_information(options_.folder / kRunFile), json(information));
    finished_ = finished_units(options_.folder);
    summary_.finished = finished_.size();
    return journal;
  }

  std::vector<Planned> unfinished() const {
    std::vector<Planned> planned;
    for (std::size_t i = 0; i < options_.samples.size(); ++i) {
      for (const Compiler& compiler : options_.compilers) {
        if (!finished_.contains({options_.samples[i].string(), compiler.label})) planned.push_back({i, &compiler});
      }
    }
    return planned;
  }

  UnitJob job_of(const Planned& planned) {
    const std::string& name = options_.names[planned.sample];
    UnitJob job{options_.samples[planned.sample], name, planned.compiler, servers_.version(*planned.compiler), {}};
    job.on_stage = [this, &name, planned](const std::string& stage) { show(name, *planned.compiler, stage); };
    return job;
  }

  void show(const std::string& sample, const Compiler& compiler, const std::string& stage) {
    const std::lock_guard guard(events_mutex_);
    const std::size_t total = options_.samples.size() * options_.compilers.size();
    if (events_.on_stage) events_.on_stage(summary_.finished, total, sample, compiler.label, stage);
  }

  void run_window(std::span<const Planned> planned, Journal& journal) {
    if (interrupt_.requests() > 0) stop();
    std::vector<std::optional<Unit>> units(planned.size());
    for (std::size_t i = 0; i < planned.size(); ++i) {
      if (servers_.unavailable(*planned[i].compiler).empty()) units[i].emplace(context_, job_of(planned[i]));
    }
    prepare(planned, units);
    for (std::size_t i = 0; i < planned.size(); ++i) {
      if (i > 0 && interrupt_.requests() > 0) stop();
      UnitRecord record = units[i] ? finished(*units[i], planned[i])
                                   : unavailable_record(job_of(planned[i]), servers_.unavailable(*planned[i].compiler));
      units[i].reset();
      journal.append(record);
      ++summary_.finished;
      if (events_.on_unit) events_.on_unit(record);
    }
  }

  // Compiles, as many at once as there are jobs. On the processor that disturbs whoever times there.
  void prepare(std::span<const Planned> planned, std::vector<std::optional<Unit>>& units) {
    const bool compiles = std::ranges::any_of(
        planned, [](const Planned& unit) { return unit.compiler->kind == CompilerKind::kAheadOfTime; });
    const bool disturbs = compiles && context_.machine.at("device") == "cpu";
    if (disturbs) take_device(DeviceLock::Use::kShared, planned.front());
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    const auto work = [&](std::size_t server) {
      try {
        for (std::size_t i = next++; i < units.size(); i = next++) {
          if (stops_within(units.size())) return;
          if (units[i]) units[i]->prepare(servers_.server(*planned[i].compiler, server));
        }
      } catch (...) {
        const std::lock_guard guard(events_mutex_);
        failure = std::current_exception();
        next = units.size();
      }
    };
    std::vector<std::thread> threads;
    const std::size_t jobs = std::min(static_cast<std::size_t>(options_.compile_jobs), units.size());
    for (std::size_t server = 1; server < jobs; ++server) threads.emplace_back(work, server);
    work(0);
    for (std::thread& thread : threads) thread.join();
    if (disturbs) lock_->release();
    if (failure) std::rethrow_exception(failure);
    if (stops_within(units.size())) stop();
  }

  // Of several units that are compiled ahead none is the running one that a first Ctrl-C lets finish.
  bool stops_within(std::size_t units) const { return units > 1 && interrupt_.requests() > 0; }

  void take_device(DeviceLock::Use use, const Planned& unit) {
    const auto show_wait = [&] {
      show(options_.names[unit.sample], *unit.compiler, "waiting for another graphnet to free the device");
    };
    if (!lock_->acquire(use, show_wait, context_.interrupt_descriptor)) stop();
  }

  UnitRecord finished(Unit& unit, const Planned& planned) {
    take_device(DeviceLock::Use::kAlone, planned);
    std::optional<UnitRecord> record = unit.finish();
    lock_->release();
    if (!record) stop();
    if (record->outcome.status != OutcomeStatus::kCorrect) {
      remove_orphaned_shared_memory();
      require_space(options_.folder);
      require_space(temporary_.path());
    }
    return std::move(*record);
  }

  RunTemporary temporary_;
  const BenchOptions& options_;
  UnitContext context_;
  const InterruptWatch& interrupt_;
  const BenchEvents& events_;
  BenchSummary& summary_;
  CompileServers servers_{context_};
  std::set<UnitName> finished_;  // by an earlier start
  std::optional<DeviceLock> lock_;
  std::mutex events_mutex_;
};

}  // namespace

BenchSummary run_bench(const BenchOptions& options, const Installation& installation, const InterruptWatch& interrupt,
                       const BenchEvents& events) {
  BenchSummary summary;
  try {
    Run(options, installation, interrupt, events, summary).execute();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInterrupted) throw;
    summary.interruption = error.what();
  }
  return summary;
}

}  // namespace graphnet
