#include "graphnet/frontend/calibrate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ATen/ATen.h>

#include "graphnet/frontend/roles.h"
#include "graphnet/frontend/weight_recipes.h"
#include "graphnet/runtime/health.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

// Results whose deviation lies within these bounds are left as they are.
constexpr double kSmallest = 0.25;
constexpr double kLargest = 4.0;

class Calibrator {
 public:
  Calibrator(Graph& graph, const std::vector<bool>& may_change, const std::function<void(std::size_t)>& redraw)
      : graph_(graph),
        may_change_(may_change),
        redraw_(redraw),
        uses_(weight_uses(graph)),
        calls_(scaled_calls(graph)),
        done_(graph.weights.size(), false) {
    // An embedding that is also a projection keeps the scale that suits both.
    for (std::size_t i = 0; i < uses_.size(); ++i) done_[i] = uses_[i].role == Role::kEmbedding;
  }

  void observe(std::size_t call, std::span<const at::Tensor> results) {
    while (next_ < calls_.size() && calls_[next_].call < call) ++next_;
    if (next_ == calls_.size() || calls_[next_].call != call || results.empty()) return;
    const ScaledCall& scaled_call = calls_[next_];
    if (!may_change_[scaled_call.weight]) return;
    if (done_[scaled_call.weight] && !is_zeros(scaled_call.weight)) return;
    done_[scaled_call.weight] = true;
    const OutputHealth health = health_of(results[0]);
    if (!health.finite || results[0].numel() < 2) return;
    if (health.deviation == 0) {
      give_values(scaled_call.weight);
      return;
    }
    if (health.deviation >= kSmallest && health.deviation <= kLargest) return;
    rescale(scaled_call, 1.0 / health.deviation, results[0]);
  }

  std::vector<std::size_t> changed() {
    std::sort(changed_.begin(), changed_.end());
    return std::move(changed_);
  }

 private:
  void rescale(const ScaledCall& call, double factor, const at::Tensor& result) {
    if (!rescale_weight(call.weight, factor)) return;
    if (call.bias && !done_[*call.bias] && may_change_[*call.bias]) {
      done_[*call.bias] = true;
      rescale_weight(*call.bias, factor);
    }
    result.mul_(factor);
  }

  bool rescale_weight(std::size_t index, double factor) {
    const std::optional<Recipe> recipe = scaled(graph_.weights[index].recipe, factor);
    if (recipe) change(index, *recipe);
    return recipe.has_value();
  }

  // A weight of zeros, as some layers start their training with, lets nothing through. The next pass sees its effect.
  void give_values(std::size_t index) {
    if (is_zeros(index)) change(index, recipe_from_role(graph_.weights[index], uses_[index]));
  }

  bool is_zeros(std::size_t index) const {
    const auto* constant = std::get_if<ConstantRecipe>(&graph_.weights[index].recipe);
    return constant != nullptr && constant->value == Number(0.0);
  }

  void change(std::size_t index, const Recipe& recipe) {
    graph_.weights[index].recipe = recipe;
    redraw_(index);
    changed_.push_back(index);
  }

  Graph& graph_;
  const std::vector<bool>& may_change_;
  const std::function<void(std::size_t)>& redraw_;
  std::vector<WeightUse> uses_;
  std::vector<ScaledCall> calls_;
  std::vector<bool> done_;  // weights that were looked at
  std::size_t next_ = 0;
  std::vector<std::size_t> changed_;
};

}  // namespace

void rescale_tables(Graph& graph, double factor, const std::vector<bool>& may_change,
                    const std::function<void(std::size_t)>& redraw) {
  const std::vector<WeightUse> uses = weight_uses(graph);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Role role = uses[i].role;
    if (!may_change[i] || (role != Role::kTable && role != Role::kEmbedding && role != Role::kUnknown)) continue;
    if (const std::optional<Recipe> recipe = scaled(graph.weights[i].recipe, factor)) {
      graph.weights[i].recipe = *recipe;
      redraw(i);
    }
  }
}

Calibration calibrate(Graph& graph, Replayer& replayer, std::span<const at::Tensor> inputs,
                      const std::vector<bool>& may_change, const std::function<void(std::size_t)>& redraw) {
  Calibrator calibrator(graph, may_change, redraw);
  Calibration calibration;
  try {
    calibration.outputs = replayer.run(
        inputs, [&](std::size_t call, std::span<const at::Tensor> results) { calibrator.observe(call, results); });
    calibration.changed = calibrator.changed();
  } catch (const Error& error) {
    // Shapes that follow from values no longer fit the graph once these are of another scale.
    calibration.changed = calibrator.changed();
    if (calibration.changed.empty() || error.kind() == ErrorKind::kEnvironment) throw;
  }
  return calibration;
}

}  // namespace graphnet
