#include "correctness_record.h"

#include <algorithm>
#include <array>
#include <utility>

#include "graphnet/score/outcome.h"
#include "graphnet/score/tolerance.h"

namespace graphnet {
namespace {

using nlohmann::json;

std::optional<int> common_level(std::optional<int> a, std::optional<int> b) {
  return strictest_common_level(std::array{a, b});
}

void merge(OutputComparison& into, const OutputComparison& other) {
  into.same_dtype = into.same_dtype && other.same_dtype;
  into.same_shape = into.same_shape && other.same_shape;
  into.equal = into.equal && other.equal;
  into.strictest_level = common_level(into.strictest_level, other.strictest_level);
  into.maximum_absolute_error = std::max(into.maximum_absolute_error, other.maximum_absolute_error);
  into.maximum_relative_error = std::max(into.maximum_relative_error, other.maximum_relative_error);
  if (into.problem.empty()) into.problem = other.problem;
}

}  // namespace

json level_json(std::optional<int> level) {
  return level ? json(*level) : json(nullptr);
}

void CorrectnessRecord::add_spread(const Comparison& difference) {
  spread_levels_.resize(std::max(spread_levels_.size(), difference.outputs.size()));
  for (std::size_t i = 0; i < difference.outputs.size(); ++i) {
    const OutputComparison& output = difference.outputs[i];
    if (output.equal) continue;
    spread_levels_[i] =
        spread_levels_[i] ? common_level(spread_levels_[i], output.strictest_level) : output.strictest_level;
  }
}

std::optional<int> CorrectnessRecord::spread_level() const {
  std::optional<int> loosest;
  for (const std::optional<int>& level : spread_levels_) {
    if (level) loosest = std::max(loosest.value_or(*level), *level);
  }
  return loosest;
}

void CorrectnessRecord::add(const Comparison& comparison) {
  ++input_sets_;
  if (!worst_) {
    worst_ = comparison;
    return;
  }
  for (std::size_t i = 0; i < std::min(worst_->outputs.size(), comparison.outputs.size()); ++i) {
    merge(worst_->outputs[i], comparison.outputs[i]);
  }
  worst_->equal = worst_->equal && comparison.equal;
  worst_->strictest_level = common_level(worst_->strictest_level, comparison.strictest_level);
  if (worst_->problem.empty()) worst_->problem = comparison.problem;
}

void CorrectnessRecord::condemn(const std::string& problem) {
  if (!worst_) worst_.emplace();
  worst_->equal = false;
  worst_->strictest_level.reset();
  worst_->problem = problem;
}

json CorrectnessRecord::to_json() const {
  json outputs = json::array();
  std::vector<std::optional<int>> levels;  // with each output's spread allowed for
  for (std::size_t i = 0; i < worst_->outputs.size(); ++i) {
    const OutputComparison& output = worst_->outputs[i];
    const std::optional<int> spread = i < spread_levels_.size() ? spread_levels_[i] : std::nullopt;
    const bool within_spread = spread && output.strictest_level && *output.strictest_level <= *spread;
    levels.push_back(within_spread ? std::optional(kStrictestLevel) : output.strictest_level);
    outputs.push_back({{"strictest_level", level_json(output.strictest_level)},
                       {"spread_level", level_json(spread)},
                       {"equal", output.equal},
                       {"maximum_absolute_error", output.maximum_absolute_error},
                       {"maximum_relative_error", output.maximum_relative_error},
                       {"problem", output.problem}});
  }
  const std::optional<int> measured = worst_->strictest_level;
  // What condemns the whole leaves no level, whatever the outputs' are.
  return {{"strictest_level", level_json(measured ? strictest_common_level(levels) : measured)},
          {"measured_level", level_json(measured)},
          {"equal", worst_->equal},
          {"problem", worst_->problem},
          {"input_sets", input_sets_},
          {"outputs", std::move(outputs)}};
}

}  // namespace graphnet
