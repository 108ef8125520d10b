// What is said about finished runs: the scores of each compiler at every level, how sure they are, and every unit that
// was not correct, with its reason. Nothing that a run recorded is left out without being counted.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/report/terminal.h"
#include "graphnet/score/bootstrap.h"
#include "graphnet/score/outcome.h"
#include "graphnet/score/score.h"

namespace graphnet {

// The level whose correctness, speedup and interval the summary names.
inline constexpr int kSummaryLevel = 0;

// One compiler in one run.
struct CompilerReport {
  std::string run;  // label of the run, such as its folder
  std::string compiler;
  std::vector<Score> series;              // one a score level, strictest first
  std::optional<ScoreInterval> interval;  // at kSummaryLevel; absent with fewer than two source models
  std::vector<Outcome> not_correct;  // at kSummaryLevel, excluded and unavailable ones included, in the run's order

  const Score& at(int level) const;  // throws Error(kInternal) for a level that is no score level
};

struct ScoreReport {
  ScoreOptions options;
  BootstrapOptions bootstrap;
  std::vector<CompilerReport> compilers;  // in order of first appearance, run by run
};

struct LabelledOutcomes {
  std::string run;
  std::vector<Outcome> outcomes;
};

// Throws Error(kInput) where a run has two outcomes for the same sample and compiler, since a score would then count
// one sample twice, and for outcomes that cannot be scored.
ScoreReport make_score_report(std::span<const LabelledOutcomes> runs, const ScoreOptions& options,
                              const BootstrapOptions& bootstrap = {});

// For a terminal. The summary has one line a compiler; the run stands in front where there is more than one.
std::string summary_text(const ScoreReport& report, const TextStyle& style = {});

// Units that are not correct at kSummaryLevel, one line for each kind of end, naming the samples: "inductor: 2 failed
// (compile, unsupported operator): a, b". Empty where all are correct.
std::string incidents_text(const ScoreReport& report, const TextStyle& style = {});

// S and ES of all compilers side by side, one line a level.
std::string comparison_text(const ScoreReport& report, const TextStyle& style = {});

// All that leads to one compiler's scores, one line a level.
std::string series_text(const CompilerReport& compiler, const TextStyle& style = {});

// Keys in this order; what is no number (a score over no samples) is null:
//   failure_base, slowdown_penalty, interpretation, bootstrap {resamples, seed},
//   scores [{run, compiler, samples, excluded, unavailable,
//            interval null or {level, confidence, speedup_score [low, high], error_aware_score [low, high]},
//            levels [{level, correct, slow, errors {accuracy, runtime, compile}, alpha, beta, lambda, eta,
//                     pi {accuracy, runtime, compile}, gamma, speedup_score, error_aware_score}],
//            not_correct [{sample, status, stage, cause, strictest_level, message}]}]
nlohmann::ordered_json to_json(const ScoreReport& report);

// One line for each run, compiler and level, after a line of column names.
std::string to_csv(const ScoreReport& report);

}  // namespace graphnet
