// What a graph becomes for replay: every argument is a slot to copy from, to move from, or a list to fill, so that a
// run allocates nothing of its own.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#include <c10/core/Device.h>

#include "graphnet/graph/graph.h"
#include "graphnet/runtime/replayer.h"

namespace graphnet {

struct ReplayProgram {
  static constexpr std::uint32_t kDiscard = std::numeric_limits<std::uint32_t>::max();

  // One argument. Moving from a value's slot at its last use frees it as early as LibTorch's interpreter does.
  struct Operand {
    enum class Kind : std::uint8_t { kCopy, kMove, kList };
    Kind kind = Kind::kCopy;
    std::uint32_t index = 0;  // of the slot, or of the list
  };
  // A list with tensors in it. The list object stays; its elements are set before each call and taken out after it.
  struct TensorList {
    c10::impl::GenericList list;
    std::vector<Operand> elements;
  };
  // Where one result goes: a slot, nowhere, or, for a list of tensors, the slots of list_targets[index].
  struct Target {
    bool is_list = false;
    std::uint32_t index = kDiscard;
  };
  struct Step {
    c10::OperatorHandle op;
    std::uint32_t operands_end = 0;  // each step's operands and targets begin where those of the step before end
    std::uint32_t targets_end = 0;
    bool has_lists = false;
  };
  // Weights and constants that calls write to and that lie in one storage: copied together before each run.
  struct WrittenGroup {
    std::vector<ValueId> values;
    std::vector<at::Tensor> originals;
  };

  c10::Device device = c10::kCPU;
  Graph graph;
  std::vector<Step> steps;
  std::vector<Operand> operands;
  std::vector<TensorList> lists;
  std::vector<Target> targets;
  std::vector<std::vector<std::uint32_t>> list_targets;  // slots or kDiscard
  std::vector<ValueId> outputs;
  std::vector<bool> is_written;  // by value: lies in memory that calls write to
  std::vector<bool> is_used;     // by value: read by a call or returned

  // Values first, then literals. Unwritten weights and constants, and literals, stay between runs.
  std::vector<c10::IValue> slots;
  std::vector<ValueId> transient;  // slots that a run leaves behind: the outputs
  std::vector<WrittenGroup> written_groups;
  torch::jit::Stack stack;
  bool has_weights = false;

  bool stays(ValueId id) const { return id >= graph.first_weight() && id < graph.first_result() && !is_written[id]; }
  void clear_run();
};

// Looks up operators and lays the program out.
void bind_program(ReplayProgram& program, const Graph& graph, c10::Device device);

}  // namespace graphnet
