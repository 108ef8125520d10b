#include "scale_search.h"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>

#include "graphnet/frontend/calibrate.h"
#include "graphnet/frontend/model_output.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

// Passes over the graph until a model that fades or blows up has sane scales: one that gives zeros values, one that
// scales.
constexpr int kCalibrationPasses = 3;

// Powers of two, so that going back is exact.
constexpr double kTableFactors[] = {8, 64, 1.0 / 8, 1.0 / 64};

}  // namespace

ScaleSearch::ScaleSearch(RecordedModel& model)
    : model_(model),
      seed_inputs_(model.runner().draw_inputs(model.settings().seed)),
      fresh_inputs_(model.runner().draw_inputs(model.settings().seed + 1)) {}

std::optional<Degeneration> ScaleSearch::run() {
  if (model_.weights().any_without_values()) calibrate_weights();
  std::optional<Degeneration> found = judge();
  for (int pass = 0; pass < kCalibrationPasses && found && calibrate_weights(); ++pass) found = judge();
  return found ? try_table_scales(*std::move(found)) : found;
}

// Runs the graph on both sets of inputs.
std::optional<Degeneration> ScaleSearch::judge() {
  try {
    if (seed_output_.empty()) seed_output_ = model_.replay(seed_inputs_);
    fresh_output_ = model_.replay(fresh_inputs_);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kEnvironment) throw;
    model_.refuse_control_flow(std::string("the recorded graph fails on other inputs or weights (") + error.what() +
                               ")");
  }
  const Graph& graph = model_.recording().graph;
  std::string reason = degenerate_outputs(graph, seed_output_, true);
  if (!reason.empty()) return Degeneration{Degeneration::Kind::kValues, std::move(reason)};
  const std::vector<at::Tensor> computed = computed_outputs(graph, seed_output_);
  if (model_.runner().inputs_vary() && !outputs_differ(computed, computed_outputs(graph, fresh_output_))) {
    return Degeneration{Degeneration::Kind::kInputs, "they do not depend on the inputs"};
  }
  const bool weights_vary =
      !model_.settings().keep_values && std::any_of(graph.weights.begin(), graph.weights.end(),
                                                    [](const Weight& weight) { return !is_exact(weight.recipe); });
  if (weights_vary && !outputs_differ(computed, computed_outputs(graph, model_.loaded_output()))) {
    return Degeneration{Degeneration::Kind::kWeights, "they do not depend on the weights"};
  }
  return std::nullopt;
}

bool ScaleSearch::calibrate_weights() {
  Recording& recording = model_.recording();
  const std::vector<bool> may_change = model_.weights().may_change(recording);
  at::manual_seed(model_.settings().seed);
  Calibration calibration = calibrate(recording.graph, model_.replayer(), seed_inputs_, may_change,
                                      [&](std::size_t weight) { model_.weights().draw(recording, weight); });
  if (calibration.changed.empty()) {
    seed_output_ = std::move(calibration.outputs);
    return false;
  }
  seed_output_.clear();
  model_.follow_changed_weights();
  return true;
}

// Keeps the first scale of tables at which the outputs are no longer degenerate, or the tables as they were.
std::optional<Degeneration> ScaleSearch::try_table_scales(Degeneration found) {
  Recording& recording = model_.recording();
  const auto rescale = [&](double factor) {
    rescale_tables(recording.graph, factor, model_.weights().may_change(recording),
                   [&](std::size_t weight) { model_.weights().draw(recording, weight); });
    seed_output_.clear();
    model_.follow_changed_weights();
  };
  for (const double factor : kTableFactors) {
    rescale(factor);
    if (!judge()) return std::nullopt;
    rescale(1 / factor);
  }
  judge();
  return found;
}

}  // namespace graphnet
