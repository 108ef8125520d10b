#include "graphnet/frontend/model_output.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include <ATen/ATen.h>

#include "graphnet/graph/text.h"
#include "graphnet/runtime/aliases.h"
#include "graphnet/runtime/compare.h"
#include "graphnet/runtime/health.h"

namespace graphnet {
namespace {

void flatten_into(const c10::IValue& value, FlatOutput& output) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) {
      output.tensors.push_back(value.toTensor());
    } else {
      output.plain.push_back(to_text(Argument{None{}}));
    }
  } else if (value.isTuple()) {
    for (const c10::IValue& element : value.toTupleRef().elements()) flatten_into(element, output);
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) flatten_into(entry.value(), output);
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toList().vec()) flatten_into(element, output);
  } else if (value.isNone()) {
    output.plain.push_back(to_text(Argument{None{}}));
  } else if (value.isBool()) {
    output.plain.push_back(to_text(Argument{value.toBool()}));
  } else if (value.isInt()) {
    output.plain.push_back(to_text(Argument{value.toInt()}));
  } else if (value.isDouble()) {
    output.plain.push_back(to_text(Argument{value.toDouble()}));
  } else if (value.isString()) {
    output.plain.push_back(to_text(Argument{value.toStringRef()}));
  }
}

void plain_outputs_into(const Output& output, std::vector<std::string>& plain) {
  if (const auto* argument = std::get_if<Argument>(&output.node)) {
    const bool is_plain = argument->get_if<None>() != nullptr || argument->get_if<bool>() != nullptr ||
                          argument->get_if<std::int64_t>() != nullptr || argument->get_if<double>() != nullptr ||
                          argument->get_if<std::string>() != nullptr;
    if (is_plain) plain.push_back(to_text(*argument));
  } else if (const auto* list = std::get_if<Output::List>(&output.node)) {
    for (const Output& item : list->items) plain_outputs_into(item, plain);
  } else if (const auto* tuple = std::get_if<Output::Tuple>(&output.node)) {
    for (const Output& item : tuple->items) plain_outputs_into(item, plain);
  } else {
    for (const Output::Entry& entry : std::get<Output::Dict>(output.node).items) plain_outputs_into(entry.value, plain);
  }
}

// Operators whose results sum to one, so that more elements mean smaller ones.
const std::set<std::string_view> kSummingToOne = {"aten::softmax", "aten::_softmax", "aten::_safe_softmax"};
const std::set<std::string_view> kRearranging = {
    "aten::view",      "aten::reshape", "aten::permute", "aten::transpose", "aten::contiguous", "aten::squeeze",
    "aten::unsqueeze", "aten::flatten", "aten::to",      "aten::clone",     "aten::slice",      "aten::select"};

// Whether the value comes from one of kSummingToOne, perhaps rearranged.
bool sums_to_one(const Graph& graph, ValueId id) {
  for (std::size_t index = graph.calls.size(); index-- > 0;) {
    const Call& call = graph.calls[index];
    bool defines = false;
    for_each_result(call, [&](const TensorResult& result) { defines = defines || result.id == id; });
    if (!defines) continue;
    const std::string& name = graph.operator_of(call).name;
    if (kSummingToOne.contains(name)) return true;
    const auto* source = call.arguments.empty() ? nullptr : call.arguments[0].get_if<ValueReference>();
    if (source == nullptr || !kRearranging.contains(name)) return false;
    id = source->id;
  }
  return false;
}

// As compare_output(), without its figures where nothing differs, which takes a fraction of the time.
bool same_values(const at::Tensor& one, const at::Tensor& other) {
  if (one.scalar_type() == other.scalar_type() && one.sizes() == other.sizes() && !one.is_quantized() &&
      at::equal(one, other)) {
    return true;
  }
  return compare_output(one, other).equal;
}

// A difference that is smaller, relative to the largest element, is no dependence but rounding.
constexpr double kSmallestDifference = 1e-5;
constexpr std::int64_t kLookedAt = 1 << 20;

// Up to kLookedAt elements in float64, evenly spread.
at::Tensor some_elements(const at::Tensor& tensor) {
  at::Tensor flat = tensor.detach().resolve_conj();
  if (flat.is_complex()) flat = at::view_as_real(flat);
  flat = flat.reshape({-1});
  const std::int64_t step = (flat.numel() + kLookedAt - 1) / kLookedAt;
  return flat.slice(0, 0, flat.numel(), std::max<std::int64_t>(step, 1)).to(at::kDouble);
}

}  // namespace

FlatOutput flatten(const c10::IValue& output) {
  FlatOutput flat;
  flatten_into(output, flat);
  return flat;
}

std::vector<std::string> plain_outputs(const Graph& graph) {
  std::vector<std::string> plain;
  plain_outputs_into(graph.output, plain);
  return plain;
}

bool all_finite(const std::vector<at::Tensor>& outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const at::Tensor& output) {
    return !(output.is_floating_point() || output.is_complex()) || at::isfinite(output).all().item<bool>();
  });
}

std::vector<at::Tensor> computed_outputs(const Graph& graph, const std::vector<at::Tensor>& outputs) {
  const std::vector<std::int64_t> unchanged = unchanged_outputs(graph);
  std::vector<at::Tensor> computed;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!std::binary_search(unchanged.begin(), unchanged.end(), static_cast<std::int64_t>(i))) {
      computed.push_back(outputs[i]);
    }
  }
  return computed;
}

std::string degenerate_outputs(const Graph& graph, const std::vector<at::Tensor>& outputs, bool finite_expected) {
  const std::vector<at::Tensor> computed = computed_outputs(graph, outputs);
  if (computed.empty() && !outputs.empty()) return "every output is an input or a weight unchanged";
  std::string reason = degenerate_reason(computed, finite_expected);
  if (reason.empty()) return reason;
  std::vector<at::Tensor> scaled = outputs;
  const std::vector<ValueId> ids = output_values(graph);
  for (std::size_t i = 0; i < outputs.size() && i < ids.size(); ++i) {
    if (outputs[i].is_floating_point() && outputs[i].numel() > 1 && sums_to_one(graph, ids[i])) {
      const at::Tensor wide = outputs[i].to(at::kDouble);
      scaled[i] = wide / wide.abs().mean();
    }
  }
  return degenerate_reason(computed_outputs(graph, scaled), finite_expected);
}

bool outputs_differ(const std::vector<at::Tensor>& one, const std::vector<at::Tensor>& other) {
  if (one.size() != other.size()) return true;
  bool anything_to_tell = false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (!(one[i].is_floating_point() || one[i].is_complex()) || one[i].numel() == 0) continue;
    anything_to_tell = true;
    if (one[i].sizes() != other[i].sizes()) return true;
    const at::Tensor a = some_elements(one[i]);
    const at::Tensor b = some_elements(other[i]);
    const double difference = (a - b).abs().max().item<double>();
    const double scale = std::max(a.abs().max().item<double>(), b.abs().max().item<double>());
    if (!std::isfinite(difference) || difference > kSmallestDifference * scale) return true;
  }
  return !anything_to_tell;
}

bool all_same(const std::vector<at::Tensor>& one, const std::vector<at::Tensor>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), same_values);
}

}  // namespace graphnet
