// Scores for other programs: JSON and CSV.

#include <array>
#include <cmath>

#include "graphnet/report/csv.h"
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

ordered_json level_json(const Score& score) {
  return {{"level", score.level},
          {"correct", score.correct},
          {"slow", score.slow},
          {"errors", by_class(score.errors)},
          {"alpha", score.aggregates.alpha},
          {"beta", score.aggregates.beta},
          {"lambda", score.aggregates.lambda},
          {"eta", score.aggregates.eta},
          {"pi", by_class(score.error_share)},
          {"gamma", score.gamma},
          {"speedup_score", number(score.speedup_score)},
          {"error_aware_score", number(score.error_aware_score)}};
}

template <class T, class Name>
ordered_json name_or_null(const std::optional<T>& value, const Name& name) {
  return value ? ordered_json(std::string(name(*value))) : ordered_json();
}

ordered_json outcome_json(const Outcome& outcome) {
  return {{"sample", outcome.sample},
          {"status", std::string(outcome_status_name(outcome.status))},
          {"stage", name_or_null(outcome.stage, stage_name)},
          {"cause", name_or_null(outcome.cause, cause_name)},
          {"strictest_level", outcome.strictest_level ? ordered_json(*outcome.strictest_level) : ordered_json()},
          {"message", outcome.message}};
}

ordered_json interval_json(const std::optional<ScoreInterval>& interval) {
  if (!interval) return {};
  const auto bounds = [](const Interval& each) { return ordered_json::array({each.low, each.high}); };
  return {{"level", kSummaryLevel},
          {"confidence", interval->speedup_score.confidence},
          {"speedup_score", bounds(interval->speedup_score)},
          {"error_aware_score", bounds(interval->error_aware_score)}};
}

ordered_json compiler_json(const CompilerReport& compiler) {
  const Score& summary = compiler.at(kSummaryLevel);
  ordered_json levels = ordered_json::array();
  for (const Score& score : compiler.series) levels.push_back(level_json(score));
  ordered_json not_correct = ordered_json::array();
  for (const Outcome& outcome : compiler.not_correct) not_correct.push_back(outcome_json(outcome));
  ordered_json result = {{"run", compiler.run},
                         {"compiler", compiler.compiler},
                         {"samples", summary.samples},
                         {"excluded", summary.excluded},
                         {"unavailable", summary.unavailable}};
  result["interval"] = interval_json(compiler.interval);
  result["levels"] = std::move(levels);
  result["not_correct"] = std::move(not_correct);
  return result;
}

}  // namespace

ordered_json to_json(const ScoreReport& report) {
  ordered_json result;
  result["failure_base"] = report.options.failure_base;
  result["slowdown_penalty"] = report.options.slowdown_penalty;
  result["interpretation"] = interpretation_name(report.options.interpretation);
  result["bootstrap"] = {{"resamples", report.bootstrap.resamples}, {"seed", report.bootstrap.seed}};
  ordered_json scores = ordered_json::array();
  for (const CompilerReport& compiler : report.compilers) scores.push_back(compiler_json(compiler));
  result["scores"] = std::move(scores);
  return result;
}

std::string to_csv(const ScoreReport& report) {
  const std::vector<std::string> header = {"run",
                                           "compiler",
                                           "failure_base",
                                           "slowdown_penalty",
                                           "interpretation",
                                           "level",
                                           "samples",
                                           "excluded",
                                           "unavailable",
                                           "correct",
                                           "slow",
                                           "accuracy_errors",
                                           "runtime_errors",
                                           "compile_errors",
                                           "alpha",
                                           "beta",
                                           "lambda",
                                           "eta",
                                           "pi_accuracy",
                                           "pi_runtime",
                                           "pi_compile",
                                           "gamma",
                                           "speedup_score",
                                           "error_aware_score"};
  std::string text = csv_line(header);
  for (const CompilerReport& compiler : report.compilers) {
    for (const Score& score : compiler.series) {
      std::vector<std::string> fields = {compiler.run, compiler.compiler, csv_number(report.options.failure_base),
                                         csv_number(report.options.slowdown_penalty),
                                         std::string(interpretation_name(report.options.interpretation))};
      for (const int count : {score.level, score.samples, score.excluded, score.unavailable, score.correct, score.slow,
                              score.errors[0], score.errors[1], score.errors[2]}) {
        fields.push_back(std::to_string(count));
      }
      const Aggregates& aggregates = score.aggregates;
      for (const double value :
           {aggregates.alpha, aggregates.beta, aggregates.lambda, aggregates.eta, score.error_share[0],
            score.error_share[1], score.error_share[2], score.gamma, score.speedup_score, score.error_aware_score}) {
        fields.push_back(csv_number(value));
      }
      text += csv_line(fields);
    }
  }
  return text;
}

}  // namespace graphnet
