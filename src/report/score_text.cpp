// The summary of scores on a terminal, and what a reader has to know beside it.

#include <algorithm>
#include <map>
#include <tuple>

#include "graphnet/report/number.h"
#include "graphnet/report/score_report.h"
#include "graphnet/report/table.h"

#include "score_words.h"

namespace graphnet {
namespace {

constexpr int kSummaryScoreLevels[] = {-5, 0};         // of S
constexpr int kSummaryErrorAwareLevels[] = {1, 2, 3};  // of ES
constexpr std::size_t kMostNames = 50;                 // of samples on one line; JSON has them all

std::string parameters_text(const ScoreOptions& options) {
  std::string text =
      "p = " + significant(options.slowdown_penalty, 3) + ", b = " + significant(options.failure_base, 3);
  if (options.interpretation != Interpretation::kDefinition) {
    text += ", " + std::string(interpretation_name(options.interpretation));
  }
  return text;
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

std::string list_of(const std::vector<std::string>& samples) {
  std::string text;
  for (std::size_t i = 0; i < std::min(samples.size(), kMostNames); ++i) {
    text += (i == 0 ? "" : ", ") + one_line(samples[i]);
  }
  return samples.size() <= kMostNames ? text : text + " and " + std::to_string(samples.size() - kMostNames) + " more";
}

// Correct samples whose speedups are no part of the scores; that they are correct is.
std::string set_aside_text(const CompilerReport& compiler, const std::string& name, const TextStyle& style) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& samples, const std::string& verdict, const std::string& advice) {
    if (samples.empty()) return;
    const std::string count = std::to_string(samples.size()) + " " + verdict;
    text += one_line(name) + ": the speedups of " + paint(count, Tone::kWarning, style) +
            " are no part of the scores (" + advice + "): " + list_of(samples) + "\n";
  };
  add(compiler.contended, "contended",
      "bench again when no other program takes the processors, or have them in with graphnet score "
      "--include-contended");
  add(compiler.noisy, "noisy", "bench again with more --timing-seconds, or leave out --exclude-noisy");
  return text;
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
  table.columns.push_back({.title = "by trials", .alignment = Alignment::kLeft});
  table.columns.push_back({.title = "with", .alignment = Alignment::kLeft});

  for (const CompilerReport& compiler : report.compilers) {
    const Score& score = compiler.at(kSummaryLevel);
    Row row;
    if (with_run) row.emplace_back(compiler.run);
    row.emplace_back(compiler.compiler);
    for (const int count : {score.samples, score.excluded, score.unavailable}) row.emplace_back(std::to_string(count));
    row.emplace_back(score.samples == 0 ? "-" : percent(score.aggregates.lambda));
    row.emplace_back(score.timed == 0 ? "-" : score_text(score.aggregates.alpha));
    for (const int t : kSummaryScoreLevels) row.emplace_back(score_text(compiler.at(t).speedup_score));
    for (const int t : kSummaryErrorAwareLevels) row.emplace_back(score_text(compiler.at(t).error_aware_score));
    const auto interval = compiler.interval_at(kSummaryLevel);
    row.emplace_back(interval ? interval_text(interval->speedup_score) : "too few models");
    row.emplace_back(interval_text(compiler.trial_interval));
    row.emplace_back(parameters_text(report.options.score));
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
      std::vector<std::string> samples;
      for (const Outcome* outcome : outcomes) samples.push_back(outcome->sample);
      text += one_line(name_of(compiler, with_run)) + ": " + paint(end, incident_tone(std::get<0>(incident)), style) +
              ": " + list_of(samples) + "\n";
    }
    text += set_aside_text(compiler, name_of(compiler, with_run), style);
  }
  return text;
}

std::string degenerate_text(const ScoreReport& report, const TextStyle& style) {
  const bool with_run = has_several_runs(report);
  std::string text;
  for (const CompilerReport& compiler : report.compilers) {
    std::map<std::string, std::vector<std::string>> samples;  // by reason
    for (const UnitResult& result : compiler.degenerate) samples[result.degenerate].push_back(result.outcome.sample);
    for (const auto& [reason, names] : samples) {
      const std::string count = std::to_string(names.size()) + " with a degenerate reference";
      text += one_line(name_of(compiler, with_run)) + ": " + paint(count, Tone::kWarning, style) + " (" +
              one_line(reason) + "): " + list_of(names) + "\n";
    }
  }
  return text;
}

}  // namespace graphnet
