// A bench run: every sample with every compiler, each unit in processes of its own, each ending in one recorded
// outcome.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/bench/compiler.h"
#include "graphnet/bench/installation.h"
#include "graphnet/bench/interrupt.h"
#include "graphnet/bench/journal.h"

namespace graphnet {

struct BenchOptions {
  std::vector<std::filesystem::path> samples;  // sample folders
  std::vector<std::string> names;              // of the samples, as reports name them: one each
  std::vector<Compiler> compilers;
  std::string device = "auto";
  std::vector<std::string> operator_libraries;  // shared objects or Python packages of operators outside LibTorch
  std::filesystem::path folder;                 // of the run
  std::uint64_t seed = 0;
  int threads = 0;                 // intra-operator threads; 0: LibTorch's own choice
  double stage_timeout = 1800;     // seconds that one stage of a unit may take
  double timing_seconds = 10;      // most seconds of timed trials a unit
  double target = 0.01;            // half width of the 95 % interval of the speedup at which timing stops
  std::string cache = "warm";      // "cold": caches are flushed before each timed call
  std::string float64 = "auto";    // "on", "off": whether the graph also runs in float64
  std::int64_t memory_limit = 0;   // bytes that a unit's processes may hold; 0: no limit
  int compile_jobs = 1;            // units that are compiled at once, ahead of timing
  std::string shard;               // which part of a larger run's samples these are, "1/4"; empty: they are all
  std::filesystem::path packages;  // cache of compiled packages; empty: none
  bool fresh = false;              // compile what is in that cache, too
  bool resume = false;             // the folder holds a run: do what it has not finished
  bool memory = false;             // each side also runs in a process of its own, whose memory is measured
};

struct BenchEvents {
  std::function<void(const std::string& compiler)> on_preparation;  // before its process is started
  std::function<void(const nlohmann::json& machine)>
      on_machine;  // once all is known to be usable, before the first unit
  // May be called from several threads, one at a time.
  std::function<void(std::size_t done, std::size_t total, const std::string& sample, const std::string& compiler,
                     const std::string& stage)>
      on_stage;
  std::function<void(const UnitRecord& record)> on_unit;
};

struct BenchSummary {
  std::size_t finished = 0;  // units that are in the run's folder, those of an earlier start included
  std::string interruption;  // why not all units were run: the user, or a full disk; empty where all were
};

// Runs all units, sample by sample, and journals each as it ends; no result stays in memory. The folder is made once
// device, compilers and their options are known to be usable. Throws Error(kUsage) for a folder that is not free, for
// one to be resumed that holds another run than this, and for options that a compiler refuses, Error(kEnvironment)
// where the worker cannot start, be it in the middle of the run, which can then be resumed, or the device is not
// usable.
BenchSummary run_bench(const BenchOptions& options, const Installation& installation, const InterruptWatch& interrupt,
                       const BenchEvents& events);

}  // namespace graphnet
