// One unit of work from start to outcome: load and check the sample, compile it, and let a fresh worker run, check and
// time it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "graphnet/bench/compiler.h"
#include "graphnet/bench/journal.h"
#include "graphnet/bench/run.h"
#include "graphnet/bench/worker_client.h"
#include "graphnet/graph/memory.h"
#include "graphnet/support/files.h"

namespace graphnet {

// What all units of a run share.
struct UnitContext {
  const BenchOptions& options;
  const Installation& installation;
  int interrupt_descriptor = -1;
  std::filesystem::path temporary{};  // folder for everything that a process leaves behind
  nlohmann::json machine{};           // as the worker describes it
  int threads = 0;                    // of one operator; 0: LibTorch's own choice

  // The device that was found for "auto", so that every process of the run means the same one: "cpu", "cuda:0".
  std::string device() const { return machine.is_object() ? machine.value("address", options.device) : options.device; }
};

struct UnitJob {
  std::filesystem::path path;  // of the sample
  std::string sample;          // its display name
  const Compiler* compiler = nullptr;
  std::string compiler_version;  // of an ahead-of-time compiler
  std::function<void(const std::string& stage)> on_stage;
};

// A unit of work in its two parts. What a sample or a compiler does is an outcome, never an exception; only wrong
// usage, such as an option that the compiler does not have, throws Error(kUsage), a full disk Error(kInterrupted), and
// a process that does not start, at the second try either, Error(kEnvironment) naming its log.
class Unit {
 public:
  Unit(const UnitContext& context, UnitJob job);

  // Reads the sample and, for an ahead-of-time compiler, compiles it; `compile_server` is the compiler's process. Units
  // may do this side by side.
  void prepare(WorkerClient* compile_server);

  // Runs, checks and times it: the device must be this unit's alone. Returns nothing where the user interrupted it.
  std::optional<UnitRecord> finish();

 private:
  bool describe_sample();
  bool fits_memory();
  bool needs_compile();
  void prepare_compiler(WorkerClient& server);
  void compile(WorkerClient& server);
  bool fetch_package();
  std::string package_key() const;
  void book_compile(const nlohmann::json& report);
  bool reference_runs();
  Reply bench(const std::string& compiler, const nlohmann::json& compiler_options, const nlohmann::json& timing,
              const std::optional<std::filesystem::path>& package, const std::string& float64 = "off",
              const std::string& sides = "both");
  Reply ask_worker(const nlohmann::json& params);
  [[noreturn]] void throw_not_started(const std::string& program, const std::string& reason,
                                      const std::filesystem::path& log) const;
  std::string with_last_words(const Failure& failure) const;
  Reply bench_sides();
  void measure();
  void measure_memory();
  void fail(const Failure& failure, Stage stage);
  void end(OutcomeStatus status, Stage stage, Cause cause, const std::string& message);
  void book(const nlohmann::json& result);
  void tidy_log();
  std::filesystem::path log_path() const { return context_.options.folder / record_.log; }

  const UnitContext& context_;
  UnitJob job_;
  UnitRecord record_;
  MemoryNeed need_;
  std::optional<TemporaryFolder> folder_;         // of the package, and of what the compiler leaves
  std::optional<std::filesystem::path> package_;  // once it is there
  std::string package_key_;
  std::optional<Failure> compile_failure_;
  std::optional<Stage> stage_around_;  // the worker's last stage but for the reference's parts within others
  bool ended_ = false;                 // the record's outcome is settled
  bool interrupted_ = false;
};

// Where the units' logs are, below the run's folder.
inline constexpr std::string_view kLogFolder = "logs";

// The environment that every process of a run gets: both sides have the same threads, and what they leave behind lies
// in the run's temporary folder.
std::map<std::string, std::string> unit_environment(const UnitContext& context);

}  // namespace graphnet
