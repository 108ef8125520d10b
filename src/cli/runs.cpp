#include "runs.h"

#include <filesystem>
#include <set>
#include <utility>

#include <spdlog/spdlog.h>

#include "graphnet/support/error.h"

namespace graphnet::cli {
namespace {

// "runs/a/" and "runs/a" are the same run.
std::string label_of(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();
}

}  // namespace

ReadRun read_one_run(const std::string& folder) {
  ReadRun run{label_of(folder), read_results(folder)};
  const std::size_t finished = run.contents.results.size();
  if (finished == 0) throw Error(ErrorKind::kInput, run.label + " holds no finished unit: there is nothing to score");
  if (const std::size_t planned = planned_units(run.contents.info); finished < planned) {
    spdlog::warn("{} is not finished: {} of {} units; the others are not in its scores", run.label, finished, planned);
  } else if (run.contents.torn) {
    spdlog::warn("the last line of {} is incomplete and was left out", run.label);
  }
  return run;
}

std::vector<ReadRun> read_runs(const std::vector<std::string>& folders) {
  std::vector<ReadRun> runs;
  std::set<std::string> labels;
  for (const std::string& folder : folders) {
    if (!labels.insert(label_of(folder)).second) throw Error(ErrorKind::kUsage, folder + " is given twice");
    runs.push_back(read_one_run(folder));
  }
  return runs;
}

}  // namespace graphnet::cli
