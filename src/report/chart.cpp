#include "chart.h"

#include <algorithm>

#include "graphnet/report/terminal.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

constexpr double kLabelHeight = 13;
constexpr std::size_t kLongestLabel = 18;

}  // namespace

void Range::include(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

BlockNames::BlockNames(const std::vector<std::string>& samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) sorted_.emplace_back(samples[i], i);
  std::ranges::sort(sorted_);
}

std::string BlockNames::of(const std::string& sample) const {
  const auto found = std::ranges::lower_bound(sorted_, sample, {}, &std::pair<std::string, std::size_t>::first);
  if (found == sorted_.end() || found->first != sample) {
    throw Error(ErrorKind::kInternal, "the page has no block of sample " + sample);
  }
  return "s" + std::to_string(found->second);
}

void draw_x_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::vector<Tick>& ticks,
                 std::string_view title) {
  for (const Tick& tick : ticks) {
    const double x = scale(tick.value);
    svg.line({x, frame.top}, {x, frame.bottom}, "grid");
    svg.text({x, frame.bottom + 16}, tick.label, Anchor::kMiddle);
  }
  svg.line({frame.left, frame.bottom}, {frame.right, frame.bottom}, "axis");
  svg.text({(frame.left + frame.right) / 2, frame.bottom + 32}, title, Anchor::kMiddle, "title");
}

void draw_y_axis(Svg& svg, const Frame& frame, const Scale& scale, const std::vector<Tick>& ticks) {
  for (const Tick& tick : ticks) {
    const double y = scale(tick.value);
    svg.line({frame.left, y}, {frame.right, y}, "grid");
    svg.text({frame.left - 6, y + 3.5}, tick.label, Anchor::kEnd);
  }
}

std::string short_label(const std::string& label) {
  return cut_to_width(label, kLongestLabel);
}

double end_label_room(const std::vector<Series>& series) {
  double room = 0;
  for (const Series& each : series) room = std::max(room, label_width(short_label(each.label)));
  return room + 10;
}

void draw_end_labels(Svg& svg, const Frame& frame, std::vector<EndLabel> labels) {
  std::ranges::stable_sort(labels, {}, &EndLabel::y);
  // Pushed down where the one above is too near, then up again from the bottom edge.
  for (std::size_t i = 1; i < labels.size(); ++i) {
    labels[i].y = std::max(labels[i].y, labels[i - 1].y + kLabelHeight);
  }
  double limit = frame.bottom;
  for (std::size_t i = labels.size(); i-- > 0;) {
    labels[i].y = std::min(labels[i].y, limit);
    limit = labels[i].y - kLabelHeight;
  }
  for (const EndLabel& label : labels) {
    svg.text({frame.right + 6, label.y + 3.5}, short_label(label.text), Anchor::kStart, "name " + label.color);
  }
}

}  // namespace graphnet
