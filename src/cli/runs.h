// Finished runs as arguments of a command.
#pragma once

#include <string>
#include <vector>

#include "graphnet/bench/results.h"

namespace graphnet::cli {

struct ReadRun {
  std::string label;  // its folder, as reports name it
  RunResults contents;
};

// Reads a run that holds at least one finished unit; warns where it was not finished. Throws Error(kInput) otherwise.
ReadRun read_one_run(const std::string& folder);

// Throws Error(kUsage) also where a folder is given twice.
std::vector<ReadRun> read_runs(const std::vector<std::string>& folders);

}  // namespace graphnet::cli
