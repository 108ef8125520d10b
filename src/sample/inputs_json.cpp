#include <algorithm>

#include "graphnet/sample/input_spec.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "strict_json.h"

namespace graphnet {
namespace {

constexpr JsonLimits kLimits{.depth = 32, .nodes = 100'000};

class InputsReader {
 public:
  explicit InputsReader(std::string_view file) : file_(file) {}

  std::vector<NamedInput> read(const Json& json) const {
    const auto* members = json.get_if<Json::Object>();
    if (members == nullptr) fail(json, "inputs", "expected an object of argument names");
    std::vector<NamedInput> inputs;
    for (const auto& [name, node] : *members) inputs.push_back({name, read_node(node, name)});
    return inputs;
  }

 private:
  InputNode read_node(const Json& json, const std::string& place) const {
    if (json.get_if<std::nullptr_t>() != nullptr) return {Argument{None{}}};
    if (const auto* value = json.get_if<bool>()) return {Argument{*value}};
    if (const auto* value = json.get_if<std::int64_t>()) return {Argument{*value}};
    if (const auto* value = json.get_if<double>()) return {Argument{*value}};
    if (const auto* value = json.get_if<std::string>()) return read_spec(json, *value, place);
    if (const auto* items = json.get_if<Json::Array>()) return {InputNode::List{read_items(*items, place)}};
    if (const auto* members = json.get_if<Json::Object>()) return read_marked(json, *members, place);
    fail(json, place, "the integer does not fit 64 bits with a sign");
  }

  std::vector<InputNode> read_items(const Json::Array& items, const std::string& place) const {
    std::vector<InputNode> nodes;
    for (std::size_t i = 0; i < items.size(); ++i)
      nodes.push_back(read_node(items[i], place + "." + std::to_string(i)));
    return nodes;
  }

  InputNode read_spec(const Json& json, const std::string& text, const std::string& place) const {
    try {
      NamedInput input = parse_input_spec(text);
      if (!input.name.empty())
        fail(json, place, "a spec inside JSON has no name of its own: \"" + excerpt(text) + "\"");
      return std::move(input.value);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) throw;
      fail(json, place, error.what());
    }
  }

  InputNode read_marked(const Json& json, const Json::Object& members, const std::string& place) const {
    static constexpr std::string_view kForms = R"(expected {"tuple":[...]}, {"dict":{...}} or {"string":"..."})";
    if (members.size() != 1) fail(json, place, kForms);
    const auto& [mark, content] = members.front();
    if (mark == "tuple") {
      if (const auto* items = content.get_if<Json::Array>()) return {InputNode::Tuple{read_items(*items, place)}};
    } else if (mark == "string") {
      if (const auto* text = content.get_if<std::string>()) return {Argument{*text}};
    } else if (mark == "dict") {
      if (const auto* entries = content.get_if<Json::Object>()) {
        InputNode::Dict dict;
        for (const auto& [key, node] : *entries) dict.items.emplace_back(key, read_node(node, place + "." + key));
        return {std::move(dict)};
      }
    }
    fail(content, place, kForms);
  }

  [[noreturn]] void fail(const Json& json, std::string_view place, std::string_view message) const {
    throw Error(ErrorKind::kInput, std::string(file_) + ":" + std::to_string(json.line) + ": " + excerpt(place, 120) +
                                       ": " + std::string(message));
  }

  std::string_view file_;
};

std::string rule_text(const Recipe& recipe) {
  if (const auto* range = std::get_if<RangeRecipe>(&recipe)) {
    std::string text;
    append_integer(text, range->low);
    text += "..";
    append_integer(text, range->high);
    return text;
  }
  return to_string(recipe);
}

std::string spec_text(const TensorSpec& spec) {
  std::string text;
  for (const std::int64_t size : spec.type.shape) {
    if (!text.empty()) text += 'x';
    append_integer(text, size);
  }
  if (text.empty()) text = "scalar";
  if (spec.type.dtype != Dtype::kFloat32) text += ":" + std::string(dtype_name(spec.type.dtype));
  if (spec.rule_given) text += "@" + rule_text(spec.recipe);
  return text;
}

class InputsWriter {
 public:
  std::string write(const std::vector<NamedInput>& inputs) {
    text_ += '{';
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (i != 0) text_ += ',';
      append_json_string(text_, inputs[i].name.empty() ? std::to_string(i) : inputs[i].name);
      text_ += ':';
      append(inputs[i].value);
    }
    text_ += '}';
    return std::move(text_);
  }

 private:
  void append(const InputNode& node) {
    std::visit([this](const auto& alternative) { append(alternative); }, node.node);
  }

  void append(const TensorSpec& spec) { append_json_string(text_, spec_text(spec)); }

  void append(const Argument& argument) {
    if (argument.get_if<None>() != nullptr) {
      text_ += "null";
    } else if (const auto* flag = argument.get_if<bool>()) {
      text_ += *flag ? "true" : "false";
    } else if (const auto* integer = argument.get_if<std::int64_t>()) {
      append_integer(text_, *integer);
    } else if (const auto* real = argument.get_if<double>()) {
      append_real(*real);
    } else if (const auto* string = argument.get_if<std::string>()) {
      text_ += "{\"string\":";
      append_json_string(text_, *string);
      text_ += '}';
    } else {
      throw Error(ErrorKind::kInternal, "an input is none, bool, int, float or string");
    }
  }

  // JSON has no infinities and no NaN; as specs they are text.
  void append_real(double value) {
    const std::string text = double_text(value);
    if (text.find_first_of("in") == std::string::npos) {
      text_ += text;
    } else {
      append_json_string(text_, text + ":float");
    }
  }

  void append(const InputNode::List& list) { append_items(list.items); }

  void append(const InputNode::Tuple& tuple) {
    text_ += "{\"tuple\":";
    append_items(tuple.items);
    text_ += '}';
  }

  void append(const InputNode::Dict& dict) {
    text_ += "{\"dict\":{";
    for (std::size_t i = 0; i < dict.items.size(); ++i) {
      if (i != 0) text_ += ',';
      append_json_string(text_, dict.items[i].first);
      text_ += ':';
      append(dict.items[i].second);
    }
    text_ += "}}";
  }

  void append_items(const std::vector<InputNode>& items) {
    text_ += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i != 0) text_ += ',';
      append(items[i]);
    }
    text_ += ']';
  }

  std::string text_;
};

using NamedTensors = std::vector<std::pair<std::string, const TensorSpec*>>;

void collect(const InputNode& node, const std::string& name, NamedTensors& tensors);

void collect_items(const std::vector<InputNode>& items, const std::string& name, NamedTensors& tensors) {
  for (std::size_t i = 0; i < items.size(); ++i) collect(items[i], name + "." + std::to_string(i), tensors);
}

void collect(const InputNode& node, const std::string& name, NamedTensors& tensors) {
  if (const auto* tensor = std::get_if<TensorSpec>(&node.node)) {
    tensors.emplace_back(name, tensor);
  } else if (const auto* list = std::get_if<InputNode::List>(&node.node)) {
    collect_items(list->items, name, tensors);
  } else if (const auto* tuple = std::get_if<InputNode::Tuple>(&node.node)) {
    collect_items(tuple->items, name, tensors);
  } else if (const auto* dict = std::get_if<InputNode::Dict>(&node.node)) {
    for (const auto& [key, item] : dict->items) collect(item, name + "." + key, tensors);
  }
}

}  // namespace

std::vector<NamedInput> parse_inputs_json(std::string_view text, std::string_view file) {
  return InputsReader(file).read(parse_json(text, file, kLimits));
}

std::string write_inputs_json(const std::vector<NamedInput>& inputs) {
  return InputsWriter().write(inputs);
}

std::vector<std::pair<std::string, const TensorSpec*>> tensors_of(const std::vector<NamedInput>& inputs) {
  NamedTensors tensors;
  for (const NamedInput& input : inputs) collect(input.value, input.name, tensors);
  return tensors;
}

}  // namespace graphnet
