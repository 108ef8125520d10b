#include <utility>

#include <ATen/ATen.h>

#include "graphnet/runtime/convert.h"

#include "recording.h"

namespace graphnet {
namespace {

// What uninitialised memory is filled with, so that contents written behind the dispatcher can be told from contents
// that were never written: no valid bool, and no number that a model has.
constexpr std::uint8_t kPattern = 0xA5;

const c10::StorageImpl* storage_pointer(const at::Tensor& tensor) {
  return tensor.storage().unsafeGetStorageImpl();
}

at::Tensor bytes_of_storage(const at::Tensor& tensor) {
  const auto size = static_cast<std::int64_t>(tensor.storage().nbytes());
  return at::empty({0}, at::device(tensor.device()).dtype(at::kByte)).set_(tensor.storage(), 0, {size}, {1});
}

bool holds_pattern(const at::Tensor& tensor) {
  // One byte proves nothing: taking it for contents is right either way.
  const bool is_byte = tensor.scalar_type() == at::kByte || tensor.scalar_type() == at::kChar;
  if (is_byte && tensor.numel() == 1) return false;
  return bytes_of_storage(tensor).eq(kPattern).all().item<bool>();
}

}  // namespace

Geometry geometry_of(const at::Tensor& tensor) {
  return {tensor.storage_offset(), type_of(tensor), tensor.is_conj(), tensor.is_neg()};
}

ValueTable::ValueTable(const std::vector<KnownTensor>& inputs, const std::vector<KnownTensor>& weights) {
  const auto add_known = [this](const at::Tensor& tensor, Origin origin, std::size_t source) {
    const std::optional<ValueId> twin = find(tensor);
    const ValueId id = add(tensor, {origin, source, geometry_of(tensor), storage_pointer(tensor)});
    bind(tensor, twin.value_or(id));
    if (origin == Origin::kInput) storage_of(id).depends_on_input = true;
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    try {
      add_known(inputs[i].tensor, Origin::kInput, i);
    } catch (const Error& error) {
      throw error.with_context("input " + inputs[i].name);
    }
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    try {
      add_known(weights[i].tensor, Origin::kWeight, i);
    } catch (const Error&) {
      // A sparse weight, or one of an unknown dtype, is refused where an operator reads it.
    }
  }
}

void ValueTable::bind(const at::Tensor& tensor, ValueId id) {
  identities_.try_emplace(tensor.unsafeGetTensorImpl(), Identity{id, WeakTensor(tensor.getIntrusivePtr())});
}

ValueId ValueTable::add(const at::Tensor& tensor, Value value) {
  const auto id = static_cast<ValueId>(values_.size());
  const auto [position, is_new] =
      storages_.try_emplace(value.storage, Storage{tensor.storage().getWeakStorageImpl(), {}});
  position->second.values.push_back(id);
  values_.push_back(std::move(value));
  return id;
}

std::optional<ValueId> ValueTable::find(const at::Tensor& tensor) const {
  if (const auto known = identities_.find(tensor.unsafeGetTensorImpl()); known != identities_.end()) {
    return known->second.id;
  }
  const Geometry geometry = geometry_of(tensor);
  const auto storage = storages_.find(storage_pointer(tensor));
  if (storage == storages_.end()) return std::nullopt;
  for (const ValueId id : storage->second.values) {
    if (values_[id].geometry == geometry) return id;
  }
  return std::nullopt;
}

ValueId ValueTable::use(const at::Tensor& tensor) {
  std::optional<ValueId> id = find(tensor);
  if (!id) {
    const auto storage = storages_.find(storage_pointer(tensor));
    if (storage != storages_.end() && storage->second.depends_on_input) {
      throw Error(
          ErrorKind::kUnsupported,
          "the tensor is a view that was made outside LibTorch's dispatcher, of a tensor that depends on inputs");
    }
    id = add(tensor, {Origin::kConstant, 0, geometry_of(tensor), storage_pointer(tensor)});
    make_constant(*id, tensor);
  }
  bind(tensor, *id);
  settle_contents(*id, tensor);
  return *id;
}

ValueId ValueTable::define(const at::Tensor& tensor) {
  if (const auto known = identities_.find(tensor.unsafeGetTensorImpl()); known != identities_.end()) {
    const ValueId id = known->second.id;
    if (values_[id].origin == Origin::kResult) values_[id].geometry = geometry_of(tensor);
    return id;
  }
  const ValueId id = add(tensor, {Origin::kResult, 0, geometry_of(tensor), storage_pointer(tensor)});
  bind(tensor, id);
  return id;
}

void ValueTable::alias(const at::Tensor& copy, const at::Tensor& original) {
  if (const std::optional<ValueId> id = find(original)) bind(copy, *id);
}

void ValueTable::mark_unfilled(const at::Tensor& tensor, std::size_t call) {
  if (tensor.storage().nbytes() == 0 || tensor.is_quantized()) return;
  bytes_of_storage(tensor).fill_(kPattern);
  storages_.at(storage_pointer(tensor)).unfilled_since = call;
}

void ValueTable::settle_contents(ValueId id, const at::Tensor& tensor) {
  Storage& storage = storage_of(id);
  const std::size_t call = std::exchange(storage.unfilled_since, kNever);
  if (call == kNever || holds_pattern(tensor)) return;
  make_constant(id, tensor);
  allocations_of_constants_.push_back(call);
}

void ValueTable::make_constant(ValueId id, const at::Tensor& tensor) {
  values_[id].origin = Origin::kConstant;
  values_[id].source = constants_.size();
  constants_.push_back(tensor.resolve_conj().resolve_neg().clone());
}

at::Tensor ValueTable::dense_stand_in(ValueId id, const at::Tensor& tensor) {
  const Origin origin = values_[id].origin;
  if ((origin != Origin::kInput && origin != Origin::kWeight) || !is_broadcast(tensor)) return {};
  const auto [position, is_new] = stand_ins_.try_emplace(id);
  if (is_new) {
    position->second = tensor.clone(at::MemoryFormat::Contiguous);
    bind(position->second, id);
  }
  return position->second;
}

}  // namespace graphnet
