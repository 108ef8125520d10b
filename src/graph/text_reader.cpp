#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphnet/graph/text.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "checker.h"
#include "json_document.h"

namespace graphnet {
namespace {

// The text "%12", or nothing.
std::optional<ValueId> parse_value_id(std::string_view text) {
  if (!text.starts_with('%')) return std::nullopt;
  const std::optional<std::int64_t> id = parse_integer(text.substr(1));
  if (!id || *id < 0 || *id > std::numeric_limits<ValueId>::max()) return std::nullopt;
  return static_cast<ValueId>(*id);
}

class GraphReader {
 public:
  GraphReader(JsonDocument& document, const TextLimits& limits)
      : document_(document), limits_(limits), checker_(graph_, limits) {}

  Graph read() {
    JsonFields fields(document_, document_.root(), "an object that begins with {\"graphnet\":1");
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
      fail_input("no call uses the operator " + graph_.operators[unused].full_name());
    }
    return std::move(graph_);
  }

 private:
  void read_version(json::value value) {
    static constexpr std::string_view kForm = "a format version such as 1";
    const bool is_number = document_.kind(value) == json::json_type::number;
    if (!is_number || document_.is_real(value)) fail_expected(kForm, document_.describe(value));
    const std::int64_t version = document_.integer(value);
    if (version < 1) fail_expected("a format version of at least 1", std::to_string(version));
    if (version > kGraphFormatVersion) {
      fail_input("the graph has format version " + std::to_string(version) + ", this program reads versions up to " +
                 std::to_string(kGraphFormatVersion) + ": use a newer graphnet");
    }
  }

  template <class ReadItem>
  void read_section(json::value section, ReadItem&& read_item) {
    JsonElements elements(document_, section, "a list");
    while (const std::optional<json::value> element = elements.next()) read_item(*element);
  }

  // The fields that inputs, weights and constants share: value, name, type, recipe.
  void read_tensor(JsonFields& fields, std::string* name, TensorType& type, Recipe& recipe) {
    const ValueId expected = next_value_;
    const std::string_view value = document_.string(fields.require("value"), "a value such as \"%0\"");
    if (parse_value_id(value) != expected) {
      fail_input("expected \"%" + std::to_string(expected) + "\" as the next value, found \"" + excerpt(value) + "\"");
    }
    count_value();
    if (name != nullptr) *name = document_.string(fields.require("name"), "a name");
    type = parse_tensor_type(document_.string(fields.require("type"), "a tensor type"));
    recipe = parse_recipe(document_.string(fields.require("recipe"), "a recipe"));
  }

  void read_input(json::value value) {
    JsonFields fields(document_, value, "an input such as {\"value\":\"%0\",...}");
    const char* const place = document_.place();
    Input& input = graph_.inputs.emplace_back();
    read_tensor(fields, &input.name, input.type, input.recipe);
    fields.finish();
    document_.move_to(place);
    checker_.check_input(graph_.inputs.size() - 1);
  }

  void read_weight(json::value value) {
    JsonFields fields(document_, value, "a weight such as {\"value\":\"%1\",...}");
    const char* const place = document_.place();
    Weight& weight = graph_.weights.emplace_back();
    read_tensor(fields, &weight.name, weight.type, weight.recipe);
    if (auto field = fields.next()) {
      if (field->first != "buffer") fail_expected_text("\"buffer\" or the end of the object", field->first);
      const bool is_true =
          document_.kind(field->second) == json::json_type::boolean && document_.take(field->second.get_bool());
      if (!is_true) fail_input("expected true, or no \"buffer\" at all for a parameter");
      weight.is_buffer = true;
      fields.finish();
    }
    document_.move_to(place);
    checker_.check_weight(graph_.weights.size() - 1);
  }

  void read_constant(json::value value) {
    JsonFields fields(document_, value, "a constant such as {\"value\":\"%2\",...}");
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
    JsonElements elements(document_, value, kForm);
    const char* const place = document_.place();
    if (graph_.calls.size() == limits_.calls) fail_input("more than " + std::to_string(limits_.calls) + " calls");
    Call& call = graph_.calls.emplace_back();
    call.operator_index = find_operator(document_.string(elements.require(kForm), "an operator's name"));

    std::size_t budget = limits_.arguments_a_call;
    JsonElements arguments(document_, elements.require("the call's arguments"), "a list of arguments");
    while (const std::optional<json::value> argument = arguments.next()) {
      call.arguments.push_back(read_argument(*argument, 0, budget));
    }
    budget = limits_.arguments_a_call;
    JsonElements results(document_, elements.require("the call's results"), "a list of results");
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
      fail_input("the operator \"" + excerpt(name) + "\" is not among the operators listed above");
    }
    return static_cast<std::uint32_t>(found - operator_names_.begin());
  }

  static void spend(std::size_t& budget) {
    if (budget == 0) fail_input("too many arguments or results in one call, list elements included");
    --budget;
  }

  Argument read_argument(json::value value, std::size_t depth, std::size_t& budget) {
    spend(budget);
    switch (document_.kind(value)) {
      case json::json_type::null:
        if (!document_.take(value.is_null())) fail_expected("null", document_.describe(value));
        return {None{}};
      case json::json_type::boolean:
        return {document_.take(value.get_bool())};
      case json::json_type::number:
        return read_number(value);
      case json::json_type::string: {
        const std::string_view text = document_.take(value.get_string());
        const std::optional<ValueId> id = parse_value_id(text);
        if (!id) {
          fail_input("expected a value such as \"%0\" (a text is {\"string\":\"...\"}), found \"" + excerpt(text) +
                     "\"");
        }
        return {ValueReference{*id}};
      }
      case json::json_type::object:
        return read_tagged_argument(value);
      case json::json_type::array:
        break;
    }
    if (depth == limits_.nesting) fail_input("lists nested more than " + std::to_string(depth) + " deep");
    ArgumentList list;
    JsonElements elements(document_, value, "a list");
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
    JsonFields fields(document_, value, "an argument");
    auto field = fields.next();
    if (!field) fail_input("expected one of the keys float, complex, string, dtype, layout, memory_format, device");
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
    fail_expected_text("one of the keys float, complex, string, dtype, layout, memory_format, device", tag);
  }

  template <class Parse>
  Argument read_name(json::value content, std::string_view expected, Parse&& parse) {
    const std::string_view name = document_.string(content, expected);
    const auto parsed = parse(name);
    if (!parsed) fail_expected_text(expected, name);
    return {*parsed};
  }

  static double read_non_finite(std::string_view name) {
    if (name != "inf" && name != "-inf" && name != "nan") fail_expected("inf, -inf or nan", name);
    return *parse_double(name);
  }

  std::complex<double> read_complex(json::value content) {
    static constexpr std::string_view kForm = "two reals such as [1.0,2.0]";
    JsonElements parts(document_, content, kForm);
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
    fail_input("expected a real such as 1.0 or {\"float\":\"nan\"}");
  }

  Result read_result(json::value value, std::size_t& budget) {
    spend(budget);
    const json::json_type kind = document_.kind(value);
    if (kind == json::json_type::null) {
      if (!document_.take(value.is_null())) fail_expected("null", document_.describe(value));
      return std::monostate{};
    }
    if (kind == json::json_type::string) return read_tensor_result(value);
    std::vector<TensorResult> list;
    JsonElements elements(document_, value, "a result such as \"%4 float32[2]\", a list of those or null");
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
    if (!id || space == std::string_view::npos) fail_expected_text(kForm, text);
    return {*id, parse_tensor_type(text.substr(space + 1))};
  }

  Output read_output(json::value value, std::size_t depth) {
    if (depth > limits_.nesting) fail_input("outputs nested more than " + std::to_string(limits_.nesting) + " deep");
    const json::json_type kind = document_.kind(value);
    if (kind == json::json_type::array) return {Output::List{read_output_items(value, depth)}};
    std::size_t budget = 1;
    if (kind != json::json_type::object) return {read_argument(value, 0, budget)};
    JsonFields fields(document_, value, "an output");
    auto field = fields.next();
    if (!field) fail_input("expected the key tuple, dict or one of an argument's");
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
    JsonElements elements(document_, value, "a list of outputs");
    while (const std::optional<json::value> element = elements.next()) {
      items.push_back(read_output(*element, depth + 1));
    }
    return items;
  }

  Output::Dict read_output_dict(json::value value, std::size_t depth) {
    static constexpr std::string_view kForm = "a pair [key,output]";
    Output::Dict dict;
    JsonElements elements(document_, value, "a list of pairs [key,output]");
    while (const std::optional<json::value> element = elements.next()) {
      JsonElements pair(document_, *element, kForm);
      std::size_t budget = 1;
      Argument key = read_argument(pair.require(kForm), 0, budget);
      Output item = read_output(pair.require(kForm), depth + 1);
      pair.finish();
      dict.items.push_back({std::move(key), std::move(item)});
    }
    return dict;
  }

  void count_value() {
    if (next_value_ >= limits_.values) fail_input("more than " + std::to_string(limits_.values) + " values");
    ++next_value_;
  }

  JsonDocument& document_;
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
    fail_input(std::string(file) + ": larger than the limit of " + std::to_string(limits.bytes) + " bytes");
  }
  JsonDocument document(text);
  try {
    return GraphReader(document, limits).read();
  } catch (const Error& error) {
    throw error.with_context(std::string(file) + ":" + std::to_string(document.line()));
  }
}

}  // namespace graphnet
