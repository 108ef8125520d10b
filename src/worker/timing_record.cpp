#include "timing_record.h"

#include <utility>

namespace graphnet {
namespace {

using nlohmann::json;

json interference_json(const Interference& interference) {
  return {interference.waiting_seconds, interference.involuntary_switches, interference.steal_seconds,
          interference.other_seconds};
}

}  // namespace

json timing_json(const TimingResult& timing, c10::Device device, CacheState cache, std::uint64_t input_sets) {
  json trials = json::array();
  json wall = json::array();
  json host = json::array();
  json interference = json::array();
  json disturbed = json::array();
  for (std::size_t i = 0; i < timing.trials.size(); ++i) {
    const Trial& trial = timing.trials[i];
    trials.push_back({trial.reference_seconds, trial.candidate_seconds, trial.reference_first});
    wall.push_back({trial.reference_wall_seconds, trial.candidate_wall_seconds});
    host.push_back({trial.reference_host_seconds, trial.candidate_host_seconds});
    interference.push_back(
        {interference_json(trial.reference_interference), interference_json(trial.candidate_interference)});
    if (trial.disturbed) disturbed.push_back(i);
  }
  json result = {{"trials", std::move(trials)},
                 {"disturbed", std::move(disturbed)},
                 {"interference", std::move(interference)},
                 {"verdict", timing_verdict_name(timing.verdict)},
                 {"speedup", timing.speedup},
                 {"low", timing.speedup_low},
                 {"high", timing.speedup_high},
                 {"confidence", timing.confidence},
                 {"cache", cache == CacheState::kCold ? "cold" : "warm"},
                 {"clock_resolution", timing.clock_resolution},
                 {"reference_seconds", timing.reference_seconds},
                 {"candidate_seconds", timing.candidate_seconds},
                 {"reference_batch", timing.reference_batch},
                 {"candidate_batch", timing.candidate_batch},
                 {"reference_warm_up", timing.reference_warm_up},
                 {"candidate_warm_up", timing.candidate_warm_up},
                 {"input_sets", input_sets}};
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

}  // namespace graphnet
