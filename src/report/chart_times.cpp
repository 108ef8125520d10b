// Time of the reference against time of the candidate.

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "graphnet/report/number.h"

#include "chart.h"

namespace graphnet {
namespace {

constexpr std::size_t kMostDots = 300;  // with a link and a tip each; above, one path of dots
constexpr double kRadius = 2.6;

std::string tip_of(const UnitResult& result) {
  return result.outcome.sample + ": eager " + milliseconds(*result.reference_seconds) + " ms, compiled " +
         milliseconds(*result.candidate_seconds) + " ms, " + speedup_text(*result.outcome.speedup) + "x";
}

std::vector<const UnitResult*> timed(const Series& series) {
  std::vector<const UnitResult*> results;
  for (const UnitResult* result : series.results) {
    const bool has_times = result->reference_seconds.value_or(0) > 0 && result->candidate_seconds.value_or(0) > 0;
    if (result->outcome.speedup && has_times) results.push_back(result);
  }
  return results;
}

// Dots that fall onto one place are drawn once.
void draw_many(Svg& svg, const std::vector<const UnitResult*>& results, const Series& series, const Scale& x,
               const Scale& y) {
  std::set<std::pair<int, int>> places;
  for (const UnitResult* result : results) {
    places.emplace(static_cast<int>(x(*result->reference_seconds * 1e3) + 0.5),
                   static_cast<int>(y(*result->candidate_seconds * 1e3) + 0.5));
  }
  std::string dots;
  for (const auto& [left, top] : places) dots += "M" + std::to_string(left) + " " + std::to_string(top) + "h0";
  svg.path(dots, "cloud " + series.color);
}

void draw_ratio(Svg& svg, const Frame& frame, const Scale& x, const Scale& y, double ratio, std::string_view text) {
  // candidate = reference / ratio, as far as it is inside.
  const double first = std::max(x.low(), y.low() * ratio);
  const double last = std::min(x.high(), y.high() * ratio);
  if (first >= last) return;
  svg.line({x(first), y(first / ratio)}, {x(last), y(last / ratio)}, ratio == 1 ? "one" : "ratio");
  const Point end{x(last), y(last / ratio)};
  const bool at_right = end.x > frame.right - 1;
  svg.text(at_right ? Point{frame.right + 4, end.y + 3.5} : Point{end.x, frame.top - 4}, text,
           at_right ? Anchor::kStart : Anchor::kMiddle, "faint");
}

}  // namespace

Range time_range(const std::vector<Series>& series) {
  Range range{std::numeric_limits<double>::infinity(), 0};
  for (const Series& each : series) {
    for (const UnitResult* result : timed(each)) {
      if (result->verdict == kContendedVerdict) continue;
      range.include(*result->reference_seconds * 1e3);
      range.include(*result->candidate_seconds * 1e3);
    }
  }
  return range;
}

std::string time_chart(const Series& series, const Range& range, const BlockNames& blocks) {
  const std::vector<const UnitResult*> results = timed(series);
  if (results.empty() || range.is_empty()) return "";
  const double height = 352;
  const Frame frame{46, 36, kPanelWidth - 30, height - 38};
  const Scale x = Scale::logarithmic(range.low / 1.3, range.high * 1.3, frame.left, frame.right);
  const Scale y = Scale::logarithmic(range.low / 1.3, range.high * 1.3, frame.bottom, frame.top);

  Svg svg(kPanelWidth, height, "Eager time against compiled time of " + series.label);
  svg.text({8, 12}, series.label, Anchor::kStart, "heading " + series.color);
  draw_y_axis(svg, frame, y, decimal_ticks(y.low(), y.high(), 8));
  draw_x_axis(svg, frame, x, decimal_ticks(x.low(), x.high(), 8), "eager, ms a call");
  svg.vertical_text({11, (frame.top + frame.bottom) / 2}, "compiled, ms a call");
  draw_ratio(svg, frame, x, y, 1, "1x");
  draw_ratio(svg, frame, x, y, 2, "2x");
  draw_ratio(svg, frame, x, y, 0.5, "0.5x");
  if (results.size() > kMostDots) {
    draw_many(svg, results, series, x, y);
    return std::move(svg).finish();
  }
  for (const UnitResult* result : results) {
    const bool is_right = is_correct(result->outcome, kSummaryLevel) && result->verdict != kContendedVerdict;
    svg.dot({x(*result->reference_seconds * 1e3), y(*result->candidate_seconds * 1e3)}, kRadius,
            (is_right ? "dot " : "hollow ") + series.color, blocks.of(result->outcome.sample), tip_of(*result));
  }
  return std::move(svg).finish();
}

}  // namespace graphnet
