// What a TorchScript module keeps from one call to the next: attributes that its code assigns, and lists and dicts held
// by attributes that its code alters in place.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

namespace graphnet {

class ModuleState {
 public:
  // Notes the attributes that this node of the module's code changes.
  void add_changes_of(const torch::jit::Node& node);

  // Remembers the values of the module's attributes, where the code changes any.
  void remember(const c10::intrusive_ptr<c10::ivalue::Object>& module);

  // Puts the remembered values back. Tensors among them are the same tensors, whatever was written to them.
  void restore() const;

  // The attributes that the code changes, such as "decoder.hidden".
  std::vector<std::string> changed() const { return {changed_.begin(), changed_.end()}; }

 private:
  struct Slot {
    c10::intrusive_ptr<c10::ivalue::Object> object;
    std::size_t index;
    c10::IValue value;
  };
  void remember_slots(const c10::intrusive_ptr<c10::ivalue::Object>& object);

  std::set<std::string> changed_;
  std::vector<Slot> slots_;
};

}  // namespace graphnet
