#include "graphnet/score/unit_result.h"

#include <map>
#include <set>
#include <utility>

#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {

std::string dtype_class(const UnitResult& result) {
  std::set<std::string_view> floating;
  for (const std::string& dtype : result.dtypes) {
    if (dtype.find("float") != std::string::npos || dtype.starts_with("complex")) floating.insert(dtype);
  }
  return floating.empty() ? "none" : joined(floating, "+");
}

std::string category_of(const UnitResult& result) {
  return result.category.empty() ? "other" : result.category;
}

std::vector<Outcome> outcomes_in(std::span<const UnitResult> results) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(results.size());
  for (const UnitResult& result : results) outcomes.push_back(result.outcome);
  return outcomes;
}

std::vector<CompilerResults> by_compiler(std::vector<UnitResult> results) {
  std::vector<CompilerResults> parts;
  std::map<std::string, std::size_t> index;
  for (UnitResult& result : results) {
    const auto [place, is_new] = index.try_emplace(result.outcome.compiler, parts.size());
    if (is_new) parts.push_back({result.outcome.compiler, {}});
    parts[place->second].results.push_back(std::move(result));
  }
  return parts;
}

void check_each_sample_once(std::span<const UnitResult> results, const std::string& run) {
  std::set<std::string_view> seen;
  for (const UnitResult& result : results) {
    if (seen.insert(result.outcome.sample).second) continue;
    throw Error(ErrorKind::kInput, (run.empty() ? "" : run + ": ") + "sample " + result.outcome.sample +
                                       " has two results with compiler " + result.outcome.compiler +
                                       ": remove one of the lines from its results");
  }
}

}  // namespace graphnet
