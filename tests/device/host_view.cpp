#include "host_view.h"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <c10/core/CPUAllocator.h>

#include "test_device.h"

namespace graphnet::test_device {
namespace {

// Device memory under the name of the CPU. It cannot grow, so that no kernel swaps it for memory of the host; the
// storage of an empty tensor (an out= argument) can.
c10::Storage as_host_storage(const c10::Storage& storage) {
  if (storage.nbytes() == 0) return {c10::Storage::use_byte_size_t(), 0, c10::GetDefaultCPUAllocator(), true};
  return {c10::Storage::use_byte_size_t(), storage.nbytes(), c10::DataPtr(storage.mutable_data(), c10::kCPU), nullptr,
          false};
}

void copy_layout(const at::Tensor& from, const at::Tensor& to) {
  to.unsafeGetTensorImpl()->set_sizes_and_strides(from.sizes(), from.strides(), from.storage_offset());
  to._set_conj(from.is_conj());
  to._set_neg(from.is_neg());
}

}  // namespace

bool on_device(const at::Tensor& tensor) {
  return tensor.defined() && tensor.is_privateuseone();
}

at::Tensor HostView::of(const at::Tensor& tensor) {
  const auto [place, is_new] = storages_.try_emplace(tensor.storage().unsafeGetStorageImpl());
  if (is_new) place->second = as_host_storage(tensor.storage());
  at::Tensor host = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(place->second), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  copy_layout(tensor, host);
  tensors_[host.unsafeGetTensorImpl()] = {tensor, host};
  owners_[place->second.unsafeGetStorageImpl()] = tensor;
  return host;
}

at::Tensor HostView::back(const at::Tensor& result) {
  if (!result.defined()) return result;
  if (const auto given = tensors_.find(result.unsafeGetTensorImpl()); given != tensors_.end()) {
    return given->second.device;
  }
  if (const auto owner = owners_.find(result.storage().unsafeGetStorageImpl()); owner != owners_.end()) {
    const at::Tensor& base = owner->second;
    at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(c10::TensorImpl::VIEW, c10::Storage(base.storage()),
                                                               base.key_set(), result.dtype());
    copy_layout(result, view);
    return view;
  }
  const auto options = result.options().device(the_device()).requires_grad(false);
  at::Tensor copy = result.is_non_overlapping_and_dense() ? at::empty_strided(result.sizes(), result.strides(), options)
                                                          : at::empty(result.sizes(), options);
  HostView().of(copy).copy_(result);
  return copy;
}

}  // namespace graphnet::test_device
