// graphnet extract: TorchScript files into samples.

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "graphnet/bench/installation.h"
#include "graphnet/bench/interrupt.h"
#include "graphnet/bench/worker_client.h"
#include "graphnet/sample/metadata.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "command.h"
#include "failure.h"
#include "progress.h"

namespace graphnet::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct ExtractOptions {
  CommonOptions common;
  std::vector<std::string> models;
  std::string output = ".";
  std::string name;
  std::vector<std::string> inputs;
  std::string inputs_file;
  std::string device = "cpu";
  std::vector<std::string> operator_libraries;
  std::string category;
  bool with_weights = false;
  bool allow_degenerate = false;
  std::uint64_t seed = 0;
  double timeout = 1800;
};

// A folder that this command has written, and the model that it was made of.
using TakenFolders = std::vector<std::pair<std::string, std::string>>;

json request(const ExtractOptions& options, const std::string& model, const TakenFolders& taken) {
  json params = {{"model", model},
                 {"output", options.output},
                 {"inputs", options.inputs},
                 {"device", options.device},
                 {"op_libraries", options.operator_libraries},
                 {"with_weights", options.with_weights},
                 {"allow_degenerate", options.allow_degenerate},
                 {"seed", options.seed},
                 {"taken", taken}};
  if (!options.name.empty()) params["name"] = options.name;
  if (!options.inputs_file.empty()) params["inputs_file"] = options.inputs_file;
  if (!options.category.empty()) params["category"] = options.category;
  return params;
}

void print_success(const json& result) {
  std::printf("%s: %lld calls of %lld operators, %lld parameters\n",
              printable(result.at("directory").get<std::string>()).c_str(), result.at("calls").get<long long>(),
              result.at("operators").get<long long>(), result.at("parameters").get<long long>());
  std::fflush(stdout);
}

std::string failure_text(const std::string& model, const Failure& failure) {
  std::string text = failure.message.starts_with(model) ? failure.message : model + ": " + failure.message;
  return failure.stage.empty() ? text : text + " (in stage " + failure.stage + ")";
}

ordered_json error_entry(const Failure& failure) {
  return {{"kind", std::string(error_kind_name(failure.kind))},
          {"message", failure.message},
          {"stage", failure.stage},
          {"exit_code", exit_code(failure.kind)}};
}

int extract(const ExtractOptions& options) {
  if (!options.name.empty() && options.models.size() > 1) {
    throw Error(ErrorKind::kUsage,
                "--name names one sample, but " + std::to_string(options.models.size()) + " models are given");
  }
  if (!options.name.empty()) {
    if (const std::string problem = name_problem(options.name); !problem.empty()) {
      throw Error(ErrorKind::kUsage, "--name: \"" + excerpt(options.name) + "\" " + problem);
    }
  }
  Installation installation = find_installation();
  InterruptWatch interrupt;
  Progress progress(options.common);
  ordered_json report = ordered_json::array();
  TakenFolders taken;
  bool interrupted = false;
  int exit = 0;

  for (const std::string& model : options.models) {
    interrupted = interrupt.requests() > 0;
    if (interrupted) break;
    // A worker for each model: one that crashes takes nothing else along.
    WorkerClient worker(
        {{installation.worker.string()}, {}, {}, std::chrono::seconds(120), interrupt.stop_now_descriptor()});
    RequestEvents events;
    events.on_stage = [&](const std::string& stage) { progress.show(model, stage); };
    events.on_warning = [&](const std::string& message) {
      progress.clear();
      spdlog::warn("{}: {}", model, message);
    };
    Reply reply =
        worker.call("extract", request(options, model, taken), std::chrono::duration<double>(options.timeout), events);
    worker.stop();
    progress.clear();
    if (reply.failure) {
      reply.failure->kind = kind_of(*reply.failure);
      interrupted = reply.failure->interrupted;
      if (interrupted) break;
      spdlog::error("{}", failure_text(model, *reply.failure));
      report.push_back({{"model", model}, {"error", error_entry(*reply.failure)}});
      exit = std::max(exit, exit_code(reply.failure->kind));
    } else {
      if (!options.common.json && !options.common.quiet) print_success(*reply.result);
      taken.emplace_back(reply.result->at("directory").get<std::string>(), model);
      ordered_json entry = {{"model", model}};
      entry.update(ordered_json(*reply.result));
      report.push_back(std::move(entry));
    }
  }
  // Stopped before any model was done there is nothing to report but that.
  if (options.common.json && !(interrupted && report.empty())) print_json(report);
  if (interrupted) throw Error(ErrorKind::kInterrupted, "stopped by the user");
  return exit;
}

}  // namespace

void add_extract(CLI::App& program, Action& action) {
  auto options = std::make_shared<ExtractOptions>();
  CLI::App* command = add_command(program, "extract", "Trace TorchScript models into samples",
                                  "  graphnet extract resnet18.pt --input 1x3x224x224\n"
                                  "  graphnet extract bert.pt --input input_ids=1x128:int64@0..30522 --input "
                                  "mask=1x128:bool@ones -o samples/language\n"
                                  "  graphnet extract detector.pt --op-library torchvision --inputs inputs.json",
                                  options->common);
  command->add_option("MODEL", options->models, "TorchScript files, as torch.jit.save writes them")->required();
  command->add_option("-o,--output", options->output,
                      "Folder in which the sample's folder is made (default: the current one)");
  command->add_option("--name", options->name, "Name of the sample (default: the file's)");
  command
      ->add_option(
          "--input", options->inputs,
          "One argument of forward: [name=]SHAPE[:DTYPE][@RULE], such as 1x3x224x224, ids=1x128:int64@0..30522, "
          "mask=1x128:bool@ones, sr=16000:int, flag=true:bool. Once for each argument")
      ->allow_extra_args(false);
  command->add_option(
      "--inputs", options->inputs_file,
      "File with all arguments: JSON (names to specs, lists, {\"tuple\":[..]}, {\"dict\":{..}}), a file of "
      "torch.save, or .safetensors");
  command->add_option("--device", options->device, "Device to run on: cpu, cuda, cuda:1, auto")
      ->envname("GRAPHNET_DEVICE")
      ->capture_default_str();
  command
      ->add_option(
          "--op-library", options->operator_libraries,
          "Library of operators to load first: a .so file, or a Python package such as torchvision. Repeatable")
      ->allow_extra_args(false);
  command->add_option("--category", options->category,
                      "Task category, such as \"computer vision\" (default: the file's, or other)");
  command->add_flag("--with-weights", options->with_weights, "Store the model's own weights in the sample");
  command->add_flag("--allow-degenerate", options->allow_degenerate,
                    "Write samples also whose outputs mean nothing (constant, not finite, of no sane scale, the same "
                    "for all inputs)");
  command->add_option("--seed", options->seed, "Seed of inputs and regenerated weights")
      ->envname("GRAPHNET_SEED")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--timeout", options->timeout, "Seconds that one stage may take")
      ->envname("GRAPHNET_TIMEOUT")
      ->check(positive_number())
      ->capture_default_str();
  run_when_chosen(command, action, options->common, [options] { return extract(*options); });
}

}  // namespace graphnet::cli
