#include "graphnet/graph/graph.h"

#include <algorithm>
#include <map>

namespace graphnet {
namespace {

void collect_values(const Output& output, std::vector<ValueId>& values) {
  const auto collect_items = [&](const std::vector<Output>& items) {
    for (const Output& item : items) collect_values(item, values);
  };
  if (const auto* argument = std::get_if<Argument>(&output.node)) {
    for_each_value(*argument, [&](ValueId id) { values.push_back(id); });
  } else if (const auto* list = std::get_if<Output::List>(&output.node)) {
    collect_items(list->items);
  } else if (const auto* tuple = std::get_if<Output::Tuple>(&output.node)) {
    collect_items(tuple->items);
  } else if (const auto* dict = std::get_if<Output::Dict>(&output.node)) {
    for (const auto& [key, item] : dict->items) collect_values(item, values);
  }
}

}  // namespace

std::size_t value_count(const Graph& graph) {
  std::size_t count = graph.first_result();
  for (const Call& call : graph.calls) {
    for_each_result(call, [&](const TensorResult& result) { count = std::max(count, std::size_t{result.id} + 1); });
  }
  return count;
}

std::vector<ValueId> output_values(const Graph& graph) {
  std::vector<ValueId> values;
  collect_values(graph.output, values);
  return values;
}

std::vector<std::int64_t> last_uses(const Graph& graph) {
  std::vector<std::int64_t> uses(value_count(graph), -1);
  for (std::size_t i = 0; i < graph.calls.size(); ++i) {
    for (const Argument& argument : graph.calls[i].arguments) {
      for_each_value(argument, [&](ValueId id) { uses.at(id) = static_cast<std::int64_t>(i); });
    }
  }
  for (const ValueId id : output_values(graph)) uses.at(id) = static_cast<std::int64_t>(graph.calls.size());
  return uses;
}

void normalize_operators(Graph& graph) {
  std::map<std::string, std::uint32_t> order;  // full name -> new index, in the order of the names
  for (const Call& call : graph.calls) order.try_emplace(graph.operator_of(call).full_name(), 0);
  std::vector<Operator> operators(order.size());
  std::uint32_t next = 0;
  for (auto& [name, index] : order) index = next++;
  for (Call& call : graph.calls) {
    const Operator& operation = graph.operator_of(call);
    const std::uint32_t index = order.at(operation.full_name());
    operators[index] = operation;
    call.operator_index = index;
  }
  graph.operators = std::move(operators);
}

}  // namespace graphnet
