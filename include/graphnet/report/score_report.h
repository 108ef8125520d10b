// What is said about finished runs: the scores of each compiler at every level, how sure they are, and every unit that
// was not correct, with its reason. Nothing that a run recorded is left out without being counted.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/report/terminal.h"
#include "graphnet/score/bootstrap.h"
#include "graphnet/score/outcome.h"
#include "graphnet/score/score.h"
#include "graphnet/score/unit_result.h"

namespace graphnet {

// The level whose correctness, speedup and interval the summary names.
inline constexpr int kSummaryLevel = 0;

struct ScoreReportOptions {
  ScoreOptions score{};
  BootstrapOptions bootstrap{};
  // A speedup that is left out leaves its sample in: whether it is correct counts as for every other (score.h).
  bool include_contended = false;  // score speedups that were measured while other programs held the processors
  bool exclude_noisy = false;      // leave speedups out whose interval is more than five times as wide as asked for
};

// Why the speedup of a correct unit is no part of the scores.
enum class SetAside { kNo, kContended, kNoisy };
SetAside set_aside(const UnitResult& result, const ScoreReportOptions& options);

// The scores of some of a compiler's samples, at kSummaryLevel.
struct Slice {
  std::string name;  // of a category, or a dtype
  Score score;
  std::optional<ScoreInterval> interval;  // absent with too few source models (kFewestGroups), and without a score
};

// One compiler in one run.
struct CompilerReport {
  std::string run;  // label of the run, such as its folder
  std::string compiler;
  std::vector<Score> series;                        // one a score level, strictest first
  std::vector<std::optional<ScoreInterval>> bands;  // of each of `series`, over samples; empty with too few models
  std::optional<Interval> trial_interval;           // of S(kSummaryLevel), over the trials of these very samples
  std::vector<double> fast_shares;                  // fast_p at kSummaryLevel, one for each of kFastThresholds
  std::vector<Slice> by_category;                   // in alphabetical order
  std::vector<Slice> by_dtype;
  std::map<std::string, int> verdicts;  // how often timing ended in which way
  std::vector<std::string> contended;   // correct samples whose speedup is no part of the scores
  std::vector<std::string> noisy;
  std::vector<UnitResult> degenerate;  // samples whose reference says little about correctness
  std::vector<Outcome> not_correct;    // at kSummaryLevel, excluded and unavailable ones included, in the run's order

  const Score& at(int level) const;  // throws Error(kInternal) for a level that is no score level
  std::optional<ScoreInterval> interval_at(int level) const;
};

struct ScoreReport {
  ScoreReportOptions options;
  std::vector<CompilerReport> compilers;  // in order of first appearance, run by run
};

struct LabelledResults {
  std::string run;
  std::vector<UnitResult> results;
};

// Throws Error(kInput) where a run has two results for the same sample and compiler, since a score would then count
// one sample twice, and for outcomes that cannot be scored.
ScoreReport make_score_report(std::span<const LabelledResults> runs, const ScoreReportOptions& options);
// The same without a copy of the results, of which there may be many.
ScoreReport make_score_report(std::vector<LabelledResults>&& runs, const ScoreReportOptions& options);

// For a terminal. The summary has one line a compiler; the run stands in front where there is more than one.
std::string summary_text(const ScoreReport& report, const TextStyle& style = {});

// Units that are not correct at kSummaryLevel, one line for each kind of end, naming the samples ("inductor: 2 failed
// (compile, unsupported operator): a, b"), and correct samples whose speedup is no part of the scores. Empty where
// there is none of these.
std::string incidents_text(const ScoreReport& report, const TextStyle& style = {});

// Samples whose reference says little about correctness, one line for each reason.
std::string degenerate_text(const ScoreReport& report, const TextStyle& style = {});

// How timing ended, and fast_p: one line a compiler.
std::string timing_text(const ScoreReport& report, const TextStyle& style = {});

// Scores at kSummaryLevel by task category and by dtype, one line a compiler in each. Empty where there is one slice.
std::string category_text(const ScoreReport& report, const TextStyle& style = {});
std::string dtype_text(const ScoreReport& report, const TextStyle& style = {});

// S and ES of all compilers side by side, one line a level.
std::string comparison_text(const ScoreReport& report, const TextStyle& style = {});

// All that leads to one compiler's scores, one line a level.
std::string series_text(const CompilerReport& compiler, const TextStyle& style = {});

// Keys in this order; what is no number (a score over no samples) is null:
//   failure_base, slowdown_penalty, interpretation, include_contended, exclude_noisy, bootstrap {resamples, seed},
//   scores [{run, compiler, samples, excluded, unavailable,
//            verdicts {name: count}, contended [sample], noisy [sample], degenerate [{sample, reason}],
//            geomean, fast [{p, share}],
//            interval null or {level, confidence, speedup_score [low, high], error_aware_score [low, high]},
//            trial_interval null or {level, confidence, speedup_score [low, high]},
//            levels [{level, correct, timed, slow, errors {accuracy, runtime, compile}, alpha, beta, lambda, eta,
//                     pi {accuracy, runtime, compile}, gamma, speedup_score, error_aware_score,
//                     speedup_interval null or [low, high], error_aware_interval null or [low, high]}],
//            by_category [{name, samples, excluded, unavailable, the keys of a level}], by_dtype [the same],
//            not_correct [{sample, status, stage, cause, strictest_level, message}]}]
nlohmann::ordered_json to_json(const ScoreReport& report);

// After a line of column names, one line for each run, compiler and level ("all" in the column slice), and for each
// category and dtype at kSummaryLevel.
std::string to_csv(const ScoreReport& report);

}  // namespace graphnet
