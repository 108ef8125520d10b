#include "graphnet/report/run_report.h"

#include <utility>

namespace graphnet {

RunReport make_run_report(std::vector<ReportedRun> runs, const ScoreReportOptions& options) {
  std::vector<LabelledResults> labelled;
  for (const ReportedRun& run : runs) labelled.push_back({run.run, run.results});
  ScoreReport scores = make_score_report(labelled, options);
  return {std::move(runs), std::move(scores)};
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

std::string environment_line(const nlohmann::json& info) {
  const nlohmann::json machine = info.value("machine", nlohmann::json::object());
  std::string text;
  const auto add = [&](const nlohmann::json& object, const char* key, const char* unit) {
    const auto value = object.find(key);
    if (value == object.end() || value->is_null()) return;
    text += (text.empty() ? "" : ", ") + (value->is_string() ? value->get<std::string>() : value->dump()) + unit;
  };
  if (!machine.is_object()) return text;
  add(machine, "processor", "");
  add(info.contains("threads") ? info : machine, "threads", " threads");
  add(machine, "device", "");
  add(machine, "framework", "");
  return text;
}

}  // namespace graphnet
