#include "bench_unit.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include "graphnet/runtime/cache_flush.h"
#include "graphnet/runtime/candidate.h"
#include "graphnet/runtime/compare.h"
#include "graphnet/runtime/convert.h"
#include "graphnet/runtime/device.h"
#include "graphnet/runtime/health.h"
#include "graphnet/runtime/operator_library.h"
#include "graphnet/runtime/replayer.h"
#include "graphnet/runtime/tensors.h"
#include "graphnet/sample/sample.h"
#include "graphnet/score/outcome.h"
#include "graphnet/score/tolerance.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "bench_error.h"
#include "bench_request.h"
#include "correctness_record.h"
#include "float64_record.h"
#include "output_check.h"
#include "timed_sides.h"
#include "timing_record.h"

namespace graphnet {
namespace {

using nlohmann::json;

// Inputs are drawn with the unit's seed plus one of these, so that no two stages see the same.
constexpr std::uint64_t kCheckSeed = 1;
constexpr std::uint64_t kTimeSeed = 100;
constexpr std::uint64_t kRecheckSeed = 200;
constexpr std::uint64_t kCheckedSets = 2;
constexpr std::uint64_t kTimedSets = 3;

// How long the timing loop goes without a word. Seldom: whoever listens takes a processor for a moment.
constexpr std::chrono::seconds kBetweenAnnouncements{1};

constexpr const char* kSharedChanged = "it changed the weights or inputs that it shares with the reference";

// More runs of a reference whose first two differ, to know by how much they do.
constexpr int kSpreadRuns = 3;

class BenchUnit {
 public:
  BenchUnit(BenchRequest request, const ProgressEvents& events, const CandidateFactories& compilers)
      : request_(std::move(request)), events_(events), compilers_(compilers) {}

  json run() {
    enter("load");
    load();
    if (request_.sides != Sides::kBoth) return one_side();
    tensors_ = make_tensors(sample_, request_.seed, device_);
    enter("reference");
    run_reference();
    enter("compile");
    as_candidate([&] { compile(); });
    check_.emplace(sample_.graph, device_, reference_seconds_);
    for (std::uint64_t i = 0; i < kCheckedSets; ++i) check("check", request_.seed + kCheckSeed + i);
    time();
    check("re-check", request_.seed + kRecheckSeed);
    check_weights();
    if (const std::string lazy = check_->lazy_reading(); !lazy.empty()) correctness_.condemn(lazy);
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
    announce(stage);
  }

  void announce(const char* stage) {
    last_announcement_ = Clock::now();
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

  void bind_reference() {
    reference_.emplace(sample_.graph, device_);
    reference_->set_weights(tensors_.weights, tensors_.constants);
  }

  void run_reference() {
    bind_reference();
    reset_peak_memory(device_);
    const std::vector<at::Tensor> outputs = run_once(*reference_, tensors_.inputs, request_.seed);
    note_peak_memory("reference");
    find_spread_of_reference(outputs);
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
                            {"nondeterministic", correctness_.spread_level().has_value()},
                            {"spread_level", level_json(correctness_.spread_level())},
                            {"degenerate", degenerate_reason(outputs, sample_.metadata.finite)}};
  }

  // By how much runs with equal seeds differ, where they do.
  void find_spread_of_reference(const std::vector<at::Tensor>& outputs) {
    for (int i = 0; i < 1 + (correctness_.spread_level() ? kSpreadRuns : 0); ++i) {
      const Clock::time_point start = Clock::now();
      const std::vector<at::Tensor> again = run_once(*reference_, tensors_.inputs, request_.seed);
      reference_seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
      const Comparison difference = compare(outputs, again);
      if (difference.equal) continue;
      if (difference.strictest_level.value_or(kLoosestStableLevel + 1) > kLoosestStableLevel) {
        throw BenchError(ErrorKind::kUnsupported, Cause::kUnstableReference,
                         "runs of the reference on the same inputs differ" +
                             (difference.problem.empty() ? "" : ": " + difference.problem));
      }
      correctness_.add_spread(difference);
    }
  }

  void compile() {
    const auto factory = compilers_.find(request_.compiler);
    if (factory == compilers_.end()) {
      const auto name_of = [](const auto& known) { return known.first; };
      throw Error(ErrorKind::kUsage, "the worker has no compiler " + request_.compiler + "; it knows " +
                                         joined(compilers_, ", ", name_of));
    }
    const CandidateSource source{sample_.graph, tensors_.weights, tensors_.constants, device_};
    candidate_ = factory->second(source, {request_.options, request_.package, tensors_.inputs});
    synchronize(device_);
    tensors_.inputs.clear();
  }

  void check(const char* stage, std::uint64_t seed) {
    enter(stage);
    enter("reference");
    const std::vector<at::Tensor> inputs = make_inputs(sample_.graph, seed, device_);
    const std::vector<at::Tensor> expected = run_once(*reference_, inputs, seed);
    enter(stage);
    reset_peak_memory(device_);
    const Clock::time_point start = Clock::now();
    std::vector<at::Tensor> outputs = as_candidate([&] { return run_once(*candidate_, inputs, seed); });
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    note_peak_memory("candidate");
    CapturedOutputs captured = as_candidate([&] { return capture(std::move(outputs), seconds); });
    correctness_.add(check_->judge(expected, std::move(captured), inputs));
    if (!hold_drawn_inputs(inputs, sample_.graph, seed)) correctness_.condemn(kSharedChanged);
    if (seed == request_.seed + kRecheckSeed) compare_with_float64(inputs, expected);
  }

  // With weights that the candidate wrote to, both sides may agree on wrong outputs. The reference alone shows it, on
  // the inputs that it ran on before the candidate was there; where it differs by itself, the weights are what they
  // were.
  void check_weights() {
    enter("reference");
    const std::vector<at::Tensor> inputs = make_inputs(sample_.graph, request_.seed, device_);
    json& reference = result_["reference"];
    if (digest(run_once(*reference_, inputs, request_.seed)) == reference["digest"]) return;
    if (hold_drawn_weights(tensors_, sample_, request_.seed)) {
      reference["nondeterministic"] = true;
    } else {
      correctness_.condemn(kSharedChanged);
    }
  }

  // What goes wrong here is no candidate's fault.
  void compare_with_float64(const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& expected) {
    const std::string obstacle = float64_obstacle(request_.float64, sample_.graph, device_);
    if (obstacle.empty()) enter("float64");
    result_["float64"] = obstacle.empty()
                             ? float64_record(sample_, tensors_, inputs, expected, check_->latest_outputs(), device_)
                             : json{{"skipped", obstacle}};
  }

  // Inputs take turns, so that no call can be answered from the one before. The reference runs alone on each of them
  // first: once the two sides alternate, a crash is the candidate's.
  void time() {
    enter("time");
    enter("reference");
    InputSets sets;
    for (std::uint64_t i = 0; i < kTimedSets; ++i) {
      const std::uint64_t seed = request_.seed + kTimeSeed + i;
      sets.push_back(make_inputs(sample_.graph, seed, device_));
      run_once(*reference_, sets.back(), seed);
    }
    enter("time");
    TimedSide reference([&](std::span<const at::Tensor> inputs) { return reference_->run(inputs); }, sets);
    TimedSide candidate(
        [&](std::span<const at::Tensor> inputs) { return as_candidate([&] { return candidate_->run(inputs); }); },
        sets);
    std::optional<CapturedOutputs> first;  // of the candidate's first timed call, which is on the first set
    std::uint64_t rotations = 0;           // of the sets' contents
    const TimingResult timing = time_sides(reference, candidate, sets, first, rotations);
    CapturedOutputs last = as_candidate([&] { return capture(candidate.take_outputs(), timing.candidate_seconds); });

    enter("reference");
    const auto seed_of = [&](std::size_t set) { return request_.seed + kTimeSeed + (set + rotations) % kTimedSets; };
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (!hold_drawn_inputs(sets[i], sample_.graph, seed_of(i))) correctness_.condemn(kSharedChanged);
    }
    sets.clear();
    const std::vector<at::Tensor> first_inputs = make_inputs(sample_.graph, request_.seed + kTimeSeed, device_);
    const std::vector<at::Tensor> last_inputs = make_inputs(sample_.graph, seed_of(candidate.last_set()), device_);
    const std::vector<at::Tensor> expected_first = run_once(*reference_, first_inputs, request_.seed);
    const std::vector<at::Tensor> expected_last = run_once(*reference_, last_inputs, request_.seed);
    enter("time");
    correctness_.add(check_->judge(expected_first, std::move(*first), first_inputs));
    correctness_.add(check_->judge(expected_last, std::move(last), last_inputs));
  }

  TimingResult time_sides(TimedSide& reference, TimedSide& candidate, InputSets& sets,
                          std::optional<CapturedOutputs>& first, std::uint64_t& rotations) {
    std::optional<CacheFlush> flush;
    if (request_.cache == CacheState::kCold) flush.emplace(device_);
    // Whose calls are timed, and what it is announced as. The device reports a fault when it is waited for, which the
    // stopwatch does at the end of each block.
    BlockSide at_work = BlockSide::kReference;
    const auto stage_of_work = [&] { return at_work == BlockSide::kReference ? "reference" : "time"; };
    // The loop may take longer than a stage may: only a call that does not return is a hang, and its side's.
    const auto before_block = [&](BlockSide side) {
      at_work = side;
      if (Clock::now() - last_announcement_ >= kBetweenAnnouncements) announce(stage_of_work());
    };
    const std::unique_ptr<Stopwatch> stopwatch = make_stopwatch(device_);
    const auto before = [&] {
      if (flush) flush->run();
    };
    std::uint64_t candidate_blocks = 0;
    const auto after = [&](const Stopwatch::Reading& reading) {
      if (at_work == BlockSide::kReference) return;
      if (!first) {
        first = as_candidate([&] { return capture(candidate.outputs(), reading.seconds); });
        first->forget_live();  // the next call may use their memory
      }
      // Once it has seen all sets, whoever keeps results by the addresses of inputs gives wrong ones.
      if (++candidate_blocks != kTimedSets) return;
      rotate_contents(sets);
      ++rotations;
    };
    AttendedStopwatch attended(*stopwatch, before, after);
    const std::optional<Throttling> throttled_before = throttling(device_);
    try {
      const TimingResult timing =
          time_pair([&] { reference.call(); }, [&] { candidate.call(); }, attended, request_.timing, before_block);
      result_["timing"] = timing_json(timing, device_, request_.cache, kTimedSets);
      note_throttling(throttled_before);
      return timing;
    } catch (...) {
      enter(stage_of_work());
      throw;
    }
  }

  // How much the memory of this process grows where it runs one side only.
  json one_side() {
    reset_peak_host_memory();
    const std::int64_t before = peak_host_memory();
    tensors_ = make_tensors(sample_, request_.seed, device_);
    const std::vector<at::Tensor> inputs = tensors_.inputs;
    if (request_.sides == Sides::kReference) {
      enter("reference");
      bind_reference();
      run_once(*reference_, inputs, request_.seed);
    } else {
      enter("compile");
      as_candidate([&] { compile(); });
      enter("check");
      reset_peak_host_memory();  // of the compiler's own
      as_candidate([&] { run_once(*candidate_, inputs, request_.seed); });
    }
    return {{"memory_growth_bytes", peak_host_memory() - before}};
  }

  void note_throttling(const std::optional<Throttling>& before) {
    const std::optional<Throttling> after = throttling(device_);
    if (!before || !after) return;
    result_["timing"]["throttled_seconds"] = {{"power", after->power_seconds - before->power_seconds},
                                              {"thermal", after->thermal_seconds - before->thermal_seconds}};
  }

  void note_peak_memory(const char* side) {
    if (const auto bytes = peak_memory(device_)) result_["device_peak_memory_bytes"][side] = *bytes;
  }

  BenchRequest request_;
  const ProgressEvents& events_;
  const CandidateFactories& compilers_;
  c10::Device device_ = c10::kCPU;
  Sample sample_;
  GraphTensors tensors_;
  std::optional<Replayer> reference_;
  double reference_seconds_ = 0;  // of one run
  std::unique_ptr<Candidate> candidate_;
  std::optional<OutputCheck> check_;
  CorrectnessRecord correctness_;
  std::string stage_;
  Clock::time_point stage_start_;
  Clock::time_point last_announcement_;
  std::map<std::string, double> seconds_;  // by stage; the reference's with its parts of others
  json result_ = json::object();
};

}  // namespace

json bench_unit(const json& params, const ProgressEvents& events, const CandidateFactories& compilers) {
  const c10::InferenceMode without_gradients;
  return BenchUnit(parse_bench_request(params), events, compilers).run();
}

}  // namespace graphnet
