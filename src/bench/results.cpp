#include "graphnet/bench/results.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <string_view>

#include <simdjson.h>

#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

namespace dom = simdjson::dom;

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(ErrorKind::kInput, reason);
}

std::string quoted(std::string_view key) {
  return "\"" + std::string(key) + "\"";
}

std::optional<dom::element> find(dom::object object, std::string_view key) {
  dom::element value;
  if (object.at_key(key).get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
  return value;
}

template <class T>
std::optional<T> optional_value(dom::object object, std::string_view key, const char* expected) {
  const std::optional<dom::element> element = find(object, key);
  if (!element) return std::nullopt;
  T value;
  if (element->get(value) != simdjson::SUCCESS) refuse(quoted(key) + " has to be " + expected);
  return value;
}

// Seconds and speedups: none of what a unit measures is below 0.
std::optional<double> optional_number(dom::object object, std::string_view key) {
  const auto value = optional_value<double>(object, key, "a number");
  if (value && *value < 0) refuse(quoted(key) + " is " + std::to_string(*value) + ", which is below 0");
  return value;
}

double number(dom::object object, std::string_view key) {
  const std::optional<double> value = optional_number(object, key);
  if (!value) refuse(quoted(key) + " is missing: a number is expected");
  return *value;
}

// Empty where the key is absent or null.
std::string optional_text(dom::object object, std::string_view key) {
  return std::string(optional_value<std::string_view>(object, key, "text").value_or(""));
}

std::string text(dom::object object, std::string_view key) {
  if (!find(object, key)) refuse(quoted(key) + " is missing: text is expected");
  return optional_text(object, key);
}

[[noreturn]] void refuse_value(std::string_view key, std::string_view value) {
  refuse(quoted(key) + " has the unknown value \"" + excerpt(value) + "\"");
}

// The value that a name stands for; nothing for null.
template <class Parse>
auto named(dom::object object, std::string_view key, const Parse& parse) -> decltype(parse(std::string_view())) {
  const std::optional<std::string_view> name = optional_value<std::string_view>(object, key, "text or null");
  if (!name) return std::nullopt;
  auto value = parse(*name);
  if (!value) refuse_value(key, *name);
  return value;
}

std::vector<std::string> texts(dom::object object, std::string_view key) {
  std::vector<std::string> values;
  const auto list = optional_value<dom::array>(object, key, "a list of texts");
  if (!list) return values;
  for (const dom::element element : *list) {
    std::string_view value;
    if (element.get(value) != simdjson::SUCCESS) refuse(quoted(key) + " has to be a list of texts");
    values.emplace_back(value);
  }
  return values;
}

// The trials that the speedup comes from: the undisturbed ones, or all where the timing was contended throughout.
std::vector<double> log_ratios(dom::object timing, bool with_disturbed) {
  std::vector<double> ratios;
  const auto trials = optional_value<dom::array>(timing, "trials", "a list");
  if (!trials) return ratios;
  std::vector<bool> is_disturbed(trials->size(), false);
  if (const auto disturbed = optional_value<dom::array>(timing, "disturbed", "a list"); disturbed && !with_disturbed) {
    for (const dom::element element : *disturbed) {
      std::uint64_t index = 0;
      if (element.get(index) == simdjson::SUCCESS && index < is_disturbed.size()) is_disturbed[index] = true;
    }
  }
  ratios.reserve(is_disturbed.size());
  std::size_t index = 0;
  for (const dom::element trial : *trials) {
    double reference = 0;
    double candidate = 0;
    if (trial.at(0).get(reference) != simdjson::SUCCESS || trial.at(1).get(candidate) != simdjson::SUCCESS) {
      refuse("each of \"trials\" has to begin with two numbers, the seconds of reference and candidate");
    }
    const double ratio = std::log(reference / candidate);
    if (!is_disturbed[index++] && std::isfinite(ratio)) ratios.push_back(ratio);
  }
  return ratios;
}

// What the worker measured; absent for units that ended before they were timed.
void read_measurements(dom::object line, UnitResult& result) {
  const auto measurements = optional_value<dom::object>(line, "measurements", "an object");
  if (!measurements) return;
  const auto worker = optional_value<dom::object>(*measurements, "worker", "an object");
  if (!worker) return;
  if (const auto timing = optional_value<dom::object>(*worker, "timing", "an object")) {
    result.reference_seconds = optional_number(*timing, "reference_seconds");
    result.candidate_seconds = optional_number(*timing, "candidate_seconds");
    result.reference_batch = optional_value<std::int64_t>(*timing, "reference_batch", "a whole number").value_or(1);
    result.candidate_batch = optional_value<std::int64_t>(*timing, "candidate_batch", "a whole number").value_or(1);
    result.low = optional_number(*timing, "low");
    result.high = optional_number(*timing, "high");
    result.log_ratios = log_ratios(*timing, result.verdict == kContendedVerdict);
  }
  if (!result.degenerate.empty()) return;
  if (const auto reference = optional_value<dom::object>(*worker, "reference", "an object")) {
    result.degenerate = optional_text(*reference, "degenerate");
  }
}

UnitResult parse_result(dom::element element) {
  dom::object line;
  if (element.get(line) != simdjson::SUCCESS) refuse("a JSON object is expected");
  UnitResult result;
  Outcome& outcome = result.outcome;
  outcome.sample = text(line, "sample");
  outcome.compiler = text(line, "compiler");
  outcome.group = optional_text(line, "group");
  const auto status = named(line, "status", parse_outcome_status);
  if (!status) refuse("\"status\" is missing: text is expected");
  outcome.status = *status;
  if (const auto level = optional_value<std::int64_t>(line, "strictest_level", "a whole number or null")) {
    outcome.strictest_level = static_cast<int>(*level);
  }
  outcome.speedup = optional_number(line, "speedup");
  outcome.stage = named(line, "stage", parse_stage);
  outcome.cause = named(line, "cause", parse_cause);
  outcome.message = text(line, "message");
  result.path = text(line, "path");
  result.identity = text(line, "identity");
  result.category = text(line, "category");
  result.dtypes = texts(line, "dtypes");
  result.verdict = text(line, "verdict");
  if (!result.verdict.empty() && std::ranges::find(kTimingVerdicts, result.verdict) == kTimingVerdicts.end()) {
    refuse_value("verdict", result.verdict);
  }
  result.degenerate = optional_text(line, "degenerate");
  if (const double seconds = number(line, "compile_seconds"); seconds > 0) result.compile_seconds = seconds;
  result.seconds = number(line, "seconds");
  result.log = text(line, "log");
  result.reproduce = text(line, "reproduce");
  read_measurements(line, result);
  check_outcome(outcome);
  return result;
}

UnitResult parse_result(dom::parser& parser, const std::string& line) {
  dom::element element;
  if (parser.parse(line).get(element) != simdjson::SUCCESS) refuse("this line is no JSON: the file is damaged");
  return parse_result(element);
}

}  // namespace

RunResults read_results(const std::filesystem::path& folder) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(folder / kRunFile, failure)) {
    constexpr std::string_view kAdvice = ". Give a folder that graphnet bench wrote";
    const std::string what = folder.string() + " is no run of graphnet: ";
    if (!std::filesystem::exists(folder, failure)) {
      throw Error(ErrorKind::kUsage, what + "there is no such folder" + std::string(kAdvice));
    }
    refuse(what + "it has no " + std::string(kRunFile) + std::string(kAdvice));
  }
  RunResults run;
  run.info = read_run_information(folder / kRunFile);
  const std::filesystem::path path = folder / kResultsFile;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path.string() + " cannot be read: the run has lost its results");

  dom::parser parser;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (file.eof()) {  // no line end: this line was not finished
      run.torn = true;
      break;
    }
    try {
      run.results.push_back(parse_result(parser, line));
    } catch (const Error& error) {
      throw error.with_context(path.string() + ":" + std::to_string(number));
    }
  }
  if (file.bad()) refuse(path.string() + " cannot be read to its end");
  return run;
}

std::size_t planned_units(const nlohmann::json& info) {
  const auto samples = info.find("samples");
  const auto compilers = info.find("compilers");
  return samples == info.end() || compilers == info.end() ? 0 : samples->size() * compilers->size();
}

}  // namespace graphnet
