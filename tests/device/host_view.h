// The memory of the test device as the CPU's kernels see it: the same bytes under the name of the CPU.
#pragma once

#include <unordered_map>

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace graphnet::test_device {

// While it lives, operators that the device calls for itself are seen by nobody: no autograd, no recorder.
class OnHost {
  c10::impl::ForceDispatchKeyGuard guard_{
      c10::default_included_set, c10::default_excluded_set | c10::autograd_dispatch_keyset_with_ADInplaceOrView};
};

bool on_device(const at::Tensor& tensor);

// Two-way translation for the tensors of one call.
class HostView {
 public:
  // The device tensor's elements, as a tensor of the CPU.
  at::Tensor of(const at::Tensor& tensor);

  // What a kernel made of such tensors, as a tensor of the device: the one that was given, a view of one that was
  // given, or a new one.
  at::Tensor back(const at::Tensor& result);

 private:
  struct Pair {
    at::Tensor device;
    at::Tensor host;
  };
  std::unordered_map<const c10::StorageImpl*, c10::Storage> storages_;  // of the device -> of the CPU
  std::unordered_map<const at::TensorImpl*, Pair> tensors_;             // by the tensor of the CPU
  std::unordered_map<const c10::StorageImpl*, at::Tensor> owners_;      // by the storage of the CPU
};

}  // namespace graphnet::test_device
