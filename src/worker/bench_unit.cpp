#include "bench_unit.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include "graphnet/runtime/candidate.h"
#include "graphnet/runtime/compare.h"
#include "graphnet/runtime/convert.h"
#include "graphnet/runtime/device.h"
#include "graphnet/runtime/health.h"
#include "graphnet/runtime/operator_library.h"
#include "graphnet/runtime/replayer.h"
#include "graphnet/runtime/tensors.h"
#include "graphnet/runtime/timing.h"
#include "graphnet/sample/sample.h"
#include "graphnet/score/outcome.h"
#include "graphnet/support/error.h"

#include "bench_error.h"

namespace graphnet {
namespace {

using nlohmann::json;

// Inputs are drawn with the unit's seed plus one of these, so that no two stages see the same.
constexpr std::uint64_t kCheckSeed = 1;
constexpr std::uint64_t kTimeSeed = 100;
constexpr std::uint64_t kRecheckSeed = 200;
constexpr std::uint64_t kCheckedSets = 2;
constexpr std::uint64_t kTimedSets = 3;

// Two runs of a reference that is not deterministic may differ this much; beyond it no comparison says anything.
constexpr int kStableLevel = -5;

struct Request {
  std::filesystem::path sample;
  std::string compiler;
  json options;
  std::filesystem::path package;
  std::string device;
  std::vector<std::string> operator_libraries;  // given beside those that the sample names
  std::uint64_t seed = 0;
  int threads = 0;  // 0: as many as LibTorch chose
  TimingOptions timing;
};

Request parse_request(const json& params) {
  try {
    Request request;
    request.sample = params.at("sample").get<std::string>();
    request.compiler = params.at("compiler").get<std::string>();
    request.options = params.value("options", json::object());
    request.package = params.value("package", std::string());
    request.device = params.value("device", std::string("auto"));
    request.operator_libraries = params.value("op_libraries", std::vector<std::string>());
    request.seed = params.value("seed", std::uint64_t{0});
    request.threads = params.value("threads", 0);
    const json timing = params.value("timing", json::object());
    TimingOptions& options = request.timing;
    options.maximum_seconds = timing.value("maximum_seconds", options.maximum_seconds);
    options.target_half_width = timing.value("target", options.target_half_width);
    options.warm_up_seconds = timing.value("warm_up_seconds", options.warm_up_seconds);
    options.minimum_trials = timing.value("minimum_trials", options.minimum_trials);
    options.minimum_block_seconds = timing.value("minimum_block_seconds", options.minimum_block_seconds);
    options.seed = request.seed;
    return request;
  } catch (const json::exception& error) {
    throw Error(ErrorKind::kUsage, std::string("bench: ") + error.what());
  }
}

TorchScriptOptions parse_torchscript_options(const json& options) {
  TorchScriptOptions parsed;
  for (const auto& [name, value] : options.items()) {
    if (name != "optimize" || !value.is_boolean()) {
      throw Error(ErrorKind::kUsage, "torchscript has no option " + name + "=" + value.dump() +
                                         "; its options are optimize=true and optimize=false");
    }
    parsed.optimize = value.get<bool>();
  }
  return parsed;
}

json level_json(std::optional<int> level) {
  return level ? json(*level) : json(nullptr);
}

// The worst of several comparisons of the same outputs.
struct WorstComparison {
  std::optional<Comparison> worst;
  std::uint64_t input_sets = 0;

  void add(const Comparison& comparison) {
    ++input_sets;
    if (!worst) {
      worst = comparison;
      return;
    }
    for (std::size_t i = 0; i < std::min(worst->outputs.size(), comparison.outputs.size()); ++i) {
      merge(worst->outputs[i], comparison.outputs[i]);
    }
    worst->equal = worst->equal && comparison.equal;
    worst->strictest_level = common_level(worst->strictest_level, comparison.strictest_level);
    if (worst->problem.empty()) worst->problem = comparison.problem;
  }

  json to_json() const {
    json outputs = json::array();
    for (const OutputComparison& output : worst->outputs) {
      outputs.push_back({{"strictest_level", level_json(output.strictest_level)},
                         {"equal", output.equal},
                         {"maximum_absolute_error", output.maximum_absolute_error},
                         {"maximum_relative_error", output.maximum_relative_error},
                         {"problem", output.problem}});
    }
    return {{"strictest_level", level_json(worst->strictest_level)},
            {"equal", worst->equal},
            {"problem", worst->problem},
            {"input_sets", input_sets},
            {"outputs", std::move(outputs)}};
  }

 private:
  static std::optional<int> common_level(std::optional<int> a, std::optional<int> b) {
    return strictest_common_level(std::array{a, b});
  }

  static void merge(OutputComparison& into, const OutputComparison& other) {
    into.same_dtype = into.same_dtype && other.same_dtype;
    into.same_shape = into.same_shape && other.same_shape;
    into.equal = into.equal && other.equal;
    into.strictest_level = common_level(into.strictest_level, other.strictest_level);
    into.maximum_absolute_error = std::max(into.maximum_absolute_error, other.maximum_absolute_error);
    into.maximum_relative_error = std::max(into.maximum_relative_error, other.maximum_relative_error);
    if (into.problem.empty()) into.problem = other.problem;
  }
};

json timing_json(const TimingResult& timing, c10::Device device) {
  json trials = json::array();
  json wall = json::array();
  json host = json::array();
  json disturbed = json::array();
  for (std::size_t i = 0; i < timing.trials.size(); ++i) {
    const Trial& trial = timing.trials[i];
    trials.push_back({trial.reference_seconds, trial.candidate_seconds, trial.reference_first});
    wall.push_back({trial.reference_wall_seconds, trial.candidate_wall_seconds});
    host.push_back({trial.reference_host_seconds, trial.candidate_host_seconds});
    if (trial.disturbed) disturbed.push_back(i);
  }
  json result = {{"trials", std::move(trials)},
                 {"disturbed", std::move(disturbed)},
                 {"verdict", timing_verdict_name(timing.verdict)},
                 {"speedup", timing.speedup},
                 {"low", timing.speedup_low},
                 {"high", timing.speedup_high},
                 {"confidence", timing.confidence},
                 {"reference_seconds", timing.reference_seconds},
                 {"candidate_seconds", timing.candidate_seconds},
                 {"reference_batch", timing.reference_batch},
                 {"candidate_batch", timing.candidate_batch},
                 {"reference_warm_up", timing.reference_warm_up},
                 {"candidate_warm_up", timing.candidate_warm_up},
                 {"input_sets", kTimedSets}};
  if (!device.is_cpu()) {
    result["wall"] = std::move(wall);
    result["host"] = std::move(host);
    result["reference_wall_seconds"] = timing.reference_wall_seconds;
    result["candidate_wall_seconds"] = timing.candidate_wall_seconds;
    result["launch_bound"] = {{"reference", timing.reference_launch_bound},
                              {"candidate", timing.candidate_launch_bound}};
  }
  return result;
}

class BenchUnit {
 public:
  BenchUnit(Request request, const ProgressEvents& events) : request_(std::move(request)), events_(events) {}

  json run() {
    enter("load");
    load();
    enter("reference");
    run_reference();
    enter("compile");
    as_candidate([&] { compile(); });
    for (std::uint64_t i = 0; i < kCheckedSets; ++i) check("check", request_.seed + kCheckSeed + i);
    time();
    check("re-check", request_.seed + kRecheckSeed);
    book_seconds();
    result_["correctness"] = correctness_.to_json();
    result_["seconds"] = seconds_;
    if (request_.compiler == "torchscript") result_["compile_seconds"] = seconds_.at("compile");
    result_["peak_memory_bytes"] = peak_host_memory();
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Ends the stage before and announces the next. After an exception the one announced last stays the failure's.
  void enter(const char* stage) {
    book_seconds();
    stage_ = stage;
    if (events_.on_stage) events_.on_stage(stage);
  }

  void book_seconds() {
    const Clock::time_point now = Clock::now();
    if (!stage_.empty()) seconds_[stage_] += std::chrono::duration<double>(now - stage_start_).count();
    stage_start_ = now;
  }

  void load() {
    load_accelerator_libraries();
    sample_ = read_sample(request_.sample);
    load_libraries();  // one of them may bring the device
    device_ = parse_device(request_.device);
    make_current(device_);
    if (request_.threads > 0) at::set_num_threads(request_.threads);
    tensors_ = make_tensors(sample_, request_.seed, device_);
  }

  void load_libraries() {
    try {
      for (const std::string& library : request_.operator_libraries) load_operator_library(library);
      load_libraries_of(sample_.metadata);
    } catch (const Error& error) {
      throw BenchError(ErrorKind::kEnvironment, Cause::kNotInstalled,
                       std::string("an operator library of the sample is missing: give it with --op-library (") +
                           error.what() + ")");
    }
  }

  // Outputs of one run with the generator in a known state, when they are there.
  template <class Side>
  std::vector<at::Tensor> run_once(Side& side, const std::vector<at::Tensor>& inputs, std::uint64_t generator_seed) {
    at::manual_seed(generator_seed);
    std::vector<at::Tensor> outputs = side.run(inputs);
    synchronize(device_);
    return outputs;
  }

  void run_reference() {
    reference_.emplace(sample_.graph, device_);
    reference_->set_weights(tensors_.weights, tensors_.constants);
    reset_peak_memory(device_);
    const std::vector<at::Tensor> outputs = run_once(*reference_, tensors_.inputs, request_.seed);
    note_peak_memory("reference");

    const Comparison again = compare(outputs, run_once(*reference_, tensors_.inputs, request_.seed));
    if (!again.equal && again.strictest_level.value_or(kStableLevel + 1) > kStableLevel) {
      throw BenchError(
          ErrorKind::kUnsupported, Cause::kUnstableReference,
          "two runs of the reference on the same inputs differ" + (again.problem.empty() ? "" : ": " + again.problem));
    }
    if (sample_.metadata.random && !compare(outputs, run_once(*reference_, tensors_.inputs, request_.seed + 1)).equal) {
      throw BenchError(ErrorKind::kUnsupported, Cause::kUnstableReference,
                       "the outputs depend on random operators, which each compiler draws in its own way");
    }
    json described = json::array();
    for (const at::Tensor& output : outputs) {
      const OutputHealth health = health_of(output);
      described.push_back({{"type", to_string(type_of(output))},
                           {"finite", health.finite},
                           {"mean", health.mean},
                           {"deviation", health.deviation}});
    }
    result_["reference"] = {{"seed", request_.seed},
                            {"digest", digest(outputs)},
                            {"outputs", std::move(described)},
                            {"spread_level", again.equal ? json(nullptr) : level_json(again.strictest_level)},
                            {"degenerate", degenerate_reason(outputs, sample_.metadata.finite)}};
  }

  void compile() {
    const CandidateSource source{sample_.graph, tensors_.weights, tensors_.constants, device_};
    if (request_.compiler == "eager") {
      candidate_ = make_eager_candidate(source);
    } else if (request_.compiler == "torchscript") {
      candidate_ = compile_torchscript(source, tensors_.inputs, parse_torchscript_options(request_.options));
      synchronize(device_);
    } else if (request_.compiler == "inductor") {
      candidate_ = load_inductor_package(request_.package, source);
    } else {
      throw Error(ErrorKind::kUsage,
                  "the worker has no compiler " + request_.compiler + "; it knows eager, inductor and torchscript");
    }
    tensors_.inputs.clear();
  }

  void check(const char* stage, std::uint64_t seed) {
    enter(stage);
    enter("reference");
    const std::vector<at::Tensor> inputs = make_inputs(sample_.graph, seed, device_);
    const std::vector<at::Tensor> expected = run_once(*reference_, inputs, seed);
    enter(stage);
    reset_peak_memory(device_);
    const std::vector<at::Tensor> outputs = as_candidate([&] { return run_once(*candidate_, inputs, seed); });
    note_peak_memory("candidate");
    correctness_.add(compare(expected, outputs));
  }

  // Inputs take turns, so that no call can be answered from the one before. The reference runs alone on each of them
  // first: once the two sides alternate, a crash is the candidate's.
  void time() {
    enter("time");
    enter("reference");
    std::vector<std::vector<at::Tensor>> sets;
    for (std::uint64_t i = 0; i < kTimedSets; ++i) {
      const std::uint64_t seed = request_.seed + kTimeSeed + i;
      sets.push_back(make_inputs(sample_.graph, seed, device_));
      run_once(*reference_, sets.back(), seed);
    }
    enter("time");
    std::size_t reference_calls = 0;
    std::size_t candidate_calls = 0;
    // The device reports a fault when it is waited for, which the stopwatch does at the end of each block.
    bool reference_ran_last = false;
    const auto run_reference = [&] {
      reference_ran_last = true;
      reference_->run(sets[reference_calls++ % kTimedSets]);
    };
    const auto run_candidate = [&] {
      reference_ran_last = false;
      as_candidate([&] { candidate_->run(sets[candidate_calls++ % kTimedSets]); });
    };
    const std::unique_ptr<Stopwatch> stopwatch = make_stopwatch(device_);
    const auto time_both = [&] {
      try {
        return time_pair(run_reference, run_candidate, *stopwatch, request_.timing);
      } catch (...) {
        if (reference_ran_last) enter("reference");
        throw;
      }
    };
    const TimingResult timing = time_both();
    result_["timing"] = timing_json(timing, device_);
  }

  void note_peak_memory(const char* side) {
    if (const auto bytes = peak_memory(device_)) result_["device_peak_memory_bytes"][side] = *bytes;
  }

  Request request_;
  const ProgressEvents& events_;
  c10::Device device_ = c10::kCPU;
  Sample sample_;
  GraphTensors tensors_;
  std::optional<Replayer> reference_;
  std::unique_ptr<Candidate> candidate_;
  WorstComparison correctness_;
  std::string stage_;
  Clock::time_point stage_start_;
  std::map<std::string, double> seconds_;  // by stage; the reference's with its parts of others
  json result_ = json::object();
};

}  // namespace

json bench_unit(const json& params, const ProgressEvents& events) {
  const c10::InferenceMode without_gradients;
  return BenchUnit(parse_request(params), events).run();
}

}  // namespace graphnet
