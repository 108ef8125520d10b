#include "graphnet/report/terminal.h"

#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

#include "graphnet/support/text.h"

namespace graphnet {
namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

// Combining marks, joiners and variation selectors (Unicode 15, categories Mn, Me and Cf as far as they occur in text).
constexpr CharacterRange kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},   {0x064B, 0x065F}, {0x06D6, 0x06DC},
    {0x0900, 0x0902}, {0x093C, 0x093C}, {0x0941, 0x0948}, {0x0E31, 0x0E31},   {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E},   {0x2060, 0x2064}, {0x20D0, 0x20FF},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};

// East Asian Width "W" and "F" (Unicode 15, UAX #11).
constexpr CharacterRange kDoubleWidth[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},   {0x25FD, 0x25FE},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x2705, 0x2705},
    {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2B50, 0x2B50},   {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

template <std::size_t Count>
bool contains(const CharacterRange (&ranges)[Count], char32_t character) {
  auto range = std::lower_bound(std::begin(ranges), std::end(ranges), character,
                                [](const CharacterRange& candidate, char32_t value) { return candidate.last < value; });
  return range != std::end(ranges) && range->first <= character;
}

struct Character {
  std::size_t bytes;
  std::size_t columns;
};

// The character at the start of a text that is not empty.
Character next_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
  if (length == 1 || length > text.size()) return {1, 1};
  char32_t character = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) return {1, 1};
    character = (character << 6) | (byte & 0x3FU);
  }
  if (contains(kZeroWidth, character)) return {length, 0};
  return {length, contains(kDoubleWidth, character) ? std::size_t{2} : std::size_t{1}};
}

std::string_view escape_code(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kStrong:
      return "\x1b[1m";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kWarning:
      return "\x1b[33m";
    case Tone::kBad:
      return "\x1b[31m";
    case Tone::kFaint:
      return "\x1b[2m";
  }
  return "";
}

}  // namespace

TextStyle style_of(int descriptor) {
  TextStyle style;
  if (isatty(descriptor) == 0) return style;
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused = no_color != nullptr && *no_color != '\0';
  style.color = !refused && terminal != nullptr && std::string_view(terminal) != "dumb";
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  return style;
}

std::string paint(std::string_view text, Tone tone, const TextStyle& style) {
  const std::string_view code = escape_code(tone);
  if (!style.color || code.empty() || text.empty()) return std::string(text);
  return std::string(code) + std::string(text) + "\x1b[0m";
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = next_character(text);
    width += character.columns;
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t end = 0;
  std::size_t columns = 0;
  while (end < text.size()) {
    const Character character = next_character(text.substr(end));
    if (columns + character.columns > width - 1) break;
    columns += character.columns;
    end += character.bytes;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string one_line(std::string_view text) {
  std::string result(text);
  for (char& byte : result) {
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = ' ';
  }
  return excerpt(result, std::string::npos);
}

}  // namespace graphnet
