// Finished runs as one document: a page for a person, or a file for another program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/report/score_report.h"
#include "graphnet/score/unit_result.h"

namespace graphnet {

struct ReportedRun {
  std::string run;      // label, such as its folder
  nlohmann::json info;  // run.json
  std::vector<UnitResult> results;
};

struct RunReport {
  std::vector<ReportedRun> runs;
  ScoreReport scores;
};

// Throws Error(kInput) as make_score_report does.
RunReport make_run_report(std::vector<ReportedRun> runs, const ScoreReportOptions& options);

// A page that needs nothing but itself: charts are drawings in it, and only sorting and searching need scripts.
// Whatever comes from the runs is escaped.
std::string to_html(const RunReport& report);

// Scores and failures as Markdown, for a pull request.
std::string to_markdown(const RunReport& report);

// Keys: scores (as to_json of the score report has them), runs [{run, info, units [{sample, compiler, status, ...}]}].
nlohmann::ordered_json to_json(const RunReport& report);

// After a line of column names, one line a unit.
std::string to_csv(const RunReport& report);

// One test suite for each run and compiler; what is not correct at kSummaryLevel failed, what says nothing was skipped,
// and so was what is correct with a speedup that is no part of the scores.
std::string to_junit(const RunReport& report);

// The JSON of Google Benchmark, so that its tools can compare runs: two entries a unit, sample/eager and
// sample/COMPILER, in milliseconds. Only correct units whose speedup is part of the scores.
nlohmann::ordered_json to_google_benchmark(const RunReport& report);

// The results of one compiler in one run, in the run's order. They live as long as the report.
std::vector<const UnitResult*> results_of(const RunReport& report, const CompilerReport& compiler);

// "failed at compile, time-out"; "wrong"; "correct".
std::string ending_text(const Outcome& outcome);

// What a speedup depends on beside compiler and sample: "AMD EPYC, AVX512, 2 threads, cpu". The version of the
// framework is not among it: that two versions are compared on one machine is what comparisons are for.
std::string machine_text(const nlohmann::json& info);

// A short name for the machine and what ran on it: "AMD EPYC, 2 threads, cpu, torch 2.13.0+cpu".
std::string environment_line(const nlohmann::json& info);

}  // namespace graphnet
