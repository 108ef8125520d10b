#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include <ATen/core/function_schema.h>
#include <c10/util/StringUtil.h>

#include "graphnet/runtime/convert.h"
#include "graphnet/sample/infer_recipe.h"

#include "recording.h"

namespace graphnet {
namespace {

constexpr ValueId kUnnumbered = std::numeric_limits<ValueId>::max();

bool is_broadcast(const TensorType& type) {
  for (std::size_t i = 0; i < type.strides.size(); ++i) {
    if (type.shape[i] > 1 && type.strides[i] == 0) return true;
  }
  return false;
}

// A graph's weights and inputs are dense.
TensorType dense_type(const TensorType& type) {
  return is_broadcast(type) ? TensorType{type.dtype, type.shape, {}} : type;
}

// Quantized tensors carry scales with them that no recipe can give: they may only be results.
void refuse_quantized(const KnownTensor& known, const char* what) {
  if (!known.tensor.is_quantized()) return;
  throw Error(ErrorKind::kUnsupported, std::string(what) + " " + known.name + " is quantized (" +
                                           c10::toString(known.tensor.scalar_type()) +
                                           "), which a graph can hold only as the result of a call");
}

// The part of a storage that a tensor covers, in bytes.
struct Extent {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
  bool contains(const Extent& other) const { return begin <= other.begin && other.end <= end; }
  bool overlaps(const Extent& other) const { return begin < other.end && other.begin < end; }
};

Extent extent_of(const Geometry& geometry) {
  const auto begin = geometry.offset * static_cast<std::int64_t>(dtype_size(geometry.type.dtype));
  return {begin, begin + storage_bytes(geometry.type)};
}

// Bytes of text that the contents of a constant may take.
constexpr std::size_t kConstantTextLimit = std::size_t{1} << 20;

std::optional<Recipe> recipe_of_constant(const at::Tensor& contents) {
  if (contents.is_quantized()) return std::nullopt;
  const at::Tensor dense = contents.cpu().contiguous();
  const std::span bytes(static_cast<const std::byte*>(dense.const_data_ptr()), dense.nbytes());
  return infer_exact(bytes, to_dtype(dense.scalar_type()), kConstantTextLimit);
}

bool can_be_view(const Geometry& view, const Geometry& base) {
  return view.type.dtype == base.type.dtype && !is_broadcast(view.type) && !is_broadcast(base.type) &&
         extent_of(view).size() > 0 && extent_of(base).contains(extent_of(view));
}

}  // namespace

struct RecordingState::Numbering {
  std::vector<ValueId> final_ids;         // by preliminary id
  std::map<ValueId, ValueId> view_bases;  // preliminary ids of weights that are views, and of their bases
  ValueId next = 0;

  explicit Numbering(std::size_t values) : final_ids(values, kUnnumbered) {}
  void number(ValueId id) { final_ids[id] = next++; }
  bool is_numbered(ValueId id) const { return final_ids[id] != kUnnumbered; }

  void rewrite(Argument& argument) const {
    if (auto* reference = std::get_if<ValueReference>(&argument.kind)) {
      reference->id = final_ids[reference->id];
    } else if (auto* list = std::get_if<ArgumentList>(&argument.kind)) {
      for (Argument& element : *list) rewrite(element);
    }
  }
  void rewrite(Output& output) const {
    if (auto* argument = std::get_if<Argument>(&output.node)) {
      rewrite(*argument);
    } else if (auto* list = std::get_if<Output::List>(&output.node)) {
      for (Output& item : list->items) rewrite(item);
    } else if (auto* tuple = std::get_if<Output::Tuple>(&output.node)) {
      for (Output& item : tuple->items) rewrite(item);
    } else if (auto* dict = std::get_if<Output::Dict>(&output.node)) {
      for (auto& [key, item] : dict->items) rewrite(item);
    }
  }
  // Results are numbered where they first appear.
  void rewrite(TensorResult& result) {
    if (!is_numbered(result.id)) number(result.id);
    result.id = final_ids[result.id];
  }
};

Recording RecordingState::finish(const c10::IValue& output) {
  Recording recording;
  try {
    recording.graph.output = encoder_.output(output);
  } catch (const Error& error) {
    throw error.with_context("the model's output");
  }
  drop_allocations_of_constants();
  const std::vector<ValueId> read = values_read(recording.graph);
  check_shared_memory(read);

  Numbering numbering(values_.values().size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    refuse_quantized(inputs_[i], "input");
    recording.graph.inputs.push_back({inputs_[i].name, dense_type(values_.values()[i].geometry.type), {}});
    numbering.number(static_cast<ValueId>(i));
  }
  number_weights(read, recording, numbering);
  number_constants(read, recording, numbering);
  number_calls(recording, numbering);
  numbering.rewrite(recording.graph.output);
  describe_readings(numbering);
  recording.notes = std::move(notes_);
  return recording;
}

void RecordingState::drop_allocations_of_constants() {
  std::vector<bool> dropped(calls_.size(), false);
  for (const std::size_t call : values_.allocations_of_constants()) dropped[call] = true;
  std::vector<std::size_t> positions = {0};
  std::vector<RecordedCall> kept;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (!dropped[i]) kept.push_back(std::move(calls_[i]));
    positions.push_back(kept.size());
  }
  calls_ = std::move(kept);
  for (Reading& reading : readings_) reading.position = positions[reading.position];
}

// What was only read to become a number is left out: a replay does not read it.
std::vector<ValueId> RecordingState::values_read(const Graph& graph) const {
  std::vector<ValueId> read;
  std::vector<bool> seen(values_.values().size(), false);
  const auto visit = [&](ValueId id) {
    if (!seen[id]) read.push_back(id);
    seen[id] = true;
  };
  for (const RecordedCall& call : calls_) {
    for (const Argument& argument : call.arguments) for_each_value(argument, visit);
  }
  for (const ValueId id : output_values(graph)) visit(id);
  return read;
}

// In the order in which they are first read, except that a weight that others are views of comes before them.
void RecordingState::number_weights(const std::vector<ValueId>& read, Recording& recording, Numbering& numbering) {
  const std::vector<ValueTable::Value>& values = values_.values();
  std::vector<ValueId> used;
  for (const ValueId id : read) {
    if (values[id].origin == ValueTable::Origin::kWeight) used.push_back(id);
  }
  std::map<ValueId, std::size_t> rank;
  for (std::size_t i = 0; i < used.size(); ++i) rank[used[i]] = i;

  // The largest weight that a weight is a part of, the first used of equally large ones; itself where there is none.
  const auto base_of = [&](ValueId id) {
    ValueId base = id;
    for (const ValueId candidate : values_.storage_of(id).values) {
      if (!rank.contains(candidate) || !can_be_view(values[id].geometry, values[candidate].geometry)) continue;
      const std::int64_t size = extent_of(values[candidate].geometry).size();
      const std::int64_t best = extent_of(values[base].geometry).size();
      if (size > best || (size == best && rank[candidate] < rank[base])) base = candidate;
    }
    return base;
  };
  const auto place = [&](ValueId id, Recipe recipe) {
    const KnownTensor& known = weights_[values[id].source];
    refuse_quantized(known, "weight");
    numbering.number(id);
    recording.graph.weights.push_back(
        {known.name, dense_type(values[id].geometry.type), std::move(recipe), known.is_buffer});
    recording.weight_sources.push_back(values[id].source);
  };
  for (const ValueId id : used) {
    if (numbering.is_numbered(id)) continue;
    const ValueId base = base_of(id);
    if (!numbering.is_numbered(base)) place(base, {});
    if (base == id) continue;
    place(id, ViewRecipe{numbering.final_ids[base], values[id].geometry.offset - values[base].geometry.offset});
  }
}

void RecordingState::number_constants(const std::vector<ValueId>& read, Recording& recording,
                                      Numbering& numbering) const {
  for (const ValueId id : read) {
    if (values_.values()[id].origin != ValueTable::Origin::kConstant) continue;
    const at::Tensor& contents = values_.constants()[values_.values()[id].source];
    const std::optional<Recipe> recipe = recipe_of_constant(contents);
    if (!recipe) {
      throw Error(ErrorKind::kUnsupported,
                  first_reader(id) + " reads a tensor " + to_string(type_of(contents)) +
                      " that the model made outside LibTorch's operators, and whose contents cannot be written exactly "
                      "within " +
                      std::to_string(kConstantTextLimit) + " bytes of text");
    }
    numbering.number(id);
    recording.graph.constants.push_back({type_of(contents), *recipe});
    recording.constants.push_back(contents);
  }
}

std::string RecordingState::first_reader(ValueId id) const {
  for (const RecordedCall& call : calls_) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      bool reads = false;
      for_each_value(call.arguments[i], [&](ValueId read) { reads |= read == id; });
      if (reads) {
        return c10::toString(call.op.operator_name()) + ", argument " + call.op.schema().arguments()[i].name() + ",";
      }
    }
  }
  return "the output";
}

void RecordingState::number_calls(Recording& recording, Numbering& numbering) {
  Graph& graph = recording.graph;
  std::map<std::string, Operator> operators;  // by full name
  for (const RecordedCall& call : calls_) {
    const c10::FunctionSchema& schema = call.op.schema();
    const auto [position, is_new] = operators.try_emplace(c10::toString(call.op.operator_name()));
    if (is_new) position->second = {schema.name(), schema.overload_name(), c10::str(schema)};
  }
  std::map<std::string, std::uint32_t> indices;
  for (auto& [name, op] : operators) {
    indices[name] = static_cast<std::uint32_t>(graph.operators.size());
    graph.operators.push_back(std::move(op));
  }
  for (RecordedCall& call : calls_) {
    for (Argument& argument : call.arguments) numbering.rewrite(argument);
    for (Result& result : call.results) {
      if (auto* tensor = std::get_if<TensorResult>(&result)) numbering.rewrite(*tensor);
      if (auto* list = std::get_if<std::vector<TensorResult>>(&result)) {
        for (TensorResult& element : *list) numbering.rewrite(element);
      }
    }
    const std::uint32_t index = indices.at(c10::toString(call.op.operator_name()));
    graph.calls.push_back({index, std::move(call.arguments), std::move(call.results)});
    if (place_) recording.places.push_back(std::move(call.place));
  }
}

void RecordingState::describe_readings(const Numbering& numbering) {
  for (const Reading& reading : readings_) {
    const std::string value =
        numbering.is_numbered(reading.value) ? c10::str("%", numbering.final_ids[reading.value]) : "a tensor";
    const std::string type = to_string(values_.values()[reading.value].geometry.type);
    notes_.baked_values.push_back(
        c10::str("before call ", reading.position, ": ", reading.name, " of ", value, " ", type));
  }
}

// Weights that are views of one another share their memory in the graph too. What else shares memory is recorded as
// tensors of their own, which is the same only as long as nothing writes to them.
void RecordingState::check_shared_memory(const std::vector<ValueId>& read) const {
  const std::vector<ValueTable::Value>& values = values_.values();
  std::map<const c10::StorageImpl*, std::vector<ValueId>> sharing;
  for (std::size_t i = 0; i < inputs_.size(); ++i) sharing[values[i].storage].push_back(static_cast<ValueId>(i));
  for (const ValueId id : read) {
    if (values[id].origin == ValueTable::Origin::kWeight) sharing[values[id].storage].push_back(id);
  }

  const auto name_of = [&](ValueId id) {
    const ValueTable::Value& value = values[id];
    return value.origin == ValueTable::Origin::kInput ? "input " + inputs_[value.source].name
                                                      : "weight " + weights_[value.source].name;
  };
  const auto are_parts_of_one_weight = [&](const std::vector<ValueId>& ids, ValueId a, ValueId b) {
    return std::any_of(ids.begin(), ids.end(), [&](ValueId base) {
      return values[base].origin == ValueTable::Origin::kWeight &&
             can_be_view(values[a].geometry, values[base].geometry) &&
             can_be_view(values[b].geometry, values[base].geometry);
    });
  };
  for (const auto& [storage, ids] : sharing) {
    if (ids.size() < 2 || !values_.is_written(ids.front())) continue;
    for (const ValueId a : ids) {
      for (const ValueId b : ids) {
        if (a >= b || !extent_of(values[a].geometry).overlaps(extent_of(values[b].geometry))) continue;
        const bool has_input = values[a].origin == ValueTable::Origin::kInput;  // inputs come first
        if (!has_input && are_parts_of_one_weight(ids, a, b)) continue;
        throw Error(ErrorKind::kUnsupported,
                    name_of(a) + " and " + name_of(b) +
                        " share memory that the model writes to, and are no parts of one weight");
      }
    }
  }
}

}  // namespace graphnet
