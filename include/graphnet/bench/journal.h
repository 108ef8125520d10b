// A run on disk: run.json says what was run with what, results.jsonl has one line for each finished unit. Results are
// read by results.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/score/outcome.h"

namespace graphnet {

// One finished unit of work: a sample with a compiler.
struct UnitRecord {
  Outcome outcome;
  std::string path;      // of the sample
  std::string identity;  // of its graph
  std::string category;
  std::vector<std::string> dtypes;
  std::string verdict;          // "converged", "capped"; empty where nothing was timed
  std::string degenerate;       // why the reference's outputs say little about correctness; empty where they are sound
  nlohmann::json measurements;  // what the worker measured: every trial, errors by output, seconds by stage
  double compile_seconds = 0;   // 0 where nothing was compiled
  bool compile_cached = false;  // an earlier run compiled it, in so many seconds
  double seconds = 0;           // wall time of the whole unit
  std::string log;              // file with everything the unit's processes wrote, below the run's folder
  std::string reproduce;        // the command line that runs just this unit again
};

nlohmann::ordered_json to_json(const UnitRecord& record);

inline constexpr int kRunFormatVersion = 1;  // "graphnet" of run.json
inline constexpr std::string_view kRunFile = "run.json";
inline constexpr std::string_view kResultsFile = "results.jsonl";

// Throws Error(kUsage) where a new run cannot go there: the folder holds a run, or anything else. (A run that was
// killed before it had begun is nothing.)
void check_run_folder(const std::filesystem::path& folder);

// Appends to a run's results; each line is on the disk when append() returns. Holds a lock on them, so that no two
// processes write to one run.
class Journal {
 public:
  // Begins a run: makes the folder and writes run.json. Throws Error(kUsage) where the folder already holds a run, or
  // where another process is just making one there.
  Journal(std::filesystem::path folder, const nlohmann::ordered_json& run);

  // Goes on with a run: an unfinished last line is cut off. Throws Error(kUsage) where another process is at it.
  explicit Journal(std::filesystem::path folder);
  ~Journal();
  Journal(Journal&& other) noexcept;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Throws Error(kInterrupted) for a full disk: what was appended before is safe, and nothing of this line stays.
  void append(const UnitRecord& record);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  void open_results(int flags);

  std::filesystem::path folder_;
  int descriptor_ = -1;
};

// Reads a run.json: what every one has, its version and what the run set out to do, is checked. Throws Error(kInput)
// naming the file and what it lacks.
nlohmann::json read_run_information(const std::filesystem::path& file);

}  // namespace graphnet
