#include "degeneration.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include <ATen/ATen.h>

#include "graphnet/graph/schema.h"
#include "graphnet/runtime/aliases.h"
#include "graphnet/runtime/health.h"
#include "graphnet/support/text.h"

#include "recorded_model.h"

namespace graphnet {
namespace {

constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
constexpr std::int64_t kLookedAt = 4096;      // elements of a tensor that two runs are compared by
constexpr double kSmallestDifference = 1e-5;  // of the largest element; less is rounding

enum class Symptom { kNotFinite, kConstant, kScale, kSame };

// What a value held between two writes to it.
struct Content {
  std::size_t call = kUnknown;  // that made it; unknown for an input
  TensorType type;
  OutputHealth health;
  at::Tensor elements;  // some of them, in float64
  bool floating = false;
  bool same = false;  // in another run
};

at::Tensor some_elements(const at::Tensor& tensor) {
  at::Tensor flat = tensor.is_quantized() ? tensor.dequantize() : tensor.detach().resolve_conj();
  if (flat.is_complex()) flat = at::view_as_real(flat);
  flat = flat.reshape({-1});
  const std::int64_t step = std::max<std::int64_t>((flat.numel() + kLookedAt - 1) / kLookedAt, 1);
  return flat.slice(0, 0, flat.numel(), step).to(at::kDouble).cpu().clone();
}

bool nearly_equal(const at::Tensor& one, const at::Tensor& other) {
  if (one.sizes() != other.sizes()) return false;
  if (one.numel() == 0 || at::equal(one, other)) return true;
  const double difference = (one - other).abs().max().item<double>();
  const double scale = std::max(one.abs().max().item<double>(), other.abs().max().item<double>());
  return difference <= kSmallestDifference * scale;
}

bool has(const Content& content, Symptom symptom) {
  const std::int64_t elements = element_count(content.type);
  switch (symptom) {
    case Symptom::kNotFinite:
      return !content.health.finite;
    case Symptom::kConstant:
      return content.health.constant || elements <= 1;
    case Symptom::kScale: {
      const double scale = elements > 1 ? content.health.deviation : std::abs(content.health.mean);
      return content.floating && !(scale >= kSmallestDeviation && scale <= kLargestDeviation);
    }
    case Symptom::kSame:
      return content.same;
  }
  return false;
}

std::string symptom_text(const Content& content, Symptom symptom) {
  const std::string result = "its result " + to_string(content.type);
  switch (symptom) {
    case Symptom::kNotFinite:
      return result + " is not finite";
    case Symptom::kConstant:
      return result + " is " + double_text(content.health.mean) + " everywhere";
    case Symptom::kScale:
      return result + " has a standard deviation of " + double_text(content.health.deviation);
    case Symptom::kSame:
      return result + " is the same for other inputs";
  }
  return result;
}

// What every value held in the course of a run, and what each call read of that.
class Contents {
 public:
  explicit Contents(const Graph& graph)
      : graph_(graph),
        aliases_(find_aliases(graph)),
        current_(value_count(graph), kUnknown),
        reads_(graph.calls.size()) {
    for (const Operator& op : graph.operators) schemas_.push_back(parse_schema(op.schema));
  }

  void follow_run(Replayer& replayer, const std::vector<at::Tensor>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      define(static_cast<ValueId>(i), inputs[i], kUnknown, graph_.inputs[i].type);
    }
    replayer.run(inputs, [&](std::size_t call, std::span<const at::Tensor> results) { observe(call, results); });
  }

  // Marks what another run had the same.
  void compare_run(Replayer& replayer, const std::vector<at::Tensor>& inputs) {
    std::size_t next = 0;
    const auto compare = [&](const at::Tensor& tensor) {
      if (next == contents_.size()) return;
      Content& content = contents_[next++];
      content.same = nearly_equal(content.elements, some_elements(tensor));
    };
    std::for_each(inputs.begin(), inputs.end(), compare);
    replayer.run(inputs, [&](std::size_t, std::span<const at::Tensor> results) {
      std::for_each(results.begin(), results.end(), compare);
    });
  }

  // Of the outputs that the graph computes; those that were written to through a view are not known.
  std::vector<std::size_t> outputs() const {
    const std::vector<std::int64_t> unchanged = unchanged_outputs(graph_);
    const std::vector<ValueId> ids = output_values(graph_);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const bool computed = !std::binary_search(unchanged.begin(), unchanged.end(), static_cast<std::int64_t>(i));
      if (computed && current_[ids[i]] != kUnknown) found.push_back(current_[ids[i]]);
    }
    return found;
  }

  const Content& at(std::size_t index) const { return contents_[index]; }

  // The first content with the symptom, of those that lead to the given ones, whose call read something without it.
  // Where no call did, the first that read nothing.
  std::optional<std::size_t> origin(std::vector<std::size_t> open, Symptom symptom) const {
    std::vector<bool> seen(contents_.size(), false);
    std::size_t first = kUnknown;
    std::size_t first_source = kUnknown;
    while (!open.empty()) {
      const std::size_t index = open.back();
      open.pop_back();
      if (seen[index] || contents_[index].call == kUnknown || !has(contents_[index], symptom)) continue;
      seen[index] = true;
      const std::vector<std::size_t>& read = reads_[contents_[index].call];
      const auto is_bad = [&](std::size_t each) { return has(contents_[each], symptom); };
      const bool begins_here = symptom == Symptom::kNotFinite ? std::none_of(read.begin(), read.end(), is_bad)
                                                              : !std::all_of(read.begin(), read.end(), is_bad);
      if (begins_here) first = std::min(first, index);
      if (read.empty()) first_source = std::min(first_source, index);
      if (!begins_here) open.insert(open.end(), read.begin(), read.end());
    }
    if (first != kUnknown) return first;
    return first_source != kUnknown ? std::optional(first_source) : std::nullopt;
  }

  bool read_anything(std::size_t index) const { return !reads_[contents_[index].call].empty(); }

 private:
  void define(ValueId id, const at::Tensor& tensor, std::size_t call, const TensorType& type) {
    current_[id] = contents_.size();
    contents_.push_back({call, type, health_of(tensor), some_elements(tensor),
                         tensor.is_floating_point() || tensor.is_complex(), false});
  }

  void observe(std::size_t index, std::span<const at::Tensor> results) {
    const Call& call = graph_.calls[index];
    const Schema& schema = schemas_[call.operator_index];
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      for_each_value(call.arguments[i], [&](ValueId id) {
        if (current_[id] != kUnknown) reads_[index].push_back(current_[id]);
      });
    }
    for (std::size_t i = 0; i < call.arguments.size() && i < schema.arguments.size(); ++i) {
      if (schema.arguments[i].is_written) for_each_value(call.arguments[i], [&](ValueId id) { forget_memory_of(id); });
    }
    std::size_t position = 0;
    for_each_result(call, [&](const TensorResult& result) {
      if (position < results.size()) define(result.id, results[position++], index, result.type);
    });
  }

  void forget_memory_of(ValueId written) {
    for (std::size_t id = 0; id < current_.size(); ++id) {
      if (aliases_.share(static_cast<ValueId>(id), written)) current_[id] = kUnknown;
    }
  }

  const Graph& graph_;
  Aliases aliases_;
  std::vector<Schema> schemas_;                  // by operator
  std::vector<Content> contents_;                // in order of definition
  std::vector<std::size_t> current_;             // by value
  std::vector<std::vector<std::size_t>> reads_;  // by call
};

Symptom symptom_of(const Contents& contents, const std::vector<std::size_t>& outputs) {
  const auto any = [&](auto&& predicate) {
    return std::any_of(outputs.begin(), outputs.end(), [&](std::size_t each) { return predicate(contents.at(each)); });
  };
  if (any([](const Content& output) { return output.floating && !output.health.finite; })) return Symptom::kNotFinite;
  if (!any([](const Content& output) { return !output.health.constant; })) return Symptom::kConstant;
  return Symptom::kScale;
}

}  // namespace

std::string origin_text(RecordedModel& model, Degeneration::Kind kind, const std::vector<at::Tensor>& inputs,
                        const std::vector<at::Tensor>& other_inputs) {
  if (kind == Degeneration::Kind::kWeights) return "";
  const Graph& graph = model.recording().graph;
  Contents contents(graph);
  at::manual_seed(model.settings().seed);
  contents.follow_run(model.replayer(), inputs);
  const std::vector<std::size_t> outputs = contents.outputs();
  Symptom symptom = Symptom::kSame;
  if (kind == Degeneration::Kind::kInputs) {
    at::manual_seed(model.settings().seed);
    contents.compare_run(model.replayer(), other_inputs);
  } else {
    symptom = symptom_of(contents, outputs);
  }
  const std::optional<std::size_t> origin = contents.origin(outputs, symptom);
  if (!origin) return "";
  if (symptom == Symptom::kSame && !contents.read_anything(*origin)) return " (no input has a part in them)";
  const Content& content = contents.at(*origin);
  const std::string line = model.line_of_call(content.call);
  return " (from call " + std::to_string(content.call) + " " +
         graph.operator_of(graph.calls[content.call]).full_name() + " on: " + symptom_text(content, symptom) +
         (line.empty() ? "" : "; in TorchScript: " + line) + ")";
}

}  // namespace graphnet
