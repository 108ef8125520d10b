// Going on with a run that was killed or stopped: what of it is done, and whether what would go on is the same run.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace graphnet {

// A sample's path and a compiler's label.
using UnitName = std::pair<std::string, std::string>;

// The units that the run has finished. Throws as read_results does.
std::set<UnitName> finished_units(const std::filesystem::path& folder);

// Throws Error(kUsage) naming everything in which the runs' information (run.json) differs, but for what may: when the
// run was started, and how much memory was free.
void check_same_run(const std::filesystem::path& folder, const nlohmann::json& recorded, const nlohmann::json& now);

}  // namespace graphnet
