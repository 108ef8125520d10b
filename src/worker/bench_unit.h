// The worker's method "bench": one sample, its reference and one candidate, checked and timed.
#pragma once

#include <nlohmann/json.hpp>

#include "graphnet/frontend/extract.h"

namespace graphnet {

// params: {sample, compiler: "inductor"|"torchscript"|"eager", options: {}, package, device, op_libraries: [], seed,
//          threads, timing: {maximum_seconds, target, warm_up_seconds, minimum_trials, minimum_block_seconds}}
// where all but sample and compiler have defaults, and package is inductor's alone. Result:
//
//   reference:   {seed, digest, outputs: [{type, finite, mean, deviation}], spread_level, degenerate}
//   correctness: {strictest_level, equal, problem, input_sets,
//                outputs: [{strictest_level, equal, maximum_absolute_error, maximum_relative_error, problem}]}
//                where each is the worst over all inputs that were checked
//   timing:      {trials: [[reference seconds, candidate seconds, reference first], ..], disturbed: [trial, ..],
//                verdict, speedup, low, high, confidence, reference_seconds, candidate_seconds, reference_batch,
//                candidate_batch, reference_warm_up, candidate_warm_up, input_sets}, all seconds being a call's; on
//                accelerators the seconds above are the device's, and there are also the wall clock's until all work
//                was done (wall: [[reference, candidate], ..], reference_wall_seconds, candidate_wall_seconds), the
//                wall clock's until the host had queued it (host, as wall), and launch_bound: {reference, candidate},
//                whether the device waited for the host
//   compile_seconds: of torchscript; seconds: {stage: s}; peak_memory_bytes: of this process;
//   device_peak_memory_bytes: {reference, candidate}, of one run each, on accelerators that tell. Weights are counted
//   in
//                both, the reference's outputs in the candidate's.
//
// A level that no tolerance reaches is null. Stages: load, reference, compile, check, time, re-check, announced through
// events.on_stage as they begin, so that a failure, be it a crash, belongs to the last one announced. What check, time
// and re-check do with the reference alone (drawing inputs, its runs) is announced as "reference" within them, and the
// stage again after it. Throws Error, and BenchError for an unstable reference and for missing operator libraries.
nlohmann::json bench_unit(const nlohmann::json& params, const ProgressEvents& events);

}  // namespace graphnet
