// Drawings as SVG text for an HTML page. Colours, fonts and widths of strokes are the page's style sheet's: shapes have
// classes only, so that a drawing follows a dark scheme.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphnet {

// The text with everything escaped that HTML gives a meaning to, in elements and in quoted attributes. Control
// characters become spaces; text that is no UTF-8 keeps its ASCII part.
std::string escape_html(std::string_view text);

// A coordinate with one decimal at most: "12.5", "12".
std::string coordinate(double value);

struct Point {
  double x = 0;
  double y = 0;
};

// "M1 2L3 4": a line through all points.
std::string line_path(const std::vector<Point>& points);

enum class Anchor { kStart, kMiddle, kEnd };

class Svg {
 public:
  // `label` says to a screen reader what the drawing shows.
  Svg(double width, double height, std::string_view label);

  void line(Point from, Point to, std::string_view classes);
  void path(std::string_view commands, std::string_view classes);
  void text(Point at, std::string_view text, Anchor anchor = Anchor::kStart, std::string_view classes = {});
  // A dot that leads to an element of the page, with a tip.
  void dot(Point centre, double radius, std::string_view classes, std::string_view target, std::string_view tip);
  void vertical_text(Point at, std::string_view text);

  std::string finish() &&;

 private:
  std::string text_;
};

// About how wide a label is in the font of the drawings.
double label_width(std::string_view text);

}  // namespace graphnet
