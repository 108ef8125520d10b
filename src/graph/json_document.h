// Strict reading of one JSON text with simdjson's On-Demand parser, where any error can name its line. Only what a
// canonical file needs: lists, and objects whose keys come in a fixed order. All complaints are Error(kInput), without
// file and line: whoever catches them last adds JsonDocument::line().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <simdjson.h>

namespace graphnet {

namespace json = simdjson::ondemand;

[[noreturn]] void fail_input(const std::string& message);

// "expected EXPECTED, found FOUND", the second with quotes around what was found.
[[noreturn]] void fail_expected(std::string_view expected, std::string_view found);
[[noreturn]] void fail_expected_text(std::string_view expected, std::string_view found);

// The text, its parser, and the place that is being read.
class JsonDocument {
 public:
  explicit JsonDocument(std::string_view text) : text_(text), place_(text_.data()) {}

  json::value root();

  // Nothing but white space may follow the root value.
  void expect_end();

  // Unwraps simdjson's result or reports malformed JSON at the point the parser has reached.
  template <class T>
  T take(simdjson::simdjson_result<T> result) {
    T value;
    if (const simdjson::error_code error = std::move(result).get(value)) fail_where_stopped(error);
    return value;
  }

  // Kind of a value; errors from now on name the line on which it begins.
  json::json_type kind(json::value& value) {
    place_ = value.raw_json_token().data();
    return take(value.type());
  }

  // Numbers with a point or exponent are reals, others integers. (value::get_number would tell both at once, but it
  // reads doubles of more than 19 digits as 0 in simdjson 3.0.1.)
  bool is_real(json::value& value) { return take(value.get_number_type()) == json::number_type::floating_point_number; }

  // Each reads a value of that kind, or names what was `expected` and what is there instead.
  std::int64_t integer(json::value& value);
  std::string_view string(json::value value, std::string_view expected);
  json::array array(json::value value, std::string_view expected);
  json::object object(json::value value, std::string_view expected);

  // What a value is, for messages.
  std::string describe(json::value& value);

  // The place that errors name; it can be moved back to the begin of what is being checked.
  const char* place() const { return place_; }
  void move_to(const char* place) { place_ = place; }
  std::size_t line() const;

 private:
  [[noreturn]] void fail_where_stopped(simdjson::error_code error);

  simdjson::padded_string text_;
  json::parser parser_;
  json::document document_;
  const char* place_;
};

// Elements of a list, one after another.
class JsonElements {
 public:
  JsonElements(JsonDocument& document, json::value value, std::string_view expected);

  std::optional<json::value> next();
  json::value require(std::string_view expected);
  void finish();

 private:
  JsonDocument& document_;
  json::array array_;
  json::array_iterator at_;
  json::array_iterator end_;
  bool is_started_ = false;
};

// Fields of an object, which must come in the documented order. So unknown, repeated and missing keys all show as the
// key that was expected instead.
class JsonFields {
 public:
  JsonFields(JsonDocument& document, json::value value, std::string_view expected);

  std::optional<std::pair<std::string_view, json::value>> next();
  json::value require(std::string_view key);
  void finish();

 private:
  JsonDocument& document_;
  json::object object_;
  json::object_iterator at_;
  json::object_iterator end_;
  bool is_started_ = false;
};

}  // namespace graphnet
