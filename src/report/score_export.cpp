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

ordered_json bounds(const std::optional<Interval>& interval) {
  return interval ? ordered_json::array({interval->low, interval->high}) : ordered_json();
}

ordered_json level_json(const Score& score, const std::optional<ScoreInterval>& interval) {
  ordered_json level = {{"level", score.level},
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
  result["geomean"] = summary.correct == 0 ? ordered_json() : ordered_json(summary.aggregates.alpha);
  result["fast"] = fast_json(compiler);
  result["interval"] = interval_json(compiler.interval_at(kSummaryLevel));
  result["trial_interval"] = trial_interval_json(compiler.trial_interval);
  result["levels"] = std::move(levels);
  result["by_category"] = slices_json(compiler.by_category);
  result["by_dtype"] = slices_json(compiler.by_dtype);
  result["not_correct"] = std::move(not_correct);
  return result;
}

// The columns of one CSV line that tell of a score.
void append_score(const Score& score, const std::optional<ScoreInterval>& interval, std::vector<std::string>& fields) {
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
  if (!interval) {
    fields.insert(fields.end(), 4, "");
    return;
  }
  for (const double bound : {interval->speedup_score.low, interval->speedup_score.high, interval->error_aware_score.low,
                             interval->error_aware_score.high}) {
    fields.push_back(csv_number(bound));
  }
}

// What is said of a compiler at kSummaryLevel only; empty fields in other lines.
void append_summary(const CompilerReport& compiler, std::vector<std::string>& fields) {
  fields.push_back(std::to_string(compiler.contended.size()));
  fields.push_back(std::to_string(compiler.noisy.size()));
  fields.push_back(compiler.trial_interval ? csv_number(compiler.trial_interval->low) : "");
  fields.push_back(compiler.trial_interval ? csv_number(compiler.trial_interval->high) : "");
  for (const double share : compiler.fast_shares) fields.push_back(csv_number(share));
}

constexpr std::size_t kSummaryFields = 4 + kFastThresholds.size();

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
  std::vector<std::string> header;
  for (const char* name : {"run",
                           "compiler",
                           "slice",
                           "name",
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
                           "error_aware_score",
                           "speedup_score_low",
                           "speedup_score_high",
                           "error_aware_score_low",
                           "error_aware_score_high",
                           "contended",
                           "noisy",
                           "trials_low",
                           "trials_high"}) {
    header.emplace_back(name);
  }
  for (const double p : kFastThresholds) header.push_back("fast_" + csv_number(p));
  std::string text = csv_line(header);
  for (const CompilerReport& compiler : report.compilers) {
    const auto start = [&](const char* slice, const std::string& name) {
      const ScoreOptions& options = report.options.score;
      return std::vector<std::string>{compiler.run,
                                      compiler.compiler,
                                      slice,
                                      name,
                                      csv_number(options.failure_base),
                                      csv_number(options.slowdown_penalty),
                                      std::string(interpretation_name(options.interpretation))};
    };
    for (const Score& score : compiler.series) {
      std::vector<std::string> fields = start("all", "");
      append_score(score, compiler.interval_at(score.level), fields);
      if (score.level == kSummaryLevel) {
        append_summary(compiler, fields);
      } else {
        fields.insert(fields.end(), kSummaryFields, "");
      }
      text += csv_line(fields);
    }
    for (const auto& [kind, slices] :
         {std::pair("category", &compiler.by_category), std::pair("dtype", &compiler.by_dtype)}) {
      for (const Slice& slice : *slices) {
        std::vector<std::string> fields = start(kind, slice.name);
        append_score(slice.score, slice.interval, fields);
        fields.insert(fields.end(), kSummaryFields, "");
        text += csv_line(fields);
      }
    }
  }
  return text;
}

}  // namespace graphnet
