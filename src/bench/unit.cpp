#include "graphnet/bench/unit.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "graphnet/graph/memory.h"
#include "graphnet/report/number.h"
#include "graphnet/sample/sample.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/sha256.h"

namespace graphnet {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

// How many copies of the weights and of the live results a unit needs at its peak: both sides' outputs are alive at the
// check, and freezing copies the weights while the originals are still there.
struct MemoryFactors {
  double weights;
  double results;
};

// Input sets that a unit holds at the same time: three that are timed in turns, and the one being checked.
constexpr double kInputSets = 4;

MemoryFactors memory_factors(const Compiler& compiler) {
  return compiler.name == "torchscript" ? MemoryFactors{3, 2} : MemoryFactors{1, 2};
}

// A file name for the unit's log: what can stand in a file name, and a hash that keeps units apart whose names differ
// only in what cannot.
std::string log_name(const std::string& sample, const std::string& compiler) {
  constexpr std::size_t kLongest = 150;
  std::string unit = sample + "-" + compiler;
  std::string hash = sha256(unit).substr(0, 8);
  std::replace_if(
      unit.begin(), unit.end(),
      [](char c) { return !(std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_'); },
      '-');
  return unit.substr(0, kLongest) + "-" + hash + ".log";
}

std::string shell_quoted(const std::string& text) {
  auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("./_-:=,+@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// The command line that runs just this unit again, with every option that is not the default.
std::string reproduce_line(const BenchOptions& options, const UnitJob& job) {
  const BenchOptions defaults;
  std::string line =
      "graphnet bench " + shell_quoted(job.path.string()) + " --compiler " + shell_quoted(job.compiler->label);
  auto add = [&line](const std::string& flag, const auto& value, const auto& standard) {
    if (value == standard) return;
    std::ostringstream text;
    text << value;
    line += " " + flag + " " + shell_quoted(text.str());
  };
  add("--device", options.device, defaults.device);
  add("--seed", options.seed, defaults.seed);
  add("--threads", options.threads, defaults.threads);
  add("--timeout", options.stage_timeout, defaults.stage_timeout);
  add("--timing-seconds", options.timing_seconds, defaults.timing_seconds);
  add("--target", options.target, defaults.target);
  return line;
}

// What the last lines of a log say, to explain a process that ended without a word.
std::string log_tail(const std::filesystem::path& log) {
  constexpr std::streamoff kBytes = 600;
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  if (!file) return "";
  std::streamoff size = file.tellg();
  std::streamoff begin = std::max<std::streamoff>(0, size - kBytes);
  std::string text(static_cast<std::size_t>(size - begin), '\0');
  file.seekg(begin);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (begin > 0) text.erase(0, text.find('\n') + 1);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

bool ended_without_a_word(const Failure& failure) {
  return failure.cause == Cause::kSignal || failure.cause == Cause::kExitCode || failure.cause == Cause::kOutOfMemory;
}

class Unit {
 public:
  Unit(const UnitContext& context, const UnitJob& job) : context_(context), job_(job), start_(Clock::now()) {
    record_.outcome.sample = job.sample;
    record_.outcome.compiler = job.compiler->label;
    record_.path = job.path.string();
    record_.log = (std::filesystem::path("logs") / log_name(job.sample, job.compiler->label)).string();
    record_.reproduce = reproduce_line(context.options, job);
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
    MemoryFactors factors = memory_factors(*job_.compiler);
    // In floating point: a hostile graph's sizes may exceed 63 bits once multiplied.
    double sum = static_cast<double>(need_.weights) * factors.weights + static_cast<double>(need_.constants) +
                 static_cast<double>(need_.inputs) * kInputSets +
                 static_cast<double>(need_.peak_results) * factors.results;
    auto needed = static_cast<std::int64_t>(std::min(sum, 9e18));
    record_.measurements["needed_memory_bytes"] = needed;
    if (needed <= context_.available_memory) return true;
    exclude(Stage::kLoad, Cause::kInsufficientMemory,
            "needs " + bytes_text(needed) + " of memory, " + bytes_text(context_.available_memory) + " are there");
    return false;
  }

  bool compile(WorkerClient& server, const std::filesystem::path& package) {
    job_.on_stage("compile");
    json params = {{"sample", job_.path.string()},      {"package", package.string()},
                   {"device", context_.options.device}, {"threads", context_.threads},
                   {"options", job_.compiler->options}, {"log", log_path().string()}};
    Reply reply = server.call("compile", params, std::chrono::duration<double>(context_.options.stage_timeout));
    if (reply.failure) {
      // A sample whose reference does not run either says nothing about the compiler.
      if (reply.failure->interrupted || reference_runs()) fail(*reply.failure, Stage::kCompile);
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

  // Runs the reference against itself, without timing. Where it does not run, the sample is excluded.
  bool reference_runs() {
    job_.on_stage("reference");
    json timing = {{"maximum_seconds", 0}, {"warm_up_seconds", 0}, {"minimum_trials", 1}};
    Reply reply = bench("eager", json::object(), timing, std::nullopt);
    if (!reply.failure) return true;
    fail(*reply.failure, Stage::kReference);
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
                   {"seed", context_.options.seed},
                   {"threads", context_.threads},
                   {"timing", timing}};
    if (package) params["package"] = package->string();
    RequestEvents request_events;
    request_events.on_stage = job_.on_stage;
    Reply reply =
        worker.call("bench", params, std::chrono::duration<double>(context_.options.stage_timeout), request_events);
    worker.stop();
    return reply;
  }

  void measure(const std::optional<std::filesystem::path>& package) {
    json timing = {{"maximum_seconds", context_.options.timing_seconds}, {"target", context_.options.target}};
    Reply reply = bench(job_.compiler->name, job_.compiler->options, timing, package);
    if (reply.failure) {
      fail(*reply.failure, Stage::kRun);
    } else {
      book(*reply.result);
    }
  }

  // Turns a failure into the outcome it means. A reference or a sample that fails says nothing about the compiler.
  void fail(const Failure& failure, Stage fallback) {
    if (failure.interrupted) {
      interrupted_ = true;
      return;
    }
    Stage stage = fallback;
    if (fallback == Stage::kRun) {
      if (failure.stage == "start") stage = Stage::kLoad;
      if (auto named = parse_stage(failure.stage)) stage = *named;
    }
    if (failure.kind == ErrorKind::kUsage && stage == Stage::kCompile) throw Error(ErrorKind::kUsage, failure.message);
    if (failure.kind == ErrorKind::kEnvironment && failure.cause == Cause::kException && stage == Stage::kCompile) {
      set_early_end(OutcomeStatus::kUnavailable, stage, Cause::kNotInstalled, failure.message);
      return;
    }
    std::string message = failure.message;
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
  bool interrupted_ = false;
};

}  // namespace

std::optional<UnitRecord> run_unit(const UnitContext& context, const UnitJob& job, WorkerClient* compile_server) {
  return Unit(context, job).run(compile_server);
}

std::map<std::string, std::string> unit_environment(const UnitContext& context) {
  std::filesystem::path cache = std::filesystem::absolute(context.options.folder) / kCompilerCache;
  std::map<std::string, std::string> environment = {{"TORCHINDUCTOR_CACHE_DIR", cache.string()}};
  if (context.threads > 0) {
    environment["OMP_NUM_THREADS"] = std::to_string(context.threads);
    environment["MKL_NUM_THREADS"] = std::to_string(context.threads);
  }
  return environment;
}

}  // namespace graphnet
