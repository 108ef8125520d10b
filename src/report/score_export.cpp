// Scores for other programs: JSON and CSV.

#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "graphnet/report/csv.h"
#include "graphnet/report/json_value.h"
#include "graphnet/report/score_report.h"

namespace graphnet {
namespace {

using nlohmann::ordered_json;

ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

template <class T>
ordered_json by_class(const std::array<T, 3>& values) {
  return {{"accuracy", values[0]}, {"runtime", values[1]}, {"compile", values[2]}};
}

ordered_json bounds(const std::optional<Interval>& interval) {
  return interval ? ordered_json::array({interval->low, interval->high}) : ordered_json();
}

ordered_json level_json(const Score& score, const std::optional<ScoreInterval>& interval) {
  ordered_json level = {{"level", score.level},
                        {"correct", score.correct},
                        {"timed", score.timed},
                        {"slow", score.slow},
                        {"errors", by_class(score.errors)},
                        {"alpha", number(score.aggregates.alpha)},
                        {"beta", number(score.aggregates.beta)},
                        {"lambda", score.aggregates.lambda},
                        {"eta", number(score.aggregates.eta)},
                        {"pi", by_class(score.error_share)},
                        {"gamma", score.gamma},
                        {"speedup_score", number(score.speedup_score)},
                        {"error_aware_score", number(score.error_aware_score)}};
  level["speedup_interval"] = interval ? bounds(interval->speedup_score) : ordered_json();
  level["error_aware_interval"] = interval ? bounds(interval->error_aware_score) : ordered_json();
  return level;
}

ordered_json slices_json(const std::vector<Slice>& slices) {
  ordered_json result = ordered_json::array();
  for (const Slice& slice : slices) {
    ordered_json entry = {{"name", slice.name},
                          {"samples", slice.score.samples},
                          {"excluded", slice.score.excluded},
                          {"unavailable", slice.score.unavailable}};
    entry.update(level_json(slice.score, slice.interval));
    result.push_back(std::move(entry));
  }
  return result;
}

ordered_json outcome_json(const Outcome& outcome) {
  return {{"sample", outcome.sample},
          {"status", std::string(outcome_status_name(outcome.status))},
          {"stage", nullable_name(outcome.stage, stage_name)},
          {"cause", nullable_name(outcome.cause, cause_name)},
          {"strictest_level", nullable(outcome.strictest_level)},
          {"message", outcome.message}};
}

ordered_json interval_json(const std::optional<ScoreInterval>& interval) {
  if (!interval) return {};
  return {{"level", kSummaryLevel},
          {"confidence", interval->speedup_score.confidence},
          {"speedup_score", bounds(interval->speedup_score)},
          {"error_aware_score", bounds(interval->error_aware_score)}};
}

ordered_json trial_interval_json(const std::optional<Interval>& interval) {
  if (!interval) return {};
  return {{"level", kSummaryLevel}, {"confidence", interval->confidence}, {"speedup_score", bounds(interval)}};
}

ordered_json degenerate_json(const std::vector<UnitResult>& degenerate) {
  ordered_json list = ordered_json::array();
  for (const UnitResult& each : degenerate)
    list.push_back({{"sample", each.outcome.sample}, {"reason", each.degenerate}});
  return list;
}

ordered_json fast_json(const CompilerReport& compiler) {
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < compiler.fast_shares.size(); ++i) {
    list.push_back({{"p", kFastThresholds[i]}, {"share", number(compiler.fast_shares[i])}});
  }
  return list;
}

ordered_json compiler_json(const CompilerReport& compiler) {
  const Score& summary = compiler.at(kSummaryLevel);
  ordered_json levels = ordered_json::array();
  for (const Score& score : compiler.series) levels.push_back(level_json(score, compiler.interval_at(score.level)));
  ordered_json not_correct = ordered_json::array();
  for (const Outcome& outcome : compiler.not_correct) not_correct.push_back(outcome_json(outcome));
  ordered_json result = {{"run", compiler.run},
                         {"compiler", compiler.compiler},
                         {"samples", summary.samples},
                         {"excluded", summary.excluded},
                         {"unavailable", summary.unavailable},
                         {"verdicts", compiler.verdicts},
                         {"contended", compiler.contended},
                         {"noisy", compiler.noisy},
                         {"degenerate", degenerate_json(compiler.degenerate)}};
  result["geomean"] = summary.timed == 0 ? ordered_json() : ordered_json(summary.aggregates.alpha);
  result["fast"] = fast_json(compiler);
  result["interval"] = interval_json(compiler.interval_at(kSummaryLevel));
  result["trial_interval"] = trial_interval_json(compiler.trial_interval);
  result["levels"] = std::move(levels);
  result["by_category"] = slices_json(compiler.by_category);
  result["by_dtype"] = slices_json(compiler.by_dtype);
  result["not_correct"] = std::move(not_correct);
  return result;
}

// What one line of the CSV tells of.
struct CsvLine {
  const ScoreOptions& options;
  const CompilerReport& compiler;
  std::string slice;  // "all", "category" or "dtype"
  std::string name;   // of the slice
  const Score& score;
  std::optional<ScoreInterval> interval;

  // What is said of a compiler as a whole stands in one of its lines.
  bool is_summary() const { return slice == "all" && score.level == kSummaryLevel; }
};

struct CsvColumn {
  std::string name;
  std::function<std::string(const CsvLine&)> text;
};

CsvColumn count_column(std::string name, int Score::*count) {
  return {std::move(name), [count](const CsvLine& line) { return std::to_string(line.score.*count); }};
}

CsvColumn value_column(std::string name, double Score::*value) {
  return {std::move(name), [value](const CsvLine& line) { return csv_number(line.score.*value); }};
}

CsvColumn aggregate_column(std::string name, double Aggregates::*value) {
  return {std::move(name), [value](const CsvLine& line) { return csv_number(line.score.aggregates.*value); }};
}

CsvColumn bound_column(std::string name, Interval ScoreInterval::*interval, double Interval::*bound) {
  return {std::move(name), [interval, bound](const CsvLine& line) {
            return line.interval ? csv_number((*line.interval).*interval.*bound) : std::string();
          }};
}

// Empty in all lines but the summary's.
template <class Text>
CsvColumn summary_column(std::string name, const Text& text) {
  return {std::move(name),
          [text](const CsvLine& line) { return line.is_summary() ? text(line.compiler) : std::string(); }};
}

CsvColumn trial_column(std::string name, double Interval::*bound) {
  return summary_column(std::move(name), [bound](const CompilerReport& compiler) {
    return compiler.trial_interval ? csv_number((*compiler.trial_interval).*bound) : std::string();
  });
}

std::vector<CsvColumn> csv_columns() {
  std::vector<CsvColumn> columns{
      {"run", [](const CsvLine& line) { return line.compiler.run; }},
      {"compiler", [](const CsvLine& line) { return line.compiler.compiler; }},
      {"slice", [](const CsvLine& line) { return line.slice; }},
      {"name", [](const CsvLine& line) { return line.name; }},
      {"failure_base", [](const CsvLine& line) { return csv_number(line.options.failure_base); }},
      {"slowdown_penalty", [](const CsvLine& line) { return csv_number(line.options.slowdown_penalty); }},
      {"interpretation",
       [](const CsvLine& line) { return std::string(interpretation_name(line.options.interpretation)); }},
      count_column("level", &Score::level),
      count_column("samples", &Score::samples),
      count_column("excluded", &Score::excluded),
      count_column("unavailable", &Score::unavailable),
      count_column("correct", &Score::correct),
      count_column("timed", &Score::timed),
      count_column("slow", &Score::slow),
  };
  constexpr std::array kClasses{"accuracy", "runtime", "compile"};
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    columns.push_back({std::string(kClasses[i]) + "_errors",
                       [i](const CsvLine& line) { return std::to_string(line.score.errors[i]); }});
  }
  columns.insert(columns.end(),
                 {aggregate_column("alpha", &Aggregates::alpha), aggregate_column("beta", &Aggregates::beta),
                  aggregate_column("lambda", &Aggregates::lambda), aggregate_column("eta", &Aggregates::eta)});
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    columns.push_back(
        {std::string("pi_") + kClasses[i], [i](const CsvLine& line) { return csv_number(line.score.error_share[i]); }});
  }
  columns.insert(
      columns.end(),
      {value_column("gamma", &Score::gamma), value_column("speedup_score", &Score::speedup_score),
       value_column("error_aware_score", &Score::error_aware_score),
       bound_column("speedup_score_low", &ScoreInterval::speedup_score, &Interval::low),
       bound_column("speedup_score_high", &ScoreInterval::speedup_score, &Interval::high),
       bound_column("error_aware_score_low", &ScoreInterval::error_aware_score, &Interval::low),
       bound_column("error_aware_score_high", &ScoreInterval::error_aware_score, &Interval::high),
       summary_column("contended", [](const CompilerReport& each) { return std::to_string(each.contended.size()); }),
       summary_column("noisy", [](const CompilerReport& each) { return std::to_string(each.noisy.size()); }),
       trial_column("trials_low", &Interval::low), trial_column("trials_high", &Interval::high)});
  for (std::size_t i = 0; i < kFastThresholds.size(); ++i) {
    columns.push_back(summary_column("fast_" + csv_number(kFastThresholds[i]), [i](const CompilerReport& compiler) {
      return csv_number(compiler.fast_shares[i]);
    }));
  }
  return columns;
}

}  // namespace

ordered_json to_json(const ScoreReport& report) {
  const auto& [score, bootstrap, include_contended, exclude_noisy] = report.options;
  ordered_json result;
  result["failure_base"] = score.failure_base;
  result["slowdown_penalty"] = score.slowdown_penalty;
  result["interpretation"] = interpretation_name(score.interpretation);
  result["include_contended"] = include_contended;
  result["exclude_noisy"] = exclude_noisy;
  result["bootstrap"] = {{"resamples", bootstrap.resamples}, {"seed", bootstrap.seed}};
  ordered_json scores = ordered_json::array();
  for (const CompilerReport& compiler : report.compilers) scores.push_back(compiler_json(compiler));
  result["scores"] = std::move(scores);
  return result;
}

std::string to_csv(const ScoreReport& report) {
  const std::vector<CsvColumn> columns = csv_columns();
  std::vector<std::string> fields;
  for (const CsvColumn& column : columns) fields.push_back(column.name);
  std::string text = csv_line(fields);
  const auto append = [&](const CsvLine& line) {
    fields.clear();
    for (const CsvColumn& column : columns) fields.push_back(column.text(line));
    text += csv_line(fields);
  };
  for (const CompilerReport& compiler : report.compilers) {
    for (const Score& score : compiler.series) {
      append({report.options.score, compiler, "all", "", score, compiler.interval_at(score.level)});
    }
    for (const auto& [kind, slices] :
         {std::pair("category", &compiler.by_category), std::pair("dtype", &compiler.by_dtype)}) {
      for (const Slice& slice : *slices) {
        append({report.options.score, compiler, kind, slice.name, slice.score, slice.interval});
      }
    }
  }
  return text;
}

}  // namespace graphnet
