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
#include "graphnet/graph/memory.h"
#include "graphnet/runtime/aliases.h"
#include "graphnet/runtime/compare.h"
#include "graphnet/runtime/convert.h"
#include "graphnet/runtime/device.h"
#include "graphnet/runtime/operator_library.h"
#include "graphnet/runtime/recorder.h"
#include "graphnet/runtime/replayer.h"
#include "graphnet/runtime/tensors.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/text.h"
#include "graphnet/support/version.h"

#include "extracted_sample.h"
#include "extraction_notes.h"
#include "model_runner.h"
#include "stages.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

// Passes over the graph until a model that fades or blows up has sane scales: one that gives zeros values, one that
// scales.
constexpr int kCalibrationPasses = 3;

// Recordings until the graph no longer changes with the weights drawn for it.
constexpr int kRecordingAttempts = 3;

// How much further apart replay and model may be than two runs of the model, where these differ.
constexpr double kSpreadMargin = 4.0;

// Powers of two, so that going back is exact.
constexpr double kTableFactors[] = {8, 64, 1.0 / 8, 1.0 / 64};

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
    name_sample();
    for (const std::string& library : options_.operator_libraries) libraries_.push_back(load_operator_library(library));
    model_ = std::make_unique<TorchScriptModel>(options_.model, options_.device);
    take_inputs(given_inputs());
    const bool repeat_weights = starting_memory_fit() == MemoryFit::kRepeatedWeights;
    weights_ = std::make_unique<WeightSet>(*model_, options_.device, repeat_weights, options_.seed);
    if (weights_->tiled()) warn("the weights do not fit in memory: each repeats one tile of memory while extracting");
  }

  void take_inputs(const std::vector<NamedInput>& inputs) {
    arguments_ = std::make_unique<Arguments>(model_->schema(), inputs, model_->input_help());
    runner_ = std::make_unique<ModelRunner>(*model_, *arguments_, options_.device, options_.seed);
  }

  // What cannot be written in the end is refused before the work.
  void name_sample() {
    sample_.metadata.name = !options_.name.empty()       ? options_.name
                            : !description_.name.empty() ? description_.name
                                                         : options_.model.stem().string();
    if (const std::string problem = name_problem(sample_.metadata.name); !problem.empty()) {
      throw Error(ErrorKind::kUsage, options_.model.string() + ": the sample's name \"" +
                                         excerpt(sample_.metadata.name) + "\" " + problem +
                                         ": give another one with --name");
    }
    sample_.directory = options_.output / sample_folder_name(sample_.metadata.name);
    for (const TakenFolder& taken : options_.taken) {
      if (fs::weakly_canonical(taken.directory) != fs::weakly_canonical(sample_.directory)) continue;
      throw Error(ErrorKind::kUsage, options_.model.string() + ": the name " + sample_.metadata.name +
                                         " is already used by " + taken.model +
                                         " in this command; use --name or another -o");
    }
    require_replaceable(sample_.directory);
  }

  MemoryFit starting_memory_fit() const {
    MemoryNeed need;
    for (const KnownTensor& known : model_->tensors()) need.weights += dense_bytes(known.tensor);
    std::int64_t most = -1;
    std::string largest;
    for (const auto& [name, spec] : arguments_->tensors()) {
      const std::int64_t bytes = storage_bytes(spec.type);
      if (bytes > most) largest = name + " " + to_string(spec.type);
      most = std::max(most, bytes);
      if (__builtin_add_overflow(need.inputs, bytes, &need.inputs)) {
        throw Error(ErrorKind::kUsage, "the inputs exceed 2^63 bytes; the largest is " + largest);
      }
    }
    const std::int64_t available = available_memory(options_.device);
    const MemoryFit fit = memory_fit(need, kExtractionUse, available);
    if (fit == MemoryFit::kNot) {
      throw Error(ErrorKind::kEnvironment, options_.model.string() + " with these inputs " +
                                               shortage_text(need, kExtractionUse, available) +
                                               "; the largest input is " + largest);
    }
    return fit;
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

  std::vector<at::Tensor> replay(const std::vector<at::Tensor>& inputs) {
    at::manual_seed(options_.seed);
    return replayer_->run(inputs);
  }

  Recording record_once() {
    ModelRunner::Recorded recorded = runner_->record();
    if (recorded_output_.empty()) recorded_output_ = std::move(recorded.outputs);
    return std::move(recorded.recording);
  }

  void record_model() {
    recording_ = record_once();
    if (!recording_.notes.data_dependent_shapes || options_.inputs_file.empty()) return;
    // Shapes may follow from the integers that the file holds, and others would give other shapes.
    take_inputs(read_input_file(options_.inputs_file, KeptContents::kIntegers));
    weights_->restore(recording_);
    recorded_output_.clear();
    recording_ = record_once();
  }

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
    throw control_flow_error(options_.model, *model_, recording_.notes, what);
  }

  // Gives the weights scales at which outputs mean something, where they have none of their own.
  void check_scale() {
    seed_inputs_ = runner_->draw_inputs(options_.seed);
    fresh_inputs_ = runner_->draw_inputs(options_.seed + 1);
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
      if (error.kind() == ErrorKind::kEnvironment) throw;
      refuse_control_flow(std::string("the recorded graph fails on other inputs (") + error.what() + ")");
    }
    const Graph& graph = recording_.graph;
    const auto drawn = [](const auto& source) { return !is_exact(source.recipe); };
    std::string reason = degenerate_outputs(graph, seed_output_, true);
    if (!reason.empty()) return reason;
    const std::vector<at::Tensor> computed = computed_outputs(graph, seed_output_);
    if (runner_->inputs_vary() && !outputs_differ(computed, computed_outputs(graph, fresh_output_))) {
      return "they do not depend on the inputs";
    }
    if (std::any_of(graph.weights.begin(), graph.weights.end(), drawn) && !options_.with_weights &&
        !outputs_differ(computed, computed_outputs(graph, recorded_output_))) {
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
    const FlatOutput expected = runner_->output(fresh_inputs_);
    weights_->restore(recording_);
    if (expected.plain != plain_outputs(recording_.graph)) {
      refuse_control_flow("the model returns other numbers for other inputs");
    }
    if (!all_same(expected.tensors, fresh_output_)) check_spread(expected.tensors);
  }

  // Replay and model differ; so may two runs of the model, where operators are not deterministic.
  void check_spread(const std::vector<at::Tensor>& expected) {
    const Comparison comparison = compare(expected, fresh_output_);
    const FlatOutput again = runner_->output(fresh_inputs_);
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
    for (const std::string& warning : state_warnings(*model_, recording_, runner_->inputs_vary())) warn(warning);
    sample_.graph = recording_.graph;
    if (options_.with_weights) write_weights();
    const MachineDescription machine = describe_machine(options_.device);
    Metadata& metadata = sample_.metadata;
    metadata.category = !options_.category.empty()       ? options_.category
                        : !description_.category.empty() ? description_.category
                                                         : "other";
    metadata.task = description_.task;
    metadata.source = description_.source;
    if (metadata.source.model.empty()) metadata.source.model = model_->class_name();
    metadata.framework = machine.framework;
    metadata.tool = "graphnet " + std::string(version());
    metadata.arguments = write_inputs_json(arguments_->given());
    metadata.random = recording_.notes.random;
    metadata.data_dependent_shapes = recording_.notes.data_dependent_shapes;
    metadata.broadcast_weights = weights_->tiled();
    metadata.unchanged_outputs = unchanged_outputs(recording_.graph);
    metadata.libraries = used_libraries(recording_.graph, libraries_);
    metadata.finite = all_finite(seed_output_);
    describe(metadata, sample_.graph);
    if (!metadata.random && !metadata.broadcast_weights) {
      metadata.digest = make_output_digest(seed_output_, options_.seed, machine);
    }
  }

  // Beside the sample's folder, so that the file only has to be renamed in the end.
  void write_weights() {
    make_output_folder();
    weights_folder_ =
        std::make_unique<TemporaryFolder>("." + sample_.directory.filename().string() + ".", options_.output);
    const fs::path file = weights_folder_->path() / kWeightsFile;
    if (store_weights(sample_.graph, weights_->tensors(recording_), file)) weights_file_ = file;
  }

  void make_output_folder() const {
    std::error_code code;
    fs::create_directories(options_.output, code);
    if (code) {
      throw Error(ErrorKind::kEnvironment,
                  "cannot make the folder " + options_.output.string() + ": " + code.message());
    }
  }

  void write() {
    make_output_folder();
    write_sample(sample_, sample_.directory, weights_file_);
  }

  const ExtractOptions& options_;
  const ProgressEvents& events_;
  Stages stages_;
  std::vector<std::string> warnings_;

  ModelDescription description_;
  std::vector<LoadedLibrary> libraries_;
  std::unique_ptr<TorchScriptModel> model_;
  std::unique_ptr<Arguments> arguments_;
  std::unique_ptr<ModelRunner> runner_;
  std::unique_ptr<WeightSet> weights_;
  Recording recording_;
  std::unique_ptr<Replayer> replayer_;
  std::vector<at::Tensor> seed_inputs_;
  std::vector<at::Tensor> fresh_inputs_;     // drawn from another seed
  std::vector<at::Tensor> recorded_output_;  // with the weights as they were loaded
  std::vector<at::Tensor> seed_output_;      // of the replay with the weights drawn
  std::vector<at::Tensor> fresh_output_;
  std::unique_ptr<TemporaryFolder> weights_folder_;
  fs::path weights_file_;  // in weights_folder_; empty where none were stored
  Sample sample_;
};

}  // namespace

ExtractResult extract(const ExtractOptions& options, const ProgressEvents& events) {
  return Extraction(options, events).run();
}

}  // namespace graphnet
