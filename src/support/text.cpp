#include "graphnet/support/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0U) == 0x80U;
}

// Length of the UTF-8 sequence at text[at], or 0 where there is none: no overlong forms, no surrogates, at most
// U+10FFFF.
std::size_t utf8_sequence(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80U) return 1;
  const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U || text.size() - at < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(byte(i))) return 0;
  }
  const unsigned char second = byte(1);
  if ((lead == 0xE0U && second < 0xA0U) || (lead == 0xEDU && second > 0x9FU) || (lead == 0xF0U && second < 0x90U) ||
      (lead == 0xF4U && second > 0x8FU)) {
    return 0;
  }
  return length;
}

// The code point of a sequence that utf8_sequence found.
char32_t code_point(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence.front());
  char32_t value = sequence.size() == 1 ? lead : lead & (0x7FU >> sequence.size());
  for (const char byte : sequence.substr(1)) value = value << 6U | (static_cast<unsigned char>(byte) & 0x3FU);
  return value;
}

// Whether a terminal shows the character where it stands: no control character (the second block of them, U+0080 on,
// can begin an escape sequence too), no line or paragraph separator, no mark that turns the direction of writing.
bool is_visible(char32_t character) {
  const auto is_within = [&](char32_t first, char32_t last) { return first <= character && character <= last; };
  return !(is_within(0, 0x1F) || is_within(0x7F, 0x9F) || is_within(0x200E, 0x200F) || is_within(0x2028, 0x202E) ||
           is_within(0x2066, 0x2069));
}

// Appends the character at text[at], escaped where it is not visible, and returns how many bytes it has.
std::size_t append_visible(std::string& result, std::string_view text, std::size_t at) {
  const std::size_t length = utf8_sequence(text, at);
  const std::string_view bytes = text.substr(at, length == 0 ? 1 : length);
  if (length != 0 && is_visible(code_point(bytes))) {
    result += bytes;
    return length;
  }
  for (const char byte : bytes) {
    result += "\\x";
    result += kHexDigits[static_cast<unsigned char>(byte) >> 4U];
    result += kHexDigits[static_cast<unsigned char>(byte) & 0xFU];
  }
  return bytes.size();
}

}  // namespace

void append_double(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "nan";
    return;
  }
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  const std::string_view digits(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  text += digits;
  if (std::isfinite(value) && digits.find_first_of(".e") == std::string_view::npos) text += ".0";
}

void append_integer(std::string& text, std::int64_t value) {
  std::array<char, 24> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), end);
}

std::string double_text(double value) {
  std::string text;
  append_double(text, value);
  return text;
}

std::optional<double> parse_double(std::string_view text) {
  if (text == "nan") return std::nan("");
  if (text == "inf") return HUGE_VAL;
  if (text == "-inf") return -HUGE_VAL;
  // from_chars would also take "infinity" and "nan(...)".
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  if (text == "-0") return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void append_json_string(std::string& text, std::string_view value) {
  text += '"';
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t length = utf8_sequence(value, at);
    if (length == 0) {
      throw Error(ErrorKind::kUnsupported, "the string \"" + excerpt(value) + "\" is not UTF-8 (byte " +
                                               std::to_string(at) + "), which JSON cannot hold");
    }
    const char first = value[at];
    switch (first) {
      case '"':
        text += "\\\"";
        break;
      case '\\':
        text += "\\\\";
        break;
      case '\b':
        text += "\\b";
        break;
      case '\f':
        text += "\\f";
        break;
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      case '\t':
        text += "\\t";
        break;
      default:
        if (const auto byte = static_cast<unsigned char>(first); byte < 0x20U) {
          text += "\\u00";
          text += kHexDigits[byte >> 4U];
          text += kHexDigits[byte & 0xFU];
        } else {
          text += value.substr(at, length);
        }
    }
    at += length;
  }
  text += '"';
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string excerpt(std::string_view text, std::size_t limit) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size() && at < limit) at += append_visible(result, text, at);
  if (at < text.size()) result += "...";
  return result;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size() && at < limit) {
    if (text[at] == '\n' || text[at] == '\t') {
      result += text[at++];
    } else {
      at += append_visible(result, text, at);
    }
  }
  if (at < text.size()) result += "... (" + std::to_string(text.size() - at) + " bytes more)";
  return result;
}

std::string cause_first(std::string_view text) {
  constexpr std::string_view kTraceback = "(most recent call last)";
  std::size_t at = text.rfind(kTraceback);
  if (at == std::string_view::npos) return std::string(text);
  // The frames are indented; the cause is the first line after them that is not.
  while ((at = text.find('\n', at)) != std::string_view::npos) {
    ++at;
    if (at < text.size() && text[at] != ' ' && text[at] != '\t' && text[at] != '\n') {
      return std::string(text.substr(at, text.find('\n', at) - at)) + "\n" + std::string(text);
    }
  }
  return std::string(text);
}

std::string shell_quoted(std::string_view text) {
  const auto is_plain = [](char c) {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return alphanumeric || std::string_view("./_-:=,+@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string group_thousands(std::int64_t value) {
  const std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

}  // namespace graphnet
