// How far a candidate's outputs were from the reference's, over all runs that were checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/runtime/compare.h"

namespace graphnet {

class CorrectnessRecord {
 public:
  // How two runs of the reference on the same inputs differ, where they do. Each output has a spread of its own: the
  // strictest level at which all runs agree on it. Where a candidate's output is within that, it cannot be told from
  // the reference's, and counts as correct at every level.
  void add_spread(const Comparison& difference);

  // The loosest spread of the outputs; nothing where all runs were equal.
  std::optional<int> spread_level() const;

  void add(const Comparison& comparison);

  // What no tolerance excuses, found beside the comparisons.
  void condemn(const std::string& problem);

  // {strictest_level, measured_level, equal, problem, input_sets, outputs: [{strictest_level, spread_level, equal,
  // maximum_absolute_error, maximum_relative_error, problem}]}, each the worst of all that were added. Levels that no
  // tolerance reaches are null; measured_level is strictest_level before the spreads were allowed for, as the levels of
  // the outputs are; spread_level is null for outputs on which the reference agrees with itself.
  nlohmann::json to_json() const;

 private:
  std::optional<Comparison> worst_;
  std::vector<std::optional<int>> spread_levels_;  // by output; empty without a spread
  std::uint64_t input_sets_ = 0;
};

// A level in JSON: null where there is none.
nlohmann::json level_json(std::optional<int> level);

}  // namespace graphnet
