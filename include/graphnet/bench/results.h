// Reads a run for scores and reports: what they need of each unit, and nothing else. A line's measurements are many
// times as long as all the rest, so a hundred thousand lines are read without keeping them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/bench/journal.h"
#include "graphnet/score/unit_result.h"

namespace graphnet {

struct RunResults {
  nlohmann::json info;  // run.json
  std::vector<UnitResult> results;
  bool torn = false;  // the last line was incomplete (a killed run) and was left out
};

// Reads a finished or a killed run. Throws Error(kInput): for a folder without a run, naming what it lacks; for a
// damaged line other than the last, naming file, line and what was expected there.
RunResults read_results(const std::filesystem::path& folder);

// Units that the run set out to do.
std::size_t planned_units(const nlohmann::json& info);

}  // namespace graphnet
