#include "graphnet/frontend/extract.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <ATen/ATen.h>

#include "graphnet/frontend/archive.h"
#include "graphnet/frontend/arguments.h"
#include "graphnet/frontend/calibrate.h"
#include "graphnet/frontend/input_file.h"
#include "graphnet/frontend/model_description.h"
#include "graphnet/frontend/model_output.h"
#include "graphnet/frontend/output_digest.h"
#include "graphnet/frontend/torchscript.h"
#include "graphnet/frontend/weight_set.h"
#include "graphnet/runtime/aliases.h"
#include "graphnet/runtime/compare.h"
#include "graphnet/runtime/device.h"
#include "graphnet/runtime/operator_library.h"
#include "graphnet/runtime/recorder.h"
#include "graphnet/runtime/replayer.h"
#include "graphnet/runtime/tensors.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/version.h"

#include "extracted_sample.h"
#include "stages.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

// Part of the free memory that weights may take: runs need the rest.
constexpr double kWeightShare = 0.4;

// Passes over the graph until a model that fades or blows up has sane scales: one that gives zeros values, one that
// scales.
constexpr int kCalibrationPasses = 3;

// Recordings until the graph no longer changes with the weights drawn for it.
constexpr int kRecordingAttempts = 3;

// How much further apart replay and model may be than two runs of the model, where these differ.
constexpr double kSpreadMargin = 4.0;

// Powers of two, so that going back is exact.
constexpr double kTableFactors[] = {8, 64, 1.0 / 8, 1.0 / 64};

constexpr std::size_t kNamedLines = 3;

std::string joined(const std::vector<std::string>& texts, const std::string& separator = ", ") {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : separator) + text;
  return result;
}

class Extraction {
 public:
  Extraction(const ExtractOptions& options, const ProgressEvents& events)
      : options_(options), events_(events), stages_(events) {}

  ExtractResult run() {
    stages_.begin("load");
    load();
    stages_.begin("record");
    record_model();
    stages_.begin("weights");
    draw_weights();
    stages_.begin("check");
    check_scale();
    check_replay();
    stages_.begin("write");
    describe_sample();
    write();
    return {std::move(sample_), std::move(warnings_), stages_.end()};
  }

 private:
  void warn(const std::string& message) {
    warnings_.push_back(message);
    if (events_.on_warning) events_.on_warning(message);
  }

  void load() {
    const Archive archive = inspect_archive(options_.model);
    if (archive.description) description_ = parse_model_description(*archive.description, options_.model.string());
    for (const std::string& library : options_.operator_libraries) libraries_.push_back(load_operator_library(library));
    model_ = std::make_unique<TorchScriptModel>(options_.model, options_.device);
    arguments_ = std::make_unique<Arguments>(model_->schema(), given_inputs(), model_->input_help());
    const auto limit = static_cast<std::int64_t>(kWeightShare * static_cast<double>(available_memory(options_.device)));
    weights_ = std::make_unique<WeightSet>(*model_, options_.device, limit, options_.seed);
    if (weights_->tiled()) warn("the weights do not fit in memory: each repeats one tile of memory while extracting");
  }

  std::vector<NamedInput> given_inputs() const {
    if (!options_.inputs.empty() && !options_.inputs_file.empty()) {
      throw Error(ErrorKind::kUsage, "--input and --inputs exclude each other");
    }
    if (!options_.inputs_file.empty()) return read_input_file(options_.inputs_file);
    if (options_.inputs.empty()) return description_.inputs;
    std::vector<NamedInput> inputs;
    for (const std::string& text : options_.inputs) inputs.push_back(parse_input_spec(text));
    return inputs;
  }

  std::vector<at::Tensor> draw_inputs(std::uint64_t seed) const {
    std::vector<at::Tensor> tensors;
    for (const auto& [name, spec] : arguments_->tensors()) {
      const auto id = static_cast<ValueId>(tensors.size());
      tensors.push_back(make_tensor(spec.type, spec.recipe, seed, id, options_.device));
    }
    return tensors;
  }

  // Each run of the model gets tensors of its own: a model may change its inputs.
  c10::IValue run_model(const std::vector<at::Tensor>& inputs) {
    std::vector<at::Tensor> copies;
    for (const at::Tensor& input : inputs) copies.push_back(input.clone(at::MemoryFormat::Preserve));
    at::manual_seed(options_.seed);
    return model_->forward(arguments_->values(copies));
  }

  // What the model returns. Copies: an output may be a weight, and weights are put back after a run.
  FlatOutput model_output(const std::vector<at::Tensor>& inputs) {
    FlatOutput output = flatten(run_model(inputs));
    for (at::Tensor& tensor : output.tensors) tensor = tensor.clone();
    return output;
  }

  std::vector<at::Tensor> replay(const std::vector<at::Tensor>& inputs) {
    at::manual_seed(options_.seed);
    return replayer_->run(inputs);
  }

  Recording record_once() {
    const std::vector<at::Tensor> tensors = draw_inputs(options_.seed);
    std::vector<KnownTensor> inputs;
    for (std::size_t i = 0; i < tensors.size(); ++i)
      inputs.push_back({arguments_->tensors()[i].first, tensors[i], false});
    at::manual_seed(options_.seed);
    c10::IValue output;
    Recording recording = record(inputs, model_->tensors(), options_.device, [&] {
      output = model_->forward(arguments_->values(tensors));
      return output;
    });
    if (recorded_output_.empty()) {
      // An output may share memory with a weight, which is drawn again.
      for (const at::Tensor& tensor : flatten(output).tensors) recorded_output_.push_back(tensor.clone());
    }
    for (std::size_t i = 0; i < recording.graph.inputs.size(); ++i) {
      recording.graph.inputs[i].recipe = arguments_->tensors()[i].second.recipe;
    }
    return recording;
  }

  void record_model() { recording_ = record_once(); }

  void draw_weights() {
    weights_->choose_recipes(recording_, options_.with_weights);
    weights_->draw(recording_);
    // What depends on values was recorded with other weights.
    if (depends_on_values()) record_again();
    bind();
  }

  bool depends_on_values() const {
    return recording_.notes.data_dependent_shapes || !recording_.notes.baked_values.empty();
  }

  void record_again() {
    for (int attempt = 1; attempt < kRecordingAttempts; ++attempt) {
      Recording next = record_once();
      const bool same_weights = next.weight_sources == recording_.weight_sources;
      if (same_weights) {
        for (std::size_t i = 0; i < next.graph.weights.size(); ++i) {
          next.graph.weights[i].recipe = recording_.graph.weights[i].recipe;
        }
        recording_ = std::move(next);
        weights_->restore(recording_);
        return;
      }
      recording_ = std::move(next);
      weights_->choose_recipes(recording_, options_.with_weights);
      weights_->draw(recording_);
    }
    refuse_control_flow("which weights the model reads changes with their values");
  }

  void bind() {
    replayer_ = std::make_unique<Replayer>(recording_.graph, options_.device);
    replayer_->set_weights(weights_->tensors(recording_), recording_.constants);
  }

  [[noreturn]] void refuse_control_flow(const std::string& what) const {
    std::string message = options_.model.string() + ": " + what +
                          ": its control flow depends on the values of tensors, which a graph cannot express.";
    if (!recording_.notes.baked_values.empty()) {
      message += " Values that were read: " + joined(first(recording_.notes.baked_values)) + ".";
    }
    const std::vector<std::string> lines = model_->value_dependent_lines(kNamedLines);
    if (!lines.empty()) message += " In TorchScript: " + joined(lines, "; ");
    throw Error(ErrorKind::kUnsupported, message);
  }

  static std::vector<std::string> first(const std::vector<std::string>& texts) {
    return {texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(std::min(texts.size(), kNamedLines))};
  }

  // Gives the weights scales at which outputs mean something, where they have none of their own.
  void check_scale() {
    seed_inputs_ = draw_inputs(options_.seed);
    fresh_inputs_ = draw_inputs(options_.seed + 1);
    if (weights_->any_without_values()) calibrate_weights();
    std::string reason = run_and_judge();
    for (int pass = 0; pass < kCalibrationPasses && !reason.empty() && calibrate_weights(); ++pass) {
      reason = run_and_judge();
    }
    if (!reason.empty()) reason = try_table_scales(reason);
    if (!reason.empty()) warn("the outputs are degenerate: " + reason);
  }

  // Looks for a scale of tables at which the outputs are no longer degenerate; keeps the first, or the tables as they
  // were.
  std::string try_table_scales(const std::string& reason) {
    const auto rescale = [&](double factor) {
      rescale_tables(recording_.graph, factor, weights_->may_change(recording_),
                     [&](std::size_t weight) { weights_->draw(recording_, weight); });
      seed_output_.clear();
    };
    for (const double factor : kTableFactors) {
      rescale(factor);
      if (run_and_judge().empty()) return "";
      rescale(1 / factor);
    }
    run_and_judge();
    return reason;
  }

  // Runs the sample on the inputs it was recorded with and on others. Returns why the outputs are degenerate, or
  // nothing.
  std::string run_and_judge() {
    if (seed_output_.empty()) seed_output_ = replay(seed_inputs_);
    try {
      fresh_output_ = replay(fresh_inputs_);
    } catch (const Error& error) {
      refuse_control_flow(std::string("the recorded graph fails on other inputs (") + error.what() + ")");
    }
    const Graph& graph = recording_.graph;
    const auto drawn = [](const auto& source) { return !is_exact(source.recipe); };
    std::string reason = degenerate_outputs(graph, seed_output_, true);
    if (!reason.empty()) return reason;
    if (std::any_of(graph.inputs.begin(), graph.inputs.end(), drawn) && !outputs_differ(seed_output_, fresh_output_)) {
      return "they do not depend on the inputs";
    }
    if (std::any_of(graph.weights.begin(), graph.weights.end(), drawn) && !options_.with_weights &&
        !outputs_differ(seed_output_, recorded_output_)) {
      return "they do not depend on the weights";
    }
    return "";
  }

  bool calibrate_weights() {
    const std::vector<bool> may_change = weights_->may_change(recording_);
    at::manual_seed(options_.seed);
    Calibration calibration = calibrate(recording_.graph, *replayer_, seed_inputs_, may_change,
                                        [&](std::size_t weight) { weights_->draw(recording_, weight); });
    if (calibration.changed.empty()) {
      seed_output_ = std::move(calibration.outputs);
      return false;
    }
    seed_output_.clear();
    if (depends_on_values()) {
      record_again();
      bind();
    }
    return true;
  }

  // The sample must compute what the model computes, on inputs that it was not recorded with.
  void check_replay() {
    const FlatOutput expected = model_output(fresh_inputs_);
    weights_->restore(recording_);
    if (expected.plain != plain_outputs(recording_.graph)) {
      refuse_control_flow("the model returns other numbers for other inputs");
    }
    if (!all_same(expected.tensors, fresh_output_)) check_spread(expected.tensors);
  }

  // Replay and model differ; so may two runs of the model, where operators are not deterministic.
  void check_spread(const std::vector<at::Tensor>& expected) {
    const Comparison comparison = compare(expected, fresh_output_);
    const FlatOutput again = model_output(fresh_inputs_);
    weights_->restore(recording_);
    const Comparison spread = compare(expected, again.tensors);
    bool within = !spread.equal && spread.outputs.size() == comparison.outputs.size();
    for (std::size_t i = 0; within && i < spread.outputs.size(); ++i) {
      within = comparison.outputs[i].equal || (comparison.outputs[i].same_shape && comparison.outputs[i].same_dtype &&
                                               comparison.outputs[i].maximum_absolute_error <=
                                                   kSpreadMargin * spread.outputs[i].maximum_absolute_error);
    }
    if (!within) {
      refuse_control_flow("the recorded graph gives other outputs than the model on other inputs (" +
                          (comparison.problem.empty() ? "values differ" : comparison.problem) + ")");
    }
    warn("the model is not deterministic: two runs on the same inputs differ");
  }

  void describe_sample() {
    Metadata& metadata = sample_.metadata;
    metadata.name = !options_.name.empty()       ? options_.name
                    : !description_.name.empty() ? description_.name
                                                 : options_.model.stem().string();
    metadata.category = !options_.category.empty()       ? options_.category
                        : !description_.category.empty() ? description_.category
                                                         : "other";
    metadata.task = description_.task;
    metadata.source = description_.source;
    if (metadata.source.model.empty()) metadata.source.model = model_->class_name();
    const MachineDescription machine = describe_machine(options_.device);
    metadata.framework = machine.framework;
    metadata.tool = "graphnet " + std::string(version());
    metadata.arguments = write_inputs_json(arguments_->given());
    metadata.random = recording_.notes.random;
    metadata.data_dependent_shapes = recording_.notes.data_dependent_shapes;
    metadata.broadcast_weights = weights_->tiled();
    metadata.libraries = used_libraries(recording_.graph, libraries_);
    report_state();
    sample_.graph = recording_.graph;
    metadata.finite = std::all_of(seed_output_.begin(), seed_output_.end(), [](const at::Tensor& output) {
      return !(output.is_floating_point() || output.is_complex()) || at::isfinite(output).all().item<bool>();
    });
    if (options_.with_weights) {
      weights_folder_ = std::make_unique<TemporaryFolder>("graphnet-weights");
      store_weights(sample_.graph, weights_->tensors(recording_), weights_file());
    }
    describe(metadata, sample_.graph);
    if (!metadata.random && !metadata.broadcast_weights) {
      metadata.digest = make_output_digest(seed_output_, options_.seed, machine);
    }
  }

  void report_state() {
    const std::vector<std::string> changed = model_->changed_attributes();
    if (!changed.empty()) {
      warn("forward changes attributes (" + joined(first(changed)) +
           "): their values before the call are part of the sample, the change is not");
    }
    const Aliases aliases = find_aliases(recording_.graph);
    std::vector<std::string> written;
    for (std::size_t i = 0; i < recording_.graph.weights.size(); ++i) {
      if (aliases.written[recording_.graph.first_weight() + i]) written.push_back(recording_.graph.weights[i].name);
    }
    if (!written.empty()) {
      warn("forward writes to " + joined(first(written)) + (written.size() > kNamedLines ? ", ..." : "") +
           ": every run of the sample starts from the same contents");
    }
    if (!recording_.notes.baked_values.empty()) {
      warn(std::to_string(recording_.notes.baked_values.size()) + " values of tensors became fixed numbers (" +
           joined(first(recording_.notes.baked_values)) +
           "); the sample was checked on other inputs and agrees with the model");
    }
  }

  // Where the weights were stored; empty where none were.
  fs::path weights_file() const { return weights_folder_ ? weights_folder_->path() / kWeightsFile : fs::path(); }

  void write() {
    sample_.directory = options_.output / sample_folder_name(sample_.metadata.name);
    std::error_code code;
    fs::create_directories(options_.output, code);
    if (code) {
      throw Error(ErrorKind::kEnvironment,
                  "cannot make the folder " + options_.output.string() + ": " + code.message());
    }
    write_sample(sample_, sample_.directory, weights_file());
  }

  const ExtractOptions& options_;
  const ProgressEvents& events_;
  Stages stages_;
  std::vector<std::string> warnings_;

  ModelDescription description_;
  std::vector<LoadedLibrary> libraries_;
  std::unique_ptr<TorchScriptModel> model_;
  std::unique_ptr<Arguments> arguments_;
  std::unique_ptr<WeightSet> weights_;
  Recording recording_;
  std::unique_ptr<Replayer> replayer_;
  std::vector<at::Tensor> seed_inputs_;
  std::vector<at::Tensor> fresh_inputs_;     // drawn from another seed
  std::vector<at::Tensor> recorded_output_;  // with the weights as they were loaded
  std::vector<at::Tensor> seed_output_;      // of the replay with the weights drawn
  std::vector<at::Tensor> fresh_output_;
  std::unique_ptr<TemporaryFolder> weights_folder_;
  Sample sample_;
};

}  // namespace

ExtractResult extract(const ExtractOptions& options, const ProgressEvents& events) {
  return Extraction(options, events).run();
}

}  // namespace graphnet
