// S(t) and ES(t) over the tolerance level, and S(0) by category.

#include <algorithm>
#include <cmath>
#include <map>

#include "graphnet/report/number.h"

#include "chart.h"

namespace graphnet {
namespace {

struct Curve {
  const Series* series = nullptr;
  std::vector<double> levels{};
  std::vector<double> values{};
  std::vector<Interval> bands{};  // as many as values, or none
};

using Value = double Score::*;
using Band = Interval ScoreInterval::*;

std::vector<Curve> curves(const std::vector<Series>& all, Value value, Band band) {
  std::vector<Curve> result;
  for (const Series& series : all) {
    Curve curve{.series = &series};
    for (const Score& score : series.scores->series) {
      if (!std::isfinite(score.*value)) continue;  // nothing was scored, or nothing that is correct was timed
      curve.levels.push_back(score.level);
      curve.values.push_back(score.*value);
    }
    for (const auto& interval : series.scores->bands) {
      if (interval) curve.bands.push_back((*interval).*band);
    }
    if (curve.bands.size() != curve.values.size()) curve.bands.clear();
    if (!curve.values.empty()) result.push_back(std::move(curve));
  }
  return result;
}

// A band of 95 % around few samples can be so wide that it would flatten all curves: it may widen the axis by a factor
// of 3 at most.
Range range_of(const std::vector<Curve>& all) {
  Range values{0.8, 1.25};
  for (const Curve& curve : all) {
    for (const double value : curve.values) values.include(value);
  }
  Range range = values;
  for (const Curve& curve : all) {
    for (const Interval& band : curve.bands) {
      range.include(std::max(band.low, values.low / 3));
      range.include(std::min(band.high, values.high * 3));
    }
  }
  const double padding = std::pow(range.high / range.low, 0.04);
  return {range.low / padding, range.high * padding};
}

void draw_band(Svg& svg, const Curve& curve, const Scale& x, const Scale& y) {
  if (curve.bands.empty()) return;
  std::vector<Point> outline;
  for (std::size_t i = 0; i < curve.levels.size(); ++i) outline.push_back({x(curve.levels[i]), y(curve.bands[i].high)});
  for (std::size_t i = curve.levels.size(); i-- > 0;) outline.push_back({x(curve.levels[i]), y(curve.bands[i].low)});
  svg.path(line_path(outline) + "Z", "band " + curve.series->color);
}

std::string score_chart(const std::vector<Series>& series, Value value, Band band, const std::string& name) {
  const std::vector<Curve> all = curves(series, value, band);
  if (all.empty()) return "";
  const double height = 270;
  const Frame frame{38, 24, kPanelWidth - end_label_room(series), height - 38};
  const Scale x = Scale::linear(kStrictestScoreLevel, kLoosestScoreLevel, frame.left, frame.right);
  const Range range = range_of(all);
  const Scale y = Scale::logarithmic(range.low, range.high, frame.bottom, frame.top);

  Svg svg(kPanelWidth, height, name + " over the tolerance level t");
  svg.text({frame.left - 30, 12}, name, Anchor::kStart, "heading");
  draw_y_axis(svg, frame, y, decimal_ticks(range.low, range.high, 7));
  draw_x_axis(svg, frame, x, linear_ticks(kStrictestScoreLevel, kLoosestScoreLevel, 8), "tolerance level t");
  svg.line({frame.left, y(1)}, {frame.right, y(1)}, "one");
  for (const Curve& curve : all) draw_band(svg, curve, x, y);
  std::vector<EndLabel> labels;
  for (const Curve& curve : all) {
    std::vector<Point> points;
    for (std::size_t i = 0; i < curve.levels.size(); ++i) points.push_back({x(curve.levels[i]), y(curve.values[i])});
    svg.path(line_path(points), "curve " + curve.series->color);
    std::string dots;
    for (const Point& point : points) dots += "M" + coordinate(point.x) + " " + coordinate(point.y) + "h0";
    svg.path(dots, "dots " + curve.series->color);
    labels.push_back({points.back().y, curve.series->label, curve.series->color});
  }
  draw_end_labels(svg, frame, std::move(labels));
  return std::move(svg).finish();
}

}  // namespace

std::string speedup_score_chart(const std::vector<Series>& series) {
  return score_chart(series, &Score::speedup_score, &ScoreInterval::speedup_score, "Speedup score S(t)");
}

std::string error_aware_score_chart(const std::vector<Series>& series) {
  return score_chart(series, &Score::error_aware_score, &ScoreInterval::error_aware_score,
                     "Error-aware speedup score ES(t)");
}

std::string category_chart(const std::vector<Series>& series) {
  struct Entry {
    const Series* series;
    const Slice* slice;
  };
  std::map<std::string, std::vector<Entry>> categories;
  Range range{0.8, 1.25};
  for (const Series& each : series) {
    for (const Slice& slice : each.scores->by_category) {
      if (!std::isfinite(slice.score.speedup_score)) continue;
      categories[slice.name].push_back({&each, &slice});
      range.include(slice.score.speedup_score);
    }
  }
  if (categories.size() < 2) return "";
  for (const auto& [name, entries] : categories) {
    for (const Entry& entry : entries) {
      if (!entry.slice->interval) continue;
      range.include(std::max(entry.slice->interval->speedup_score.low, range.low / 3));
      range.include(std::min(entry.slice->interval->speedup_score.high, range.high * 3));
    }
  }
  constexpr double kRow = 15;
  constexpr double kGap = 22;
  double height = 24 + 42;
  for (const auto& [name, entries] : categories) height += kGap + kRow * static_cast<double>(entries.size());
  const Frame frame{10, 24, kPanelWidth - end_label_room(series) - 2, height - 38};
  const Scale x = Scale::logarithmic(range.low / 1.03, range.high * 1.03, frame.left, frame.right);
  Svg svg(kPanelWidth, height, "Speedup score S(0) by task category");
  svg.text({8, 12}, "S(0) by task category", Anchor::kStart, "heading");
  draw_x_axis(svg, frame, x, decimal_ticks(x.low(), x.high(), 7), "S(0), with 95 % over samples");
  svg.line({x(1), frame.top}, {x(1), frame.bottom}, "one");
  double y = frame.top;
  for (const auto& [name, entries] : categories) {
    y += kGap;
    const int samples = entries.front().slice->score.samples;
    svg.text({frame.left, y - 8}, name + ", " + std::to_string(samples) + (samples == 1 ? " sample" : " samples"),
             Anchor::kStart, "row");
    for (const Entry& entry : entries) {
      const double middle = y + 2;
      if (const auto& interval = entry.slice->interval) {
        svg.line({x(interval->speedup_score.low), middle}, {x(interval->speedup_score.high), middle},
                 "whisker " + entry.series->color);
      }
      svg.path("M" + coordinate(x(entry.slice->score.speedup_score)) + " " + coordinate(middle) + "h0",
               "mark " + entry.series->color);
      svg.text({frame.right + 6, middle + 3.5}, short_label(entry.series->label), Anchor::kStart,
               "name " + entry.series->color);
      y += kRow;
    }
  }
  return std::move(svg).finish();
}

}  // namespace graphnet
