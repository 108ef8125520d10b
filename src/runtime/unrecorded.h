// For code that runs within a recording but is no part of what is recorded.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace graphnet {

inline constexpr c10::DispatchKey kRecordingKey = c10::DispatchKey::TESTING_ONLY_GenericMode;

// Operators called during this object's life are not recorded.
class Unrecorded {
  c10::impl::ExcludeDispatchKeyGuard guard_{kRecordingKey};
};

// From now on `copy` is the same value as `original` in this thread's recording, if there is one.
void record_as(const at::Tensor& copy, const at::Tensor& original);

}  // namespace graphnet
