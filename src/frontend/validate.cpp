#include "graphnet/frontend/validate.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "graphnet/frontend/model_output.h"
#include "graphnet/frontend/output_digest.h"
#include "graphnet/graph/identity.h"
#include "graphnet/graph/memory.h"
#include "graphnet/graph/text.h"
#include "graphnet/runtime/aliases.h"
#include "graphnet/runtime/compare.h"
#include "graphnet/runtime/device.h"
#include "graphnet/runtime/exception_text.h"
#include "graphnet/runtime/operator_library.h"
#include "graphnet/runtime/operator_schemas.h"
#include "graphnet/runtime/recorder.h"
#include "graphnet/runtime/replayer.h"
#include "graphnet/runtime/tensors.h"
#include "graphnet/sample/consistency.h"
#include "graphnet/sample/sample.h"
#include "graphnet/score/tolerance.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/text.h"

#include "stages.h"

namespace graphnet {
namespace {

constexpr std::size_t kMetadataLimit = std::size_t{64} << 20;

// The output of a recorded run as the graph's own output names it: the values, in order, as a list.
c10::IValue as_list(const std::vector<at::Tensor>& tensors) {
  return c10::List<at::Tensor>(tensors);
}

std::string instead_of(const std::string& seen, const std::string& recorded) {
  return seen + " instead of the recorded " + recorded;
}

// What is different about a result, or empty.
std::string difference(const Result& recorded, const Result& seen) {
  if (recorded.index() != seen.index()) return "another kind of result";
  const auto tensors = [](const Result& result) -> std::vector<TensorResult> {
    if (const auto* tensor = std::get_if<TensorResult>(&result)) return {*tensor};
    const auto* list = std::get_if<std::vector<TensorResult>>(&result);
    return list != nullptr ? *list : std::vector<TensorResult>();
  };
  const std::vector<TensorResult> expected = tensors(recorded);
  const std::vector<TensorResult> found = tensors(seen);
  if (expected.size() != found.size()) {
    return instead_of(std::to_string(found.size()) + " tensors", std::to_string(expected.size()));
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].type != found[i].type) return instead_of(to_string(found[i].type), to_string(expected[i].type));
    if (expected[i].id != found[i].id) return "another value";
  }
  return "";
}

// "torch 2.13.0" of "torch 2.13.0+cpu".
std::string_view release_of(std::string_view framework) {
  return framework.substr(0, framework.find('+'));
}

// The line, from 1 on, on which two different texts part.
std::size_t first_other_line(std::string_view text, std::string_view other) {
  const auto parted = std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first;
  return 1 + static_cast<std::size_t>(std::count(text.begin(), parted, '\n'));
}

std::string places(const std::vector<std::int64_t>& positions) {
  const auto text_of = [](std::int64_t position) { return std::to_string(position); };
  return positions.empty() ? "none" : joined(positions, ", ", text_of);
}

class Validation {
 public:
  Validation(const ValidateOptions& options, const ProgressEvents& events) : options_(options), stages_(events) {}

  ValidateResult run() {
    try {
      run_checks();
    } catch (const std::exception& exception) {
      const Error error = error_of(exception);
      fail(error.what());
      result_.checks.back().kind = error.kind();
    }
    result_.passed =
        std::all_of(result_.checks.begin(), result_.checks.end(), [](const Check& check) { return check.passed; });
    result_.stage_seconds = stages_.end();
    return std::move(result_);
  }

 private:
  void run_checks() {
    if (options_.threads > 0) at::set_num_threads(options_.threads);
    stages_.begin("read");
    begin("readable");
    sample_ = read_sample_unverified(options_.sample);
    begin("round trip");
    check_round_trip();
    begin("identity");
    verify_identity(*sample_);
    begin("description");
    verify_description(*sample_);
    check_unchanged_outputs();
    begin("operators");
    for (const std::string& library : options_.operator_libraries) load_operator_library(library);
    load_libraries_of(sample_->metadata);
    check_schemas();
    replayer_ = std::make_unique<Replayer>(sample_->graph, options_.device);
    stages_.begin("weights");
    begin("weights");
    verify_weights_file(*sample_);
    make_weights();
    stages_.begin("run");
    begin("runs");
    run_and_record();
    begin("recorded types");
    check_types();
    begin("re-extraction");
    check_reextraction();
    begin("recorded facts");
    check_facts();
    begin("repeatable");
    check_repeatable();
    begin("healthy");
    check_health();
    begin("digest");
    check_digest();
  }

  // A check that passes unless fail() follows.
  void begin(const std::string& name) { result_.checks.push_back({name, true, ""}); }
  void fail(const std::string& message) {
    result_.checks.back().passed = false;
    result_.checks.back().message = message;
  }
  void note(const std::string& message) { result_.checks.back().message = message; }

  void check_round_trip() {
    const auto check = [this](const std::filesystem::path& file, const std::string& text, const std::string& again) {
      if (text == again || !result_.checks.back().passed) return;
      fail(file.string() + ":" + std::to_string(first_other_line(text, again)) +
           ": not in canonical form: from here on it has other bytes when it is read and written again");
    };
    const std::filesystem::path graph_file = options_.sample / kGraphFile;
    check(graph_file, read_file(graph_file), write_graph(sample_->graph));
    const std::filesystem::path metadata_file = options_.sample / kMetadataFile;
    check(metadata_file, read_file(metadata_file, kMetadataLimit), write_metadata(sample_->metadata));
  }

  void check_unchanged_outputs() {
    const std::vector<std::int64_t> unchanged = unchanged_outputs(sample_->graph);
    if (unchanged == sample_->metadata.unchanged_outputs) return;
    fail("outputs that are inputs, weights or constants unchanged: " + places(unchanged) + " in the graph, " +
         places(sample_->metadata.unchanged_outputs) + " in " + std::string(kMetadataFile) + " (unchanged_outputs)");
  }

  void check_schemas() {
    const bool same_version =
        release_of(sample_->metadata.framework) == release_of(describe_machine(options_.device).framework);
    const std::string difference =
        schema_difference(sample_->graph, same_version ? SchemaAgreement::kSameText : SchemaAgreement::kSameUse);
    if (!difference.empty()) fail((options_.sample / kGraphFile).string() + ": " + difference);
  }

  void make_weights() {
    const MemoryNeed need = memory_need(sample_->graph);
    const std::int64_t available =
        options_.memory_limit > 0 ? options_.memory_limit : available_memory(options_.device);
    const MemoryFit fit = memory_fit(need, kValidationUse, available);
    if (fit == MemoryFit::kNot) {
      throw Error(ErrorKind::kEnvironment, "the sample " + shortage_text(need, kValidationUse, available) +
                                               "; its largest tensor is " + largest_tensor(sample_->graph));
    }
    if (fit == MemoryFit::kRepeatedWeights) {
      result_.broadcast_weights = true;
      note("the weights do not fit in memory: each repeats one tile");
    }
    tensors_ = make_tensors(*sample_, options_.seed, options_.device,
                            fit == MemoryFit::kWhole ? WeightStorage::kDense : WeightStorage::kRepeated);
    replayer_->set_weights(tensors_.weights, tensors_.constants);
  }

  // The first run is recorded while it runs: the recording must be the same graph again.
  void run_and_record() {
    const std::vector<at::Tensor> tensors = std::exchange(tensors_.inputs, {});
    std::vector<KnownTensor> inputs;
    for (std::size_t i = 0; i < tensors.size(); ++i)
      inputs.push_back({sample_->graph.inputs[i].name, tensors[i], false});
    std::vector<KnownTensor> weights;
    for (std::size_t i = 0; i < tensors_.weights.size(); ++i) {
      weights.push_back({sample_->graph.weights[i].name, tensors_.weights[i], sample_->graph.weights[i].is_buffer});
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
    Graph& seen = recording_->graph;
    const Graph& recorded = sample_->graph;
    // The output's form (tuple, dict) is the graph's; the recording only sees the tensors.
    seen.output = recorded.output;
    // One content may be written in several ways.
    for (std::size_t i = 0; i < std::min(seen.constants.size(), recorded.constants.size()); ++i) {
      const bool same_type = seen.constants[i].type == recorded.constants[i].type;
      if (same_type && all_same({recording_->constants[i]}, {tensors_.constants[i]})) {
        seen.constants[i].recipe = recorded.constants[i].recipe;
      }
    }
    if (identity(seen) == identity(recorded)) return;
    for (std::size_t i = 0; i < seen.inputs.size(); ++i) seen.inputs[i].recipe = recorded.inputs[i].recipe;
    for (std::size_t i = 0; i < std::min(seen.weights.size(), recorded.weights.size()); ++i) {
      seen.weights[i].recipe = recorded.weights[i].recipe;
    }
    const std::string place = first_difference(recorded, fingerprints(seen));
    if (sample_->metadata.data_dependent_shapes && !same_machine()) {
      note("differs in " + place + ": shapes depend on values, which were recorded on another machine");
    } else {
      fail("recorded again while running, it is another graph: " + place);
    }
  }

  // What sample.json says of the run.
  void check_facts() {
    const Metadata& metadata = sample_->metadata;
    const auto require = [&](bool agrees, const std::string& key, bool recorded) {
      if (agrees || !result_.checks.back().passed) return;
      fail((options_.sample / kMetadataFile).string() + ": " + key + " is " + (recorded ? "true" : "false") +
           ", the run says otherwise");
    };
    require(metadata.random == recording_->notes.random, "random", metadata.random);
    require(metadata.data_dependent_shapes == recording_->notes.data_dependent_shapes, "data_dependent_shapes",
            metadata.data_dependent_shapes);
    // With other weights than the recorded ones, outputs may overflow that did not.
    const bool same_weights = !result_.broadcast_weights && !metadata.broadcast_weights;
    require(!same_weights || metadata.finite == all_finite(outputs_), "finite", metadata.finite);
  }

  void check_repeatable() {
    const std::vector<at::Tensor> inputs = make_inputs(sample_->graph, options_.seed, options_.device);
    at::manual_seed(options_.seed);
    const std::vector<at::Tensor> again = replayer_->run(inputs);
    if (all_same(outputs_, again)) return;
    // Accelerators add in an order of their own in some operators.
    const bool close = compare(outputs_, again).strictest_level.value_or(kLoosestLevel) <= kLoosestStableLevel;
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
    const std::vector<at::Tensor> others = computed_outputs(sample_->graph, replayer_->run(inputs));
    if (!outputs_differ(computed_outputs(sample_->graph, outputs_), others)) {
      fail("degenerate: the outputs do not depend on the inputs");
    }
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
                                     : "left out: it was recorded with another machine, version, seed or number of "
                                       "threads");
      return;
    }
    result_.digest_compared = true;
    if (recorded->sha256 != now.sha256) fail("the outputs are not those that were recorded on this machine");
  }

  const ValidateOptions& options_;
  Stages stages_;
  ValidateResult result_;
  std::optional<Sample> sample_;
  GraphTensors tensors_;  // the inputs until the first run
  std::unique_ptr<Replayer> replayer_;
  std::optional<Recording> recording_;
  std::vector<at::Tensor> outputs_;
};

}  // namespace

ValidateResult validate(const ValidateOptions& options, const ProgressEvents& events) {
  return Validation(options, events).run();
}

}  // namespace graphnet
