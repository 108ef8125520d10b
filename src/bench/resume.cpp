#include "graphnet/bench/resume.h"

#include "graphnet/bench/results.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

using nlohmann::json;

constexpr std::size_t kShown = 80;  // bytes of a value in a message

// The lists of samples differ in one of them, or in their number.
std::string sample_difference(const std::string& key, const json& recorded, const json& now, const json& names) {
  if (!recorded.is_array() || !now.is_array() || recorded.size() != now.size()) {
    return key + ": " + std::to_string(recorded.size()) + " then, " + std::to_string(now.size()) + " now";
  }
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    if (recorded[i] == now[i]) continue;
    if (key == "samples") return key + ": " + excerpt(recorded[i].dump()) + " then, " + excerpt(now[i].dump()) + " now";
    return "the files of sample " + excerpt(names.at(i).get<std::string>());
  }
  return key;
}

void add_differences(const std::string& prefix, const json& recorded, const json& now, const json& names,
                     std::vector<std::string>& found) {
  std::set<std::string> keys;
  for (const json* object : {&recorded, &now}) {
    for (const auto& [key, value] : object->items()) keys.insert(key);
  }
  for (const std::string& key : keys) {
    if (key == "started" || key == "available_memory") continue;
    const json before = recorded.value(key, json());
    const json after = now.value(key, json());
    if (before == after) continue;
    const bool is_per_sample = key == "samples" || key == "sample_names" || key == "sample_digests";
    if (is_per_sample) {
      found.push_back(sample_difference(key, before, after, names));
    } else if (before.is_object() && after.is_object()) {
      add_differences(prefix + key + ".", before, after, names, found);
    } else {
      found.push_back(prefix + key + ": " + excerpt(before.dump(), kShown) + " then, " + excerpt(after.dump(), kShown) +
                      " now");
    }
  }
}

}  // namespace

std::set<UnitName> finished_units(const std::filesystem::path& folder) {
  std::set<UnitName> finished;
  for (const UnitResult& result : read_results(folder).results) finished.emplace(result.path, result.outcome.compiler);
  return finished;
}

void check_same_run(const std::filesystem::path& folder, const json& recorded, const json& now) {
  std::vector<std::string> found;
  add_differences("", recorded, now, now.value("samples", json::array()), found);
  if (found.empty()) return;
  std::string message = folder.string() + " cannot be resumed: this would be another run, in";
  for (const std::string& difference : found) message += "\n  " + difference;
  throw Error(ErrorKind::kUsage, message);
}

}  // namespace graphnet
