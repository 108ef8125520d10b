#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "graphnet/graph/text.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "checker.h"

namespace graphnet {
namespace {

namespace json = simdjson::ondemand;

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorKind::kInput, message);
}

[[noreturn]] void fail_kind(std::string_view expected, std::string_view found) {
  fail("expected " + std::string(expected) + ", found " + excerpt(found));
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

// The text "%12", or nothing.
std::optional<ValueId> parse_value_id(std::string_view text) {
  if (!text.starts_with('%')) return std::nullopt;
  const std::optional<std::int64_t> id = parse_integer(text.substr(1));
  if (!id || *id < 0 || *id > std::numeric_limits<ValueId>::max()) return std::nullopt;
  return static_cast<ValueId>(*id);
}

// One JSON text. Remembers where the value that is being read begins, so that any error can name its line.
class Document {
 public:
  explicit Document(std::string_view text) : text_(text), place_(text_.data()) {}

  json::value root() {
    if (const simdjson::error_code error = parser_.iterate(text_).get(document_)) {
      const std::string_view view(text_.data(), text_.size());
      std::size_t at = view.size();
      if (error == simdjson::UTF8_ERROR) at = begin_of_line_without_utf8(view);
      if (error == simdjson::UNESCAPED_CHARS || error == simdjson::UNCLOSED_STRING) at = find_unfinished_string(view);
      place_ = text_.data() + at;
      fail_json(error);
    }
    return take(document_.get_value());
  }

  // Unwraps simdjson's result or reports malformed JSON at the point the parser has reached.
  template <class T>
  T take(simdjson::simdjson_result<T> result) {
    T value;
    if (const simdjson::error_code error = std::move(result).get(value)) {
      const char* reached = nullptr;
      if (document_.current_location().get(reached) != simdjson::SUCCESS) reached = text_.data() + text_.size();
      place_ = reached;
      fail_json(error);
    }
    return value;
  }

  // Kind of a value; errors from now on name the line on which it begins.
  json::json_type kind(json::value& value) {
    place_ = value.raw_json_token().data();
    return take(value.type());
  }

  void move_to(const char* place) { place_ = place; }
  const char* place() const { return place_; }
  std::size_t line() const {
    const char* const end = std::clamp(place_, text_.data(), static_cast<const char*>(text_.data() + text_.size()));
    return 1 + static_cast<std::size_t>(std::count(static_cast<const char*>(text_.data()), end, '\n'));
  }

  // Nothing but white space may follow the root value.
  void expect_end() {
    const char* rest = nullptr;
    if (document_.current_location().get(rest) == simdjson::OUT_OF_BOUNDS) return;
    place_ = rest;
    fail("expected the end of the file after the graph");
  }

  // What a value is, for messages.
  std::string describe(json::value& value) {
    switch (kind(value)) {
      case json::json_type::array:
        return "a list";
      case json::json_type::object:
        return "an object";
      default:
        return excerpt(trim(value.raw_json_token()));
    }
  }

  // Numbers with a point or exponent are reals, others integers. (value::get_number would tell both at once, but it
  // reads doubles of more than 19 digits as 0 in simdjson 3.0.1.)
  bool is_real(json::value& value) { return take(value.get_number_type()) == json::number_type::floating_point_number; }

  std::int64_t integer(json::value& value) {
    std::int64_t number = 0;
    const simdjson::error_code error = value.get_int64().get(number);
    if (error == simdjson::INCORRECT_TYPE) fail_kind("an integer of at most 64 bits with sign", describe(value));
    if (error != simdjson::SUCCESS) fail_json(error);
    return number;
  }

  std::string_view string(json::value value, std::string_view expected) {
    if (kind(value) != json::json_type::string) fail_kind(expected, describe(value));
    return take(value.get_string());
  }

  json::array array(json::value value, std::string_view expected) {
    if (kind(value) != json::json_type::array) fail_kind(expected, describe(value));
    return take(value.get_array());
  }

  json::object object(json::value value, std::string_view expected) {
    if (kind(value) != json::json_type::object) fail_kind(expected, describe(value));
    return take(value.get_object());
  }

 private:
  static std::size_t begin_of_line_without_utf8(std::string_view text) {
    std::size_t line_begin = 0;
    while (line_begin < text.size()) {
      const std::size_t line_end = std::min(text.find('\n', line_begin), text.size());
      if (!is_utf8(text.substr(line_begin, line_end - line_begin))) break;
      line_begin = line_end + 1;
    }
    return std::min(line_begin, text.size());
  }

  static std::string_view trim(std::string_view token) {
    const std::size_t end = token.find_last_not_of(" \t\r\n");
    return token.substr(0, end == std::string_view::npos ? 0 : end + 1);
  }

  [[noreturn]] static void fail_json(simdjson::error_code error) {
    fail(std::string("malformed JSON: ") + simdjson::error_message(error));
  }

  simdjson::padded_string text_;
  json::parser parser_;
  json::document document_;
  const char* place_;
};

// Elements of an array, one after another.
class Elements {
 public:
  Elements(Document& document, json::value value, std::string_view expected)
      : document_(document),
        array_(document.array(value, expected)),
        at_(document.take(array_.begin())),
        end_(document.take(array_.end())) {}

  std::optional<json::value> next() {
    if (is_started_) ++at_;
    is_started_ = true;
    if (!(at_ != end_)) return std::nullopt;
    return document_.take(*at_);
  }

  json::value require(std::string_view expected) {
    const std::optional<json::value> value = next();
    if (!value) fail("expected " + std::string(expected) + ", found the end of the list");
    return *value;
  }

  void finish() {
    if (std::optional<json::value> value = next()) fail_kind("the end of the list", document_.describe(*value));
  }

 private:
  Document& document_;
  json::array array_;
  json::array_iterator at_;
  json::array_iterator end_;
  bool is_started_ = false;
};

// Fields of an object, which must come in the documented order. So unknown, repeated and missing keys all show as the
// key that was expected instead.
class Fields {
 public:
  Fields(Document& document, json::value value, std::string_view expected)
      : document_(document),
        object_(document.object(value, expected)),
        at_(document.take(object_.begin())),
        end_(document.take(object_.end())) {}

  std::optional<std::pair<std::string_view, json::value>> next() {
    if (is_started_) ++at_;
    is_started_ = true;
    if (!(at_ != end_)) return std::nullopt;
    json::field field = document_.take(*at_);
    document_.move_to(field.key().raw());
    const std::string_view key = document_.take(field.unescaped_key());
    return std::pair(key, field.value());
  }

  json::value require(std::string_view key) {
    const auto field = next();
    if (!field) fail("expected the key \"" + std::string(key) + "\", found the end of the object");
    if (field->first != key) fail_key("the key \"" + std::string(key) + "\"", field->first);
    return field->second;
  }

  void finish() {
    if (const auto field = next()) fail_key("the end of the object", field->first);
  }

  [[noreturn]] static void fail_key(const std::string& expected, std::string_view found) {
    fail("expected " + expected + ", found \"" + excerpt(found) + "\"");
  }

 private:
  Document& document_;
  json::object object_;
  json::object_iterator at_;
  json::object_iterator end_;
  bool is_started_ = false;
};

class GraphReader {
 public:
  GraphReader(Document& document, const TextLimits& limits)
      : document_(document), limits_(limits), checker_(graph_, limits) {}

  Graph read() {
    Fields fields(document_, document_.root(), "an object that begins with {\"graphnet\":1");
    read_version(fields.require("graphnet"));
    read_section(fields.require("inputs"), [&](json::value value) { read_input(value); });
    read_section(fields.require("weights"), [&](json::value value) { read_weight(value); });
    read_section(fields.require("constants"), [&](json::value value) { read_constant(value); });
    read_section(fields.require("operators"), [&](json::value value) { read_operator(value); });
    read_section(fields.require("calls"), [&](json::value value) { read_call(value); });
    json::value output = fields.require("output");
    document_.kind(output);
    const char* const output_place = document_.place();
    graph_.output = read_output(output, 0);
    fields.finish();
    document_.expect_end();

    document_.move_to(output_place);
    checker_.check_output();
    if (const std::size_t unused = checker_.first_unused_operator(); unused < graph_.operators.size()) {
      document_.move_to(operator_places_[unused]);
      fail("no call uses the operator " + graph_.operators[unused].full_name());
    }
    return std::move(graph_);
  }

 private:
  void read_version(json::value value) {
    static constexpr std::string_view kForm = "a format version such as 1";
    const bool is_number = document_.kind(value) == json::json_type::number;
    if (!is_number || document_.is_real(value)) fail_kind(kForm, document_.describe(value));
    const std::int64_t version = document_.integer(value);
    if (version < 1) fail_kind("a format version of at least 1", std::to_string(version));
    if (version > kGraphFormatVersion) {
      fail("the graph has format version " + std::to_string(version) + ", this program reads versions up to " +
           std::to_string(kGraphFormatVersion) + ": use a newer graphnet");
    }
  }

  template <class ReadItem>
  void read_section(json::value section, ReadItem&& read_item) {
    Elements elements(document_, section, "a list");
    while (const std::optional<json::value> element = elements.next()) read_item(*element);
  }

  // The fields that inputs, weights and constants share: value, name, type, recipe.
  void read_tensor(Fields& fields, std::string* name, TensorType& type, Recipe& recipe) {
    const ValueId expected = next_value_;
    const std::string_view value = document_.string(fields.require("value"), "a value such as \"%0\"");
    if (parse_value_id(value) != expected) {
      fail("expected \"%" + std::to_string(expected) + "\" as the next value, found \"" + excerpt(value) + "\"");
    }
    count_value();
    if (name != nullptr) *name = document_.string(fields.require("name"), "a name");
    type = parse_tensor_type(document_.string(fields.require("type"), "a tensor type"));
    recipe = parse_recipe(document_.string(fields.require("recipe"), "a recipe"));
  }

  void read_input(json::value value) {
    Fields fields(document_, value, "an input such as {\"value\":\"%0\",...}");
    const char* const place = document_.place();
    Input& input = graph_.inputs.emplace_back();
    read_tensor(fields, &input.name, input.type, input.recipe);
    fields.finish();
    document_.move_to(place);
    checker_.check_input(graph_.inputs.size() - 1);
  }

  void read_weight(json::value value) {
    Fields fields(document_, value, "a weight such as {\"value\":\"%1\",...}");
    const char* const place = document_.place();
    Weight& weight = graph_.weights.emplace_back();
    read_tensor(fields, &weight.name, weight.type, weight.recipe);
    if (auto field = fields.next()) {
      if (field->first != "buffer") Fields::fail_key("\"buffer\" or the end of the object", field->first);
      const bool is_true =
          document_.kind(field->second) == json::json_type::boolean && document_.take(field->second.get_bool());
      if (!is_true) fail("expected true, or no \"buffer\" at all for a parameter");
      weight.is_buffer = true;
      fields.finish();
    }
    document_.move_to(place);
    checker_.check_weight(graph_.weights.size() - 1);
  }

  void read_constant(json::value value) {
    Fields fields(document_, value, "a constant such as {\"value\":\"%2\",...}");
    const char* const place = document_.place();
    Constant& constant = graph_.constants.emplace_back();
    read_tensor(fields, nullptr, constant.type, constant.recipe);
    fields.finish();
    document_.move_to(place);
    checker_.check_constant(graph_.constants.size() - 1);
  }

  void read_operator(json::value value) {
    const std::string_view schema = document_.string(value, "an operator's schema");
    operator_places_.push_back(document_.place());
    const std::string_view full_name = schema.substr(0, schema.find('('));
    const std::size_t dot = full_name.find('.');
    Operator& operation = graph_.operators.emplace_back();
    operation.name = full_name.substr(0, dot);
    if (dot != std::string_view::npos) operation.overload = full_name.substr(dot + 1);
    operation.schema = schema;
    checker_.check_operator(graph_.operators.size() - 1);
    operator_names_.emplace_back(full_name);
  }

  void read_call(json::value value) {
    static constexpr std::string_view kForm = "a call such as [\"aten::relu\",[\"%0\"],[\"%1 float32[2]\"]]";
    Elements elements(document_, value, kForm);
    const char* const place = document_.place();
    if (graph_.calls.size() == limits_.calls) fail("more than " + std::to_string(limits_.calls) + " calls");
    Call& call = graph_.calls.emplace_back();
    call.operator_index = find_operator(document_.string(elements.require(kForm), "an operator's name"));

    std::size_t budget = limits_.arguments_a_call;
    Elements arguments(document_, elements.require("the call's arguments"), "a list of arguments");
    while (const std::optional<json::value> argument = arguments.next()) {
      call.arguments.push_back(read_argument(*argument, 0, budget));
    }
    budget = limits_.arguments_a_call;
    Elements results(document_, elements.require("the call's results"), "a list of results");
    while (const std::optional<json::value> result = results.next()) {
      call.results.push_back(read_result(*result, budget));
    }
    elements.finish();
    document_.move_to(place);
    checker_.check_call(graph_.calls.size() - 1);
  }

  std::uint32_t find_operator(std::string_view name) const {
    // check_operator has seen to it that the names are sorted.
    const auto found = std::lower_bound(operator_names_.begin(), operator_names_.end(), name);
    if (found == operator_names_.end() || *found != name) {
      fail("the operator \"" + excerpt(name) + "\" is not among the operators listed above");
    }
    return static_cast<std::uint32_t>(found - operator_names_.begin());
  }

  static void spend(std::size_t& budget) {
    if (budget == 0) fail("too many arguments or results in one call, list elements included");
    --budget;
  }

  Argument read_argument(json::value value, std::size_t depth, std::size_t& budget) {
    spend(budget);
    switch (document_.kind(value)) {
      case json::json_type::null:
        if (!document_.take(value.is_null())) fail_kind("null", document_.describe(value));
        return {None{}};
      case json::json_type::boolean:
        return {document_.take(value.get_bool())};
      case json::json_type::number:
        return read_number(value);
      case json::json_type::string: {
        const std::string_view text = document_.take(value.get_string());
        const std::optional<ValueId> id = parse_value_id(text);
        if (!id) {
          fail("expected a value such as \"%0\" (a text is {\"string\":\"...\"}), found \"" + excerpt(text) + "\"");
        }
        return {ValueReference{*id}};
      }
      case json::json_type::object:
        return read_tagged_argument(value);
      case json::json_type::array:
        break;
    }
    if (depth == limits_.nesting) fail("lists nested more than " + std::to_string(depth) + " deep");
    ArgumentList list;
    Elements elements(document_, value, "a list");
    while (const std::optional<json::value> element = elements.next()) {
      list.push_back(read_argument(*element, depth + 1, budget));
    }
    return {std::move(list)};
  }

  Argument read_number(json::value& value) {
    if (document_.is_real(value)) return {document_.take(value.get_double())};
    return {document_.integer(value)};
  }

  // {"complex":[re,im]}, {"string":"gelu"}, {"dtype":"float32"} and so on.
  Argument read_tagged_argument(json::value value) {
    Fields fields(document_, value, "an argument");
    auto field = fields.next();
    if (!field) fail("expected one of the keys float, complex, string, dtype, layout, memory_format, device");
    Argument argument = read_tagged_content(field->first, field->second);
    fields.finish();
    return argument;
  }

  Argument read_tagged_content(std::string_view tag, json::value content) {
    if (tag == "complex") return {read_complex(content)};
    if (tag == "float") return {read_non_finite(document_.string(content, "inf, -inf or nan"))};
    if (tag == "string") return {std::string(document_.string(content, "a text"))};
    if (tag == "dtype") return read_name(content, "a dtype such as float32", parse_dtype);
    if (tag == "layout") return read_name(content, "a layout such as strided", parse_layout);
    if (tag == "memory_format") return read_name(content, "a memory format such as contiguous", parse_memory_format);
    if (tag == "device") return read_name(content, "sample or cpu", parse_device_role);
    Fields::fail_key("one of the keys float, complex, string, dtype, layout, memory_format, device", tag);
  }

  template <class Parse>
  Argument read_name(json::value content, std::string_view expected, Parse&& parse) {
    const std::string_view name = document_.string(content, expected);
    const auto parsed = parse(name);
    if (!parsed) fail("expected " + std::string(expected) + ", found \"" + excerpt(name) + "\"");
    return {*parsed};
  }

  static double read_non_finite(std::string_view name) {
    if (name != "inf" && name != "-inf" && name != "nan") fail_kind("inf, -inf or nan", name);
    return *parse_double(name);
  }

  std::complex<double> read_complex(json::value content) {
    static constexpr std::string_view kForm = "two reals such as [1.0,2.0]";
    Elements parts(document_, content, kForm);
    const double real = read_real(parts.require(kForm));
    const double imaginary = read_real(parts.require(kForm));
    parts.finish();
    return {real, imaginary};
  }

  double read_real(json::value value) {
    const json::json_type kind = document_.kind(value);
    if (kind == json::json_type::number) {
      if (document_.is_real(value)) return document_.take(value.get_double());
    } else if (kind == json::json_type::object) {
      const Argument argument = read_tagged_argument(value);
      if (const auto* real = argument.get_if<double>()) return *real;
    }
    fail("expected a real such as 1.0 or {\"float\":\"nan\"}");
  }

  Result read_result(json::value value, std::size_t& budget) {
    spend(budget);
    const json::json_type kind = document_.kind(value);
    if (kind == json::json_type::null) {
      if (!document_.take(value.is_null())) fail_kind("null", document_.describe(value));
      return std::monostate{};
    }
    if (kind == json::json_type::string) return read_tensor_result(value);
    std::vector<TensorResult> list;
    Elements elements(document_, value, "a result such as \"%4 float32[2]\", a list of those or null");
    while (const std::optional<json::value> element = elements.next()) {
      spend(budget);
      list.push_back(read_tensor_result(*element));
    }
    return list;
  }

  TensorResult read_tensor_result(json::value value) {
    static constexpr std::string_view kForm = "a result such as \"%4 float32[2]\"";
    const std::string_view text = document_.string(value, kForm);
    const std::size_t space = text.find(' ');
    const std::optional<ValueId> id = parse_value_id(text.substr(0, space));
    if (!id || space == std::string_view::npos) fail_kind(kForm, "\"" + excerpt(text) + "\"");
    return {*id, parse_tensor_type(text.substr(space + 1))};
  }

  Output read_output(json::value value, std::size_t depth) {
    if (depth > limits_.nesting) fail("outputs nested more than " + std::to_string(limits_.nesting) + " deep");
    const json::json_type kind = document_.kind(value);
    if (kind == json::json_type::array) return {Output::List{read_output_items(value, depth)}};
    std::size_t budget = 1;
    if (kind != json::json_type::object) return {read_argument(value, 0, budget)};
    Fields fields(document_, value, "an output");
    auto field = fields.next();
    if (!field) fail("expected the key tuple, dict or one of an argument's");
    Output output;
    if (field->first == "tuple") {
      output.node = Output::Tuple{read_output_items(field->second, depth)};
    } else if (field->first == "dict") {
      output.node = read_output_dict(field->second, depth);
    } else {
      output.node = read_tagged_content(field->first, field->second);
    }
    fields.finish();
    return output;
  }

  std::vector<Output> read_output_items(json::value value, std::size_t depth) {
    std::vector<Output> items;
    Elements elements(document_, value, "a list of outputs");
    while (const std::optional<json::value> element = elements.next()) {
      items.push_back(read_output(*element, depth + 1));
    }
    return items;
  }

  Output::Dict read_output_dict(json::value value, std::size_t depth) {
    static constexpr std::string_view kForm = "a pair [key,output]";
    Output::Dict dict;
    Elements elements(document_, value, "a list of pairs [key,output]");
    while (const std::optional<json::value> element = elements.next()) {
      Elements pair(document_, *element, kForm);
      std::size_t budget = 1;
      Argument key = read_argument(pair.require(kForm), 0, budget);
      Output item = read_output(pair.require(kForm), depth + 1);
      pair.finish();
      dict.items.push_back({std::move(key), std::move(item)});
    }
    return dict;
  }

  void count_value() {
    if (next_value_ >= limits_.values) fail("more than " + std::to_string(limits_.values) + " values");
    ++next_value_;
  }

  Document& document_;
  TextLimits limits_;
  Graph graph_;
  Checker checker_;
  ValueId next_value_ = 0;
  std::vector<std::string> operator_names_;
  std::vector<const char*> operator_places_;
};

}  // namespace

Graph read_graph(std::string_view text, std::string_view file, const TextLimits& limits) {
  if (text.size() > limits.bytes) {
    fail(std::string(file) + ": larger than the limit of " + std::to_string(limits.bytes) + " bytes");
  }
  Document document(text);
  try {
    return GraphReader(document, limits).read();
  } catch (const Error& error) {
    throw error.with_context(std::string(file) + ":" + std::to_string(document.line()));
  }
}

}  // namespace graphnet
