#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "graphnet/graph/system_operators.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "checker.h"

namespace graphnet {
namespace {

[[noreturn]] void fail(const std::string& place, const std::string& message) {
  throw Error(ErrorKind::kInput, place + ": " + message);
}

std::string value_name(std::size_t id) {
  return std::string("%").append(std::to_string(id));
}

void check_name(const std::string& name, const std::string& what, std::size_t index,
                std::unordered_set<std::string>& taken) {
  const bool is_printable =
      std::none_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7F; });
  const std::string place = what + " " + std::to_string(index);
  if (!is_printable || !is_utf8(name)) fail(place, "the name must be UTF-8 without control characters");
  if (name.empty()) fail(place, "the name is empty");
  if (!taken.insert(name).second) fail(place, "the name \"" + excerpt(name) + "\" is that of an earlier " + what);
}

// Counts arguments, list elements included, and the depth of lists, both bounded.
class ArgumentCounter {
 public:
  ArgumentCounter(const TextLimits& limits, const std::string& place) : limits_(limits), place_(place) {}

  void count(const Argument& argument, std::size_t depth = 0) {
    if (++arguments_ > limits_.arguments_a_call) {
      fail(place_, "more than " + std::to_string(limits_.arguments_a_call) + " arguments, list elements included");
    }
    if (const auto* text = argument.get_if<std::string>(); text != nullptr && !is_utf8(*text)) {
      fail(place_, "the text \"" + excerpt(*text) + "\" is not UTF-8");
    }
    const auto* list = argument.get_if<ArgumentList>();
    if (list == nullptr) return;
    if (depth == limits_.nesting) fail(place_, "lists nested more than " + std::to_string(depth) + " deep");
    for (const Argument& element : *list) count(element, depth + 1);
  }

 private:
  const TextLimits& limits_;
  const std::string& place_;
  std::size_t arguments_ = 0;
};

// The text of an argument for a message: short, whatever the argument.
std::string brief(const Argument& argument) {
  if (argument.get_if<ArgumentList>() != nullptr) return "a list";
  return excerpt(to_text(argument));
}

}  // namespace

template <class Place>
void Checker::define_value(Place&& place) {
  if (defined_ >= limits_.values || defined_ >= std::numeric_limits<ValueId>::max()) {
    fail(place(), "more than " + std::to_string(limits_.values) + " values");
  }
  ++defined_;
}

void Checker::check_input(std::size_t index) {
  const Input& input = graph_.inputs[index];
  const auto place = [&] { return "input " + input.name; };
  check_name(input.name, "input", index, input_names_);
  if (std::holds_alternative<ViewRecipe>(input.recipe)) fail(place(), "only a weight can be a view of another weight");
  define_value(place);
}

void Checker::check_weight(std::size_t index) {
  const Weight& weight = graph_.weights[index];
  const auto place = [&] { return "weight " + weight.name; };
  check_name(weight.name, "weight", index, weight_names_);
  if (const auto* view = std::get_if<ViewRecipe>(&weight.recipe)) check_view(*view, weight, index, place());
  define_value(place);
}

void Checker::check_view(const ViewRecipe& view, const Weight& weight, std::size_t index,
                         const std::string& place) const {
  const std::size_t first = graph_.first_weight();
  if (view.base < first || view.base >= first + index) {
    fail(place, "it is a view of " + value_name(view.base) + ", which is no earlier weight");
  }
  const Weight& base = graph_.weights[view.base - first];
  if (std::holds_alternative<ViewRecipe>(base.recipe)) {
    fail(place, "it is a view of " + value_name(view.base) + ", which is a view itself");
  }
  if (base.type.dtype != weight.type.dtype) {
    fail(place, "it is a view of " + value_name(view.base) + ", which has another dtype");
  }
  const auto size = static_cast<std::int64_t>(dtype_size(weight.type.dtype));
  const std::int64_t available = storage_bytes(base.type) / size;
  if (view.offset < 0 || view.offset > available || storage_bytes(weight.type) / size > available - view.offset) {
    fail(place, "it reaches beyond " + value_name(view.base) + ", which it is a view of");
  }
}

void Checker::check_constant(std::size_t index) {
  const auto place = [&] { return "constant " + value_name(graph_.first_constant() + index); };
  if (!is_exact(graph_.constants[index].recipe)) {
    fail(place(), "expected a recipe that fixes every element, found " + to_string(graph_.constants[index].recipe));
  }
  define_value(place);
}

void Checker::check_operator(std::size_t index) {
  const Operator& operation = graph_.operators[index];
  const std::string place = "operator " + std::to_string(index) + " " + excerpt(operation.full_name());
  if (const std::string_view use = system_use(operation.name); !use.empty()) {
    fail(place, "it " + std::string(use) + ": no graph may hold it");
  }
  OperatorFacts facts;
  try {
    facts.schema = parse_schema(operation.schema);
  } catch (const Error& error) {
    throw error.with_context(place);
  }
  if (facts.schema.name != operation.name || facts.schema.overload != operation.overload) {
    fail(place, "its schema is that of another operator: \"" + excerpt(operation.schema) + "\"");
  }
  if (index > 0 && graph_.operators[index - 1].full_name() >= operation.full_name()) {
    fail(place, "operators must be sorted by name, each once");
  }
  for (const SchemaArgument& argument : facts.schema.arguments) facts.arguments.emplace_back(argument.type);
  for (const SchemaArgument& returned : facts.schema.returns) facts.returns.emplace_back(returned.type);
  operators_.push_back(std::move(facts));
}

std::string Checker::call_place(std::size_t index) const {
  return "call " + std::to_string(index) + " " + graph_.operator_of(graph_.calls[index]).full_name();
}

void Checker::check_call(std::size_t index) {
  const Call& call = graph_.calls[index];
  if (call.operator_index >= operators_.size()) {
    fail("call " + std::to_string(index), "its operator " + std::to_string(call.operator_index) + " is not listed");
  }
  OperatorFacts& facts = operators_[call.operator_index];
  facts.is_used = true;
  check_arguments(call, facts, index);
  check_results(call, facts, index);
}

void Checker::check_arguments(const Call& call, const OperatorFacts& facts, std::size_t index) const {
  const std::size_t expected = facts.arguments.size();
  const bool is_count_right =
      facts.schema.is_variadic ? call.arguments.size() >= expected : call.arguments.size() == expected;
  if (!is_count_right) {
    fail(call_place(index), "expected " + std::to_string(expected) + " arguments as in its schema, found " +
                                std::to_string(call.arguments.size()));
  }
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto place = [&] {
      return call_place(index) + ", argument " +
             (i < expected && !facts.schema.arguments[i].name.empty() ? facts.schema.arguments[i].name
                                                                      : std::to_string(i));
    };
    for_each_value(call.arguments[i], [&](ValueId id) {
      if (id >= defined_) fail(place(), value_name(id) + " is used before it is defined");
    });
    if (i < expected && !facts.arguments[i].admits(call.arguments[i])) {
      fail(place(), "expected " + facts.schema.arguments[i].type + ", found " + brief(call.arguments[i]));
    }
  }
}

void Checker::check_results(const Call& call, const OperatorFacts& facts, std::size_t index) {
  const std::size_t expected = facts.returns.size();
  if (!facts.schema.has_variadic_returns && call.results.size() != expected) {
    fail(call_place(index), "expected " + std::to_string(expected) + " results as in its schema, found " +
                                std::to_string(call.results.size()));
  }
  for (std::size_t i = 0; i < std::min(call.results.size(), expected); ++i) {
    if (facts.returns[i].admits(call.results[i])) continue;
    fail(call_place(index) + ", result " + std::to_string(i),
         "expected " + facts.schema.returns[i].type + " as in its schema");
  }

  const std::size_t first_new = defined_;
  std::optional<std::vector<ValueId>> argument_values;  // sorted; made only where a result is no new value
  const auto is_argument = [&](ValueId id) {
    if (!argument_values) {
      argument_values.emplace();
      for (const Argument& argument : call.arguments) {
        for_each_value(argument, [&](ValueId value) { argument_values->push_back(value); });
      }
      std::sort(argument_values->begin(), argument_values->end());
    }
    return std::binary_search(argument_values->begin(), argument_values->end(), id);
  };
  for_each_result(call, [&](const TensorResult& result) {
    if (result.id > defined_) {
      fail(call_place(index),
           "its next new result must be " + value_name(defined_) + ", found " + value_name(result.id));
    }
    if (result.id == defined_) {
      define_value([&] { return call_place(index); });
    } else if (result.id < first_new && !is_argument(result.id)) {
      fail(call_place(index),
           "its result " + value_name(result.id) + " is defined already and is none of its arguments");
    }
  });
}

std::size_t Checker::first_unused_operator() const {
  const auto unused =
      std::find_if(operators_.begin(), operators_.end(), [](const auto& facts) { return !facts.is_used; });
  return static_cast<std::size_t>(unused - operators_.begin());
}

void Checker::check_output() const {
  check_output_node(graph_.output, 0);
}

void Checker::check_output_node(const Output& output, std::size_t depth) const {
  static const std::string kPlace = "output";
  if (const auto* argument = std::get_if<Argument>(&output.node)) {
    if (argument->get_if<ArgumentList>() != nullptr) fail(kPlace, "a list must be an output list, not an argument");
    if (const auto* text = argument->get_if<std::string>(); text != nullptr && !is_utf8(*text)) {
      fail(kPlace, "the text \"" + excerpt(*text) + "\" is not UTF-8");
    }
    for_each_value(*argument, [&](ValueId id) {
      if (id >= defined_) fail(kPlace, value_name(id) + " is not defined");
    });
    return;
  }
  if (depth == limits_.nesting) fail(kPlace, "nested more than " + std::to_string(depth) + " deep");
  if (const auto* list = std::get_if<Output::List>(&output.node)) {
    for (const Output& item : list->items) check_output_node(item, depth + 1);
  } else if (const auto* tuple = std::get_if<Output::Tuple>(&output.node)) {
    for (const Output& item : tuple->items) check_output_node(item, depth + 1);
  } else if (const auto* dict = std::get_if<Output::Dict>(&output.node)) {
    std::set<std::string> keys;
    for (const auto& [key, item] : dict->items) {
      const auto* text = key.get_if<std::string>();
      if (text == nullptr && key.get_if<std::int64_t>() == nullptr)
        fail(kPlace, "a key must be a string or an integer");
      if (text != nullptr && !is_utf8(*text)) fail(kPlace, "the key \"" + excerpt(*text) + "\" is not UTF-8");
      if (!keys.insert(to_text(key)).second) fail(kPlace, "the key " + excerpt(to_text(key)) + " is repeated");
      check_output_node(item, depth + 1);
    }
  }
}

namespace {

// A type or recipe built in memory must be one that its text form can hold: canonical strides, valid parameters.
void check_readable(const TensorType& type, const std::string& place) {
  const std::string text = to_string(type);
  try {
    if (parse_tensor_type(text) == type) return;
  } catch (const Error& error) {
    throw error.with_context(place);
  }
  fail(place, "the type is not canonical: " + text);
}

void check_readable(const TensorType& type, const Recipe& recipe, const std::string& place) {
  check_readable(type, place);
  const std::string text = to_string(recipe);
  try {
    if (parse_recipe(text) == recipe) return;
  } catch (const Error& error) {
    throw error.with_context(place);
  }
  fail(place, "the recipe is not canonical: " + excerpt(text));
}

}  // namespace

void check(const Graph& graph) {
  const TextLimits limits;
  Checker checker(graph, limits);
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    check_readable(graph.inputs[i].type, graph.inputs[i].recipe, "input " + graph.inputs[i].name);
    checker.check_input(i);
  }
  for (std::size_t i = 0; i < graph.weights.size(); ++i) {
    check_readable(graph.weights[i].type, graph.weights[i].recipe, "weight " + graph.weights[i].name);
    checker.check_weight(i);
  }
  for (std::size_t i = 0; i < graph.constants.size(); ++i) {
    check_readable(graph.constants[i].type, graph.constants[i].recipe,
                   "constant " + value_name(graph.first_constant() + i));
    checker.check_constant(i);
  }
  for (std::size_t i = 0; i < graph.operators.size(); ++i) checker.check_operator(i);
  if (graph.calls.size() > limits.calls) fail("calls", "more than " + std::to_string(limits.calls));
  for (std::size_t i = 0; i < graph.calls.size(); ++i) {
    const Call& call = graph.calls[i];
    const std::string place =
        "call " + std::to_string(i) +
        (call.operator_index < graph.operators.size() ? " " + excerpt(graph.operators[call.operator_index].full_name())
                                                      : "");
    ArgumentCounter counter(limits, place);
    for (const Argument& argument : call.arguments) counter.count(argument);
    std::size_t results = call.results.size();
    for_each_result(call, [&](const TensorResult& result) {
      if (++results > limits.arguments_a_call) {
        fail(place, "more than " + std::to_string(limits.arguments_a_call) + " results, list elements included");
      };
      check_readable(result.type, place);
    });
    checker.check_call(i);
  }
  checker.check_output();
  if (const std::size_t unused = checker.first_unused_operator(); unused < graph.operators.size()) {
    fail("operator " + graph.operators[unused].full_name(), "no call uses it");
  }
}

}  // namespace graphnet
