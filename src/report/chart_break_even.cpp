// When compiling has paid off.

#include <algorithm>
#include <cmath>
#include <limits>

#include "graphnet/report/number.h"

#include "chart.h"

namespace graphnet {
namespace {

struct Curve {
  const Series* series = nullptr;
  std::vector<double> calls;  // ascending; infinite ones last
};

std::vector<Curve> curves(const std::vector<Series>& all) {
  std::vector<Curve> result;
  for (const Series& series : all) {
    Curve curve{.series = &series, .calls = {}};
    for (const UnitResult* each : series.results) {
      if (each->verdict == kContendedVerdict) continue;
      if (const auto calls = break_even_calls(*each)) curve.calls.push_back(*calls);
    }
    std::ranges::sort(curve.calls);
    if (!curve.calls.empty()) result.push_back(std::move(curve));
  }
  return result;
}

}  // namespace

std::optional<double> break_even_calls(const UnitResult& result) {
  if (!is_correct(result.outcome, kSummaryLevel) || !result.compile_seconds || !result.reference_seconds ||
      !result.candidate_seconds) {
    return std::nullopt;
  }
  // By the paired speedup, as everywhere; the medians of the two sides can contradict it where they are near.
  const double saved = *result.reference_seconds * (1 - 1 / *result.outcome.speedup);
  return saved > 0 ? std::max(1.0, *result.compile_seconds / saved) : std::numeric_limits<double>::infinity();
}

std::string break_even_chart(const std::vector<Series>& series) {
  const std::vector<Curve> all = curves(series);
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const Curve& curve : all) {
    for (const double calls : curve.calls) {
      if (!std::isfinite(calls)) break;
      low = std::min(low, calls);
      high = std::max(high, calls);
    }
  }
  if (high == 0) return "";
  low = std::pow(10.0, std::floor(std::log10(low)));
  high = std::pow(10.0, std::max(std::ceil(std::log10(high)), std::log10(low) + 1));
  const double height = 270;
  const Frame frame{46, 24, kPanelWidth - end_label_room(series), height - 38};
  const Scale x = Scale::logarithmic(low, high, frame.left, frame.right);
  const Scale y = Scale::linear(0, 1, frame.bottom, frame.top);

  Svg svg(kPanelWidth, height, "Share of samples whose compile time is won back, over the number of calls");
  svg.text({8, 12}, "Samples that have won their compile time back", Anchor::kStart, "heading");
  draw_y_axis(svg, frame, y, {{0, "0 %"}, {0.25, "25 %"}, {0.5, "50 %"}, {0.75, "75 %"}, {1, "100 %"}});
  draw_x_axis(svg, frame, x, decimal_ticks(low, high, 7), "calls");
  std::vector<EndLabel> labels;
  for (const Curve& curve : all) {
    std::string steps = "M" + coordinate(frame.left) + " " + coordinate(frame.bottom);
    double share = 0;
    double last_x = frame.left;
    for (std::size_t i = 0; i < curve.calls.size() && std::isfinite(curve.calls[i]); ++i) {
      share = static_cast<double>(i + 1) / static_cast<double>(curve.calls.size());
      // Steps closer than half a unit are one.
      const double at = x(curve.calls[i]);
      const bool is_last = i + 1 == curve.calls.size() || !std::isfinite(curve.calls[i + 1]);
      if (at - last_x < 0.5 && i > 0 && !is_last) continue;
      steps += "H" + coordinate(at) + "V" + coordinate(y(share));
      last_x = at;
    }
    svg.path(steps + "H" + coordinate(frame.right), "curve " + curve.series->color);
    labels.push_back({y(share), curve.series->label, curve.series->color});
  }
  draw_end_labels(svg, frame, std::move(labels));
  return std::move(svg).finish();
}

}  // namespace graphnet
