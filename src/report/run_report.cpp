#include "graphnet/report/run_report.h"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace graphnet {
namespace {

// Values of a run.json by their keys, each with its unit behind it; those that are absent are left out. A value that
// the run was given stands before the machine's own.
std::string described(const nlohmann::json& info, std::initializer_list<std::pair<const char*, const char*>> keys) {
  const auto machine = info.find("machine");
  std::string text;
  for (const auto& [key, unit] : keys) {
    auto value = info.find(key);
    const bool is_given = key == std::string_view("threads") && value != info.end() && !value->is_null();
    if (!is_given) {
      if (machine == info.end() || !machine->is_object()) continue;
      value = machine->find(key);
      if (value == machine->end() || value->is_null()) continue;
    }
    text += (text.empty() ? "" : ", ") + (value->is_string() ? value->get<std::string>() : value->dump()) + unit;
  }
  return text;
}

}  // namespace

RunReport make_run_report(std::vector<ReportedRun> runs, const ScoreReportOptions& options) {
  std::vector<LabelledResults> labelled;
  for (const ReportedRun& run : runs) labelled.push_back({run.run, run.results});
  ScoreReport scores = make_score_report(std::move(labelled), options);
  return {std::move(runs), std::move(scores)};
}

std::vector<const UnitResult*> results_of(const RunReport& report, const CompilerReport& compiler) {
  std::vector<const UnitResult*> results;
  for (const ReportedRun& run : report.runs) {
    if (run.run != compiler.run) continue;
    for (const UnitResult& result : run.results) {
      if (result.outcome.compiler == compiler.compiler) results.push_back(&result);
    }
  }
  return results;
}

std::string ending_text(const Outcome& outcome) {
  switch (outcome.status) {
    case OutcomeStatus::kCorrect:
      return is_correct(outcome, kSummaryLevel) ? "correct"
                                                : "correct only beyond t = " + std::to_string(kSummaryLevel);
    case OutcomeStatus::kAccuracy:
      return "wrong";
    case OutcomeStatus::kFailed:
    case OutcomeStatus::kExcluded:
    case OutcomeStatus::kUnavailable:
      break;
  }
  std::string text(outcome_status_name(outcome.status));
  if (outcome.stage) text += " at " + std::string(stage_name(*outcome.stage));
  if (outcome.cause) text += ", " + std::string(cause_name(*outcome.cause));
  return text;
}

std::string machine_text(const nlohmann::json& info) {
  return described(info, {{"processor", ""}, {"capability", ""}, {"threads", " threads"}, {"device", ""}});
}

std::string environment_line(const nlohmann::json& info) {
  return described(info, {{"processor", ""}, {"threads", " threads"}, {"device", ""}, {"framework", ""}});
}

}  // namespace graphnet
