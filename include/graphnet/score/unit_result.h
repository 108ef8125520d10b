// A finished unit as scores, comparisons and reports see it: the outcome, and what was measured on the way to it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphnet/score/outcome.h"

namespace graphnet {

// Verdicts of timing that decide whether a speedup may enter a score, and all of them, best first.
inline constexpr std::string_view kContendedVerdict = "contended";
inline constexpr std::string_view kNoisyVerdict = "noisy";
inline constexpr std::array<std::string_view, 4> kTimingVerdicts = {"converged", "capped", kNoisyVerdict,
                                                                    kContendedVerdict};

struct UnitResult {
  Outcome outcome;
  std::string path;      // of the sample, as the run was given it
  std::string identity;  // hash of its graph; empty where the sample could not be read
  std::string category;
  std::vector<std::string> dtypes;

  std::string verdict;                        // how timing ended; empty where nothing was timed
  std::string degenerate;                     // why the reference's outputs say little about correctness; else empty
  std::optional<double> reference_seconds{};  // of one call
  std::optional<double> candidate_seconds{};
  std::int64_t reference_batch = 1;  // calls in one timed block
  std::int64_t candidate_batch = 1;
  std::optional<double> low{};  // 95 % interval of the speedup, within one process
  std::optional<double> high{};
  std::vector<double> log_ratios;  // log(reference / candidate) of each trial that the speedup comes from

  std::optional<double> compile_seconds{};
  double seconds = 0;     // wall time of the whole unit
  std::string log;        // below the run's folder
  std::string reproduce;  // the command line that runs just this unit again
};

// The floating and complex dtypes of the sample, "float16+float32"; "none" where it has none. Samples of one kind are
// scored together.
std::string dtype_class(const UnitResult& result);

// "other" where the sample does not say.
std::string category_of(const UnitResult& result);

std::vector<Outcome> outcomes_in(std::span<const UnitResult> results);

// The results of one compiler, in the order of the run.
struct CompilerResults {
  std::string compiler;
  std::vector<UnitResult> results;
};

// In order of first appearance.
std::vector<CompilerResults> by_compiler(std::vector<UnitResult> results);

// Throws Error(kInput) where a sample has two results, since a score would then count it twice. All results are of one
// compiler; `run` stands before the message.
void check_each_sample_once(std::span<const UnitResult> results, const std::string& run = {});

}  // namespace graphnet
