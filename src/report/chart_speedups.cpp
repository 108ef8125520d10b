// The distribution of speedups by task category.

#include <algorithm>
#include <cmath>
#include <map>

#include "graphnet/report/number.h"

#include "chart.h"

namespace graphnet {
namespace {

constexpr double kStrip = 30;  // height in which the dots of a category lie
constexpr double kRow = kStrip + 20;
constexpr double kRadius = 2.6;
constexpr std::size_t kMostDots = 150;  // of a category; above, the shape of their density says more

struct Entry {
  double speedup;
  const UnitResult* result;
};

using Categories = std::map<std::string, std::vector<Entry>>;

Categories correct_speedups(const Series& series) {
  Categories categories;
  for (const UnitResult* result : series.results) {
    if (!is_correct(result->outcome, kSummaryLevel)) continue;
    categories[category_of(*result)].push_back({*result->outcome.speedup, result});
  }
  for (auto& [name, entries] : categories) std::ranges::sort(entries, {}, &Entry::speedup);
  return categories;
}

// The median of the speedups that are trusted; of all where none is.
double middle_of(const std::vector<Entry>& entries) {
  std::vector<double> all;
  std::vector<double> trusted;
  for (const Entry& entry : entries) {
    all.push_back(entry.speedup);
    if (entry.result->verdict != kContendedVerdict) trusted.push_back(entry.speedup);
  }
  return median(trusted.empty() ? all : trusted);
}

// Heights of dots at these ascending places, so that none covers another while there is room: each goes as near to the
// middle line as it can.
std::vector<double> beeswarm(const std::vector<double>& places) {
  constexpr double kDistance = 2 * kRadius + 0.3;
  constexpr double kStep = 0.5;
  std::vector<double> heights;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto is_free = [&](double height) {
      for (std::size_t j = i; j-- > 0 && places[i] - places[j] < kDistance;) {
        if (std::hypot(places[i] - places[j], height - heights[j]) < kDistance) return false;
      }
      return true;
    };
    double chosen = 0;  // where there is no room left
    for (double offset = 0; offset <= kStrip / 2 - kRadius; offset += kStep) {
      if (!is_free(offset) && !is_free(-offset)) continue;
      chosen = is_free(offset) ? offset : -offset;
      break;
    }
    heights.push_back(chosen);
  }
  return heights;
}

void draw_dots(Svg& svg, const std::vector<Entry>& entries, const Series& series, const BlockNames& blocks,
               const Scale& x, double middle) {
  std::vector<double> places;
  for (const Entry& entry : entries) places.push_back(x(entry.speedup));
  const std::vector<double> heights = beeswarm(places);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Outcome& outcome = entries[i].result->outcome;
    const bool is_contended = entries[i].result->verdict == kContendedVerdict;
    svg.dot({places[i], middle + heights[i]}, kRadius, (is_contended ? "hollow " : "dot ") + series.color,
            blocks.of(outcome.sample), outcome.sample + ": " + speedup_text(entries[i].speedup));
  }
}

// A violin: a Gaussian kernel on the logarithms, Silverman's bandwidth.
void draw_shape(Svg& svg, const std::vector<Entry>& entries, const Series& series, const Scale& x, double middle) {
  std::vector<double> logs;
  double sum = 0;
  for (const Entry& entry : entries) sum += logs.emplace_back(std::log(entry.speedup));
  const auto n = static_cast<double>(logs.size());
  double squares = 0;
  for (const double value : logs) squares += (value - sum / n) * (value - sum / n);
  const double spread = std::min(std::sqrt(squares / n), (quantile(logs, 0.75) - quantile(logs, 0.25)) / 1.34);
  const double bandwidth = std::max(0.9 * spread * std::pow(n, -0.2), 1e-3);
  constexpr int kSteps = 120;
  std::vector<double> density;
  for (int i = 0; i <= kSteps; ++i) {
    const double at = logs.front() + (logs.back() - logs.front()) * i / kSteps;
    // Only values within four bandwidths matter; they are a run of the ascending values.
    const auto first = std::ranges::lower_bound(logs, at - 4 * bandwidth);
    const auto last = std::ranges::upper_bound(logs, at + 4 * bandwidth);
    double total = 0;
    for (auto value = first; value != last; ++value) {
      const double z = (*value - at) / bandwidth;
      total += std::exp(-z * z / 2);
    }
    density.push_back(total);
  }
  const double highest = std::max(*std::ranges::max_element(density), 1e-12);
  std::vector<Point> outline;
  const auto add = [&](int i, double side) {
    const double at = std::exp(logs.front() + (logs.back() - logs.front()) * i / kSteps);
    outline.push_back({x(at), middle + side * density[static_cast<std::size_t>(i)] / highest * kStrip / 2});
  };
  for (int i = 0; i <= kSteps; ++i) add(i, -1);
  for (int i = kSteps; i >= 0; --i) add(i, 1);
  svg.path(line_path(outline) + "Z", "shape " + series.color);
}

}  // namespace

Range speedup_range(const std::vector<Series>& series) {
  Range range{0.8, 1.25};
  for (const Series& each : series) {
    for (const UnitResult* result : each.results) {
      if (!is_correct(result->outcome, kSummaryLevel) || result->verdict == kContendedVerdict) continue;
      range.include(*result->outcome.speedup);
    }
  }
  return range;
}

std::string speedup_chart(const Series& series, const Range& range, const BlockNames& blocks) {
  const Categories categories = correct_speedups(series);
  if (categories.empty()) return "";
  const double height = 26 + kRow * static_cast<double>(categories.size()) + 40;
  const Frame frame{10, 24, kPanelWidth - 10, height - 38};
  const Scale x = Scale::logarithmic(range.low / 1.06, range.high * 1.06, frame.left + 6, frame.right - 6);

  Svg svg(kPanelWidth, height, "Speedups of " + series.label + " by task category");
  svg.text({frame.left, 12}, series.label, Anchor::kStart, "heading " + series.color);
  draw_x_axis(svg, frame, x, binary_ticks(x.low(), x.high(), 9), "speedup of correct samples (log scale)");
  svg.line({x(1), frame.top}, {x(1), frame.bottom}, "one");
  double y = frame.top + 2;
  for (const auto& [name, entries] : categories) {
    const double middle = y + 18 + kStrip / 2;
    const double typical = middle_of(entries);
    svg.text({frame.left, y + 12}, name, Anchor::kStart, "row");
    svg.text({frame.right, y + 12}, std::to_string(entries.size()) + ", median " + speedup_text(typical), Anchor::kEnd,
             "row");
    if (entries.size() > kMostDots) {
      draw_shape(svg, entries, series, x, middle);
    } else {
      draw_dots(svg, entries, series, blocks, x, middle);
    }
    svg.line({x(typical), middle - kStrip / 2 + 2}, {x(typical), middle + kStrip / 2 - 2}, "median");
    y += kRow;
  }
  return std::move(svg).finish();
}

}  // namespace graphnet
