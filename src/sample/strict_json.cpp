#include "strict_json.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

[[noreturn]] void fail_at(std::string_view file, std::size_t line, const std::string& message) {
  throw Error(ErrorKind::kInput, std::string(file) + ":" + std::to_string(line) + ": " + message);
}

// Counts lines as the parser consumes characters. The parser reads one character beyond a number, so the last one does
// not count yet.
struct Progress {
  std::size_t lines_before = 1;
  char last = ' ';

  void consume(char character) {
    lines_before += last == '\n' ? 1 : 0;
    last = character;
  }
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* position, Progress* progress) : position_(position), progress_(progress) {}
  reference operator*() const { return *position_; }
  CountingIterator& operator++() {
    progress_->consume(*position_);
    ++position_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return position_ == other.position_; }
  bool operator!=(const CountingIterator& other) const { return position_ != other.position_; }

 private:
  const char* position_;
  Progress* progress_;
};

class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view file, const Progress& progress, const JsonLimits& limits)
      : file_(file), progress_(progress), limits_(limits) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return add(static_cast<std::int64_t>(value));
    }
    return add(std::uint64_t{value});
  }
  bool number_float(number_float_t value, const string_t& text) override {
    if (text.find_first_of(".eE") == std::string::npos) fail("the integer " + excerpt(text) + " has more than 64 bits");
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::Object{}); }
  bool start_array(std::size_t) override { return open(Json::Array{}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    Level& level = open_.back();
    if (!level.keys.insert(value).second) fail("the key \"" + excerpt(value) + "\" is repeated");
    level.key = std::move(value);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ...": the place is ours.
    const std::string_view text = error.what();
    const std::size_t place = text.find("column ");
    const std::size_t colon = text.find(": ", place == std::string_view::npos ? 0 : place);
    fail("malformed JSON: " + excerpt(colon == std::string_view::npos ? text : text.substr(colon + 2), 200));
  }

 private:
  struct Level {
    Json* json;
    std::string key;
    std::unordered_set<std::string> keys;
  };

  [[noreturn]] void fail(const std::string& message) const { fail_at(file_, progress_.lines_before, message); }

  template <class Value>
  bool add(Value&& value) {
    place(std::forward<Value>(value));
    return true;
  }

  template <class Container>
  bool open(Container container) {
    if (open_.size() >= limits_.depth) fail("nested deeper than " + std::to_string(limits_.depth) + " levels");
    // Growing a parent moves its children, but never one that is open: only the last child can be.
    open_.push_back({place(std::move(container)), {}, {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  template <class Value>
  Json* place(Value&& value) {
    if (++nodes_ > limits_.nodes) fail("more than " + std::to_string(limits_.nodes) + " values");
    Json json{std::forward<Value>(value), progress_.lines_before};
    if (open_.empty()) {
      root_ = std::move(json);
      return &root_;
    }
    Level& level = open_.back();
    if (auto* array = std::get_if<Json::Array>(&level.json->value)) return &array->emplace_back(std::move(json));
    auto& members = std::get<Json::Object>(level.json->value);
    members.push_back({std::move(level.key), std::move(json)});
    return &members.back().value;
  }

  std::string_view file_;
  const Progress& progress_;
  JsonLimits limits_;
  Json root_;
  std::vector<Level> open_;
  std::size_t nodes_ = 0;
};

std::string describe(const Json& json) {
  struct Describer {
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(std::uint64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return double_text(value); }
    std::string operator()(const std::string& value) const { return "\"" + excerpt(value) + "\""; }
    std::string operator()(const Json::Array&) const { return "an array"; }
    std::string operator()(const Json::Object&) const { return "an object"; }
  };
  return std::visit(Describer{}, json.value);
}

template <class Container, class Append>
void append_joined(std::string& text, const Container& items, char open, char close, Append append) {
  text += open;
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) text += ',';
    is_first = false;
    append(item);
  }
  text += close;
}

}  // namespace

Json parse_json(std::string_view text, std::string_view file, const JsonLimits& limits) {
  Progress progress;
  TreeBuilder builder(file, progress, limits);
  const CountingIterator begin(text.data(), &progress);
  const CountingIterator end(text.data() + text.size(), &progress);
  if (!nlohmann::json::sax_parse(begin, end, &builder)) fail_at(file, progress.lines_before, "malformed JSON");
  return builder.take();
}

void append_json(std::string& text, const Json& json) {
  struct Appender {
    std::string& text;
    void operator()(std::nullptr_t) const { text += "null"; }
    void operator()(bool value) const { text += value ? "true" : "false"; }
    void operator()(std::int64_t value) const { append_integer(text, value); }
    void operator()(std::uint64_t value) const { text += std::to_string(value); }
    void operator()(double value) const { append_double(text, value); }
    void operator()(const std::string& value) const { append_json_string(text, value); }
    void operator()(const Json::Array& items) const {
      append_joined(text, items, '[', ']', [this](const Json& item) { append_json(text, item); });
    }
    void operator()(const Json::Object& members) const {
      append_joined(text, members, '{', '}', [this](const auto& member) {
        append_json_string(text, member.key);
        text += ':';
        append_json(text, member.value);
      });
    }
  };
  std::visit(Appender{text}, json.value);
}

ObjectReader::ObjectReader(const Json& json, std::string_view file, std::string place)
    : json_(json), members_(json.get_if<Json::Object>()), file_(file), place_(std::move(place)) {
  if (members_ == nullptr) fail(json, "", "an object");
  is_taken_.resize(members_->size());
}

const Json* ObjectReader::find(std::string_view key) {
  for (std::size_t i = 0; i < members_->size(); ++i) {
    if ((*members_)[i].key != key) continue;
    is_taken_[i] = true;
    return &(*members_)[i].value;
  }
  return nullptr;
}

const Json& ObjectReader::require(std::string_view key) {
  if (const Json* found = find(key)) return *found;
  fail_at(file_, json_.line, (place_.empty() ? "" : place_ + ": ") + "the key \"" + std::string(key) + "\" is missing");
}

std::string ObjectReader::string(std::string_view key) {
  const Json& json = require(key);
  if (const auto* value = json.get_if<std::string>()) return *value;
  fail(json, key, "a string");
}

bool ObjectReader::boolean(std::string_view key) {
  const Json& json = require(key);
  if (const auto* value = json.get_if<bool>()) return *value;
  fail(json, key, "true or false");
}

std::int64_t ObjectReader::count(std::string_view key) {
  const Json& json = require(key);
  const auto* value = json.get_if<std::int64_t>();
  if (value == nullptr || *value < 0) fail(json, key, "an integer of at least 0");
  return *value;
}

std::uint64_t ObjectReader::unsigned_integer(std::string_view key) {
  const Json& json = require(key);
  if (const auto* value = json.get_if<std::uint64_t>()) return *value;
  return static_cast<std::uint64_t>(count(key));
}

std::vector<std::string> ObjectReader::strings(std::string_view key) {
  std::vector<std::string> result;
  for (const Json& item : array(key)) {
    const auto* value = item.get_if<std::string>();
    if (value == nullptr) fail(item, key, "strings");
    result.push_back(*value);
  }
  return result;
}

const Json::Array& ObjectReader::array(std::string_view key) {
  const Json& json = require(key);
  if (const auto* value = json.get_if<Json::Array>()) return *value;
  fail(json, key, "an array");
}

void ObjectReader::finish() const {
  for (std::size_t i = 0; i < members_->size(); ++i) {
    const auto& [key, json] = (*members_)[i];
    if (is_taken_[i]) continue;
    fail_at(file_, json.line, (place_.empty() ? "" : place_ + ": ") + "unknown key \"" + excerpt(key) + "\"");
  }
}

void ObjectReader::fail(const Json& json, std::string_view key, std::string_view expected) const {
  std::string place = place_;
  if (!key.empty()) place += (place.empty() ? "" : ".") + std::string(key);
  fail_at(file_, json.line,
          (place.empty() ? "" : place + ": ") + "expected " + std::string(expected) + ", found " + describe(json));
}

}  // namespace graphnet
