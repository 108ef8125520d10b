// What a stream can show: colours, its width, and how many columns a text takes on it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graphnet {

// What a piece of text means; on a terminal it decides the colour.
enum class Tone { kPlain, kStrong, kGood, kWarning, kBad, kFaint };

struct TextStyle {
  bool color = false;     // escape sequences are understood and wanted
  std::size_t width = 0;  // columns of the terminal; 0: not a terminal, any width
};

// The style for a file descriptor. Colour only on a terminal, and neither where NO_COLOR is set to anything nor on a
// dumb terminal (no-color.org).
TextStyle style_of(int descriptor);

// The text in the colour of its tone, or as it is where the style has no colour.
std::string paint(std::string_view text, Tone tone, const TextStyle& style);

// Columns that UTF-8 text takes on a terminal: East Asian wide characters and emoji take two, combining marks none.
// Bytes that are no UTF-8 count as one column each.
std::size_t display_width(std::string_view text);

// At most `width` columns of the text; where something is left out the last column is an ellipsis.
std::string cut_to_width(std::string_view text, std::size_t width);

// The text on one line and without what a terminal would obey or hide: ASCII's control characters become spaces, the
// rest is escaped as excerpt does.
std::string one_line(std::string_view text);

}  // namespace graphnet
