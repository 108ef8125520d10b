// What is said about two runs side by side: what broke, what changed, and how sure that is.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/report/terminal.h"
#include "graphnet/score/comparison.h"

namespace graphnet {

// One compiler of run A against one of run B.
struct CompilerComparison {
  std::string compiler_a;
  std::string compiler_b;
  std::vector<UnitResult> a;
  std::vector<UnitResult> b;
  RunComparison comparison;
};

struct ComparisonReport {
  std::string run_a;
  std::string run_b;
  std::string machines;  // empty, or how they differ: "AMD EPYC, 2 threads, cpu | Intel Xeon, 8 threads, cpu"
  ComparisonOptions options;
  ScoreOptions score;
  std::vector<CompilerComparison> compilers;
  std::vector<std::string> only_a;  // compilers without a partner
  std::vector<std::string> only_b;
};

// Flips first, then the samples that changed, then the verdict with what it rests on.
std::string to_text(const ComparisonReport& report, const TextStyle& style = {});

// Keys in this order; what cannot be said is null:
//   run_a, run_b, machines, margin, confidence, false_discovery, process_deviation, level, only_a, only_b,
//   comparisons [{compiler_a, compiler_b, verdict, speed, paired, paired_by_name, only_a [sample], only_b [sample],
//                 changed_graphs, contended, broke, fixed, lost, flips [{sample, a, b, broke, fixed, lost}],
//                 ratio, reference_ratio, candidate_ratio, interval [low, high], confidence, p_value, models,
//                 detectable, score_a, score_b,
//                 changes [{sample, ratio, reference_ratio, candidate_ratio, speedup_a, speedup_b, p_value, q_value,
//                           significant}]}]
nlohmann::ordered_json to_json(const ComparisonReport& report);

}  // namespace graphnet
