// Two sets of results over the same samples: what broke, what became faster, and whether that can be chance.
//
// The change of a sample is the ratio of its speedups, B / A. Samples of one source model are not independent, so the
// test over samples takes one value a model, the mean log change of its samples.
//
// All trials of a sample in a run are of one process, and memory layout and the like make processes differ by more than
// their trials tell. A single sample is called changed only where its change exceeds the margin by more than both kinds
// of chance explain.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphnet/score/score.h"
#include "graphnet/score/significance.h"
#include "graphnet/score/unit_result.h"

namespace graphnet {

enum class Verdict { kBetter, kWorse, kSame, kUnclear };
std::string_view verdict_name(Verdict verdict);  // "BETTER"

struct ComparisonOptions {
  double margin = 0.01;              // changes smaller than this share are no changes
  double confidence = 0.95;          // of the interval of the change
  double false_discovery = 0.05;     // share of false ones allowed among the samples called changed
  double process_deviation = 0.005;  // standard deviation of a sample's log speedup from process to process: assumed,
                                     // since a run has one process a sample
  int level = 0;                     // at which correctness is looked at (correctness_level of score.h)
  bool include_contended = false;    // take speedups that were measured while other programs held the processors
};

// Throws Error(kUsage) for a margin, confidence or false discovery rate outside 0..1, and a process deviation that is
// negative or not below 1.
void check_options(const ComparisonOptions& options);

// Which result of A belongs to which of B: the same graph under the same name, else the same graph, else the same name
// where a side does not know its graph. A sample whose graph changed is not the same sample.
struct Pair {
  std::size_t a;  // positions in the two sets
  std::size_t b;
};
struct Pairing {
  std::vector<Pair> pairs;  // in the order of A
  std::size_t by_name = 0;  // of these, paired by name alone
  std::vector<std::size_t> only_a;
  std::vector<std::size_t> only_b;
  std::size_t changed_graphs = 0;  // names in both only_a and only_b
};
Pairing pair_results(std::span<const UnitResult> a, std::span<const UnitResult> b);

// A sample that ended differently.
struct Flip {
  Pair pair;
  bool broke = false;  // correct in A, and a failure or wrong in B
  bool fixed = false;  // the other way round
  bool lost = false;   // correct in A, and excluded or unavailable in B, which says nothing about the compiler
};

// A sample that is correct and was timed on both sides.
struct Change {
  Pair pair;
  double ratio = 1;                         // speedup B / speedup A
  std::optional<double> reference_ratio{};  // seconds of the reference, B / A
  std::optional<double> candidate_ratio{};  // seconds of the candidate, B / A
  // That the change is within the margin and the rest is chance, within and between processes; absent where the trials
  // of a side have no interval (hodges_lehmann), as with fewer than 6.
  std::optional<double> p_value{};
  std::optional<double> q_value{};  // after Benjamini and Hochberg over all samples
  bool significant = false;         // q at most false_discovery
};

struct RunComparison {
  Pairing pairing;
  std::vector<Flip> flips;      // those that broke first
  std::vector<Change> changes;  // significant ones first, each part by the size of the change
  std::size_t broke = 0;
  std::size_t fixed = 0;
  std::size_t lost = 0;       // those of `flips`, and what is correct in A and no part of B
  std::size_t contended = 0;  // pairs that are correct, but whose change is left out because a side was contended

  std::size_t models = 0;                 // source models of `changes`: the test's values
  SignedRankTest test;                    // over them
  std::optional<double> ratio;            // Hodges-Lehmann centre of their changes
  std::optional<double> reference_ratio;  // the same of the seconds of the references, B / A
  std::optional<double> candidate_ratio;  // and of the candidates
  std::optional<Interval> interval;       // of that centre; absent with fewer than 6 models
  std::optional<double> detectable;  // the smallest ratio above 1 that would be called BETTER with 80 % probability

  Verdict speed = Verdict::kUnclear;    // by the interval alone
  Verdict verdict = Verdict::kUnclear;  // by speed and by what broke or was fixed

  Score score_a;  // at the level, over the paired samples that are scored on both sides, contended speedups left out
  Score score_b;
};

// Throws Error(kInput) where a set has two results for one sample.
RunComparison compare(std::span<const UnitResult> a, std::span<const UnitResult> b, const ComparisonOptions& options,
                      const ScoreOptions& score);

// BETTER or WORSE where the interval lies on one side of 1 and the estimate is beyond the margin, SAME where the
// interval lies within the margin, else UNCLEAR.
Verdict speed_verdict(double log_ratio, const std::optional<Interval>& log_interval, double margin);

}  // namespace graphnet
