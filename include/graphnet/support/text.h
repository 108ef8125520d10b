// Numbers and strings as text, in one canonical form that all of graphnet's files share. Nothing here depends on the
// locale.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace graphnet {

// Appends the shortest decimal that reads back as the same double, always with a point or an exponent: "3.0", "-0.0",
// "0.1", "1e-05", "1e+22". Not-a-number (its sign and payload are dropped) and infinities are "nan", "inf", "-inf".
void append_double(std::string& text, double value);
void append_integer(std::string& text, std::int64_t value);
std::string double_text(double value);

// Reads what append_double writes, and any other plain decimal ("3", "0.10", "1e5"); nothing for text that is no
// number, is followed by anything, begins with '+' or white space, or lies outside the range of double.
std::optional<double> parse_double(std::string_view text);

// Reads what append_integer writes and nothing else: no '+', no leading zeros, no "-0".
std::optional<std::int64_t> parse_integer(std::string_view text);

// Appends a JSON string with its quotes. Canonical: only '"', '\' and control characters are escaped, with the short
// escape where JSON has one (\n) and else as \u00xx. Throws Error(kUnsupported) for bytes that are not UTF-8.
void append_json_string(std::string& text, std::string_view value);

bool is_utf8(std::string_view text);

// "a, b, c" of any items, whose texts `text_of` gives: a function, or a member of theirs.
template <class Items, class TextOf = std::identity>
std::string joined(const Items& items, std::string_view separator = ", ", const TextOf& text_of = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) text += separator;
    is_first = false;
    text += std::invoke(text_of, item);
  }
  return text;
}

// The text for an error message: on one line, printable, and cut to `limit` bytes with "..." where it is longer. What a
// terminal would obey or hide (control characters, marks that turn the direction of writing, bytes that are not UTF-8)
// is shown as \xNN, byte by byte.
std::string excerpt(std::string_view text, std::size_t limit = 60);

// A whole message for a terminal: as excerpt, but with its line ends and tabs kept, and cut with a note of how much was
// left out.
std::string printable(std::string_view text, std::size_t limit = 16'384);

// An error's text with its cause in the first line: tracebacks (Python's, TorchScript's) tell it last. Text without a
// traceback comes back as it is.
std::string cause_first(std::string_view text);

// The text as one word of a POSIX shell: as it is where no shell would take it otherwise, else in single quotes.
std::string shell_quoted(std::string_view text);

// 1234567 as "1,234,567".
std::string group_thousands(std::int64_t value);

}  // namespace graphnet
