#include "graphnet/bench/unit.h"

#include <chrono>
#include <map>
#include <system_error>
#include <utility>

#include "graphnet/bench/memory_rule.h"
#include "graphnet/sample/sample.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/text.h"

#include "bounded_log.h"
#include "second_start.h"
#include "unit_text.h"

namespace graphnet {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTimeToStart{120};  // a worker
constexpr const char* kFloat64Stage = "float64";   // a part of the re-check to a worker, and no stage of an outcome

// Whether a process ended, of which the log may tell more. Lack of memory may be an exception, too.
bool ended_without_a_word(const Failure& failure) {
  return failure.cause == Cause::kSignal || failure.cause == Cause::kExitCode ||
         (failure.cause == Cause::kOutOfMemory && failure.kind != ErrorKind::kEnvironment);
}

// Whether the stage is one in which the candidate is there beside the reference.
bool is_after_compile(std::optional<Stage> stage) {
  return stage == Stage::kCheck || stage == Stage::kTime || stage == Stage::kRecheck;
}

// The stage that a worker's failure names; `otherwise` where it names none.
Stage stage_of(const Failure& failure, Stage otherwise) {
  return parse_stage(failure.stage).value_or(otherwise);
}

// Adds the time until its end to a sum.
class SecondsAdder {
 public:
  explicit SecondsAdder(double& seconds) : seconds_(seconds), start_(Clock::now()) {}
  ~SecondsAdder() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  SecondsAdder(const SecondsAdder&) = delete;
  SecondsAdder& operator=(const SecondsAdder&) = delete;

 private:
  double& seconds_;
  Clock::time_point start_;
};

}  // namespace

Unit::Unit(const UnitContext& context, UnitJob job) : context_(context), job_(std::move(job)) {
  record_.outcome.sample = job_.sample;
  record_.outcome.compiler = job_.compiler->label;
  record_.path = job_.path.string();
  record_.log = (std::filesystem::path(kLogFolder) / log_name(job_.sample, job_.compiler->label)).string();
  record_.reproduce = reproduce_line(context.options, job_.path, job_.compiler->label);
  record_.measurements = json::object();
}

void Unit::prepare(WorkerClient* compile_server) {
  {
    const SecondsAdder adder(record_.seconds);
    if (!describe_sample() || !fits_memory() || !needs_compile()) return;
  }
  prepare_compiler(*compile_server);  // no unit's time
  const SecondsAdder adder(record_.seconds);
  compile(*compile_server);
}

std::optional<UnitRecord> Unit::finish() {
  {
    const SecondsAdder adder(record_.seconds);
    if (compile_failure_) {
      const bool is_sample = compile_failure_->stage == stage_name(Stage::kLoad);
      // A sample whose reference does not run either says nothing about the compiler.
      if (compile_failure_->interrupted || is_sample || reference_runs()) {
        fail(*compile_failure_, is_sample ? Stage::kLoad : Stage::kCompile);
      }
    } else if (!ended_) {
      measure();
    }
  }
  if (interrupted_) return std::nullopt;
  tidy_log();
  return std::move(record_);
}

// The log of a unit that went well is of little use, and one without a word of none.
void Unit::tidy_log() {
  constexpr std::int64_t kLargestOfAGoodUnit = std::int64_t{64} << 10;
  const bool is_good = record_.outcome.status == OutcomeStatus::kCorrect;
  bound_log(log_path(), is_good ? kLargestOfAGoodUnit : kLogLimit);
  std::error_code none;
  if (!is_good || std::filesystem::file_size(log_path(), none) > 0) return;
  std::filesystem::remove(log_path(), none);
  record_.log.clear();
}

void Unit::end(OutcomeStatus status, Stage stage, Cause cause, const std::string& message) {
  record_.outcome.status = status;
  record_.outcome.stage = stage;
  record_.outcome.cause = cause;
  record_.outcome.message = message;
  ended_ = true;
}

bool Unit::describe_sample() {
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
    end(OutcomeStatus::kExcluded, Stage::kLoad, Cause::kException, error.what());
    return false;
  }
}

bool Unit::fits_memory() {
  const UnitMemory memory = unit_memory(need_, job_.compiler->name);
  record_.measurements["needed_memory_bytes"] = memory.total();
  const std::string shortage =
      memory_shortage(memory, job_.compiler->name, context_.machine.at("available_memory").get<std::int64_t>());
  if (shortage.empty()) return true;
  end(OutcomeStatus::kExcluded, Stage::kLoad, Cause::kInsufficientMemory, shortage);
  return false;
}

// Runs the reference against itself, without timing and without the compiler. Where it does not run, the sample is
// excluded.
bool Unit::reference_runs() {
  job_.on_stage("reference");
  json timing = {{"maximum_seconds", 0}, {"warm_up_seconds", 0}, {"minimum_trials", 1}};
  Reply reply = bench("eager", json::object(), timing, std::nullopt);
  if (!reply.failure) return true;
  const Stage stage = stage_of(*reply.failure, Stage::kReference);
  fail(*reply.failure, stage == Stage::kLoad ? stage : Stage::kReference);
  return false;
}

// A process that does not start says nothing about the unit, and would not start for the next one either.
void Unit::throw_not_started(const std::string& program, const std::string& reason,
                             const std::filesystem::path& log) const {
  throw Error(ErrorKind::kEnvironment, program + " does not start: " + reason + "\nIts log is " + log.string() +
                                           ". Nothing is recorded for " + job_.sample + " with " +
                                           job_.compiler->label + ". Once it starts, go on: graphnet bench --resume " +
                                           shell_quoted(context_.options.folder.string()));
}

Reply Unit::bench(const std::string& compiler, const json& compiler_options, const json& timing,
                  const std::optional<std::filesystem::path>& package, const std::string& float64,
                  const std::string& sides) {
  json params = {{"sample", job_.path.string()},
                 {"compiler", compiler},
                 {"options", compiler_options},
                 {"device", context_.device()},
                 {"op_libraries", context_.options.operator_libraries},
                 {"seed", context_.options.seed},
                 {"threads", context_.threads},
                 {"cache", context_.options.cache},
                 {"float64", float64},
                 {"sides", sides},
                 {"timing", timing}};
  if (package) params["package"] = package->string();
  Reply reply = with_second_start([&] { return ask_worker(params); }, did_not_begin);
  if (did_not_begin(reply)) throw_not_started("graphnet-worker", with_last_words(*reply.failure), log_path());
  return reply;
}

// One request to a worker of its own.
Reply Unit::ask_worker(const json& params) {
  const TemporaryFolder temporary("unit-", context_.temporary);
  WorkerOptions options;
  options.command = {context_.installation.worker.string()};
  options.environment = unit_environment(context_);
  options.environment["TMPDIR"] = temporary.path().string();
  options.error_log = log_path();
  options.start_timeout = kTimeToStart;
  options.interrupt_descriptor = context_.interrupt_descriptor;
  options.memory_limit = context_.options.memory_limit;
  WorkerClient worker(std::move(options));
  RequestEvents request_events;
  std::string shown;
  request_events.on_stage = [this, &shown](const std::string& stage) {
    const auto parsed = parse_stage(stage);
    if (parsed != Stage::kReference && stage != kFloat64Stage) stage_around_ = parsed;
    // The reference's parts of other stages are not shown: while both sides are timed they come and go.
    if (stage == shown || (parsed == Stage::kReference && is_after_compile(stage_around_))) return;
    shown = stage;
    job_.on_stage(stage);
  };
  Reply reply =
      worker.call("bench", params, std::chrono::duration<double>(context_.options.stage_timeout), request_events);
  worker.stop();
  return reply;
}

// The reference beside the compiler. The run in float64 is there to inform: where it fails, all is done again without.
Reply Unit::bench_sides() {
  const json timing = {{"maximum_seconds", context_.options.timing_seconds}, {"target", context_.options.target}};
  const Compiler& compiler = *job_.compiler;
  Reply reply = bench(compiler.name, compiler.options, timing, package_, context_.options.float64);
  if (!reply.failure || reply.failure->interrupted || reply.failure->stage != kFloat64Stage) return reply;
  const std::string reason = cause_first(reply.failure->message);
  reply = bench(compiler.name, compiler.options, timing, package_);
  if (reply.result && reply.result->is_object()) {
    (*reply.result)["float64"] = {{"failed", reason.substr(0, reason.find('\n'))}};
  }
  return reply;
}

void Unit::measure() {
  Reply reply = bench_sides();
  if (!reply.failure) {
    book(*reply.result);
    if (context_.options.memory) measure_memory();
    return;
  }
  const Stage stage = stage_of(*reply.failure, Stage::kRun);
  // The side at work is told only now and then while both are timed.
  const bool hangs_in_time = stage == Stage::kTime && reply.failure->cause == Cause::kTimeOut;
  const bool may_be_either = stage == Stage::kReference || hangs_in_time || reply.failure->cause == Cause::kOutOfMemory;
  if (!may_be_either || !is_after_compile(stage_around_)) {
    fail(*reply.failure, stage);
    return;
  }
  // Beside the candidate the reference may also fail for what the candidate did: memory taken or written over, threads
  // left behind, a device in error. Whose failure it is shows where the reference runs alone, on the same inputs.
  const Stage around = *stage_around_;
  if (reply.failure->interrupted || reference_runs()) fail(*reply.failure, around);
}

// Each side once more, in a process that runs nothing else: how much its memory grows. Where that does not succeed,
// the figure is missing: the unit has its outcome.
void Unit::measure_memory() {
  for (const char* side : {"reference", "candidate"}) {
    Reply reply = bench(job_.compiler->name, job_.compiler->options, json::object(), package_, /*float64=*/"off", side);
    if (reply.result) record_.measurements["memory_growth_bytes"][side] = reply.result->at("memory_growth_bytes");
    if (reply.failure && reply.failure->interrupted) interrupted_ = true;
  }
}

// What happened, and what the log says where the process itself could not.
std::string Unit::with_last_words(const Failure& failure) const {
  const std::string tail = ended_without_a_word(failure) ? log_tail(log_path()) : "";
  return cause_first(failure.message) + (tail.empty() ? "" : "; its last words:\n" + tail);
}

// Turns a failure into the outcome it means. A reference or a sample that fails says nothing about the compiler.
void Unit::fail(const Failure& failure, Stage stage) {
  if (failure.interrupted) {
    interrupted_ = true;
    return;
  }
  if (failure.kind == ErrorKind::kUsage && stage == Stage::kCompile) throw Error(ErrorKind::kUsage, failure.message);
  if (failure.kind == ErrorKind::kEnvironment && failure.cause == Cause::kException && stage == Stage::kCompile) {
    end(OutcomeStatus::kUnavailable, stage, Cause::kNotInstalled, failure.message);
    return;
  }
  bool of_sample = stage == Stage::kLoad || stage == Stage::kReference;
  end(of_sample ? OutcomeStatus::kExcluded : OutcomeStatus::kFailed, stage, failure.cause, with_last_words(failure));
}

void Unit::book(const json& result) {
  try {
    const json& correctness = result.at("correctness");
    const json& timing = result.at("timing");
    record_.verdict = timing.at("verdict").get<std::string>();
    record_.degenerate = result.value("reference", json::object()).value("degenerate", std::string());
    record_.outcome.speedup = timing.at("speedup").get<double>();
    for (const char* figure : {"reference_seconds", "candidate_seconds", "low", "high"}) {
      if (!timing.at(figure).is_number()) throw Error(ErrorKind::kInput, std::string(figure) + " is no number");
    }
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
    end(OutcomeStatus::kFailed, Stage::kRun, Cause::kProtocol,
        std::string("the worker's result is not usable: ") + error.what());
  }
}

std::map<std::string, std::string> unit_environment(const UnitContext& context) {
  std::map<std::string, std::string> environment = {{"TMPDIR", context.temporary.string()}};
  if (context.threads <= 0) return environment;
  for (const char* variable : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
    environment[variable] = std::to_string(context.threads);
  }
  return environment;
}

}  // namespace graphnet
