// The worker's method "bench": one sample, its reference and one candidate, checked and timed.
#pragma once

#include <nlohmann/json.hpp>

#include "graphnet/frontend/extract.h"

#include "candidate_factory.h"

namespace graphnet {

// params: {sample, compiler: a name of `compilers`, options: {}, package, device, op_libraries: [], seed, threads,
//          cache: "warm"|"cold", float64: "auto"|"on"|"off", sides: "both"|"reference"|"candidate",
//          timing: {maximum_seconds, target, warm_up_seconds, minimum_trials, minimum_block_seconds}}
// where all but sample and compiler have defaults, and package is inductor's alone. Result:
//
//   reference:   {seed, digest, outputs: [{type, finite, mean, deviation}], nondeterministic, spread_level, degenerate}
//   correctness: see correctness_record.h; over two sets of inputs, the first and the last timed call, and another set.
//                A candidate that wrote to weights or inputs, which are the reference's, too, passes at no level
//   float64:     see float64_record.h; or {skipped: reason}; or {failed: reason}, from the supervisor alone, where a
//                worker that was asked for it fell in it, and this one was not asked
//   timing:      {trials: [[reference seconds, candidate seconds, reference first], ..], disturbed: [trial, ..],
//                interference: [[I, I], ..] of reference and candidate in each trial, with I = [seconds that a thread
//                waited for a processor, at most, involuntary context switches, stolen seconds, seconds of other
//                programs], verdict, speedup, low, high, confidence, cache, clock_resolution, reference_seconds,
//                candidate_seconds, reference_batch, candidate_batch, reference_warm_up, candidate_warm_up,
//                input_sets}, all seconds but interference's being a call's; on accelerators the seconds above are the
//                device's, and there are also the wall clock's until all work was done (wall: [[reference, candidate],
//                ..], reference_wall_seconds, candidate_wall_seconds), the wall clock's until the host had queued it
//                (host, as wall), and launch_bound: {reference, candidate}, whether the device waited for the host;
//                where the device tells, throttled_seconds: {power, thermal}, how long it was slowed down meanwhile
//   compile_seconds: of torchscript; seconds: {stage: s}; peak_memory_bytes: of this process;
//   device_peak_memory_bytes: {reference, candidate}, of one run each, on accelerators that tell. Weights are counted
//                in both, the reference's outputs in the candidate's.
//
// With one side only, it runs once, and the result is {memory_growth_bytes}: how much more memory of the host this
// process had at the peak of that run than before the sample's tensors were made.
//
// A level that no tolerance reaches is null. Stages: load, reference, compile, check, time, re-check, and float64
// within re-check, announced through events.on_stage as they begin, so that a failure, be it a crash, belongs to the
// last one announced. What check, time and re-check do with the reference alone (drawing inputs, its runs) is announced
// as "reference" within them, and the stage again after it. While both sides are timed, the one at work is announced
// every second or so: "reference", or "time" for the candidate. Throws Error, and BenchError for an unstable reference
// and for missing operator libraries.
nlohmann::json bench_unit(const nlohmann::json& params, const ProgressEvents& events,
                          const CandidateFactories& compilers);

}  // namespace graphnet
