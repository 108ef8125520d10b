#include "graphnet/frontend/validate.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <ATen/ATen.h>

#include "graphnet/frontend/model_output.h"
#include "graphnet/frontend/output_digest.h"
#include "graphnet/frontend/tiled_memory.h"
#include "graphnet/graph/identity.h"
#include "graphnet/graph/memory.h"
#include "graphnet/graph/text.h"
#include "graphnet/runtime/compare.h"
#include "graphnet/runtime/exception_text.h"
#include "graphnet/runtime/operator_library.h"
#include "graphnet/runtime/recorder.h"
#include "graphnet/runtime/replayer.h"
#include "graphnet/runtime/tensors.h"
#include "graphnet/sample/sample.h"
#include "graphnet/score/tolerance.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

#include "stages.h"

namespace graphnet {
namespace {

constexpr std::size_t kMetadataLimit = std::size_t{64} << 20;

// The output of a recorded run as the graph's own output names it: the values, in order, as a list.
c10::IValue as_list(const std::vector<at::Tensor>& tensors) {
  return c10::List<at::Tensor>(tensors);
}

// The place and kind of the first difference between two results.
std::string difference(const Result& recorded, const Result& seen) {
  if (recorded.index() != seen.index()) return "another kind of result";
  if (const auto* tensor = std::get_if<TensorResult>(&recorded)) {
    const auto& other = std::get<TensorResult>(seen);
    if (tensor->type != other.type)
      return to_string(other.type) + " instead of the recorded " + to_string(tensor->type);
    if (tensor->id != other.id) return "another value";
  } else if (const auto* list = std::get_if<std::vector<TensorResult>>(&recorded)) {
    const auto& other = std::get<std::vector<TensorResult>>(seen);
    if (list->size() != other.size()) {
      return std::to_string(other.size()) + " tensors instead of the recorded " + std::to_string(list->size());
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      if ((*list)[i].type != other[i].type) {
        return to_string(other[i].type) + " instead of the recorded " + to_string((*list)[i].type);
      }
    }
  }
  return "";
}

class Validation {
 public:
  Validation(const ValidateOptions& options, const ProgressEvents& events) : options_(options), stages_(events) {}

  ValidateResult run() {
    try {
      run_checks();
    } catch (const std::exception& exception) {
      fail(exception_text(exception));
    }
    result_.passed =
        std::all_of(result_.checks.begin(), result_.checks.end(), [](const Check& check) { return check.passed; });
    result_.stage_seconds = stages_.end();
    return std::move(result_);
  }

 private:
  void run_checks() {
    stages_.begin("read");
    begin("readable");
    sample_ = read_sample_unverified(options_.sample);
    begin("round trip");
    check_round_trip();
    begin("identity");
    verify_identity(*sample_);
    begin("operators");
    load_libraries();
    replayer_ = std::make_unique<Replayer>(sample_->graph, options_.device);
    stages_.begin("weights");
    begin("weights");
    make_weights();
    stages_.begin("run");
    begin("runs");
    run_and_record();
    begin("recorded types");
    check_types();
    begin("re-extraction");
    check_reextraction();
    begin("repeatable");
    check_repeatable();
    begin("healthy");
    check_health();
    begin("digest");
    check_digest();
  }

  // The libraries that were asked for, and those that the sample names and that were not.
  void load_libraries() const {
    for (const std::string& library : options_.operator_libraries) load_operator_library(library);
    load_libraries_of(sample_->metadata);
  }

  // A check that passes unless fail() follows.
  void begin(const std::string& name) { result_.checks.push_back({name, true, ""}); }
  void fail(const std::string& message) {
    result_.checks.back().passed = false;
    result_.checks.back().message = message;
  }
  void note(const std::string& message) { result_.checks.back().message = message; }

  void check_round_trip() {
    const std::filesystem::path graph_file = options_.sample / kGraphFile;
    if (read_file(graph_file) != write_graph(sample_->graph)) {
      fail(graph_file.string() + " is not in canonical form: read and written again it has other bytes");
      return;
    }
    const std::filesystem::path metadata_file = options_.sample / kMetadataFile;
    if (read_file(metadata_file, kMetadataLimit) != write_metadata(sample_->metadata)) {
      fail(metadata_file.string() + " is not in canonical form: read and written again it has other bytes");
    }
  }

  void make_weights() {
    const MemoryNeed need = memory_need(sample_->graph);
    const std::int64_t limit = options_.memory_limit > 0 ? options_.memory_limit : available_memory(options_.device);
    if (need.total() <= limit) {
      GraphTensors tensors = make_tensors(*sample_, options_.seed, options_.device);
      constants_ = std::move(tensors.constants);
      weights_ = std::move(tensors.weights);
    } else {
      result_.broadcast_weights = true;
      note("the weights do not fit in memory: each repeats one tile");
      make_repeated_weights();
    }
    replayer_->set_weights(weights_, constants_);
  }

  void make_repeated_weights() {
    if (!options_.device.is_cpu()) {
      GraphTensors tensors = make_tensors(*sample_, options_.seed, options_.device, WeightStorage::kBroadcast);
      constants_ = std::move(tensors.constants);
      weights_ = std::move(tensors.weights);
      return;
    }
    const Graph& graph = sample_->graph;
    for (std::size_t i = 0; i < graph.weights.size(); ++i) {
      const Weight& weight = graph.weights[i];
      const ValueId id = graph.first_weight() + static_cast<ValueId>(i);
      if (const auto* view = std::get_if<ViewRecipe>(&weight.recipe)) {
        const at::Tensor& base = weights_.at(view->base - graph.first_weight());
        const auto strides = weight.type.strides.empty() ? contiguous_strides(weight.type.shape) : weight.type.strides;
        weights_.push_back(at::as_strided(base, weight.type.shape, strides, base.storage_offset() + view->offset));
      } else if (std::holds_alternative<StoredRecipe>(weight.recipe)) {
        weights_.push_back(tiles_.make(weight.type, NormalRecipe{0.0, 0.02}, options_.seed, id));
      } else {
        weights_.push_back(tiles_.make(weight.type, weight.recipe, options_.seed, id));
      }
    }
    for (std::size_t i = 0; i < graph.constants.size(); ++i) {
      const ValueId id = graph.first_constant() + static_cast<ValueId>(i);
      constants_.push_back(
          make_tensor(graph.constants[i].type, graph.constants[i].recipe, options_.seed, id, options_.device));
    }
  }

  // The first run is recorded while it runs: the recording must be the same graph again.
  void run_and_record() {
    const std::vector<at::Tensor> tensors = make_inputs(sample_->graph, options_.seed, options_.device);
    std::vector<KnownTensor> inputs;
    for (std::size_t i = 0; i < tensors.size(); ++i)
      inputs.push_back({sample_->graph.inputs[i].name, tensors[i], false});
    std::vector<KnownTensor> weights;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      weights.push_back({sample_->graph.weights[i].name, weights_[i], sample_->graph.weights[i].is_buffer});
    }
    at::manual_seed(options_.seed);
    recording_ = record(inputs, weights, options_.device, [&] {
      outputs_ = replayer_->run(tensors);
      return as_list(outputs_);
    });
  }

  void check_types() {
    const Graph& recorded = sample_->graph;
    const Graph& seen = recording_->graph;
    const std::size_t count = std::min(recorded.calls.size(), seen.calls.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Operator& op = recorded.operator_of(recorded.calls[i]);
      for (std::size_t r = 0; r < std::min(recorded.calls[i].results.size(), seen.calls[i].results.size()); ++r) {
        const std::string what = difference(recorded.calls[i].results[r], seen.calls[i].results[r]);
        if (what.empty()) continue;
        fail("call " + std::to_string(i) + " " + op.full_name() + " gave " + what +
             (recorded.calls[i].results.size() > 1 ? " (result " + std::to_string(r) + ")" : ""));
        if (sample_->metadata.data_dependent_shapes && !same_machine()) {
          result_.checks.back().passed = true;  // shapes follow values, and values differ in the last bits
        }
        return;
      }
    }
  }

  bool same_machine() const {
    return sample_->metadata.digest &&
           comparable(*sample_->metadata.digest,
                      make_output_digest({}, options_.seed, describe_machine(options_.device)));
  }

  void check_reextraction() {
    // The output's form (tuple, dict) is the graph's; the recording only sees the tensors.
    recording_->graph.output = sample_->graph.output;
    if (identity(recording_->graph) == identity(sample_->graph)) return;
    for (std::size_t i = 0; i < recording_->graph.inputs.size(); ++i) {
      recording_->graph.inputs[i].recipe = sample_->graph.inputs[i].recipe;
    }
    for (std::size_t i = 0; i < std::min(recording_->graph.weights.size(), sample_->graph.weights.size()); ++i) {
      recording_->graph.weights[i].recipe = sample_->graph.weights[i].recipe;
    }
    const std::string place = first_difference(sample_->graph, fingerprints(recording_->graph));
    if (sample_->metadata.data_dependent_shapes && !same_machine()) {
      note("differs in " + place + ": shapes depend on values, which were recorded on another machine");
    } else {
      fail("recorded again while running, it is another graph: " + place);
    }
  }

  void check_repeatable() {
    const std::vector<at::Tensor> inputs = make_inputs(sample_->graph, options_.seed, options_.device);
    at::manual_seed(options_.seed);
    const std::vector<at::Tensor> again = replayer_->run(inputs);
    if (all_same(outputs_, again)) return;
    // Accelerators add in an order of their own in some operators.
    const bool close = compare(outputs_, again).strictest_level.value_or(kLoosestLevel) <= 0;
    if (close && !options_.device.is_cpu()) {
      note("two runs differ within rounding");
    } else {
      fail("two runs with the same seed gave different outputs");
    }
  }

  void check_health() {
    const std::string reason = degenerate_outputs(sample_->graph, outputs_, sample_->metadata.finite);
    if (!reason.empty()) {
      fail("degenerate: " + reason);
      return;
    }
    const bool drawn = std::any_of(sample_->graph.inputs.begin(), sample_->graph.inputs.end(),
                                   [](const Input& input) { return !is_exact(input.recipe); });
    if (!drawn) return;
    const std::vector<at::Tensor> inputs = make_inputs(sample_->graph, options_.seed + 1, options_.device);
    at::manual_seed(options_.seed);
    if (!outputs_differ(outputs_, replayer_->run(inputs))) fail("degenerate: the outputs do not depend on the inputs");
  }

  void check_digest() {
    const std::optional<OutputDigest>& recorded = sample_->metadata.digest;
    if (!recorded) {
      note("left out: none was recorded");
      return;
    }
    const OutputDigest now = make_output_digest(outputs_, options_.seed, describe_machine(options_.device));
    if (result_.broadcast_weights || !comparable(*recorded, now)) {
      note(result_.broadcast_weights ? "left out: the weights do not fit in memory"
                                     : "left out: it was recorded on another machine, version or seed");
    } else if (recorded->sha256 != now.sha256) {
      fail("the outputs are not those that were recorded on this machine");
    }
  }

  const ValidateOptions& options_;
  Stages stages_;
  ValidateResult result_;
  std::optional<Sample> sample_;
  TiledMemory tiles_;
  std::unique_ptr<Replayer> replayer_;
  std::vector<at::Tensor> weights_;
  std::vector<at::Tensor> constants_;
  std::optional<Recording> recording_;
  std::vector<at::Tensor> outputs_;
};

}  // namespace

ValidateResult validate(const ValidateOptions& options, const ProgressEvents& events) {
  return Validation(options, events).run();
}

}  // namespace graphnet
