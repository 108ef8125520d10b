#include "graphnet/runtime/replayer.h"

#include <string>
#include <unordered_map>
#include <utility>

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include "graphnet/runtime/convert.h"
#include "graphnet/runtime/exception_text.h"
#include "graphnet/support/error.h"

#include "replayer_program.h"
#include "unrecorded.h"

namespace graphnet {
namespace {

// A copy with the same strides, where elements do not share their places.
at::Tensor copy_of(const at::Tensor& tensor) {
  if (is_broadcast(tensor)) return tensor.clone(at::MemoryFormat::Contiguous);
  return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options()).copy_(tensor);
}

// Copies of tensors that share a storage, sharing the copy of the storage as they share the original.
std::vector<at::Tensor> copies_of(const std::vector<at::Tensor>& tensors) {
  if (tensors.size() == 1) return {copy_of(tensors[0])};
  const at::Storage& storage = tensors[0].storage();
  const auto bytes = at::device(tensors[0].device()).dtype(at::kByte);
  const at::Tensor copy =
      at::empty({0}, bytes).set_(storage, 0, {static_cast<std::int64_t>(storage.nbytes())}, {1}).clone();
  std::vector<at::Tensor> copies;
  for (const at::Tensor& tensor : tensors) {
    copies.push_back(at::empty({0}, tensor.options())
                         .set_(copy.storage(), tensor.storage_offset(), tensor.sizes(), tensor.strides()));
  }
  return copies;
}

void check_tensor(const at::Tensor& tensor, const TensorType& type, const std::string& what) {
  if (tensor.defined() && tensor.scalar_type() == to_scalar_type(type.dtype) && tensor.sizes().equals(type.shape))
    return;
  throw Error(ErrorKind::kInput, what + " must be " + to_string(type) + ", not " +
                                     (tensor.defined() ? to_string(type_of(tensor)) : "an undefined tensor"));
}

c10::IValue take(ReplayProgram& program, ReplayProgram::Operand operand) {
  c10::IValue& slot = program.slots[operand.index];
  return operand.kind == ReplayProgram::Operand::Kind::kMove ? std::move(slot) : slot;
}

void push_operand(ReplayProgram& program, ReplayProgram::Operand operand) {
  if (operand.kind == ReplayProgram::Operand::Kind::kCopy) {
    program.stack.push_back(program.slots[operand.index]);
  } else if (operand.kind == ReplayProgram::Operand::Kind::kMove) {
    program.stack.push_back(std::move(program.slots[operand.index]));
  } else {
    ReplayProgram::TensorList& list = program.lists[operand.index];
    for (std::size_t i = 0; i < list.elements.size(); ++i) list.list.set(i, take(program, list.elements[i]));
    program.stack.push_back(list.list);
  }
}

void clear_list(ReplayProgram::TensorList& list) {
  for (std::size_t i = 0; i < list.elements.size(); ++i) list.list.set(i, c10::IValue());
}

void store_list(ReplayProgram& program, const c10::IValue& value, const std::vector<std::uint32_t>& slots) {
  const at::ArrayRef<c10::IValue> elements = value.toListRef();
  if (elements.size() != slots.size()) {
    throw Error(ErrorKind::kInput, "the operator returned " + std::to_string(elements.size()) + " tensors where " +
                                       std::to_string(slots.size()) + " were recorded");
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] != ReplayProgram::kDiscard) program.slots[slots[i]] = elements[i];
  }
}

// The tensor results on the stack, in the order of for_each_result.
std::vector<at::Tensor> results_on_stack(const ReplayProgram& program, const Call& call) {
  std::vector<at::Tensor> tensors;
  for (std::size_t i = 0; i < call.results.size(); ++i) {
    if (std::holds_alternative<TensorResult>(call.results[i])) tensors.push_back(program.stack[i].toTensor());
    if (std::holds_alternative<std::vector<TensorResult>>(call.results[i])) {
      for (const c10::IValue& element : program.stack[i].toListRef()) tensors.push_back(element.toTensor());
    }
  }
  return tensors;
}

// Fills the slots of inputs and written weights. The copies are the replayer's own doing: in a recording of the replay
// they are the values that they are copies of.
void load(ReplayProgram& program, std::span<const at::Tensor> inputs) {
  const Unrecorded copying;
  const auto set_copy = [&](ValueId id, const at::Tensor& original, at::Tensor copy) {
    record_as(copy, original);
    program.slots[id] = std::move(copy);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!program.is_used[i]) continue;
    if (program.is_written[i]) {
      set_copy(static_cast<ValueId>(i), inputs[i], copy_of(inputs[i]));
    } else {
      program.slots[i] = inputs[i];
    }
  }
  for (const ReplayProgram::WrittenGroup& group : program.written_groups) {
    std::vector<at::Tensor> copies = copies_of(group.originals);
    for (std::size_t i = 0; i < copies.size(); ++i) set_copy(group.values[i], group.originals[i], std::move(copies[i]));
  }
}

// One step after the other; `step` is the current one's index, for the caller's error message.
void run_steps(ReplayProgram& program, const Replayer::Observer* observe, std::size_t& step) {
  torch::jit::Stack& stack = program.stack;
  std::uint32_t operand = 0;
  std::uint32_t target = 0;
  for (step = 0; step < program.steps.size(); ++step) {
    const ReplayProgram::Step& current = program.steps[step];
    const std::uint32_t first_operand = operand;
    for (; operand < current.operands_end; ++operand) push_operand(program, program.operands[operand]);
    current.op.callBoxed(&stack);
    if (current.has_lists) {
      for (std::uint32_t i = first_operand; i < operand; ++i) {
        if (program.operands[i].kind == ReplayProgram::Operand::Kind::kList)
          clear_list(program.lists[program.operands[i].index]);
      }
    }
    if (observe != nullptr) (*observe)(step, results_on_stack(program, program.graph.calls[step]));
    for (std::size_t i = 0; target < current.targets_end; ++target, ++i) {
      const ReplayProgram::Target& destination = program.targets[target];
      if (destination.is_list) {
        store_list(program, stack[i], program.list_targets[destination.index]);
      } else if (destination.index != ReplayProgram::kDiscard) {
        program.slots[destination.index] = std::move(stack[i]);
      }
    }
    stack.clear();
  }
}

std::vector<at::Tensor> run_program(ReplayProgram& program, std::span<const at::Tensor> inputs,
                                    const Replayer::Observer* observe) {
  if (!program.has_weights) throw Error(ErrorKind::kInternal, "a replayer without weights ran");
  if (inputs.size() != program.graph.inputs.size()) {
    throw Error(ErrorKind::kInput, std::to_string(inputs.size()) + " inputs where the graph has " +
                                       std::to_string(program.graph.inputs.size()));
  }
  const c10::InferenceMode without_gradients;
  std::size_t step = 0;
  load(program, inputs);
  try {
    run_steps(program, observe, step);
  } catch (const std::exception& exception) {
    const std::string name = program.graph.operator_of(program.graph.calls[step]).full_name();
    const Error error = error_of(exception).with_context("call " + std::to_string(step) + " " + name);
    program.clear_run();
    throw error;
  }
  std::vector<at::Tensor> outputs;
  outputs.reserve(program.outputs.size());
  for (const ValueId id : program.outputs) outputs.push_back(program.slots[id].toTensor());
  for (const ValueId id : program.transient) program.slots[id] = {};
  return outputs;
}

}  // namespace

void ReplayProgram::clear_run() {
  stack.clear();
  for (TensorList& list : lists) clear_list(list);
  for (ValueId id = 0; id < is_used.size(); ++id) {
    if (!stays(id)) slots[id] = {};
  }
}

Replayer::Replayer(const Graph& graph, c10::Device device) : program_(std::make_unique<ReplayProgram>()) {
  bind_program(*program_, graph, device);
  program_->has_weights = graph.weights.empty() && graph.constants.empty();
}

Replayer::~Replayer() = default;
Replayer::Replayer(Replayer&&) noexcept = default;
Replayer& Replayer::operator=(Replayer&&) noexcept = default;

void Replayer::set_weights(std::vector<at::Tensor> weights, std::vector<at::Tensor> constants) {
  ReplayProgram& program = *program_;
  const Graph& graph = program.graph;
  if (weights.size() != graph.weights.size() || constants.size() != graph.constants.size()) {
    throw Error(ErrorKind::kInternal, "the numbers of weights and constants differ from the graph's");
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    check_tensor(weights[i], graph.weights[i].type, "weight " + graph.weights[i].name);
  }
  for (std::size_t i = 0; i < constants.size(); ++i) {
    check_tensor(constants[i], graph.constants[i].type, "constant " + std::to_string(i));
  }
  program.written_groups.clear();
  std::unordered_map<const c10::StorageImpl*, std::size_t> groups;
  ValueId id = graph.first_weight();
  const auto set = [&](at::Tensor& tensor) {
    if (program.is_written[id]) {
      const auto [position, is_new] =
          groups.try_emplace(tensor.storage().unsafeGetStorageImpl(), program.written_groups.size());
      if (is_new) program.written_groups.emplace_back();
      program.written_groups[position->second].values.push_back(id);
      program.written_groups[position->second].originals.push_back(std::move(tensor));
    } else {
      program.slots[id] = std::move(tensor);
    }
    ++id;
  };
  for (at::Tensor& weight : weights) set(weight);
  for (at::Tensor& constant : constants) set(constant);
  program.has_weights = true;
}

std::vector<at::Tensor> Replayer::run(std::span<const at::Tensor> inputs) {
  return run_program(*program_, inputs, nullptr);
}

std::vector<at::Tensor> Replayer::run(std::span<const at::Tensor> inputs, const Observer& observe) {
  return run_program(*program_, inputs, &observe);
}

}  // namespace graphnet
