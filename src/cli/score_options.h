// Options of scores that several commands take.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "graphnet/report/score_report.h"

namespace graphnet::cli {

// --b and --p.
void add_score_options(CLI::App& command, ScoreOptions& options);

// Of commands that score finished runs.
struct ScoreReportCommandOptions {
  std::string interpretation = "definition";
  ScoreReportOptions report;
};

// --b, --p, --interpretation, --include-contended and --exclude-noisy.
void add_score_report_options(CLI::App& command, ScoreReportCommandOptions& options);

// What was given, checked. Throws Error(kUsage) where b or p is outside its range.
const ScoreReportOptions& checked(ScoreReportCommandOptions& options);

}  // namespace graphnet::cli
