// How the parts of a score report are named and written, wherever they are shown.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "graphnet/report/number.h"
#include "graphnet/report/score_report.h"

namespace graphnet {

inline std::string score_text(double score) {
  return fixed(score, 3);
}

inline std::string interval_text(const std::optional<Interval>& interval) {
  return interval ? "[" + score_text(interval->low) + ", " + score_text(interval->high) + "]" : "-";
}

inline bool has_several_runs(const ScoreReport& report) {
  return std::any_of(report.compilers.begin(), report.compilers.end(),
                     [&](const CompilerReport& each) { return each.run != report.compilers.front().run; });
}

inline std::string name_of(const CompilerReport& compiler, bool with_run) {
  return with_run ? compiler.run + " " + compiler.compiler : compiler.compiler;
}

}  // namespace graphnet
