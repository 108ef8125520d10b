#include "graphnet/graph/memory.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "graphnet/graph/schema.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw Error(ErrorKind::kInput, "the graph's tensors exceed 2^63 bytes");
  return sum;
}

// The first value among the call's arguments whose alias set is `alias`, or nothing.
std::optional<ValueId> aliased_value(const Schema& schema, const Call& call, const std::string& alias) {
  std::size_t count = std::min(schema.arguments.size(), call.arguments.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (schema.arguments[i].alias != alias) continue;
    std::optional<ValueId> found;
    for_each_value(call.arguments[i], [&](ValueId id) {
      if (!found) found = id;
    });
    if (found) return found;
  }
  return std::nullopt;
}

// For each value the value whose storage it lives in; itself where it has its own.
std::vector<ValueId> storage_owners(const Graph& graph) {
  std::vector<Schema> schemas;
  for (const Operator& op : graph.operators) schemas.push_back(parse_schema(op.schema));

  std::vector<ValueId> owner(value_count(graph));
  std::iota(owner.begin(), owner.end(), ValueId{0});
  ValueId next = graph.first_result();
  for (const Call& call : graph.calls) {
    const Schema& schema = schemas[call.operator_index];
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      std::optional<ValueId> base;
      if (i < schema.returns.size() && !schema.returns[i].alias.empty()) {
        base = aliased_value(schema, call, schema.returns[i].alias);
      }
      auto place = [&](const TensorResult& result) {
        if (result.id < next) return;  // an argument returned again
        next = result.id + 1;
        if (base) owner[result.id] = owner[*base];
      };
      if (const auto* tensor = std::get_if<TensorResult>(&call.results[i])) place(*tensor);
      if (const auto* list = std::get_if<std::vector<TensorResult>>(&call.results[i])) {
        for (const TensorResult& element : *list) place(element);
      }
    }
  }
  return owner;
}

std::int64_t peak_of_results(const Graph& graph) {
  std::vector<ValueId> owner = storage_owners(graph);
  std::vector<std::int64_t> last = last_uses(graph);
  for (ValueId id = 0; id < owner.size(); ++id) last[owner[id]] = std::max(last[owner[id]], last[id]);

  std::vector<std::int64_t> freed_after(graph.calls.size() + 1, 0);
  std::vector<bool> seen(owner.size(), false);
  std::int64_t live = 0;
  std::int64_t peak = 0;
  for (std::size_t i = 0; i < graph.calls.size(); ++i) {
    for_each_result(graph.calls[i], [&](const TensorResult& result) {
      if (seen[result.id] || owner[result.id] != result.id || result.id < graph.first_result()) return;
      seen[result.id] = true;
      std::int64_t bytes = storage_bytes(result.type);
      live = add(live, bytes);
      std::size_t end = std::max<std::size_t>(i, static_cast<std::size_t>(std::max<std::int64_t>(last[result.id], 0)));
      freed_after[end] += bytes;
    });
    peak = std::max(peak, live);
    live -= freed_after[i];
  }
  return peak;
}

}  // namespace

MemoryNeed memory_need(const Graph& graph) {
  MemoryNeed need;
  for (const Input& input : graph.inputs) need.inputs = add(need.inputs, storage_bytes(input.type));
  for (const Constant& constant : graph.constants) need.constants = add(need.constants, storage_bytes(constant.type));
  for (const Weight& weight : graph.weights) {
    if (!std::holds_alternative<ViewRecipe>(weight.recipe))
      need.weights = add(need.weights, storage_bytes(weight.type));
  }
  need.peak_results = peak_of_results(graph);
  return need;
}

std::int64_t bytes_needed(const MemoryNeed& need, const MemoryUse& use) {
  // In floating point: sizes that a file claims may exceed 63 bits once multiplied.
  const double sum = static_cast<double>(need.weights) * use.weights + static_cast<double>(need.constants) +
                     static_cast<double>(need.inputs) * use.inputs +
                     static_cast<double>(need.peak_results) * use.results;
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return sum >= static_cast<double>(kMost) ? kMost : static_cast<std::int64_t>(sum);
}

MemoryFit memory_fit(const MemoryNeed& need, const MemoryUse& use, std::int64_t available) {
  if (bytes_needed(need, use) <= available) return MemoryFit::kWhole;
  MemoryNeed without_weights = need;
  without_weights.weights = 0;
  return bytes_needed(without_weights, use) <= available ? MemoryFit::kRepeatedWeights : MemoryFit::kNot;
}

std::string shortage_text(const MemoryNeed& need, const MemoryUse& use, std::int64_t available) {
  return "needs " + group_thousands(bytes_needed(need, use)) + " bytes of memory (weights " +
         group_thousands(need.weights) + ", constants " + group_thousands(need.constants) + ", each set of inputs " +
         group_thousands(need.inputs) + ", results at one time " + group_thousands(need.peak_results) + "), but " +
         group_thousands(available) + " are available";
}

std::string largest_tensor(const Graph& graph) {
  std::int64_t most = -1;
  std::string largest;
  const auto look_at = [&](const TensorType& type, const auto& place) {
    const std::int64_t bytes = storage_bytes(type);
    if (bytes <= most) return;
    most = bytes;
    largest = place() + " " + to_string(type);
  };
  for (const Input& input : graph.inputs) look_at(input.type, [&] { return "input " + input.name; });
  for (const Weight& weight : graph.weights) look_at(weight.type, [&] { return "weight " + weight.name; });
  for (const Constant& constant : graph.constants) look_at(constant.type, [] { return std::string("a constant"); });
  for (std::size_t i = 0; i < graph.calls.size(); ++i) {
    const auto place = [&] {
      return "call " + std::to_string(i) + " " + graph.operator_of(graph.calls[i]).full_name() + ":";
    };
    for_each_result(graph.calls[i], [&](const TensorResult& result) { look_at(result.type, place); });
  }
  return largest;
}

}  // namespace graphnet
