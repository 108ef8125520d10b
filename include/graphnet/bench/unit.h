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

namespace graphnet {

// What all units of a run share.
struct UnitContext {
  const BenchOptions& options;
  const Installation& installation;
  int interrupt_descriptor = -1;
  std::int64_t available_memory = 0;  // bytes on the device
  int threads = 0;                    // of one operator; 0: LibTorch's own choice
};

struct UnitJob {
  std::filesystem::path path;  // of the sample
  std::string sample;          // its display name
  const Compiler* compiler = nullptr;
  std::function<void(const std::string& stage)> on_stage;
};

// Runs the unit. `compile_server` is the compiler's Python process, for ahead-of-time compilers. Returns nothing where
// the user interrupted it. What a sample or a compiler does is an outcome, never an exception; only wrong usage, such
// as an option that the compiler does not have, throws Error(kUsage).
std::optional<UnitRecord> run_unit(const UnitContext& context, const UnitJob& job, WorkerClient* compile_server);

// Where compilers keep their intermediate files, below the run's folder: a cache of the user's would hide compile time.
// It is removed at the end of the run.
inline constexpr std::string_view kCompilerCache = "compiler-cache";

// Where the units' logs are, below the run's folder.
inline constexpr std::string_view kLogFolder = "logs";

// The environment that every process of a run gets, so that both sides have the same threads.
std::map<std::string, std::string> unit_environment(const UnitContext& context);

}  // namespace graphnet
