// The state of a recording: which value each tensor is, the calls so far, and what they become in the end.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>

#include "graphnet/runtime/recorder.h"
#include "graphnet/support/error.h"

namespace graphnet {

// What makes two tensors of one storage the same value.
struct Geometry {
  std::int64_t offset = 0;  // in elements
  TensorType type;
  bool conjugated = false;  // a lazy conjugate or negative of what the storage holds
  bool negated = false;
  bool operator==(const Geometry&) const = default;
};
Geometry geometry_of(const at::Tensor& tensor);

// The values of a recording. Tensors are told apart by their TensorImpl; weak references to it keep its address from
// being used again while its memory is freed. Ids are preliminary: inputs, all weights that may be used, then constants
// and results mixed, in order of appearance.
class ValueTable {
 public:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  enum class Origin : std::uint8_t { kInput, kWeight, kConstant, kResult };
  struct Value {
    Origin origin = Origin::kResult;
    std::size_t source = 0;  // of inputs, weights and constants: the index among these
    Geometry geometry;       // of inputs and weights: as it was before the recording
    const c10::StorageImpl* storage = nullptr;
  };
  // Memory that values share.
  struct Storage {
    c10::weak_intrusive_ptr<c10::StorageImpl> keep_address;
    std::vector<ValueId> values;
    bool depends_on_input = false;
    bool written = false;
    std::size_t unfilled_since = kNever;  // the call that allocated it uninitialised, until it is used
  };

  ValueTable(const std::vector<KnownTensor>& inputs, const std::vector<KnownTensor>& weights);

  // The value that a call reads, a new constant where the tensor was made behind the dispatcher. Throws
  // Error(kUnsupported) where it was, from a tensor that depends on the inputs.
  ValueId use(const at::Tensor& tensor);

  // The value of a call's result: an old one where the operator returned one of those, else a new one.
  ValueId define(const at::Tensor& tensor);

  // Notes that `call` allocated this result without filling it, and fills it with a pattern: contents that differ from
  // the pattern at the first use were written behind the dispatcher, and make the value a constant.
  void mark_unfilled(const at::Tensor& tensor, std::size_t call);

  // Makes `copy` the same value as `original`, if that is known.
  void alias(const at::Tensor& copy, const at::Tensor& original);

  // A dense copy of a weight whose elements share their places, made once; an undefined tensor for all other values. A
  // graph has such weights dense.
  at::Tensor dense_stand_in(ValueId id, const at::Tensor& tensor);

  Storage& storage_of(ValueId id) { return storages_.at(values_[id].storage); }
  bool is_written(ValueId id) const { return storages_.at(values_[id].storage).written; }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<at::Tensor>& constants() const { return constants_; }
  // Calls that allocated what turned out to be a constant.
  const std::vector<std::size_t>& allocations_of_constants() const { return allocations_of_constants_; }

 private:
  using WeakTensor = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
  struct Identity {
    ValueId id;
    WeakTensor keep_address;
  };

  void bind(const at::Tensor& tensor, ValueId id);
  ValueId add(const at::Tensor& tensor, Value value);
  std::optional<ValueId> find(const at::Tensor& tensor) const;
  void settle_contents(ValueId id, const at::Tensor& tensor);
  void make_constant(ValueId id, const at::Tensor& tensor);

  std::vector<Value> values_;
  std::unordered_map<const c10::TensorImpl*, Identity> identities_;
  std::unordered_map<const c10::StorageImpl*, Storage> storages_;
  std::unordered_map<ValueId, at::Tensor> stand_ins_;
  std::vector<at::Tensor> constants_;
  std::vector<std::size_t> allocations_of_constants_;
};

// Turns LibTorch's arguments and outputs into the graph's. Throws Error(kUnsupported) for what a graph cannot hold.
class Encoder {
 public:
  Encoder(ValueTable& values, c10::Device device) : values_(values), device_(device) {}

  // `type` is the schema's real type: it tells a dtype from an int.
  Argument argument(const c10::IValue& value, const c10::Type& type);
  Output output(const c10::IValue& value);

 private:
  Argument leaf(const c10::IValue& value, const c10::Type& type);
  DeviceRole role(c10::Device device) const;

  ValueTable& values_;
  c10::Device device_;
};

class RecordingState {
 public:
  RecordingState(const std::vector<KnownTensor>& inputs, const std::vector<KnownTensor>& weights, c10::Device device,
                 const std::function<std::string()>& place);

  // Runs the operator on the stack and records the call. What cannot be recorded is thrown and kept as failure(),
  // because LibTorch's interpreter turns exceptions into its own.
  void call(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  void record_as(const at::Tensor& copy, const at::Tensor& original) { values_.alias(copy, original); }
  const std::optional<Error>& failure() const { return failure_; }

  // The graph with its final numbering. Call once.
  Recording finish(const c10::IValue& output);

 private:
  struct RecordedCall {
    c10::OperatorHandle op;
    std::vector<Argument> arguments;
    std::vector<Result> results;
    std::string place;
  };
  // A tensor that became a number: which one, and before which recorded call.
  struct Reading {
    std::string name;
    ValueId value;
    std::size_t position;
  };
  // The final ids, by preliminary id.
  struct Numbering;

  void record_call(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  std::vector<Argument> encode_arguments(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  void use_dense_weights(c10::IValue& argument);
  std::vector<Result> define_results(const c10::OperatorHandle& op, const torch::jit::Stack& stack);

  void drop_allocations_of_constants();
  // The values that calls and the output name, in that order, each once.
  std::vector<ValueId> values_read(const Graph& graph) const;
  void check_shared_memory(const std::vector<ValueId>& read) const;
  void number_weights(const std::vector<ValueId>& read, Recording& recording, Numbering& numbering);
  void number_constants(const std::vector<ValueId>& read, Recording& recording, Numbering& numbering) const;
  // "aten::add.Tensor, argument other," of the first call that reads a value.
  std::string first_reader(ValueId id) const;
  void number_calls(Recording& recording, Numbering& numbering);
  void describe_readings(const Numbering& numbering);

  const std::vector<KnownTensor>& inputs_;
  const std::vector<KnownTensor>& weights_;
  const std::function<std::string()>& place_;
  ValueTable values_;
  Encoder encoder_;
  std::vector<RecordedCall> calls_;
  std::vector<Reading> readings_;
  RecordingNotes notes_;
  std::optional<Error> failure_;
};

}  // namespace graphnet
