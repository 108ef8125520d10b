#include "graphnet/graph/print.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "graphnet/graph/schema.h"
#include "graphnet/graph/text.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

constexpr std::size_t kLabelWidth = 11;       // of "inputs     "
constexpr std::size_t kMaxCallWidth = 100;    // longer calls push their types out of the column
constexpr std::size_t kMaxRecipeWidth = 40;   // of a constant's contents
constexpr std::size_t kMaxListElements = 16;  // longer lists are cut

std::string value_name(ValueId id) {
  return std::string("%").append(std::to_string(id));
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

// The default's text, as LibTorch prints it, of an argument; nothing for kinds that have none.
std::optional<std::string> default_text(const Argument& argument) {
  if (argument.get_if<None>() != nullptr) return "None";
  if (const auto* flag = argument.get_if<bool>()) return *flag ? "True" : "False";
  if (const auto* number = argument.get_if<std::int64_t>()) return std::to_string(*number);
  return std::nullopt;
}

std::string tensors(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " tensor" : " tensors");
}

std::string dtype_list(const std::set<std::string_view>& dtypes) {
  return joined(dtypes);
}

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph), types_(value_count(graph)) {
    ValueId id = 0;
    for (const Input& input : graph.inputs) types_[id++] = &input.type;
    for (const Weight& weight : graph.weights) types_[id++] = &weight.type;
    for (const Constant& constant : graph.constants) types_[id++] = &constant.type;
    for (const Operator& operation : graph.operators) schemas_.push_back(parse_schema(operation.schema));
  }

  std::string print() {
    print_inputs();
    print_weights();
    print_constants();
    print_calls();
    text_ += padded("output", kLabelWidth) + output_text(graph_.output) + "\n";
    return std::move(text_);
  }

 private:
  void print_inputs() {
    ValueId id = 0;
    for (const Input& input : graph_.inputs) {
      text_ += padded(id == 0 ? "inputs" : "", kLabelWidth) + value_name(id) + " " + input.name + " " +
               to_string(input.type) + " " + excerpt(to_string(input.recipe)) + "\n";
      ++id;
    }
  }

  void print_weights() {
    if (graph_.weights.empty()) return;
    // Sums in floating point: hostile sizes must not overflow, and real ones are far below 2^53.
    double parameters = 0;
    double buffer_elements = 0;
    std::set<std::string_view> dtypes;
    for (const Weight& weight : graph_.weights) {
      dtypes.insert(dtype_name(weight.type.dtype));
      if (std::holds_alternative<ViewRecipe>(weight.recipe)) continue;  // its base counts
      (weight.is_buffer ? buffer_elements : parameters) += static_cast<double>(element_count(weight.type));
    }
    const auto grouped = [](double count) { return group_thousands(static_cast<std::int64_t>(std::min(count, 9e18))); };
    text_ +=
        padded("weights", kLabelWidth) + tensors(graph_.weights.size()) + ", " + grouped(parameters) + " parameters";
    if (buffer_elements > 0) text_ += ", " + grouped(buffer_elements) + " elements of buffers";
    text_ += ", " + dtype_list(dtypes) + "\n";
  }

  // Their contents stand where they are used.
  void print_constants() {
    if (graph_.constants.empty()) return;
    std::set<std::string_view> dtypes;
    for (const Constant& constant : graph_.constants) dtypes.insert(dtype_name(constant.type.dtype));
    text_ += padded("constants", kLabelWidth) + tensors(graph_.constants.size()) + ", " + dtype_list(dtypes) + "\n";
  }

  void print_calls() {
    std::vector<std::pair<std::string, std::string>> rows;  // call, types
    std::size_t width = 0;
    for (const Call& call : graph_.calls) {
      rows.emplace_back(call_text(call), joined(call.results, ", ", type_text));
      for_each_result(call, [&](const TensorResult& result) { types_[result.id] = &result.type; });
      const std::size_t size = rows.back().first.size();
      if (size <= kMaxCallWidth) width = std::max(width, size);
    }
    for (const auto& [call, types] : rows) text_ += padded(call, width) + "  " + types + "\n";
  }

  std::string call_text(const Call& call) const {
    const Schema& schema = schemas_[call.operator_index];
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const SchemaArgument* declared = i < schema.arguments.size() ? &schema.arguments[i] : nullptr;
      const bool is_keyword = declared != nullptr && declared->keyword_only;
      if (is_keyword && declared->has_default && default_text(call.arguments[i]) == declared->default_text) continue;
      arguments.push_back((is_keyword ? declared->name + "=" : "") + argument_text(call.arguments[i]));
    }
    // Calls without any tensor result have nothing on the left.
    std::string text;
    const bool has_tensors = std::any_of(call.results.begin(), call.results.end(), [](const Result& result) {
      return !std::holds_alternative<std::monostate>(result);
    });
    if (has_tensors) text = joined(call.results, ", ", result_text) + " = ";
    text += graph_.operator_of(call).full_name() + "(";
    return text + joined(arguments) + ")";
  }

  // "%3", "%0 input_ids", "%1 wte.weight float32[50257,768]", "%2 constant(0.5)".
  std::string value_text(ValueId id) const {
    if (id < graph_.first_weight()) return value_name(id) + " " + graph_.inputs[id].name;
    if (id < graph_.first_constant()) {
      const Weight& weight = graph_.weights[id - graph_.first_weight()];
      return value_name(id) + " " + weight.name + " " + to_string(weight.type);
    }
    if (id < graph_.first_result()) {
      const Constant& constant = graph_.constants[id - graph_.first_constant()];
      return value_name(id) + " " + excerpt(to_string(constant.recipe), kMaxRecipeWidth);
    }
    return value_name(id);
  }

  std::string argument_text(const Argument& argument) const {
    if (const auto* reference = argument.get_if<ValueReference>()) return value_text(reference->id);
    if (argument.get_if<None>() != nullptr) return "none";
    if (const auto* number = argument.get_if<double>()) return double_text(*number);
    if (const auto* number = argument.get_if<std::complex<double>>()) {
      return "complex(" + double_text(number->real()) + ", " + double_text(number->imag()) + ")";
    }
    if (const auto* string = argument.get_if<std::string>()) return quoted(*string);
    if (const auto* dtype = argument.get_if<Dtype>()) return std::string(dtype_name(*dtype));
    if (const auto* layout = argument.get_if<Layout>()) return std::string(layout_name(*layout));
    if (const auto* format = argument.get_if<MemoryFormat>()) return std::string(memory_format_name(*format));
    if (const auto* device = argument.get_if<DeviceRole>()) return std::string(device_role_name(*device));
    if (const auto* list = argument.get_if<ArgumentList>()) {
      const auto shown = std::span(*list).first(std::min(list->size(), kMaxListElements));
      const auto text_of = [&](const Argument& element) { return argument_text(element); };
      const std::string rest =
          shown.size() < list->size() ? ", ... " + std::to_string(list->size()) + " in all" : std::string();
      return "[" + joined(shown, ", ", text_of) + rest + "]";
    }
    return to_text(argument);  // true, false, integers
  }

  static std::string quoted(const std::string& string) {
    std::string text;
    append_json_string(text, string);
    return text;
  }

  static std::string result_text(const Result& result) {
    if (const auto* tensor = std::get_if<TensorResult>(&result)) return value_name(tensor->id);
    if (const auto* list = std::get_if<std::vector<TensorResult>>(&result)) {
      return "[" + joined(*list, ", ", [](const TensorResult& tensor) { return value_name(tensor.id); }) + "]";
    }
    return "_";
  }

  static std::string type_text(const Result& result) {
    if (const auto* tensor = std::get_if<TensorResult>(&result)) return to_string(tensor->type);
    if (const auto* list = std::get_if<std::vector<TensorResult>>(&result)) {
      return "[" + joined(*list, ", ", [](const TensorResult& tensor) { return to_string(tensor.type); }) + "]";
    }
    return "none";
  }

  std::string output_text(const Output& output) const {
    const auto items_text = [&](const std::vector<Output>& items) {
      return joined(items, ", ", [&](const Output& item) { return output_text(item); });
    };
    if (const auto* argument = std::get_if<Argument>(&output.node)) {
      const auto* reference = argument->get_if<ValueReference>();
      if (reference == nullptr) return argument_text(*argument);
      return value_name(reference->id) + " " + to_string(*types_[reference->id]);
    }
    if (const auto* list = std::get_if<Output::List>(&output.node)) return "[" + items_text(list->items) + "]";
    if (const auto* tuple = std::get_if<Output::Tuple>(&output.node)) return "(" + items_text(tuple->items) + ")";
    return "{" +
           joined(std::get<Output::Dict>(output.node).items, ", ",
                  [&](const auto& item) { return argument_text(item.key) + ": " + output_text(item.value); }) +
           "}";
  }

  const Graph& graph_;
  std::vector<const TensorType*> types_;  // of every value as of the calls printed so far
  std::vector<Schema> schemas_;
  std::string text_;
};

}  // namespace

std::string print(const Graph& graph) {
  return Printer(graph).print();
}

}  // namespace graphnet
