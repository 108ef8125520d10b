// Tables for a terminal, as values: columns, cells of text, and two ways to print them. A whole table fits its columns
// to its cells; a streamed one has its widths fixed in advance, so that rows can be printed as they come.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "graphnet/report/terminal.h"

namespace graphnet {

enum class Alignment { kLeft, kRight };

inline constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

struct Column {
  std::string title;
  Alignment alignment = Alignment::kRight;
  std::size_t least_width = 0;         // of the printed column; its title always fits
  std::size_t most_width = kAnyWidth;  // longer cells are cut and end in an ellipsis
  std::string group{};                 // neighbours of one group share this heading above their titles
};

struct Cell {
  std::string text;
  Tone tone = Tone::kPlain;

  Cell(std::string cell_text, Tone cell_tone = Tone::kPlain) : text(std::move(cell_text)), tone(cell_tone) {}
  Cell(const char* cell_text, Tone cell_tone = Tone::kPlain) : text(cell_text), tone(cell_tone) {}
};

using Row = std::vector<Cell>;

struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;  // one cell a column; missing cells at the end are empty
};

// Headings and rows, each line ended by '\n', without white space at line ends. Control characters in cells become
// spaces. Where the style has a width, lines are cut to it.
std::string to_text(const Table& table, const TextStyle& style = {});

// A table whose rows are printed as they come. Columns are least_width wide, or as wide as their title; longer cells
// are cut, but for the last column's, which only the terminal's width limits.
class StreamedTable {
 public:
  StreamedTable(std::vector<Column> columns, TextStyle style);

  std::string header() const;
  std::string row(const Row& row) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  TextStyle style_;
};

}  // namespace graphnet
