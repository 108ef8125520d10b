// The rules of graph.h, item by item, so that the text reader can name the line and check(Graph) the place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "graphnet/graph/graph.h"
#include "graphnet/graph/schema.h"
#include "graphnet/graph/text.h"

namespace graphnet {

// What arguments and results a schema's type admits, as far as kinds go. Types this layer does not know admit anything.
struct TypePattern {
  enum class Base : std::uint8_t {
    kAny,
    kTensor,
    kInt,
    kFloat,
    kBool,
    kComplex,
    kScalar,
    kString,
    kDtype,
    kLayout,
    kMemoryFormat,
    kDevice,
  };

  explicit TypePattern(std::string_view type);
  bool admits(const Argument& argument) const;
  bool admits(const Result& result) const;

 private:
  Base base_ = Base::kAny;
  bool is_list_ = false;
  bool is_optional_ = false;
  bool has_optional_elements_ = false;
};

// Checks the items of a graph in their order, while the graph may still grow. Every check_*(index) is called once for
// each index from 0 on: inputs, weights, constants, operators, calls; then check_output and check_operator_uses. All
// throw Error(kInput) that begins with the place, such as "call 12 aten::add.Tensor, argument other: ".
class Checker {
 public:
  // The graph must outlive the checker; it is read, never copied.
  Checker(const Graph& graph, const TextLimits& limits) : graph_(graph), limits_(limits) {}

  void check_input(std::size_t index);
  void check_weight(std::size_t index);
  void check_constant(std::size_t index);
  void check_operator(std::size_t index);
  void check_call(std::size_t index);
  void check_output() const;

  // Index of the first operator that no call uses; the number of operators where all are used.
  std::size_t first_unused_operator() const;

 private:
  struct OperatorFacts {
    Schema schema;
    std::vector<TypePattern> arguments;
    std::vector<TypePattern> returns;
    bool is_used = false;
  };

  template <class Place>  // a function that gives the place for the error's message
  void define_value(Place&& place);
  void check_view(const ViewRecipe& view, const Weight& weight, std::size_t index, const std::string& place) const;
  void check_arguments(const Call& call, const OperatorFacts& facts, std::size_t index) const;
  void check_results(const Call& call, const OperatorFacts& facts, std::size_t index);
  void check_output_node(const Output& output, std::size_t depth) const;
  std::string call_place(std::size_t index) const;

  const Graph& graph_;
  TextLimits limits_;
  std::vector<OperatorFacts> operators_;
  std::unordered_set<std::string> input_names_;
  std::unordered_set<std::string> weight_names_;
  std::size_t defined_ = 0;  // values 0 .. defined_-1 exist so far
};

}  // namespace graphnet
