#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "graphnet/graph/print.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

// A quoted Graphviz label; lines are given apart, since "\n" is an escape of Graphviz.
std::string label(const std::vector<std::string>& lines) {
  std::string text = "\"";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += "\\n";
    for (const char c : excerpt(lines[i], 120)) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text + "\"";
}

class DotPrinter {
 public:
  explicit DotPrinter(const Graph& graph) : graph_(graph), producers_(value_count(graph)) {}

  std::string print() {
    text_ = "digraph graphnet {\n  node [shape=box, fontname=\"monospace\"];\n";
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      const Input& input = graph_.inputs[i];
      producers_[i] = "input" + std::to_string(i);
      node(producers_[i], {input.name, to_string(input.type)}, ", shape=ellipse");
    }
    for (std::size_t i = 0; i < graph_.calls.size(); ++i) print_call(graph_.calls[i], "call" + std::to_string(i));
    node("output", {"output"}, ", shape=ellipse");
    for (const ValueId id : output_values(graph_)) edge(id, "output");
    return text_ + "}\n";
  }

 private:
  void print_call(const Call& call, const std::string& name) {
    std::vector<std::string> lines = {graph_.operator_of(call).full_name()};
    for (const Argument& argument : call.arguments) {
      for_each_value(argument, [&](ValueId id) {
        if (const std::string stored = stored_name(id); !stored.empty()) lines.push_back(stored);
      });
    }
    for_each_result(call, [&](const TensorResult& result) { lines.push_back(to_string(result.type)); });
    node(name, lines, "");
    for (const Argument& argument : call.arguments) for_each_value(argument, [&](ValueId id) { edge(id, name); });
    // Where a call changes a value in place, later edges start at that call.
    for_each_result(call, [&](const TensorResult& result) { producers_[result.id] = name; });
  }

  // The name of a weight or constant; empty for any other value.
  std::string stored_name(ValueId id) const {
    if (id < graph_.first_weight() || id >= graph_.first_result()) return {};
    if (id < graph_.first_constant()) return graph_.weights[id - graph_.first_weight()].name;
    return "constant " + to_string(graph_.constants[id - graph_.first_constant()].type);
  }

  void node(const std::string& name, const std::vector<std::string>& lines, std::string_view attributes) {
    text_ += "  " + name + " [label=" + label(lines);
    text_ += attributes;
    text_ += "];\n";
  }

  void edge(ValueId id, const std::string& target) {
    if (producers_[id].empty()) return;  // a weight or constant
    text_ += "  " + producers_[id] + " -> " + target + " [label=\"%" + std::to_string(id) + "\"];\n";
  }

  const Graph& graph_;
  std::vector<std::string> producers_;  // the node that last made each value
  std::string text_;
};

}  // namespace

std::string print_dot(const Graph& graph) {
  return DotPrinter(graph).print();
}

}  // namespace graphnet
