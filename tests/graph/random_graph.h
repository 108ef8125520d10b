// Random graphs that check() accepts, for property tests of any layer: every kind of argument, result, recipe and
// output, in-place calls, views, buffers. They obey the schemas of real operators but are not meant to be run.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphnet/graph/graph.h"
#include "graphnet/graph/schema.h"

namespace graphnet::fixtures {

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed) {}

  Graph make(std::size_t max_calls = 40) {
    graph_ = {};
    types_.clear();
    for (std::size_t i = 0, count = below(4); i < count; ++i) {
      graph_.inputs.push_back({name("input"), remember(type()), drawn_recipe()});
    }
    for (std::size_t i = 0, count = below(6); i < count; ++i) add_weight();
    for (std::size_t i = 0, count = below(3); i < count; ++i) {
      graph_.constants.push_back({remember(type()), exact_recipe()});
    }
    for (const std::string_view schema : kSchemas) {
      const Schema parsed = parse_schema(schema);
      graph_.operators.push_back({parsed.name, parsed.overload, std::string(schema)});
    }
    for (std::size_t i = 0, count = below(max_calls + 1); i < count; ++i) add_call();
    graph_.output = output(0);
    normalize_operators(graph_);
    return std::move(graph_);
  }

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  std::int64_t integer() {
    static constexpr std::array<std::int64_t, 8> kEdges = {0,         1,         -1, 2, 9'007'199'254'740'993,
                                                           INT64_MAX, INT64_MIN, 100};
    return below(2) == 0 ? kEdges[below(kEdges.size())] : static_cast<std::int64_t>(below(2000)) - 1000;
  }

  double real() {
    static const std::array<double, 12> kEdges = {0.0,  -0.0,   1.0,       -1.0,     0.1, 1e-05,
                                                  1e22, 5e-324, -HUGE_VAL, HUGE_VAL, NAN, 1.7976931348623157e308};
    if (below(2) == 0) return kEdges[below(kEdges.size())];
    return std::ldexp(static_cast<double>(random_() >> 11U), static_cast<int>(below(120)) - 100);
  }

  double finite() {
    const double value = real();
    return std::isfinite(value) ? value : 0.5;
  }

  std::string text() {
    static const std::array<std::string, 7> kTexts = {
        "", "gelu", "a \"quoted\" \\ text", "\n\t\x01", "\xC3\xA9\xE2\x82\xAC", "%7", "[1]"};
    return kTexts[below(kTexts.size())];
  }

  TensorType type() {
    const auto dtype = static_cast<Dtype>(below(21));
    std::vector<std::int64_t> shape(below(5));
    for (std::int64_t& size : shape) size = static_cast<std::int64_t>(below(6));
    std::vector<std::int64_t> strides = contiguous_strides(shape);
    if (below(3) == 0) std::reverse(strides.begin(), strides.end());
    if (below(8) == 0) std::fill(strides.begin(), strides.end(), 0);
    return make_tensor_type(dtype, std::move(shape), strides);
  }

 private:
  static constexpr std::array<std::string_view, 16> kSchemas = {
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
      "aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? "
      "device=None, "
      "bool? pin_memory=None) -> Tensor",
      "aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
      "aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
      "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], "
      "SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor",
      "aten::dropout(Tensor input, float p, bool train) -> Tensor",
      "aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor",
      "aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor",
      "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
      "aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, "
      "bool "
      "train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)",
      "aten::manual_seed(int seed) -> ()",
      "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
      "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
      "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
      "custom::anything(Any value, complex factor, ...) -> (Any, int)",
  };

  const TensorType& remember(TensorType type) {
    types_.push_back(std::move(type));
    return types_.back();
  }

  std::string name(std::string_view prefix) {
    static constexpr std::array<std::string_view, 3> kSuffixes = {"", ".0.weight", " \"\xC3\xA9\""};
    return std::string(prefix) + std::to_string(types_.size()) + std::string(kSuffixes[below(kSuffixes.size())]);
  }

  void add_weight() {
    const std::string weight_name = name("weight");
    const bool is_buffer = below(3) == 0;
    const bool can_be_view = !graph_.weights.empty() && !std::holds_alternative<ViewRecipe>(graph_.weights[0].recipe);
    if (can_be_view && below(4) == 0) {
      const TensorType& base = graph_.weights[0].type;
      graph_.weights.push_back({weight_name, remember(base), ViewRecipe{graph_.first_weight(), 0}, is_buffer});
    } else {
      Recipe recipe = below(2) == 0 ? drawn_recipe() : exact_recipe();
      graph_.weights.push_back({weight_name, remember(type()), std::move(recipe), is_buffer});
    }
  }

  Recipe drawn_recipe() {
    switch (below(5)) {
      case 0:
        return NormalRecipe{finite(), std::abs(finite())};
      case 1:
        return NormalRecipe{finite(), 1.0, -2.0, below(2) == 0 ? 2.0 : HUGE_VAL};
      case 2:
        return UniformRecipe{-1.5, static_cast<double>(below(7))};
      case 3:
        return RangeRecipe{-static_cast<std::int64_t>(below(100)), static_cast<std::int64_t>(below(100)) + 1};
      default:
        return BernoulliRecipe{static_cast<double>(below(11)) / 10};
    }
  }

  Recipe exact_recipe() {
    switch (below(4)) {
      case 0:
        return ConstantRecipe{number()};
      case 1:
        return below(2) == 0 ? ArangeRecipe{integer(), integer()} : ArangeRecipe{real(), real()};
      case 2: {
        ValuesRecipe values;
        for (std::size_t i = 0, count = below(6); i < count; ++i) {
          append_value(values, number(), static_cast<std::int64_t>(below(4)) + 1);
        }
        return values;
      }
      default:
        return StoredRecipe{std::string(64, "0123456789abcdef"[below(16)])};
    }
  }

  Number number() { return below(2) == 0 ? Number(integer()) : Number(real()); }

  Argument value() {
    if (types_.empty()) return {None{}};
    return {ValueReference{static_cast<ValueId>(below(types_.size()))}};
  }

  Argument scalar() {
    switch (below(4)) {
      case 0:
        return {integer()};
      case 1:
        return {real()};
      case 2:
        return {below(2) == 0};
      default:
        return {std::complex<double>(real(), real())};
    }
  }

  // Any argument that the schema's type admits.
  Argument argument(std::string_view type, std::size_t depth = 0) {
    if (type.ends_with('?')) {
      if (below(3) == 0) return {None{}};
      type.remove_suffix(1);
    }
    if (type.ends_with(']')) {
      ArgumentList list;
      const std::string_view element = type.substr(0, type.rfind('['));
      for (std::size_t i = 0, count = below(5); i < count; ++i) list.push_back(argument(element));
      return {std::move(list)};
    }
    if (type == "Tensor") return value();
    if (type == "int" || type == "SymInt") return {integer()};
    if (type == "float") return {real()};
    if (type == "bool") return {below(2) == 0};
    if (type == "str") return {text()};
    if (type == "complex") return {std::complex<double>(real(), real())};
    if (type == "ScalarType") return {static_cast<Dtype>(below(21))};
    if (type == "Layout") return {static_cast<Layout>(below(5))};
    if (type == "MemoryFormat") return {static_cast<MemoryFormat>(below(4))};
    if (type == "Device") return {static_cast<DeviceRole>(below(2))};
    if (type == "Any" && depth < 3) {
      if (below(2) == 0) return {text()};
      ArgumentList list;
      for (std::size_t i = 0, count = below(4); i < count; ++i) list.push_back(argument("Any", depth + 1));
      return {std::move(list)};
    }
    return scalar();
  }

  TensorResult new_result() { return {static_cast<ValueId>(types_.size() - 1), types_.back()}; }

  void add_call() {
    Call call;
    call.operator_index = static_cast<std::uint32_t>(below(graph_.operators.size()));
    const Schema schema = parse_schema(graph_.operators[call.operator_index].schema);
    for (const SchemaArgument& declared : schema.arguments) call.arguments.push_back(argument(declared.type));
    if (schema.is_variadic) call.arguments.push_back(argument("Any"));
    for (const SchemaArgument& declared : schema.returns) call.results.push_back(result(call, declared));
    graph_.calls.push_back(std::move(call));
  }

  Result result(const Call& call, const SchemaArgument& declared) {
    if (declared.type == "Tensor[]") {
      std::vector<TensorResult> list;
      for (std::size_t i = 0, count = below(4); i < count; ++i) {
        remember(type());
        list.push_back(new_result());
      }
      return list;
    }
    if (declared.type != "Tensor" || below(10) == 0) return std::monostate{};
    const auto* self = call.arguments.front().get_if<ValueReference>();
    if (declared.is_written && self != nullptr) return TensorResult{self->id, type()};
    remember(type());
    return new_result();
  }

  Output output(std::size_t depth) {
    const auto items = [&] {
      std::vector<Output> list;
      for (std::size_t i = 0, count = below(4); i < count; ++i) list.push_back(output(depth + 1));
      return list;
    };
    switch (depth < 3 ? below(6) : 0) {
      case 3:
        return {Output::List{items()}};
      case 4:
        return {Output::Tuple{items()}};
      case 5: {
        Output::Dict dict;
        for (std::int64_t i = 0, count = static_cast<std::int64_t>(below(4)); i < count; ++i) {
          Argument key = below(2) == 0 ? Argument{i} : Argument{std::to_string(i)};
          dict.items.push_back({std::move(key), output(depth + 1)});
        }
        return {std::move(dict)};
      }
      default:
        return {below(3) == 0 ? scalar() : value()};
    }
  }

  std::mt19937_64 random_;
  Graph graph_;
  std::vector<TensorType> types_;  // of every value so far, by id
};

inline Graph random_graph(std::uint64_t seed, std::size_t max_calls = 40) {
  return RandomGraph(seed).make(max_calls);
}

}  // namespace graphnet::fixtures
