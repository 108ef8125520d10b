#include "graphnet/runtime/aliases.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <ATen/TensorUtils.h>

#include "graphnet/graph/schema.h"

namespace graphnet {
namespace {

template <std::size_t size>
bool contains(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Declared as aliases of their argument; but where they returned something else than the argument itself, they copied.
bool copies_unless_identical(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kNames = {"aten::to", "aten::contiguous", "aten::resolve_conj",
                                                             "aten::resolve_neg"};
  return contains(kNames, name);
}

bool views_if_strides_allow(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kNames = {"aten::reshape", "aten::reshape_as", "aten::flatten",
                                                             "aten::ravel"};
  return contains(kNames, name);
}

// Views of their arguments, although their schemas do not say so.
bool views_undeclared(std::string_view name) {
  static constexpr std::array<std::string_view, 12> kNames = {
      "aten::broadcast_tensors", "aten::meshgrid",     "aten::atleast_1d",   "aten::atleast_2d",
      "aten::atleast_3d",        "aten::sum_to_size",  "aten::unsafe_split", "aten::unsafe_split_with_sizes",
      "aten::unsafe_chunk",      "aten::_unsafe_view", "aten::einsum",       "aten::set_"};
  return contains(kNames, name);
}

bool has_view_strides(const TensorType& from, const TensorType& to) {
  const std::vector<std::int64_t> strides = from.strides.empty() ? contiguous_strides(from.shape) : from.strides;
  return at::detail::computeStride(from.shape, strides, to.shape).has_value();
}

class AliasFinder {
 public:
  explicit AliasFinder(const Graph& graph) : graph_(graph), types_(value_count(graph)) {
    const std::size_t count = value_count(graph);
    aliases_.owner.resize(count);
    for (std::size_t i = 0; i < count; ++i) aliases_.owner[i] = static_cast<ValueId>(i);
    aliases_.written.resize(count, false);
    for (const Operator& op : graph.operators) schemas_.push_back(parse_schema(op.schema));
  }

  Aliases find() {
    ValueId id = 0;
    for (const Input& input : graph_.inputs) types_[id++] = &input.type;
    for (const Weight& weight : graph_.weights) {
      if (const auto* view = std::get_if<ViewRecipe>(&weight.recipe)) join(view->base, id);
      types_[id++] = &weight.type;
    }
    for (const Constant& constant : graph_.constants) types_[id++] = &constant.type;
    for (const Call& call : graph_.calls) visit(call);
    for (std::size_t i = 0; i < aliases_.owner.size(); ++i) {
      aliases_.owner[i] = owner(static_cast<ValueId>(i));
      aliases_.written[i] = aliases_.written[aliases_.owner[i]];
    }
    return std::move(aliases_);
  }

 private:
  ValueId owner(ValueId id) {
    while (aliases_.owner[id] != id) id = aliases_.owner[id] = aliases_.owner[aliases_.owner[id]];
    return id;
  }

  // Owners are the smallest ids of their sets: the first defined.
  void join(ValueId a, ValueId b) {
    const auto [first, second] = std::minmax({owner(a), owner(b)});
    aliases_.written[first] = aliases_.written[first] || aliases_.written[second];
    aliases_.owner[second] = first;
  }

  void visit(const Call& call) {
    const Operator& op = graph_.operator_of(call);
    const Schema& schema = schemas_[call.operator_index];
    for (std::size_t i = 0; i < call.arguments.size() && i < schema.arguments.size(); ++i) {
      for_each_value(call.arguments[i], [&](ValueId id) { visit_argument(call, op, schema, schema.arguments[i], id); });
    }
    for_each_result(call, [&](const TensorResult& result) { types_[result.id] = &result.type; });
  }

  void visit_argument(const Call& call, const Operator& op, const Schema& schema, const SchemaArgument& declared,
                      ValueId argument) {
    if (declared.is_written) aliases_.written[owner(argument)] = true;
    for (std::size_t i = 0; i < call.results.size() && i < schema.returns.size(); ++i) {
      const bool declared_alias = !declared.alias.empty() && declared.alias == schema.returns[i].alias;
      if (!declared_alias && !views_undeclared(op.name)) continue;
      if (copies_unless_identical(op.name)) continue;
      const auto join_result = [&](const TensorResult& result) {
        if (views_if_strides_allow(op.name) && !has_view_strides(*types_[argument], result.type)) return;
        join(argument, result.id);
      };
      if (const auto* tensor = std::get_if<TensorResult>(&call.results[i])) join_result(*tensor);
      if (const auto* list = std::get_if<std::vector<TensorResult>>(&call.results[i])) {
        std::for_each(list->begin(), list->end(), join_result);
      }
    }
  }

  const Graph& graph_;
  std::vector<Schema> schemas_;           // by operator
  std::vector<const TensorType*> types_;  // by value, as of the current call
  Aliases aliases_;
};

}  // namespace

Aliases find_aliases(const Graph& graph) {
  return AliasFinder(graph).find();
}

std::vector<std::int64_t> unchanged_outputs(const Graph& graph) {
  const Aliases aliases = find_aliases(graph);
  const std::vector<ValueId> outputs = output_values(graph);
  std::vector<std::int64_t> unchanged;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool is_computed = outputs[i] >= graph.first_result() || aliases.written[outputs[i]];
    if (!is_computed) unchanged.push_back(static_cast<std::int64_t>(i));
  }
  return unchanged;
}

}  // namespace graphnet
