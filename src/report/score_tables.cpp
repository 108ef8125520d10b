// The tables behind the summary of scores, on a terminal.

#include <set>

#include "graphnet/report/number.h"
#include "graphnet/report/score_report.h"
#include "graphnet/report/table.h"

#include "score_words.h"

namespace graphnet {
namespace {

using Slices = std::vector<Slice> CompilerReport::*;

std::set<std::string> names_of(const ScoreReport& report, Slices slices) {
  std::set<std::string> names;
  for (const CompilerReport& compiler : report.compilers) {
    for (const Slice& slice : compiler.*slices) names.insert(slice.name);
  }
  return names;
}

Row slice_row(const Slice& slice, const std::string& compiler) {
  const Score& score = slice.score;
  Row row{slice.name, compiler, std::to_string(score.samples), std::to_string(score.excluded + score.unavailable)};
  row.emplace_back(score.samples == 0 ? "-" : percent(score.aggregates.lambda));
  row.emplace_back(score.timed == 0 ? "-" : score_text(score.aggregates.alpha));
  row.emplace_back(score_text(score.speedup_score));
  row.emplace_back(slice.interval ? interval_text(slice.interval->speedup_score)
                                  : std::string(score.samples == 0 ? "-" : "too few models"));
  return row;
}

std::string slices_text(const ScoreReport& report, Slices slices, const char* title, const TextStyle& style) {
  const std::set<std::string> names = names_of(report, slices);
  if (names.size() < 2) return "";
  const bool with_run = has_several_runs(report);
  const std::string level = "(" + std::to_string(kSummaryLevel) + ")";
  Table table;
  table.columns = {{.title = title, .alignment = Alignment::kLeft},
                   {.title = "compiler", .alignment = Alignment::kLeft},
                   {.title = "N"},
                   {.title = "left out"},
                   {.title = "correct" + level},
                   {.title = "geomean"},
                   {.title = "S" + level},
                   {.title = "95 % over samples", .alignment = Alignment::kLeft}};
  for (const std::string& name : names) {
    for (const CompilerReport& compiler : report.compilers) {
      for (const Slice& slice : compiler.*slices) {
        if (slice.name == name) table.rows.push_back(slice_row(slice, name_of(compiler, with_run)));
      }
    }
  }
  return to_text(table, style);
}

}  // namespace

std::string category_text(const ScoreReport& report, const TextStyle& style) {
  return slices_text(report, &CompilerReport::by_category, "category", style);
}

std::string dtype_text(const ScoreReport& report, const TextStyle& style) {
  return slices_text(report, &CompilerReport::by_dtype, "dtype", style);
}

std::string timing_text(const ScoreReport& report, const TextStyle& style) {
  const bool with_run = has_several_runs(report);
  std::set<std::string> verdicts;
  for (const CompilerReport& compiler : report.compilers) {
    for (const auto& [verdict, count] : compiler.verdicts) verdicts.insert(verdict);
  }
  Table table;
  table.columns.push_back({.title = "compiler", .alignment = Alignment::kLeft});
  for (const double p : kFastThresholds) {
    table.columns.push_back({.title = significant(p, 1 + (p != 1 && p != 2)), .group = "correct and faster than"});
  }
  for (const std::string& verdict : verdicts) table.columns.push_back({.title = verdict, .group = "timing"});
  for (const CompilerReport& compiler : report.compilers) {
    Row row{name_of(compiler, with_run)};
    for (const double share : compiler.fast_shares) row.emplace_back(percent(share));
    for (const std::string& verdict : verdicts) {
      const auto found = compiler.verdicts.find(verdict);
      row.emplace_back(std::to_string(found == compiler.verdicts.end() ? 0 : found->second));
    }
    table.rows.push_back(std::move(row));
  }
  return to_text(table, style);
}

std::string comparison_text(const ScoreReport& report, const TextStyle& style) {
  const bool with_run = has_several_runs(report);
  Table table;
  table.columns.push_back({.title = "t"});
  for (const CompilerReport& compiler : report.compilers) {
    const std::string group = one_line(name_of(compiler, with_run));
    table.columns.push_back({.title = "S(t)", .group = group});
    table.columns.push_back({.title = "ES(t)", .group = group});
  }
  for (int level = kStrictestScoreLevel; level <= kLoosestScoreLevel; ++level) {
    Row row{std::to_string(level)};
    for (const CompilerReport& compiler : report.compilers) {
      row.emplace_back(score_text(compiler.at(level).speedup_score));
      row.emplace_back(score_text(compiler.at(level).error_aware_score));
    }
    table.rows.push_back(std::move(row));
  }
  return to_text(table, style);
}

std::string series_text(const CompilerReport& compiler, const TextStyle& style) {
  const std::string errors = "errors by class";
  const std::string shares = "pi: share of errors";
  Table table;
  for (const char* title : {"t", "correct", "timed", "slow"}) table.columns.push_back({.title = title});
  for (const char* title : {"accuracy", "runtime", "compile"})
    table.columns.push_back({.title = title, .group = errors});
  for (const char* title : {"alpha", "beta", "lambda", "eta"}) table.columns.push_back({.title = title});
  for (const char* title : {"pi_1", "pi_2", "pi_3"}) table.columns.push_back({.title = title, .group = shares});
  for (const char* title : {"gamma", "S(t)", "ES(t)"}) table.columns.push_back({.title = title});
  for (const char* title : {"S(t)", "ES(t)"}) {
    table.columns.push_back({.title = title, .alignment = Alignment::kLeft, .group = "95 % over samples"});
  }
  for (const Score& score : compiler.series) {
    Row row;
    for (const int count : {score.level, score.correct, score.timed, score.slow})
      row.emplace_back(std::to_string(count));
    for (const int count : score.errors) row.emplace_back(std::to_string(count));
    const Aggregates& aggregates = score.aggregates;
    for (const double value : {aggregates.alpha, aggregates.beta, aggregates.lambda, aggregates.eta}) {
      row.emplace_back(score_text(value));
    }
    for (const double share : score.error_share) row.emplace_back(score_text(share));
    for (const double value : {score.gamma, score.speedup_score, score.error_aware_score}) {
      row.emplace_back(score_text(value));
    }
    if (const auto interval = compiler.interval_at(score.level)) {
      row.emplace_back(interval_text(interval->speedup_score));
      row.emplace_back(interval_text(interval->error_aware_score));
    }
    table.rows.push_back(std::move(row));
  }
  return to_text(table, style);
}

}  // namespace graphnet
