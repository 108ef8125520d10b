#include "graphnet/support/text.h"

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
  while (at < text.size() && at < limit) {
    const std::size_t length = utf8_sequence(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0 || byte < 0x20U || byte == 0x7FU) {
      result += "\\x";
      result += kHexDigits[byte >> 4U];
      result += kHexDigits[byte & 0xFU];
      ++at;
    } else {
      result += text.substr(at, length);
      at += length;
    }
  }
  if (at < text.size()) result += "...";
  return result;
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
