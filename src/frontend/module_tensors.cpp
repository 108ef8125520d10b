#include "module_tensors.h"

#include <sstream>
#include <utility>

#include <ATen/core/class_type.h>
#include <ATen/core/jit_type.h>

#include "graphnet/support/text.h"

namespace graphnet {

void ModuleTensors::add_object(const c10::intrusive_ptr<c10::ivalue::Object>& object, const std::string& prefix) {
  if (!visited_.insert(object.get()).second) return;
  const c10::ClassTypePtr type = object->type();
  for (std::size_t slot = 0; slot < type->numAttributes(); ++slot) {
    const bool is_parameter = type->is_module() && type->is_parameter(slot);
    add_value(object->getSlot(slot), prefix + type->getAttributeName(slot), !is_parameter);
  }
}

void ModuleTensors::add_value(const c10::IValue& value, const std::string& name, bool is_buffer) {
  if (value.isTensor()) {
    add(value.toTensor(), name, is_buffer);
  } else if (value.isObject()) {
    add_object(value.toObject(), name + ".");
  } else if (value.isTensorList() || value.isList()) {
    const std::vector<c10::IValue> items = value.toListRef().vec();
    for (std::size_t i = 0; i < items.size(); ++i) add_value(items[i], name + "." + std::to_string(i), is_buffer);
  } else if (value.isTuple()) {
    std::size_t i = 0;
    for (const c10::IValue& item : value.toTupleRef().elements())
      add_value(item, name + "." + std::to_string(i++), is_buffer);
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) {
      std::ostringstream key;
      key << entry.key();
      add_value(entry.value(), name + "." + excerpt(key.str()), is_buffer);
    }
  }
}

void ModuleTensors::add(const at::Tensor& tensor, const std::string& name, bool is_buffer) {
  if (!tensor.defined()) return;
  if (tensor.requires_grad() && tensor.is_leaf()) tensor.set_requires_grad(false);
  if (tensor.layout() == c10::kStrided && tensor.has_storage()) {
    const Key key{tensor.storage().unsafeGetStorageImpl(), tensor.storage_offset(), tensor.sizes().vec(),
                  tensor.strides().vec(), tensor.scalar_type()};
    const auto [known, inserted] = indices_.emplace(key, tensors_.size());
    if (!inserted) {
      holders_[known->second].push_back(tensor);
      return;
    }
  }
  // Two paths may read the same: keys of dicts are cut and may hold dots.
  std::string unique = name;
  for (int count = 2; !names_.insert(unique).second; ++count) unique = name + "~" + std::to_string(count);
  tensors_.push_back({std::move(unique), tensor, is_buffer});
  holders_.push_back({tensor});
}

}  // namespace graphnet
