#include "recorded_model.h"

#include <utility>

#include <ATen/ATen.h>

#include "extraction_notes.h"

namespace graphnet {
namespace {

// Recordings until the graph no longer changes with the weights drawn for it.
constexpr int kRecordingAttempts = 3;

}  // namespace

RecordedModel::RecordedModel(const TorchScriptModel& model, WeightSet& weights, ModelRunner runner, Settings settings)
    : model_(model), weights_(weights), runner_(runner), settings_(std::move(settings)) {
  recording_ = record_once();
}

void RecordedModel::record_with(ModelRunner runner) {
  runner_ = runner;
  weights_.restore(recording_);
  loaded_output_.clear();
  recording_ = record_once();
}

void RecordedModel::draw_weights() {
  weights_.choose_recipes(recording_, settings_.keep_values);
  weights_.draw(recording_);
  if (depends_on_values()) record_again();
  bind();
}

void RecordedModel::follow_changed_weights() {
  if (!depends_on_values()) return;
  record_again();
  bind();
}

std::vector<at::Tensor> RecordedModel::replay(const std::vector<at::Tensor>& inputs) {
  at::manual_seed(settings_.seed);
  return replayer_->run(inputs);
}

FlatOutput RecordedModel::run_model(const std::vector<at::Tensor>& inputs) {
  FlatOutput output = runner_.output(inputs);
  weights_.restore(recording_);
  return output;
}

std::string RecordedModel::line_of_call(std::size_t call) {
  const Recording again = runner_.record(ModelRunner::Places::kLines).recording;
  weights_.restore(recording_);
  const auto name_in = [call](const Graph& graph) { return graph.operator_of(graph.calls[call]).full_name(); };
  const bool same = again.graph.calls.size() == recording_.graph.calls.size() && call < again.places.size() &&
                    name_in(again.graph) == name_in(recording_.graph);
  return same ? again.places[call] : "";
}

void RecordedModel::refuse_control_flow(const std::string& what) const {
  throw control_flow_error(settings_.file, model_, recording_.notes, what);
}

Recording RecordedModel::record_once() {
  ModelRunner::Recorded recorded = runner_.record();
  if (loaded_output_.empty()) loaded_output_ = std::move(recorded.outputs);
  return std::move(recorded.recording);
}

bool RecordedModel::depends_on_values() const {
  return recording_.notes.data_dependent_shapes || !recording_.notes.baked_values.empty();
}

void RecordedModel::record_again() {
  for (int attempt = 1; attempt < kRecordingAttempts; ++attempt) {
    Recording next = record_once();
    const bool same_weights = next.weight_sources == recording_.weight_sources;
    if (same_weights) {
      for (std::size_t i = 0; i < next.graph.weights.size(); ++i) {
        next.graph.weights[i].recipe = recording_.graph.weights[i].recipe;
      }
      recording_ = std::move(next);
      weights_.restore(recording_);
      return;
    }
    recording_ = std::move(next);
    weights_.choose_recipes(recording_, settings_.keep_values);
    weights_.draw(recording_);
  }
  refuse_control_flow("which weights the model reads changes with their values");
}

void RecordedModel::bind() {
  replayer_ = std::make_unique<Replayer>(recording_.graph, settings_.device);
  replayer_->set_weights(weights_.tensors(recording_), recording_.constants);
}

}  // namespace graphnet
