// Runs for other programs: JSON, CSV, JUnit and Google Benchmark.

#include <algorithm>
#include <cmath>

#include "graphnet/report/csv.h"
#include "graphnet/report/json_value.h"
#include "graphnet/report/run_report.h"
#include "graphnet/support/text.h"

#include "svg.h"

namespace graphnet {
namespace {

using nlohmann::ordered_json;

template <class T, class Name>
std::string name_or_empty(const std::optional<T>& value, const Name& name) {
  return value ? std::string(name(*value)) : "";
}

ordered_json unit_json(const UnitResult& result) {
  const Outcome& outcome = result.outcome;
  ordered_json unit;
  unit["sample"] = outcome.sample;
  unit["compiler"] = outcome.compiler;
  unit["status"] = outcome_status_name(outcome.status);
  unit["strictest_level"] = nullable(outcome.strictest_level);
  unit["speedup"] = nullable(outcome.speedup);
  unit["low"] = nullable(result.low);
  unit["high"] = nullable(result.high);
  unit["reference_seconds"] = nullable(result.reference_seconds);
  unit["candidate_seconds"] = nullable(result.candidate_seconds);
  unit["trials"] = result.log_ratios.size();
  unit["verdict"] = result.verdict;
  unit["stage"] = name_or_empty(outcome.stage, stage_name);
  unit["cause"] = name_or_empty(outcome.cause, cause_name);
  unit["message"] = outcome.message;
  unit["degenerate"] = result.degenerate;
  unit["compile_seconds"] = nullable(result.compile_seconds);
  unit["seconds"] = result.seconds;
  unit["category"] = result.category;
  unit["dtypes"] = result.dtypes;
  unit["group"] = outcome.group;
  unit["identity"] = result.identity;
  unit["path"] = result.path;
  unit["log"] = result.log;
  unit["reproduce"] = result.reproduce;
  return unit;
}

std::string csv_value(const ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return joined(value.get<std::vector<std::string>>(), " ");
  return value.is_number_float() ? csv_number(value.get<double>()) : value.dump();
}

// Empty where the speedup is a part of the scores.
std::string reason_text(SetAside reason) {
  switch (reason) {
    case SetAside::kNo:
      return "";
    case SetAside::kContended:
      return "contended: correct, but timed while other programs held the processors";
    case SetAside::kNoisy:
      return "noisy: correct, but its speedup is not known well enough";
  }
  return "";
}

enum class JunitEnd { kPassed, kFailed, kSkipped };

JunitEnd junit_end(const Outcome& outcome, const std::string& set_aside) {
  if (!is_scored(outcome) || (is_correct(outcome, kSummaryLevel) && !set_aside.empty())) return JunitEnd::kSkipped;
  return is_correct(outcome, kSummaryLevel) ? JunitEnd::kPassed : JunitEnd::kFailed;
}

std::string junit_case(const UnitResult& result, const std::string& suite, const std::string& set_aside) {
  const Outcome& outcome = result.outcome;
  std::string text = "    <testcase classname=\"" + escape_html(suite) + "\" name=\"" + escape_html(outcome.sample) +
                     "\" time=\"" + double_text(result.seconds) + "\"";
  const JunitEnd end = junit_end(outcome, set_aside);
  if (end == JunitEnd::kPassed) return text + "/>\n";
  const std::string element = end == JunitEnd::kFailed ? "failure" : "skipped";
  const std::string reason = is_correct(outcome, kSummaryLevel) ? set_aside : ending_text(outcome);
  text += ">\n      <" + element + " message=\"" + escape_html(reason) + "\">" + escape_html(outcome.message);
  if (!result.reproduce.empty()) text += "\nagain: " + escape_html(result.reproduce);
  return text + "</" + element + ">\n    </testcase>\n";
}

// Threads of the run, as it was given them or as its machine has them.
std::int64_t threads_of(const nlohmann::json& info) {
  const auto machine = info.find("machine");
  for (const nlohmann::json* object : {&info, machine != info.end() ? &*machine : nullptr}) {
    if (object == nullptr || !object->is_object()) continue;
    const auto threads = object->find("threads");
    if (threads != object->end() && threads->is_number_integer()) return threads->get<std::int64_t>();
  }
  return 1;
}

// One side of a unit, whose blocks of `batch` calls were timed. The time of the processor is not measured: its 0 stands
// for "unknown".
ordered_json benchmark_entry(const std::string& name, double seconds, std::int64_t batch, const UnitResult& result,
                             std::int64_t threads) {
  const auto trials = static_cast<std::int64_t>(result.log_ratios.size());
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", 1},
          {"repetition_index", 0},
          {"threads", threads},
          {"iterations", std::max(batch * trials, batch)},
          {"real_time", seconds * 1e3},
          {"cpu_time", 0.0},
          {"time_unit", "ms"}};
}

}  // namespace

ordered_json to_json(const RunReport& report) {
  ordered_json result;
  result["scores"] = to_json(report.scores);
  result["runs"] = ordered_json::array();
  for (const ReportedRun& run : report.runs) {
    ordered_json units = ordered_json::array();
    for (const UnitResult& each : run.results) units.push_back(unit_json(each));
    result["runs"].push_back({{"run", run.run}, {"info", run.info}, {"units", std::move(units)}});
  }
  return result;
}

std::string to_csv(const RunReport& report) {
  std::vector<std::string> header{"run"};
  const ordered_json columns = unit_json(UnitResult{});
  for (const auto& [key, value] : columns.items()) header.push_back(key);
  std::string text = csv_line(header);
  for (const ReportedRun& run : report.runs) {
    for (const UnitResult& result : run.results) {
      std::vector<std::string> fields{run.run};
      const ordered_json unit = unit_json(result);
      for (const auto& [key, value] : unit.items()) fields.push_back(csv_value(value));
      text += csv_line(fields);
    }
  }
  return text;
}

std::string to_junit(const RunReport& report) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const CompilerReport& compiler : report.scores.compilers) {
    const std::string suite = compiler.run + " " + compiler.compiler;
    std::string cases;
    std::size_t failures = 0;
    std::size_t skipped = 0;
    const std::vector<const UnitResult*> results = results_of(report, compiler);
    for (const UnitResult* result : results) {
      const std::string reason = reason_text(set_aside(*result, report.scores.options));
      cases += junit_case(*result, suite, reason);
      const JunitEnd end = junit_end(result->outcome, reason);
      failures += end == JunitEnd::kFailed;
      skipped += end == JunitEnd::kSkipped;
    }
    text += "  <testsuite name=\"" + escape_html(suite) + "\" tests=\"" + std::to_string(results.size()) +
            "\" failures=\"" + std::to_string(failures) + "\" errors=\"0\" skipped=\"" + std::to_string(skipped) +
            "\">\n" + cases + "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

ordered_json to_google_benchmark(const RunReport& report) {
  ordered_json result;
  result["context"] = ordered_json::object();
  if (!report.runs.empty()) {
    const nlohmann::json& info = report.runs.front().info;
    const auto started = info.find("started");
    result["context"]["date"] = started != info.end() && started->is_string() ? *started : nlohmann::json("");
    result["context"]["executable"] = "graphnet";
    result["context"]["caches"] = ordered_json::array();
    result["context"]["environment"] = environment_line(info);
  }
  result["benchmarks"] = ordered_json::array();
  for (const CompilerReport& compiler : report.scores.compilers) {
    const std::string prefix = report.runs.size() > 1 ? compiler.run + "/" : "";
    const auto run = std::ranges::find(report.runs, compiler.run, &ReportedRun::run);
    const std::int64_t threads = run == report.runs.end() ? 1 : threads_of(run->info);
    for (const UnitResult* each : results_of(report, compiler)) {
      if (set_aside(*each, report.scores.options) != SetAside::kNo) continue;
      if (!is_correct(each->outcome, kSummaryLevel) || !each->reference_seconds || !each->candidate_seconds) continue;
      const std::string name = prefix + each->outcome.sample + "/";
      result["benchmarks"].push_back(benchmark_entry(name + "eager-beside-" + compiler.compiler,
                                                     *each->reference_seconds, each->reference_batch, *each, threads));
      result["benchmarks"].push_back(
          benchmark_entry(name + compiler.compiler, *each->candidate_seconds, each->candidate_batch, *each, threads));
    }
  }
  return result;
}

}  // namespace graphnet
