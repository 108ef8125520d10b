#include "graphnet/bench/unit.h"

#include <chrono>
#include <map>
#include <utility>

#include "graphnet/bench/memory_rule.h"
#include "graphnet/graph/memory.h"
#include "graphnet/sample/sample.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/text.h"

#include "unit_text.h"

namespace graphnet {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

// Whether a process ended, of which the log may tell more. Lack of memory may be an exception, too.
bool ended_without_a_word(const Failure& failure) {
  return failure.cause == Cause::kSignal || failure.cause == Cause::kExitCode ||
         (failure.cause == Cause::kOutOfMemory && failure.kind != ErrorKind::kEnvironment);
}

// Whether the stage is one in which the candidate is there beside the reference.
bool is_after_compile(std::optional<Stage> stage) {
  return stage == Stage::kCheck || stage == Stage::kTime || stage == Stage::kRecheck;
}

class Unit {
 public:
  Unit(const UnitContext& context, const UnitJob& job) : context_(context), job_(job), start_(Clock::now()) {
    record_.outcome.sample = job.sample;
    record_.outcome.compiler = job.compiler->label;
    record_.path = job.path.string();
    record_.log = (std::filesystem::path(kLogFolder) / log_name(job.sample, job.compiler->label)).string();
    record_.reproduce = reproduce_line(context.options, job.path, job.compiler->label);
    record_.measurements = json::object();
  }

  std::optional<UnitRecord> run(WorkerClient* compile_server) {
    if (!describe_sample() || !fits_memory()) return finish();
    std::optional<std::filesystem::path> package;
    std::optional<TemporaryFolder> folder;
    if (job_.compiler->kind == CompilerKind::kAheadOfTime) {
      folder.emplace("package-", context_.options.folder);
      package = folder->path() / "model.pt2";
      if (!compile(*compile_server, *package)) return finish();
    }
    measure(package);
    return finish();
  }

 private:
  void exclude(Stage stage, Cause cause, const std::string& message) {
    set_early_end(OutcomeStatus::kExcluded, stage, cause, message);
  }

  void set_early_end(OutcomeStatus status, Stage stage, Cause cause, const std::string& message) {
    record_.outcome.status = status;
    record_.outcome.stage = stage;
    record_.outcome.cause = cause;
    record_.outcome.message = message;
  }

  bool describe_sample() {
    job_.on_stage("load");
    try {
      Sample sample = read_sample(job_.path);
      record_.identity = sample.metadata.identity;
      record_.category = sample.metadata.category;
      record_.dtypes = sample.metadata.dtypes;
      record_.outcome.group =
          sample.metadata.source.model.empty() ? sample.metadata.identity : sample.metadata.source.model;
      need_ = memory_need(sample.graph);
      return true;
    } catch (const Error& error) {
      exclude(Stage::kLoad, Cause::kException, error.what());
      return false;
    }
  }

  bool fits_memory() {
    const UnitMemory memory = unit_memory(need_, job_.compiler->name);
    record_.measurements["needed_memory_bytes"] = memory.total();
    const std::string shortage = memory_shortage(memory, job_.compiler->name, context_.available_memory);
    if (shortage.empty()) return true;
    exclude(Stage::kLoad, Cause::kInsufficientMemory, shortage);
    return false;
  }

  bool compile(WorkerClient& server, const std::filesystem::path& package) {
    job_.on_stage("compile");
    json params = {{"sample", job_.path.string()},
                   {"package", package.string()},
                   {"device", context_.options.device},
                   {"threads", context_.threads},
                   {"options", job_.compiler->options},
                   {"op_libraries", context_.options.operator_libraries},
                   {"log", log_path().string()},
                   {"cache", (std::filesystem::absolute(context_.options.folder) / kCompilerCache).string()}};
    Reply reply = server.call("compile", params, std::chrono::duration<double>(context_.options.stage_timeout));
    if (reply.failure) {
      const bool is_sample = reply.failure->stage == stage_name(Stage::kLoad);
      // A sample whose reference does not run either says nothing about the compiler.
      if (reply.failure->interrupted || is_sample || reference_runs()) {
        fail(*reply.failure, is_sample ? Stage::kLoad : Stage::kCompile);
      }
      return false;
    }
    record_.measurements["compile"] = *reply.result;
    // What the compiler itself took; the import of its libraries, paid once a run, is not the unit's.
    const json seconds = reply.result->value("seconds", json::object());
    for (const auto& [part, value] : seconds.items()) {
      if (part != "import" && value.is_number()) record_.compile_seconds += value.get<double>();
    }
    return true;
  }

  // Runs the reference against itself, without timing and without the compiler. Where it does not run, the sample is
  // excluded.
  bool reference_runs() {
    job_.on_stage("reference");
    json timing = {{"maximum_seconds", 0}, {"warm_up_seconds", 0}, {"minimum_trials", 1}};
    Reply reply = bench("eager", json::object(), timing, std::nullopt);
    if (!reply.failure) return true;
    const Stage stage = stage_of(*reply.failure, Stage::kReference);
    fail(*reply.failure, stage == Stage::kLoad ? stage : Stage::kReference);
    return false;
  }

  // One request to a worker of its own.
  Reply bench(const std::string& compiler, const json& compiler_options, const json& timing,
              const std::optional<std::filesystem::path>& package) {
    WorkerClient worker({{context_.installation.worker.string()},
                         unit_environment(context_),
                         log_path(),
                         std::chrono::seconds(120),
                         context_.interrupt_descriptor});
    json params = {{"sample", job_.path.string()},
                   {"compiler", compiler},
                   {"options", compiler_options},
                   {"device", context_.options.device},
                   {"op_libraries", context_.options.operator_libraries},
                   {"seed", context_.options.seed},
                   {"threads", context_.threads},
                   {"timing", timing}};
    if (package) params["package"] = package->string();
    RequestEvents request_events;
    request_events.on_stage = [this](const std::string& stage) {
      const auto parsed = parse_stage(stage);
      if (parsed != Stage::kReference) stage_around_ = parsed;
      job_.on_stage(stage);
    };
    Reply reply =
        worker.call("bench", params, std::chrono::duration<double>(context_.options.stage_timeout), request_events);
    worker.stop();
    return reply;
  }

  void measure(const std::optional<std::filesystem::path>& package) {
    json timing = {{"maximum_seconds", context_.options.timing_seconds}, {"target", context_.options.target}};
    Reply reply = bench(job_.compiler->name, job_.compiler->options, timing, package);
    if (!reply.failure) {
      book(*reply.result);
    } else if (reply.failure->cause == Cause::kOutOfMemory && is_after_compile(stage_around_)) {
      // Reference and candidate share the memory: whose it is shows where the reference runs alone.
      const Stage stage = *stage_around_;
      if (reference_runs()) fail(*reply.failure, stage);
    } else {
      fail(*reply.failure, stage_of(*reply.failure, Stage::kRun));
    }
  }

  // The stage that a worker's failure names; `otherwise` where it names none.
  static Stage stage_of(const Failure& failure, Stage otherwise) {
    if (failure.stage == "start") return Stage::kLoad;
    return parse_stage(failure.stage).value_or(otherwise);
  }

  // Turns a failure into the outcome it means. A reference or a sample that fails says nothing about the compiler.
  void fail(const Failure& failure, Stage stage) {
    if (failure.interrupted) {
      interrupted_ = true;
      return;
    }
    if (failure.kind == ErrorKind::kUsage && stage == Stage::kCompile) throw Error(ErrorKind::kUsage, failure.message);
    if (failure.kind == ErrorKind::kEnvironment && failure.cause == Cause::kException && stage == Stage::kCompile) {
      set_early_end(OutcomeStatus::kUnavailable, stage, Cause::kNotInstalled, failure.message);
      return;
    }
    std::string message = cause_first(failure.message);
    if (ended_without_a_word(failure)) {
      if (std::string tail = log_tail(log_path()); !tail.empty()) message += "; its last words:\n" + tail;
    }
    bool of_sample = stage == Stage::kLoad || stage == Stage::kReference;
    set_early_end(of_sample ? OutcomeStatus::kExcluded : OutcomeStatus::kFailed, stage, failure.cause, message);
  }

  void book(const json& result) {
    try {
      const json& correctness = result.at("correctness");
      const json& timing = result.at("timing");
      record_.verdict = timing.at("verdict").get<std::string>();
      record_.degenerate = result.value("reference", json::object()).value("degenerate", std::string());
      record_.outcome.speedup = timing.at("speedup").get<double>();
      record_.outcome.message = correctness.at("problem").get<std::string>();
      if (correctness.at("strictest_level").is_null()) {
        record_.outcome.status = OutcomeStatus::kAccuracy;
      } else {
        record_.outcome.status = OutcomeStatus::kCorrect;
        record_.outcome.strictest_level = correctness.at("strictest_level").get<int>();
      }
      if (result.contains("compile_seconds") && job_.compiler->kind == CompilerKind::kInProcess) {
        record_.compile_seconds = result.at("compile_seconds").get<double>();
      }
      record_.measurements["worker"] = result;
      check_outcome(record_.outcome);
    } catch (const std::exception& error) {
      record_.verdict.clear();
      record_.degenerate.clear();
      record_.outcome.speedup.reset();
      record_.outcome.strictest_level.reset();
      set_early_end(OutcomeStatus::kFailed, Stage::kRun, Cause::kProtocol,
                    std::string("the worker's result is not usable: ") + error.what());
    }
  }

  std::optional<UnitRecord> finish() {
    if (interrupted_) return std::nullopt;
    record_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return std::move(record_);
  }

  std::filesystem::path log_path() const { return context_.options.folder / record_.log; }

  const UnitContext& context_;
  const UnitJob& job_;
  Clock::time_point start_;
  UnitRecord record_;
  MemoryNeed need_;
  std::optional<Stage> stage_around_;  // the worker's last stage but for the reference's parts within others
  bool interrupted_ = false;
};

}  // namespace

std::optional<UnitRecord> run_unit(const UnitContext& context, const UnitJob& job, WorkerClient* compile_server) {
  return Unit(context, job).run(compile_server);
}

std::map<std::string, std::string> unit_environment(const UnitContext& context) {
  if (context.threads <= 0) return {};
  const std::string threads = std::to_string(context.threads);
  return {{"OMP_NUM_THREADS", threads}, {"MKL_NUM_THREADS", threads}};
}

}  // namespace graphnet
