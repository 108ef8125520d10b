// A computation graph: a flat list of operator calls in execution order, every value typed, control flow resolved.
//
// Values are numbered densely: inputs, then weights and constants (in order of first use), then call results in order
// of definition. A call that returns one of its own arguments (an in-place operator) names that value again as its
// result; the result's type is then the value's type from there on (t_() and resize_() change it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graphnet/graph/argument.h"
#include "graphnet/graph/recipe.h"
#include "graphnet/graph/tensor_type.h"

namespace graphnet {

// A tensor that the caller passes in. Its recipe makes valid contents (ranges of integers, masks).
struct Input {
  std::string name;  // such as "input_ids" or "batch.mask.0"; names carry no meaning and are not part of the identity
  TensorType type;
  Recipe recipe;
  bool operator==(const Input&) const = default;
};

// A tensor of the model: a parameter or a buffer.
struct Weight {
  std::string name;  // qualified name in the model, such as "layer1.0.conv1.weight"
  TensorType type;
  Recipe recipe;
  bool is_buffer = false;  // state that is not trained: running statistics, tables
  bool operator==(const Weight&) const = default;
};

// A tensor that the model's code made without an operator (a literal, a cached mask). Its recipe is exact.
struct Constant {
  TensorType type;
  Recipe recipe;
  bool operator==(const Constant&) const = default;
};

// An operator as the dispatcher knows it, with the full schema text recorded at extraction, such as
// "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, ...) -> Tensor": argument names, types and aliasing are
// known without LibTorch.
struct Operator {
  std::string name;      // "aten::conv2d"
  std::string overload;  // "" or "Scalar"
  std::string schema;    // as LibTorch prints it, with name and overload

  std::string full_name() const { return overload.empty() ? name : name + "." + overload; }
  bool operator==(const Operator&) const = default;
};

// One tensor result.
struct TensorResult {
  ValueId id = 0;
  TensorType type;
  bool operator==(const TensorResult&) const = default;
};

// What an operator returned at one position: a tensor, a list of tensors, or nothing that a later call can refer to
// (an undefined tensor or a plain number, whose uses were recorded as literals).
using Result = std::variant<std::monostate, TensorResult, std::vector<TensorResult>>;

struct Call {
  std::uint32_t operator_index = 0;  // into Graph::operators
  std::vector<Argument> arguments;   // one for each argument of the recorded schema, defaults included
  std::vector<Result> results;       // one for each return of the schema
  bool operator==(const Call&) const = default;
};

// What the model returned: a tree whose leaves are values or plain data.
struct Output {
  struct Entry;
  struct List {
    std::vector<Output> items;
    bool operator==(const List&) const = default;
  };
  struct Tuple {
    std::vector<Output> items;
    bool operator==(const Tuple&) const = default;
  };
  struct Dict {
    std::vector<Entry> items;  // in the model's order; keys are strings or integers
    bool operator==(const Dict& other) const;
  };
  std::variant<Argument, List, Tuple, Dict> node;  // an Argument is a value, a plain number, a string or none
  bool operator==(const Output&) const = default;
};

struct Output::Entry {
  Argument key;
  Output value;
  bool operator==(const Entry&) const = default;
};

inline bool Output::Dict::operator==(const Dict& other) const {
  return items == other.items;
}

struct Graph {
  std::vector<Input> inputs;
  std::vector<Weight> weights;
  std::vector<Constant> constants;
  std::vector<Operator> operators;  // each once, sorted by full_name()
  std::vector<Call> calls;
  Output output;
  bool operator==(const Graph&) const = default;

  // Ids of the first weight, constant and call result, and one past the last value.
  ValueId first_weight() const { return static_cast<ValueId>(inputs.size()); }
  ValueId first_constant() const { return first_weight() + static_cast<ValueId>(weights.size()); }
  ValueId first_result() const { return first_constant() + static_cast<ValueId>(constants.size()); }

  const Operator& operator_of(const Call& call) const { return operators[call.operator_index]; }
};

// Number of values: one more than the largest id.
std::size_t value_count(const Graph& graph);

// The tensors among the outputs, in order: the leaves of graph.output that are values. May name a value twice.
std::vector<ValueId> output_values(const Graph& graph);

// For each value the index of the last call that uses it, or -1 where no call does; outputs are used by call
// graph.calls.size(). Replay frees a value after that call.
std::vector<std::int64_t> last_uses(const Graph& graph);

// Calls visit(const TensorResult&) for every tensor result of a call, in order, lists included.
template <class Visitor>
void for_each_result(const Call& call, Visitor&& visit) {
  for (const Result& result : call.results) {
    if (const auto* tensor = std::get_if<TensorResult>(&result)) {
      visit(*tensor);
    } else if (const auto* list = std::get_if<std::vector<TensorResult>>(&result)) {
      for (const TensorResult& element : *list) visit(element);
    }
  }
}

// Puts Graph::operators into their canonical order: drops those that no call uses, joins equal ones, sorts by full name
// and renumbers the calls. For whoever builds or rewrites a graph.
void normalize_operators(Graph& graph);

// Throws Error(kInput) where the graph breaks a rule: a value used before its definition, ids that are not dense and in
// order, an argument or result that its operator's schema does not admit, operators that are unsorted, repeated or
// unused, a view whose base is missing or too small, a type or recipe that is not canonical, lists deeper or longer
// than read_graph's default limits. The message names the place ("call 12 aten::add.Tensor, argument other"). What
// passes can be written, and read again. Whether a recipe suits its tensor's dtype is check_recipe's matter
// (sample/generator.h).
void check(const Graph& graph);

}  // namespace graphnet
