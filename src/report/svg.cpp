#include "svg.h"

#include <cmath>
#include <utility>

#include "graphnet/report/number.h"
#include "graphnet/report/terminal.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

std::string attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=" + coordinate(value);
}

std::string class_attribute(std::string_view classes) {
  return classes.empty() ? "" : " class=\"" + std::string(classes) + "\"";
}

std::string anchor_class(Anchor anchor) {
  switch (anchor) {
    case Anchor::kStart:
      return "";
    case Anchor::kMiddle:
      return "mid";
    case Anchor::kEnd:
      return "end";
  }
  return "";
}

}  // namespace

std::string escape_html(std::string_view text) {
  const bool is_text = is_utf8(text);
  std::string result;
  result.reserve(text.size());
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    switch (byte) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        if (code < 0x20 || code == 0x7F) {
          result += ' ';
        } else if (code >= 0x80 && !is_text) {
          result += '?';
        } else {
          result += byte;
        }
    }
  }
  return result;
}

std::string coordinate(double value) {
  std::string text = fixed(std::round(value * 10) / 10 + 0.0, 1);  // + 0.0: no "-0"
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string line_path(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) {
    text += (text.empty() ? "M" : "L") + coordinate(point.x) + " " + coordinate(point.y);
  }
  return text;
}

Svg::Svg(double width, double height, std::string_view label)
    : text_("<svg viewBox=\"0 0 " + coordinate(width) + " " + coordinate(height) + "\" role=group aria-label=\"" +
            escape_html(label) + "\">\n") {}

void Svg::line(Point from, Point to, std::string_view classes) {
  text_ += "<line" + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) + attribute("y2", to.y) +
           class_attribute(classes) + " />\n";
}

void Svg::path(std::string_view commands, std::string_view classes) {
  text_ += "<path d=\"" + std::string(commands) + "\"" + class_attribute(classes) + " />\n";
}

void Svg::text(Point at, std::string_view text, Anchor anchor, std::string_view classes) {
  std::string all = anchor_class(anchor);
  if (!classes.empty()) all += (all.empty() ? "" : " ") + std::string(classes);
  text_ += "<text" + attribute("x", at.x) + attribute("y", at.y) + class_attribute(all) + ">" + escape_html(text) +
           "</text>\n";
}

void Svg::dot(Point centre, double radius, std::string_view classes, std::string_view target, std::string_view tip) {
  text_ += "<a href=\"#" + std::string(target) + "\"><circle" + attribute("cx", centre.x) + attribute("cy", centre.y) +
           attribute("r", radius) + class_attribute(classes) + "><title>" + escape_html(tip) +
           "</title></circle></a>\n";
}

void Svg::vertical_text(Point at, std::string_view text) {
  text_ += "<text class=mid transform=\"translate(" + coordinate(at.x) + " " + coordinate(at.y) + ") rotate(-90)\">" +
           escape_html(text) + "</text>\n";
}

std::string Svg::finish() && {
  return std::move(text_) + "</svg>\n";
}

double label_width(std::string_view text) {
  constexpr double kWidthOfCharacter = 7;  // of a bold proportional font at 11 units, at the wide end
  return kWidthOfCharacter * static_cast<double>(display_width(text));
}

}  // namespace graphnet
