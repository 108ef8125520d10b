// How far a candidate's outputs were from the reference's, over all runs that were checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "graphnet/runtime/compare.h"

namespace graphnet {

class CorrectnessRecord {
 public:
  // A reference that differs from itself has a spread: the strictest level at which its runs agree with one another. A
  // candidate that is within it cannot be told from the reference, and counts as correct at every level.
  void set_spread(std::optional<int> level) { spread_level_ = level; }

  void add(const Comparison& comparison);

  // What no tolerance excuses, found beside the comparisons.
  void condemn(const std::string& problem);

  // {strictest_level, measured_level, equal, problem, input_sets, outputs: [{strictest_level, equal,
  // maximum_absolute_error, maximum_relative_error, problem}]}, each the worst of all that were added. Levels that no
  // tolerance reaches are null; measured_level is strictest_level before the spread was allowed for.
  nlohmann::json to_json() const;

 private:
  std::optional<Comparison> worst_;
  std::optional<int> spread_level_;
  std::uint64_t input_sets_ = 0;
};

// A level in JSON: null where there is none.
nlohmann::json level_json(std::optional<int> level);

}  // namespace graphnet
