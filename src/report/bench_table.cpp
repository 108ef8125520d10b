#include "graphnet/report/bench_table.h"

#include <algorithm>
#include <utility>

#include "graphnet/report/number.h"

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

// What is said of one compiler's units.
struct Quality {
  std::string compiler;
  std::vector<std::pair<std::string, int>> verdicts;  // best first
  std::vector<const UnitQuality*> degenerate;
};

int& count_of(std::vector<std::pair<std::string, int>>& verdicts, const std::string& verdict) {
  const auto place = std::find_if(verdicts.begin(), verdicts.end(), [&](const auto& e) { return e.first == verdict; });
  return place != verdicts.end() ? place->second : verdicts.emplace_back(verdict, 0).second;
}

std::vector<Quality> qualities(const std::vector<UnitQuality>& units) {
  std::vector<Quality> result;
  for (const UnitQuality& unit : units) {
    if (unit.verdict.empty()) continue;
    auto place = std::find_if(result.begin(), result.end(), [&](const auto& e) { return e.compiler == unit.compiler; });
    if (place == result.end()) {
      place = result.insert(place, Quality{unit.compiler, {}, {}});
      for (const char* verdict : {"converged", "capped", "noisy", "contended"}) count_of(place->verdicts, verdict);
    }
    ++count_of(place->verdicts, unit.verdict);
    if (!unit.degenerate.empty()) place->degenerate.push_back(&unit);
  }
  return result;
}

}  // namespace

std::string quality_text(const std::vector<UnitQuality>& units, const TextStyle& style) {
  std::string text;
  for (const Quality& quality : qualities(units)) {
    std::string verdicts;
    for (const auto& [verdict, count] : quality.verdicts) {
      if (count > 0) verdicts += (verdicts.empty() ? "" : ", ") + std::to_string(count) + " " + verdict;
    }
    text += one_line(quality.compiler) + ": " + one_line(verdicts);
    if (const std::size_t count = quality.degenerate.size(); count > 0) {
      const std::string what = count == 1 ? "1 sample with a degenerate reference"
                                          : std::to_string(count) + " samples with degenerate references";
      text += "; " + paint(what, Tone::kWarning, style) + ":";
      for (const UnitQuality* unit : quality.degenerate) {
        text += (unit == quality.degenerate.front() ? " " : ", ") + one_line(unit->sample);
      }
    }
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json quality_json(const std::vector<UnitQuality>& units) {
  using nlohmann::ordered_json;
  ordered_json result = ordered_json::array();
  for (const Quality& quality : qualities(units)) {
    ordered_json verdicts = ordered_json::object();
    for (const auto& [verdict, count] : quality.verdicts) verdicts[verdict] = count;
    ordered_json degenerate = ordered_json::array();
    for (const UnitQuality* unit : quality.degenerate) {
      degenerate.push_back({{"sample", unit->sample}, {"reason", unit->degenerate}});
    }
    result.push_back({{"compiler", quality.compiler}, {"verdicts", verdicts}, {"degenerate", degenerate}});
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
