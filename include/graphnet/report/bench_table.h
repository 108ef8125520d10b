// What a bench run prints beside its scores: the rows while it goes, one a sample and compiler, and at the end how good
// the measurements were.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/report/score_report.h"
#include "graphnet/report/table.h"

namespace graphnet {

// What is not known is absent and printed as "-".
struct BenchRow {
  std::string sample;
  std::string compiler;
  std::optional<double> reference_seconds{};
  std::optional<double> candidate_seconds{};
  std::optional<double> speedup{};
  std::optional<double> low{};  // interval of the speedup; printed where its confidence is at least 95 %
  std::optional<double> high{};
  double confidence = 0;            // that the interval attains: less with very few trials
  std::optional<int> correct_to{};  // the strictest tolerance level that every output passes
  std::optional<double> compile_seconds{};
  bool compile_cached = false;  // an earlier run compiled it, in so many seconds: marked by "*"
  std::string verdict{};        // "converged", "accuracy", "compile: unsupported aten::view_as_complex"
  Tone tone = Tone::kPlain;     // of the verdict
};

// How far timings and correctness can be trusted. One line a compiler: "inductor: 34 converged, 1 noisy; 1 sample with
// a degenerate reference: vision/fcn". Compilers that timed nothing have none.
std::string quality_text(const ScoreReport& report, const TextStyle& style = {});

// [{compiler, verdicts {name: count}, degenerate [{sample, reason}]}]
nlohmann::ordered_json quality_json(const ScoreReport& report);

// "1e-6" for level -6: the absolute tolerance of that level.
std::string level_text(int level);

class BenchTable {
 public:
  // Every sample and compiler that will get a row: the columns are as wide as these need.
  BenchTable(const std::vector<std::string>& samples, const std::vector<std::string>& compilers, TextStyle style);

  std::string header() const { return table_.header(); }
  std::string row(const BenchRow& row) const;

 private:
  StreamedTable table_;
};

}  // namespace graphnet
