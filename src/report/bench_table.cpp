#include "graphnet/report/bench_table.h"

#include <algorithm>

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

std::string interval_text(const std::optional<double>& low, const std::optional<double>& high) {
  return low && high ? "[" + speedup_text(*low) + "," + speedup_text(*high) + "]" : kUnknown;
}

}  // namespace

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
                     interval_text(row.low, row.high), text_or_unknown(row.correct_to, level_text),
                     text_or_unknown(row.compile_seconds, tenths), Cell(row.verdict, row.tone)});
}

}  // namespace graphnet
