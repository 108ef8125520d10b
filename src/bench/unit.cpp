#include "graphnet/bench/unit.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <utility>

#include "graphnet/graph/memory.h"
#include "graphnet/report/number.h"
#include "graphnet/sample/sample.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

namespace graphnet {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

// How many copies of the weights and of the live results a unit needs at its peak: both sides' outputs are alive at the
// check, and freezing copies the weights while the originals are still there.
struct MemoryFactors {
  std::int64_t weights;
  std::int64_t results;
};

MemoryFactors memory_factors(const Compiler& compiler) {
  return compiler.name == "torchscript" ? MemoryFactors{3, 2} : MemoryFactors{1, 2};
}

// A file name for the unit's log: letters, digits, '.', '-' and '_' stay.
std::string log_name(const std::string& sample, const std::string& compiler) {
  std::string name = sample + "-" + compiler + ".log";
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return !(std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_'); },
      '-');
  return name;
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

std::string reproduce_line(const BenchOptions& options, const UnitJob& job) {
  return "graphnet bench " + shell_quoted(job.path.string()) + " --compiler " + shell_quoted(job.compiler->label) +
         " --device " + shell_quoted(options.device) + " --seed " + std::to_string(options.seed);
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
    std::int64_t needed =
        need_.weights * factors.weights + need_.constants + need_.inputs * 4 + need_.peak_results * factors.results;
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
    Clock::time_point begin = Clock::now();
    Reply reply = server.call("compile", params, std::chrono::duration<double>(context_.options.stage_timeout));
    record_.compile_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (reply.failure) {
      fail(*reply.failure, Stage::kCompile);
      return false;
    }
    record_.measurements["compile"] = *reply.result;
    return true;
  }

  void measure(const std::optional<std::filesystem::path>& package) {
    WorkerClient worker({{context_.installation.worker.string()},
                         unit_environment(context_),
                         log_path(),
                         std::chrono::seconds(120),
                         context_.interrupt_descriptor});
    json params = {
        {"sample", job_.path.string()},
        {"compiler", job_.compiler->name},
        {"options", job_.compiler->options},
        {"device", context_.options.device},
        {"seed", context_.options.seed},
        {"threads", context_.threads},
        {"timing", {{"maximum_seconds", context_.options.timing_seconds}, {"target", context_.options.target}}}};
    if (package) params["package"] = package->string();
    RequestEvents request_events;
    request_events.on_stage = job_.on_stage;
    Reply reply =
        worker.call("bench", params, std::chrono::duration<double>(context_.options.stage_timeout), request_events);
    worker.stop();
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
    if (failure.kind == ErrorKind::kUsage) throw Error(ErrorKind::kUsage, failure.message);
    Stage stage = fallback;
    if (fallback != Stage::kCompile) {
      if (failure.stage == "start") stage = Stage::kLoad;
      if (auto named = parse_stage(failure.stage)) stage = *named;
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
  std::string threads = std::to_string(context.threads);
  std::filesystem::path cache = std::filesystem::absolute(context.options.folder) / "inductor-cache";
  // A cached compilation would report no compile time, so that each run has a cache of its own.
  return {{"OMP_NUM_THREADS", threads}, {"MKL_NUM_THREADS", threads}, {"TORCHINDUCTOR_CACHE_DIR", cache.string()}};
}

}  // namespace graphnet
