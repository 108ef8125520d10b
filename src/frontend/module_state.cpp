#include "module_state.h"

#include <algorithm>
#include <utility>

#include <ATen/core/jit_type.h>

namespace graphnet {
namespace {

namespace jit = torch::jit;
using ObjectPtr = c10::intrusive_ptr<c10::ivalue::Object>;

// "encoder.layer" for the object that a chain of attribute reads ends in, nothing for the module itself.
std::string path_of(const jit::Node* read) {
  std::string path;
  for (; read->kind() == c10::prim::GetAttr; read = read->input(0)->node()) {
    path = read->s(c10::attr::name) + (path.empty() ? "" : ".") + path;
  }
  return path;
}

// The attribute read that a list or dict came from, directly or as an element of another one; none where the code made
// it itself.
const jit::Node* read_of(const jit::Value* container) {
  static const std::set<c10::Symbol> kPassedThrough = {c10::Symbol::fromQualString("aten::__getitem__"),
                                                       c10::prim::TupleIndex, c10::prim::unchecked_cast};
  const jit::Node* node = container->node();
  while (kPassedThrough.contains(node->kind())) node = node->input(0)->node();
  return node->kind() == c10::prim::GetAttr ? node : nullptr;
}

bool is_container(const c10::Type& type) {
  return type.kind() == c10::TypeKind::ListType || type.kind() == c10::TypeKind::DictType;
}

bool is_container(const c10::IValue& value) {
  return value.isList() || value.isGenericDict() || value.isTuple();
}

// The value with lists and dicts of its own, to any depth, and the same tensors and objects in them.
c10::IValue copy_containers(const c10::IValue& value) {
  if (value.isList()) {
    c10::List<c10::IValue> copy = value.toList().copy();
    for (std::size_t i = 0; i < copy.size(); ++i) {
      const c10::IValue item = copy.get(i);
      if (is_container(item)) copy.set(i, copy_containers(item));
    }
    return copy;
  }
  if (value.isGenericDict()) {
    c10::Dict<c10::IValue, c10::IValue> copy = value.toGenericDict().copy();
    for (const auto& entry : value.toGenericDict()) {
      if (is_container(entry.value())) copy.insert_or_assign(entry.key(), copy_containers(entry.value()));
    }
    return copy;
  }
  if (value.isTuple()) {
    const c10::ivalue::Tuple& tuple = value.toTupleRef();
    std::vector<c10::IValue> items;
    for (const c10::IValue& item : tuple.elements()) items.push_back(copy_containers(item));
    return c10::ivalue::Tuple::createNamed(std::move(items), tuple.type());
  }
  return value;
}

}  // namespace

void ModuleState::add_changes_of(const jit::Node& node) {
  if (node.kind() == c10::prim::SetAttr) {
    const std::string object = path_of(node.input(0)->node());
    changed_.insert(object.empty() ? node.s(c10::attr::name) : object + "." + node.s(c10::attr::name));
    return;
  }
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (schema == nullptr) return;
  const std::size_t count = std::min(schema->arguments().size(), node.inputs().size());
  for (std::size_t i = 0; i < count; ++i) {
    const c10::AliasInfo* alias = schema->arguments()[i].alias_info();
    if (alias == nullptr || !alias->isWrite() || !is_container(*node.input(i)->type())) continue;
    if (const jit::Node* read = read_of(node.input(i))) changed_.insert(path_of(read));
  }
}

void ModuleState::remember(const ObjectPtr& module) {
  if (!changed_.empty()) remember_slots(module);
}

void ModuleState::remember_slots(const ObjectPtr& object) {
  for (std::size_t i = 0; i < object->type()->numAttributes(); ++i) {
    const c10::IValue& value = object->getSlot(i);
    if (value.isObject()) {
      remember_slots(value.toObject());
    } else {
      slots_.push_back({object, i, copy_containers(value)});
    }
  }
}

void ModuleState::restore() const {
  for (const Slot& slot : slots_) slot.object->setSlot(slot.index, copy_containers(slot.value));
}

}  // namespace graphnet
