#include "json_document.h"

#include <algorithm>

#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

std::string malformed(simdjson::error_code error) {
  return std::string("malformed JSON: ") + simdjson::error_message(error);
}

// Where a string is left unfinished: the first control character in one (such as a newline, where its closing quote is
// missing) or the end of the text.
std::size_t find_unfinished_string(std::string_view text) {
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      is_in_string = !is_in_string;
    } else if (is_in_string && static_cast<unsigned char>(text[i]) < 0x20U) {
      return i;
    }
  }
  return text.size();
}

std::size_t find_line_without_utf8(std::string_view text) {
  std::size_t line_begin = 0;
  while (line_begin < text.size()) {
    const std::size_t line_end = std::min(text.find('\n', line_begin), text.size());
    if (!is_utf8(text.substr(line_begin, line_end - line_begin))) break;
    line_begin = line_end + 1;
  }
  return std::min(line_begin, text.size());
}

std::string_view trim(std::string_view token) {
  const std::size_t last = token.find_last_not_of(" \t\r\n");
  return token.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

void fail_input(const std::string& message) {
  throw Error(ErrorKind::kInput, message);
}

void fail_expected(std::string_view expected, std::string_view found) {
  fail_input("expected " + std::string(expected) + ", found " + excerpt(found));
}

void fail_expected_text(std::string_view expected, std::string_view found) {
  fail_input("expected " + std::string(expected) + ", found \"" + excerpt(found) + "\"");
}

json::value JsonDocument::root() {
  if (const simdjson::error_code error = parser_.iterate(text_).get(document_)) {
    const std::string_view text(text_.data(), text_.size());
    std::size_t at = text.size();
    if (error == simdjson::UTF8_ERROR) at = find_line_without_utf8(text);
    if (error == simdjson::UNESCAPED_CHARS || error == simdjson::UNCLOSED_STRING) at = find_unfinished_string(text);
    place_ = text_.data() + at;
    fail_input(malformed(error));
  }
  return take(document_.get_value());
}

void JsonDocument::expect_end() {
  const char* rest = nullptr;
  if (document_.current_location().get(rest) == simdjson::OUT_OF_BOUNDS) return;
  place_ = rest;
  fail_input("expected the end of the file after the graph");
}

void JsonDocument::fail_where_stopped(simdjson::error_code error) {
  const char* reached = nullptr;
  const bool is_known = document_.current_location().get(reached) == simdjson::SUCCESS;
  place_ = is_known ? reached : text_.data() + text_.size();
  fail_input(malformed(error));
}

std::int64_t JsonDocument::integer(json::value& value) {
  std::int64_t number = 0;
  const simdjson::error_code error = value.get_int64().get(number);
  if (error == simdjson::INCORRECT_TYPE) fail_expected("an integer of at most 64 bits with sign", describe(value));
  if (error != simdjson::SUCCESS) fail_input(malformed(error));
  return number;
}

std::string_view JsonDocument::string(json::value value, std::string_view expected) {
  if (kind(value) != json::json_type::string) fail_expected(expected, describe(value));
  return take(value.get_string());
}

json::array JsonDocument::array(json::value value, std::string_view expected) {
  if (kind(value) != json::json_type::array) fail_expected(expected, describe(value));
  return take(value.get_array());
}

json::object JsonDocument::object(json::value value, std::string_view expected) {
  if (kind(value) != json::json_type::object) fail_expected(expected, describe(value));
  return take(value.get_object());
}

std::string JsonDocument::describe(json::value& value) {
  switch (kind(value)) {
    case json::json_type::array:
      return "a list";
    case json::json_type::object:
      return "an object";
    default:
      return excerpt(trim(value.raw_json_token()));
  }
}

std::size_t JsonDocument::line() const {
  const char* const begin = text_.data();
  const char* const end = std::clamp(place_, begin, begin + text_.size());
  return 1 + static_cast<std::size_t>(std::count(begin, end, '\n'));
}

JsonElements::JsonElements(JsonDocument& document, json::value value, std::string_view expected)
    : document_(document),
      array_(document.array(value, expected)),
      at_(document.take(array_.begin())),
      end_(document.take(array_.end())) {}

std::optional<json::value> JsonElements::next() {
  if (is_started_) ++at_;
  is_started_ = true;
  if (!(at_ != end_)) return std::nullopt;
  return document_.take(*at_);
}

json::value JsonElements::require(std::string_view expected) {
  const std::optional<json::value> value = next();
  if (!value) fail_expected(expected, "the end of the list");
  return *value;
}

void JsonElements::finish() {
  if (std::optional<json::value> value = next()) fail_expected("the end of the list", document_.describe(*value));
}

JsonFields::JsonFields(JsonDocument& document, json::value value, std::string_view expected)
    : document_(document),
      object_(document.object(value, expected)),
      at_(document.take(object_.begin())),
      end_(document.take(object_.end())) {}

std::optional<std::pair<std::string_view, json::value>> JsonFields::next() {
  if (is_started_) ++at_;
  is_started_ = true;
  if (!(at_ != end_)) return std::nullopt;
  json::field field = document_.take(*at_);
  document_.move_to(field.key().raw());
  const std::string_view key = document_.take(field.unescaped_key());
  return std::pair(key, field.value());
}

json::value JsonFields::require(std::string_view key) {
  const auto field = next();
  if (field && field->first == key) return field->second;
  const std::string expected = "the key \"" + std::string(key) + "\"";
  if (!field) fail_expected(expected, "the end of the object");
  fail_expected_text(expected, field->first);
}

void JsonFields::finish() {
  if (const auto field = next()) fail_expected_text("the end of the object", field->first);
}

}  // namespace graphnet
