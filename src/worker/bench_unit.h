// The worker's method "bench": one sample, its reference and one candidate, checked and timed.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "graphnet/frontend/extract.h"
#include "graphnet/score/outcome.h"
#include "graphnet/support/error.h"

namespace graphnet {

// An error whose cause is known better than "exception". The protocol's error carries cause_name(cause()).
class BenchError : public Error {
 public:
  BenchError(ErrorKind kind, Cause cause, const std::string& message) : Error(kind, message), cause_(cause) {}

  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

// params: {sample, compiler: "inductor"|"torchscript"|"eager", options: {}, package, device, seed, threads,
//          timing: {maximum_seconds, target, warm_up_seconds, minimum_trials, minimum_block_seconds}}
// where all but sample and compiler have defaults, and package is inductor's alone. Result:
//
//   reference:   {seed, digest, outputs: [{type, finite, mean, deviation}], spread_level, degenerate}
//   correctness: {strictest_level, equal, problem, input_sets,
//                outputs: [{strictest_level, equal, maximum_absolute_error, maximum_relative_error, problem}]}
//                where each is the worst over all inputs that were checked
//   timing:      {trials: [[reference seconds, candidate seconds, reference first], ..], disturbed: [trial, ..],
//                wall: [[reference seconds, candidate seconds], ..] on accelerators, verdict, speedup, low, high,
//                confidence, reference_seconds, candidate_seconds, reference_batch, candidate_batch,
//                reference_warm_up, candidate_warm_up, input_sets}
//   compile_seconds: of torchscript; seconds: {stage: s}; peak_memory_bytes: of this process;
//   device_peak_memory_bytes: {reference, candidate}, of one run each, on accelerators that tell. Weights are counted
//   in
//                both, the reference's outputs in the candidate's.
//
// A level that no tolerance reaches is null. Stages: load, reference, compile, check, time, re-check, announced through
// events.on_stage as they begin, so that a failure belongs to the last one announced. Throws Error, and BenchError for
// an unstable reference and for lack of memory.
nlohmann::json bench_unit(const nlohmann::json& params, const ProgressEvents& events);

}  // namespace graphnet
