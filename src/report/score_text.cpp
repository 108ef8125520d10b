// How scores look on a terminal.

#include <algorithm>
#include <map>
#include <tuple>

#include "graphnet/report/number.h"
#include "graphnet/report/score_report.h"
#include "graphnet/report/table.h"

namespace graphnet {
namespace {

constexpr int kSummaryScoreLevels[] = {-5, 0};         // of S
constexpr int kSummaryErrorAwareLevels[] = {1, 2, 3};  // of ES

std::string score_text(double score) {
  return fixed(score, 3);
}

std::string parameters_text(const ScoreOptions& options) {
  std::string text =
      "p = " + significant(options.slowdown_penalty, 3) + ", b = " + significant(options.failure_base, 3);
  if (options.interpretation != Interpretation::kDefinition) {
    text += ", " + std::string(interpretation_name(options.interpretation));
  }
  return text;
}

std::string interval_text(const std::optional<ScoreInterval>& interval) {
  if (!interval) return "too few models";
  const Interval& score = interval->speedup_score;
  return "[" + score_text(score.low) + ", " + score_text(score.high) + "]";
}

bool has_several_runs(const ScoreReport& report) {
  return std::any_of(report.compilers.begin(), report.compilers.end(),
                     [&](const CompilerReport& each) { return each.run != report.compilers.front().run; });
}

std::string name_of(const CompilerReport& compiler, bool with_run) {
  return with_run ? compiler.run + " " + compiler.compiler : compiler.compiler;
}

// How a unit ended, apart from which sample it was: units that share it share a line.
using Incident = std::tuple<OutcomeStatus, std::optional<Stage>, std::optional<Cause>>;

std::string incident_text(const Incident& incident) {
  const auto& [status, stage, cause] = incident;
  if (status == OutcomeStatus::kCorrect) return "correct only beyond t = " + std::to_string(kSummaryLevel);
  std::string text(outcome_status_name(status));
  std::string reason;
  if (stage) reason += stage_name(*stage);
  if (stage && cause) reason += ", ";
  if (cause) reason += cause_name(*cause);
  return reason.empty() ? text : text + " (" + reason + ")";
}

Tone incident_tone(OutcomeStatus status) {
  const bool scored = status != OutcomeStatus::kExcluded && status != OutcomeStatus::kUnavailable;
  return scored ? Tone::kBad : Tone::kWarning;
}

}  // namespace

std::string summary_text(const ScoreReport& report, const TextStyle& style) {
  const bool with_run = has_several_runs(report);
  const std::string level = std::to_string(kSummaryLevel);
  Table table;
  if (with_run) table.columns.push_back({.title = "run", .alignment = Alignment::kLeft});
  table.columns.push_back({.title = "compiler", .alignment = Alignment::kLeft});
  for (const char* title : {"N", "excluded", "unavailable"}) table.columns.push_back({.title = title});
  table.columns.push_back({.title = "correct(" + level + ")"});
  table.columns.push_back({.title = "geomean"});
  for (const int t : kSummaryScoreLevels) table.columns.push_back({.title = "S(" + std::to_string(t) + ")"});
  for (const int t : kSummaryErrorAwareLevels) table.columns.push_back({.title = "ES(" + std::to_string(t) + ")"});
  table.columns.push_back({.title = "95 % of S(" + level + ")", .alignment = Alignment::kLeft});
  table.columns.push_back({.title = "with", .alignment = Alignment::kLeft});

  for (const CompilerReport& compiler : report.compilers) {
    const Score& score = compiler.at(kSummaryLevel);
    Row row;
    if (with_run) row.emplace_back(compiler.run);
    row.emplace_back(compiler.compiler);
    for (const int count : {score.samples, score.excluded, score.unavailable}) row.emplace_back(std::to_string(count));
    row.emplace_back(score.samples == 0 ? "-" : percent(score.aggregates.lambda));
    row.emplace_back(score.correct == 0 ? "-" : score_text(score.aggregates.alpha));
    for (const int t : kSummaryScoreLevels) row.emplace_back(score_text(compiler.at(t).speedup_score));
    for (const int t : kSummaryErrorAwareLevels) row.emplace_back(score_text(compiler.at(t).error_aware_score));
    row.emplace_back(interval_text(compiler.interval));
    row.emplace_back(parameters_text(report.options));
    table.rows.push_back(std::move(row));
  }
  return to_text(table, style);
}

std::string incidents_text(const ScoreReport& report, const TextStyle& style) {
  const bool with_run = has_several_runs(report);
  std::string text;
  for (const CompilerReport& compiler : report.compilers) {
    std::map<Incident, std::vector<const Outcome*>> incidents;
    for (const Outcome& outcome : compiler.not_correct) {
      incidents[{outcome.status, outcome.stage, outcome.cause}].push_back(&outcome);
    }
    for (const auto& [incident, outcomes] : incidents) {
      const std::string end = std::to_string(outcomes.size()) + " " + incident_text(incident);
      text +=
          one_line(name_of(compiler, with_run)) + ": " + paint(end, incident_tone(std::get<0>(incident)), style) + ":";
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        text += (i == 0 ? " " : ", ") + one_line(outcomes[i]->sample);
      }
      text += "\n";
    }
  }
  return text;
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
  for (const char* title : {"t", "correct", "slow"}) table.columns.push_back({.title = title});
  for (const char* title : {"accuracy", "runtime", "compile"})
    table.columns.push_back({.title = title, .group = errors});
  for (const char* title : {"alpha", "beta", "lambda", "eta"}) table.columns.push_back({.title = title});
  for (const char* title : {"pi_1", "pi_2", "pi_3"}) table.columns.push_back({.title = title, .group = shares});
  for (const char* title : {"gamma", "S(t)", "ES(t)"}) table.columns.push_back({.title = title});
  for (const Score& score : compiler.series) {
    Row row;
    for (const int count : {score.level, score.correct, score.slow}) row.emplace_back(std::to_string(count));
    for (const int count : score.errors) row.emplace_back(std::to_string(count));
    const Aggregates& aggregates = score.aggregates;
    for (const double value : {aggregates.alpha, aggregates.beta, aggregates.lambda, aggregates.eta}) {
      row.emplace_back(score_text(value));
    }
    for (const double share : score.error_share) row.emplace_back(score_text(share));
    for (const double value : {score.gamma, score.speedup_score, score.error_aware_score}) {
      row.emplace_back(score_text(value));
    }
    table.rows.push_back(std::move(row));
  }
  return to_text(table, style);
}

}  // namespace graphnet
