#include "graphnet/report/table.h"

#include <algorithm>
#include <utility>

namespace graphnet {
namespace {

constexpr std::size_t kGap = 2;  // columns between two columns

// One line, built piece by piece; ends where the terminal does.
class Line {
 public:
  explicit Line(const TextStyle& style) : style_(style), limit_(style.width == 0 ? kAnyWidth : style.width) {}

  // Appends text that starts at column `start` (or later, where earlier text reached further).
  void put(std::size_t start, std::string_view text, Tone tone) {
    const std::string visible = cut_to_width(text, limit_ > start ? limit_ - start : 0);
    if (visible.empty()) return;
    if (start > column_) text_.append(start - column_, ' ');
    column_ = std::max(column_, start) + display_width(visible);
    text_ += paint(visible, tone, style_);
  }

  std::string finish() { return std::move(text_) + "\n"; }

 private:
  const TextStyle& style_;
  std::size_t limit_;
  std::size_t column_ = 0;
  std::string text_;
};

void put_aligned(Line& line, std::size_t start, std::size_t width, std::string_view text, Alignment alignment,
                 Tone tone) {
  const std::size_t length = display_width(text);
  const std::size_t indent = alignment == Alignment::kRight && length < width ? width - length : 0;
  line.put(start + indent, text, tone);
}

std::string row_line(const std::vector<Column>& columns, const std::vector<std::size_t>& widths, const Row& row,
                     const TextStyle& style, bool cut_last) {
  Line line(style);
  std::size_t start = 0;
  for (std::size_t i = 0; i < columns.size() && i < row.size(); ++i) {
    const bool cut = cut_last || i + 1 < columns.size();
    const std::string text = cut_to_width(one_line(row[i].text), cut ? widths[i] : kAnyWidth);
    put_aligned(line, start, widths[i], text, columns[i].alignment, row[i].tone);
    start += widths[i] + kGap;
  }
  return line.finish();
}

// The columns [first, last) of one group, which starts at `first`.
std::size_t group_end(const std::vector<Column>& columns, std::size_t first) {
  std::size_t last = first + 1;
  while (last < columns.size() && columns[last].group == columns[first].group) ++last;
  return last;
}

std::size_t span_width(const std::vector<std::size_t>& widths, std::size_t first, std::size_t last) {
  std::size_t width = (last - first - 1) * kGap;
  for (std::size_t i = first; i < last; ++i) width += widths[i];
  return width;
}

// Widens the columns of each group whose heading would not fit above them, by equal parts.
void fit_group_headings(const std::vector<Column>& columns, std::vector<std::size_t>& widths) {
  for (std::size_t first = 0; first < columns.size();) {
    const std::size_t last = group_end(columns, first);
    const std::size_t heading = display_width(columns[first].group);
    const std::size_t width = span_width(widths, first, last);
    for (std::size_t i = first, missing = heading > width ? heading - width : 0; i < last; ++i) {
      const std::size_t part = missing / (last - i);
      widths[i] += part;
      missing -= part;
    }
    first = last;
  }
}

std::string header_lines(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                         const TextStyle& style) {
  std::string lines;
  const bool grouped = std::any_of(columns.begin(), columns.end(), [](const Column& c) { return !c.group.empty(); });
  if (grouped) {
    Line line(style);
    std::size_t start = 0;
    for (std::size_t first = 0; first < columns.size();) {
      const std::size_t last = group_end(columns, first);
      const std::size_t width = span_width(widths, first, last);
      put_aligned(line, start, width, columns[first].group, columns[last - 1].alignment, Tone::kStrong);
      start += width + kGap;
      first = last;
    }
    lines += line.finish();
  }
  Row titles;
  for (const Column& column : columns) titles.emplace_back(column.title, Tone::kStrong);
  return lines + row_line(columns, widths, titles, style, /*cut_last=*/true);
}

std::vector<std::size_t> fixed_widths(const std::vector<Column>& columns) {
  std::vector<std::size_t> widths;
  for (const Column& column : columns) widths.push_back(std::max(display_width(column.title), column.least_width));
  return widths;
}

std::vector<std::size_t> fitted_widths(const Table& table) {
  std::vector<std::size_t> widths = fixed_widths(table.columns);
  for (const Row& row : table.rows) {
    for (std::size_t i = 0; i < table.columns.size() && i < row.size(); ++i) {
      const std::size_t wanted = std::min(display_width(one_line(row[i].text)), table.columns[i].most_width);
      widths[i] = std::max(widths[i], wanted);
    }
  }
  fit_group_headings(table.columns, widths);
  return widths;
}

}  // namespace

std::string to_text(const Table& table, const TextStyle& style) {
  const std::vector<std::size_t> widths = fitted_widths(table);
  std::string text = header_lines(table.columns, widths, style);
  for (const Row& row : table.rows) text += row_line(table.columns, widths, row, style, /*cut_last=*/true);
  return text;
}

StreamedTable::StreamedTable(std::vector<Column> columns, TextStyle style)
    : columns_(std::move(columns)), widths_(fixed_widths(columns_)), style_(style) {
  fit_group_headings(columns_, widths_);
}

std::string StreamedTable::header() const {
  return header_lines(columns_, widths_, style_);
}

std::string StreamedTable::row(const Row& row) const {
  return row_line(columns_, widths_, row, style_, /*cut_last=*/false);
}

}  // namespace graphnet
