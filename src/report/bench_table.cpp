#include "graphnet/report/bench_table.h"

#include <algorithm>
#include <utility>

#include "graphnet/report/number.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

constexpr const char* kUnknown = "-";
constexpr std::size_t kLongestSample = 48;
constexpr std::size_t kLongestCompiler = 32;

std::size_t widest(const std::vector<std::string>& texts, std::size_t limit) {
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, display_width(text));
  return std::min(width, limit);
}

template <class T, class Format>
std::string text_or_unknown(const std::optional<T>& value, const Format& format) {
  return value ? format(*value) : kUnknown;
}

std::string interval_text(const BenchRow& row) {
  constexpr double kPromised = 0.95;
  if (!row.low || !row.high || row.confidence < kPromised) return kUnknown;
  return "[" + speedup_text(*row.low) + "," + speedup_text(*row.high) + "]";
}

// How often timing ended in each way, best first, also where none did.
std::vector<std::pair<std::string, int>> verdict_counts(const CompilerReport& compiler) {
  std::vector<std::pair<std::string, int>> counts;
  for (const std::string_view each : kTimingVerdicts) {
    const auto place = compiler.verdicts.find(std::string(each));
    counts.emplace_back(each, place == compiler.verdicts.end() ? 0 : place->second);
  }
  return counts;
}

}  // namespace

std::string quality_text(const ScoreReport& report, const TextStyle& style) {
  std::string text;
  for (const CompilerReport& compiler : report.compilers) {
    if (compiler.verdicts.empty()) continue;
    std::vector<std::string> verdicts;
    for (const auto& [verdict, count] : verdict_counts(compiler)) {
      if (count > 0) verdicts.push_back(std::to_string(count) + " " + verdict);
    }
    text += one_line(compiler.compiler) + ": " + joined(verdicts);
    if (const std::size_t count = compiler.degenerate.size(); count > 0) {
      const std::string what = count == 1 ? "1 sample with a degenerate reference"
                                          : std::to_string(count) + " samples with degenerate references";
      const auto name_of = [](const UnitResult& result) { return one_line(result.outcome.sample); };
      text += "; " + paint(what, Tone::kWarning, style) + ": " + joined(compiler.degenerate, ", ", name_of);
    }
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json quality_json(const ScoreReport& report) {
  using nlohmann::ordered_json;
  ordered_json result = ordered_json::array();
  for (const CompilerReport& compiler : report.compilers) {
    if (compiler.verdicts.empty()) continue;
    ordered_json verdicts = ordered_json::object();
    for (const auto& [verdict, count] : verdict_counts(compiler)) verdicts[verdict] = count;
    ordered_json degenerate = ordered_json::array();
    for (const UnitResult& unit : compiler.degenerate) {
      degenerate.push_back({{"sample", unit.outcome.sample}, {"reason", unit.degenerate}});
    }
    result.push_back({{"compiler", compiler.compiler}, {"verdicts", verdicts}, {"degenerate", degenerate}});
  }
  return result;
}

std::string level_text(int level) {
  return "1e" + std::to_string(level);
}

BenchTable::BenchTable(const std::vector<std::string>& samples, const std::vector<std::string>& compilers,
                       TextStyle style)
    : table_({{.title = "sample", .alignment = Alignment::kLeft, .least_width = widest(samples, kLongestSample)},
              {.title = "compiler", .alignment = Alignment::kLeft, .least_width = widest(compilers, kLongestCompiler)},
              {.title = "eager ms", .least_width = 8},
              {.title = "compiled ms"},
              {.title = "speedup"},
              {.title = "95 %", .alignment = Alignment::kLeft, .least_width = 13},
              {.title = "correct to"},
              {.title = "compile s"},
              {.title = "verdict", .alignment = Alignment::kLeft}},
             style) {}

std::string BenchTable::row(const BenchRow& row) const {
  const auto tenths = [](double seconds) { return fixed(seconds, 1); };
  return table_.row({row.sample, row.compiler, text_or_unknown(row.reference_seconds, milliseconds),
                     text_or_unknown(row.candidate_seconds, milliseconds), text_or_unknown(row.speedup, speedup_text),
                     interval_text(row), text_or_unknown(row.correct_to, level_text),
                     text_or_unknown(row.compile_seconds, tenths) + (row.compile_cached ? "*" : ""),
                     Cell(row.verdict, row.tone)});
}

}  // namespace graphnet
