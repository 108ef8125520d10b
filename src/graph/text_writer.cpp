#include <string>
#include <type_traits>
#include <variant>

#include "graphnet/graph/text.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

void append_value_id(std::string& text, ValueId id) {
  text += "\"%";
  append_integer(text, id);
  text += '"';
}

// {"key":"name"}, for names that need no escaping.
void append_tagged(std::string& text, std::string_view key, std::string_view name) {
  text += "{\"";
  text += key;
  text += "\":\"";
  text += name;
  text += "\"}";
}

template <class Items, class Append>
void append_list(std::string& text, const Items& items, Append&& append) {
  text += '[';
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) text += ',';
    is_first = false;
    append(item);
  }
  text += ']';
}

// JSON has no infinities and no NaN: those three are {"float":"inf"}.
void append_real(std::string& text, double value) {
  const bool is_finite = value - value == 0;
  if (is_finite) {
    append_double(text, value);
  } else {
    append_tagged(text, "float", double_text(value));
  }
}

void append_argument(std::string& text, const Argument& argument) {
  std::visit(
      [&](const auto& kind) {
        using Kind = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, None>) {
          text += "null";
        } else if constexpr (std::is_same_v<Kind, ValueReference>) {
          append_value_id(text, kind.id);
        } else if constexpr (std::is_same_v<Kind, bool>) {
          text += kind ? "true" : "false";
        } else if constexpr (std::is_same_v<Kind, std::int64_t>) {
          append_integer(text, kind);
        } else if constexpr (std::is_same_v<Kind, double>) {
          append_real(text, kind);
        } else if constexpr (std::is_same_v<Kind, std::complex<double>>) {
          text += "{\"complex\":[";
          append_real(text, kind.real());
          text += ',';
          append_real(text, kind.imag());
          text += "]}";
        } else if constexpr (std::is_same_v<Kind, std::string>) {
          text += "{\"string\":";
          append_json_string(text, kind);
          text += '}';
        } else if constexpr (std::is_same_v<Kind, Dtype>) {
          append_tagged(text, "dtype", dtype_name(kind));
        } else if constexpr (std::is_same_v<Kind, Layout>) {
          append_tagged(text, "layout", layout_name(kind));
        } else if constexpr (std::is_same_v<Kind, MemoryFormat>) {
          append_tagged(text, "memory_format", memory_format_name(kind));
        } else if constexpr (std::is_same_v<Kind, DeviceRole>) {
          append_tagged(text, "device", device_role_name(kind));
        } else {
          append_list(text, kind, [&](const Argument& element) { append_argument(text, element); });
        }
      },
      argument.kind);
}

void append_result(std::string& text, const Result& result) {
  const auto append_tensor = [&](const TensorResult& tensor) {
    text += "\"%";
    append_integer(text, tensor.id);
    text += ' ';
    append_to(text, tensor.type);
    text += '"';
  };
  if (const auto* tensor = std::get_if<TensorResult>(&result)) {
    append_tensor(*tensor);
  } else if (const auto* list = std::get_if<std::vector<TensorResult>>(&result)) {
    append_list(text, *list, append_tensor);
  } else {
    text += "null";
  }
}

void append_call(std::string& text, const Graph& graph, const Call& call) {
  text += '[';
  append_json_string(text, graph.operator_of(call).full_name());
  text += ',';
  append_list(text, call.arguments, [&](const Argument& argument) { append_argument(text, argument); });
  text += ',';
  append_list(text, call.results, [&](const Result& result) { append_result(text, result); });
  text += ']';
}

void append_output(std::string& text, const Output& output) {
  const auto append_item = [&](const Output& item) { append_output(text, item); };
  if (const auto* argument = std::get_if<Argument>(&output.node)) {
    append_argument(text, *argument);
  } else if (const auto* list = std::get_if<Output::List>(&output.node)) {
    append_list(text, list->items, append_item);
  } else if (const auto* tuple = std::get_if<Output::Tuple>(&output.node)) {
    text += "{\"tuple\":";
    append_list(text, tuple->items, append_item);
    text += '}';
  } else {
    text += "{\"dict\":";
    append_list(text, std::get<Output::Dict>(output.node).items, [&](const auto& item) {
      text += '[';
      append_argument(text, item.key);
      text += ',';
      append_output(text, item.value);
      text += ']';
    });
    text += '}';
  }
}

// {"value":"%3","name":"x","type":"float32[2]","recipe":"normal(0.0,1.0)"} without the closing brace; constants have no
// name.
void append_tensor(std::string& text, ValueId id, const std::string* name, const TensorType& type,
                   const Recipe& recipe) {
  text += "{\"value\":";
  append_value_id(text, id);
  if (name != nullptr) {
    text += ",\"name\":";
    append_json_string(text, *name);
  }
  text += ",\"type\":\"";
  append_to(text, type);
  text += "\",\"recipe\":\"";
  text += to_string(recipe);
  text += '"';
}

// A section of one item a line: "key":[ newline item, newline item newline ], or "key":[], when it is empty.
template <class Items, class Append>
void append_section(std::string& text, std::string_view key, const Items& items, Append&& append) {
  text += '"';
  text += key;
  text += "\":[";
  const char* separator = "\n";
  for (const auto& item : items) {
    text += separator;
    append(item);
    separator = ",\n";
  }
  text += items.empty() ? "],\n" : "\n],\n";
}

}  // namespace

std::string write_graph(const Graph& graph) {
  std::string text = "{\"graphnet\":";
  append_integer(text, kGraphFormatVersion);
  text += ",\n";
  ValueId id = 0;
  append_section(text, "inputs", graph.inputs, [&](const Input& input) {
    append_tensor(text, id++, &input.name, input.type, input.recipe);
    text += '}';
  });
  append_section(text, "weights", graph.weights, [&](const Weight& weight) {
    append_tensor(text, id++, &weight.name, weight.type, weight.recipe);
    text += weight.is_buffer ? ",\"buffer\":true}" : "}";
  });
  append_section(text, "constants", graph.constants, [&](const Constant& constant) {
    append_tensor(text, id++, nullptr, constant.type, constant.recipe);
    text += '}';
  });
  append_section(text, "operators", graph.operators,
                 [&](const Operator& operation) { append_json_string(text, operation.schema); });
  append_section(text, "calls", graph.calls, [&](const Call& call) { append_call(text, graph, call); });
  text += "\"output\":";
  append_output(text, graph.output);
  text += "}\n";
  return text;
}

std::string to_text(const Graph& graph, const Call& call) {
  std::string text;
  append_call(text, graph, call);
  return text;
}

std::string to_text(const Argument& argument) {
  std::string text;
  append_argument(text, argument);
  return text;
}

std::string to_text(const Output& output) {
  std::string text;
  append_output(text, output);
  return text;
}

}  // namespace graphnet
