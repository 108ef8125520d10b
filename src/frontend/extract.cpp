#include "graphnet/frontend/extract.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <ATen/ATen.h>

#include "graphnet/frontend/archive.h"
#include "graphnet/frontend/arguments.h"
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
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/text.h"
#include "graphnet/support/version.h"

#include "degeneration.h"
#include "extracted_sample.h"
#include "extraction_notes.h"
#include "model_runner.h"
#include "recorded_model.h"
#include "scale_search.h"
#include "stages.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

// How much further apart replay and model may be than two runs of the model, where these differ.
constexpr double kSpreadMargin = 4.0;

// Of one weight: 2^45 bytes, where a process can address 2^47.
constexpr std::int64_t kMostWeightElements = std::int64_t{1} << 42;

// How many more inputs are tried at least where numbers were read from tensors, and the seconds after which no more
// are.
constexpr std::size_t kLeastTries = 2;
constexpr double kSteeringSeconds = 5.0;

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
    recorded_->draw_weights();
    stages_.begin("check");
    ScaleSearch search(*recorded_);
    const std::optional<Degeneration> degeneration = search.run();
    check_replay(search);
    if (degeneration) report(*degeneration, search);
    seed_output_ = search.seed_output();
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
    arguments_ = std::make_unique<Arguments>(model_->schema(), given_inputs(), model_->input_help());
    const bool repeat_weights = starting_memory_fit() == MemoryFit::kRepeatedWeights;
    weights_ = std::make_unique<WeightSet>(*model_, options_.device, repeat_weights, options_.seed);
    if (weights_->tiled()) warn("the weights do not fit in memory: each repeats one tile of memory while extracting");
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
    require_replaceable(sample_.directory, sample_.metadata.name);
    const bool is_known = std::ranges::find(kTaskCategories, options_.category) != std::end(kTaskCategories);
    if (!options_.category.empty() && !is_known) {
      throw Error(ErrorKind::kUsage,
                  "--category: \"" + excerpt(options_.category) + "\" is none of " + joined(kTaskCategories));
    }
  }

  MemoryFit starting_memory_fit() const {
    MemoryNeed need;
    for (const KnownTensor& known : model_->tensors()) {
      if (known.tensor.numel() > kMostWeightElements ||
          __builtin_add_overflow(need.weights, dense_bytes(known.tensor), &need.weights)) {
        throw Error(ErrorKind::kUnsupported, options_.model.string() + ": weight " + known.name + " has " +
                                                 group_thousands(known.tensor.numel()) +
                                                 " elements, more than a process can address");
      }
    }
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

  ModelRunner runner() { return {*model_, *arguments_, options_.device, options_.seed}; }

  void record_model() {
    recorded_ = std::make_unique<RecordedModel>(
        *model_, *weights_, runner(),
        RecordedModel::Settings{options_.model, options_.device, options_.seed, options_.with_weights});
    if (!recording().notes.data_dependent_shapes || options_.inputs_file.empty()) return;
    // Shapes may follow from the integers that the file holds, and others would give other shapes.
    *arguments_ = Arguments(model_->schema(), read_input_file(options_.inputs_file, KeptContents::kIntegers),
                            model_->input_help());
    recorded_->record_with(runner());
  }

  const Recording& recording() const { return recorded_->recording(); }

  // Outputs that mean nothing say nothing about what computed them: such a sample is only written on demand.
  void report(const Degeneration& found, const ScaleSearch& search) {
    const std::string message = "the outputs are degenerate: " + found.reason +
                                origin_text(*recorded_, found.kind, search.seed_inputs(), search.fresh_inputs());
    if (options_.allow_degenerate) return warn(message);
    throw Error(ErrorKind::kUnsupported, options_.model.string() + ": " + message +
                                             ". A sample says nothing about a compiler then, so none is written; "
                                             "--allow-degenerate writes it all the same");
  }

  // The sample must compute what the model computes, on inputs that it was not recorded with.
  void check_replay(const ScaleSearch& search) {
    check_same(search.fresh_inputs(), search.fresh_output(), recorded_->run_model(search.fresh_inputs()),
               "other inputs");
    if (!recording().notes.baked_values.empty() && runner().inputs_vary()) check_steering(search.seed_inputs());
  }

  // Numbers that were read from tensors may steer the model's control flow: inputs that push them another way than the
  // recorded ones show it. What no such input reaches stays unseen.
  void check_steering(const std::vector<at::Tensor>& seed_inputs) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<TriedInputs> tries = other_inputs(seed_inputs);
    for (std::size_t i = 0; i < tries.size(); ++i) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      if (i >= kLeastTries && spent.count() > kSteeringSeconds) return;
      const auto& [inputs, what, drawn] = tries[i];
      std::vector<at::Tensor> output;
      try {
        output = recorded_->replay(inputs);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::kEnvironment) throw;
        if (!drawn && !accepted_output(inputs)) continue;
        recorded_->refuse_control_flow("the recorded graph fails on " + what + " (" + error.what() + ")");
      }
      const std::optional<FlatOutput> expected =
          drawn ? std::optional(recorded_->run_model(inputs)) : accepted_output(inputs);
      if (expected) check_same(inputs, output, *expected, what);
    }
  }

  // What the model returns for inputs that its recipes would not draw; nothing where it does not run on them.
  std::optional<FlatOutput> accepted_output(const std::vector<at::Tensor>& inputs) {
    try {
      return recorded_->run_model(inputs);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  struct TriedInputs {
    std::vector<at::Tensor> inputs;
    std::string what;
    bool drawn = false;  // from the recipes, as the sample's own inputs are
  };

  std::vector<TriedInputs> other_inputs(const std::vector<at::Tensor>& seed_inputs) {
    std::vector<TriedInputs> tries;
    std::uint64_t seed = options_.seed + 1;
    const auto draw = [&] { tries.push_back({runner().draw_inputs(++seed), "other inputs", true}); };
    const auto scale = [&](double factor, const std::string& what) {
      if (std::optional<std::vector<at::Tensor>> scaled = scaled_inputs(seed_inputs, factor)) {
        tries.push_back({*std::move(scaled), what, false});
      } else {
        draw();
      }
    };
    scale(-1, "the recorded inputs, negated");
    draw();
    scale(10, "the recorded inputs times 10");
    scale(1e-3, "the recorded inputs times 0.001");
    scale(-10, "the recorded inputs times -10");
    for (int i = 0; i < 3; ++i) draw();
    return tries;
  }

  // Nothing where no input may be scaled: only what a normal distribution around 0 was asked for has no bounds.
  std::optional<std::vector<at::Tensor>> scaled_inputs(const std::vector<at::Tensor>& inputs, double factor) const {
    std::vector<at::Tensor> scaled = inputs;
    bool any = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto* normal = std::get_if<NormalRecipe>(&recording().graph.inputs[i].recipe);
      if (normal == nullptr || normal->mean != 0 || std::isfinite(normal->low) || std::isfinite(normal->high)) continue;
      scaled[i] = inputs[i].mul(factor);
      any = true;
    }
    return any ? std::optional(std::move(scaled)) : std::nullopt;
  }

  void check_same(const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& output,
                  const FlatOutput& expected, const std::string& what) {
    if (expected.plain != plain_outputs(recording().graph)) {
      recorded_->refuse_control_flow("the model returns other numbers for " + what);
    }
    if (!all_same(expected.tensors, output)) check_spread(expected.tensors, inputs, output, what);
  }

  // Replay and model differ; so may two runs of the model, where operators are not deterministic.
  void check_spread(const std::vector<at::Tensor>& expected, const std::vector<at::Tensor>& inputs,
                    const std::vector<at::Tensor>& output, const std::string& what) {
    const Comparison comparison = compare(expected, output);
    const Comparison spread = compare(expected, recorded_->run_model(inputs).tensors);
    bool within = !spread.equal && spread.outputs.size() == comparison.outputs.size();
    for (std::size_t i = 0; within && i < spread.outputs.size(); ++i) {
      within = comparison.outputs[i].equal || (comparison.outputs[i].same_shape && comparison.outputs[i].same_dtype &&
                                               comparison.outputs[i].maximum_absolute_error <=
                                                   kSpreadMargin * spread.outputs[i].maximum_absolute_error);
    }
    if (!within) {
      recorded_->refuse_control_flow("the recorded graph gives other outputs than the model on " + what + " (" +
                                     (comparison.problem.empty() ? "values differ" : comparison.problem) + ")");
    }
    if (!std::exchange(spread_told_, true)) {
      warn("the model is not deterministic: two runs on the same inputs differ");
    }
  }

  void describe_sample() {
    for (const std::string& warning : state_warnings(*model_, recording(), runner().inputs_vary())) warn(warning);
    sample_.graph = recording().graph;
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
    metadata.random = recording().notes.random;
    metadata.data_dependent_shapes = recording().notes.data_dependent_shapes;
    metadata.broadcast_weights = weights_->tiled();
    metadata.unchanged_outputs = unchanged_outputs(recording().graph);
    metadata.libraries = used_libraries(recording().graph, libraries_);
    metadata.finite = all_finite(seed_output_);
    describe(metadata, sample_.graph);
    if (!metadata.random && !metadata.broadcast_weights) {
      metadata.digest = make_output_digest(seed_output_, options_.seed, machine);
    }
  }

  // Beside the sample's folder, so that the file only has to be renamed in the end.
  void write_weights() {
    if (weights_->any_without_values()) {
      warn("weights that the model's file holds no values of are described, not stored");
    }
    make_output_folder();
    weights_folder_ =
        std::make_unique<TemporaryFolder>("." + sample_.directory.filename().string() + ".", options_.output);
    const fs::path file = weights_folder_->path() / kWeightsFile;
    if (store_weights(sample_.graph, weights_->tensors(recording()), file)) weights_file_ = file;
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
  bool spread_told_ = false;

  ModelDescription description_;
  std::vector<LoadedLibrary> libraries_;
  std::unique_ptr<TorchScriptModel> model_;
  std::unique_ptr<Arguments> arguments_;
  std::unique_ptr<WeightSet> weights_;
  std::unique_ptr<RecordedModel> recorded_;
  std::vector<at::Tensor> seed_output_;  // of the sample, on the inputs of the seed
  std::unique_ptr<TemporaryFolder> weights_folder_;
  fs::path weights_file_;  // in weights_folder_; empty where none were stored
  Sample sample_;
};

}  // namespace

ExtractResult extract(const ExtractOptions& options, const ProgressEvents& events) {
  return Extraction(options, events).run();
}

}  // namespace graphnet
