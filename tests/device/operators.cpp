// The operators of the test device: the CPU's, on the device's memory, charged to the current stream.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set_native.h>
#include <c10/core/StreamGuard.h>
#include <torch/library.h>

#include "allocator.h"
#include "host_view.h"
#include "test_device.h"
#include "timeline.h"

namespace graphnet::test_device {
namespace {

Timeline& timeline() {
  return Timeline::instance();
}

// The value with f applied to each tensor in it.
template <class Function>
c10::IValue map_tensors(const c10::IValue& value, Function&& f) {
  if (value.isTensor()) return f(value.toTensor());
  if (!value.isList()) return value;
  c10::impl::GenericList mapped(value.toList().elementType());
  for (const c10::IValue& element : value.toListRef()) mapped.push_back(map_tensors(element, f));
  return mapped;
}

void fill_with_garbage(const at::Tensor& host) {
  host.fill_(host.is_floating_point() || host.is_complex() ? at::Scalar(std::numeric_limits<double>::quiet_NaN())
                                                           : at::Scalar(-1));
}

const void* data_of(const at::Tensor& tensor) {
  return tensor.storage().data();
}

// Indices may lie on the host on real devices, too.
bool takes_host_indices(std::string_view name) {
  constexpr std::string_view kNames[] = {"aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_",
                                         "aten::_unsafe_index"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// One operator that has no kernel of its own below.
class Call {
 public:
  Call(const c10::OperatorHandle& op, torch::jit::Stack& stack) : op_(op), stack_(stack) {}

  void run() {
    timeline().check();
    translate_arguments();
    {
      const OnHost on_host;
      op_.callBoxed(&stack_);
      keep_resized_outputs();
      translate_results();
    }
    if (launches_) finish_launch();
  }

 private:
  void translate_arguments() {
    const auto& declared = op_.schema().arguments();
    const std::vector<c10::IValue> arguments = torch::jit::last(stack_, declared.size()).vec();
    torch::jit::drop(stack_, declared.size());
    bool on_host = false;
    for (std::size_t i = 0; i < declared.size(); ++i) {
      const c10::AliasInfo* alias = declared[i].alias_info();
      const bool is_written = alias != nullptr && alias->isWrite();
      if (arguments[i].isDevice() && arguments[i].toDevice().type() == kDeviceType) {
        stack_.emplace_back(c10::Device(c10::kCPU));
        continue;
      }
      stack_.push_back(map_tensors(arguments[i], [&](const at::Tensor& tensor) {
        if (!on_device(tensor)) {
          on_host = on_host || (tensor.defined() && tensor.dim() > 0);
          return tensor;
        }
        reads_.push_back(data_of(tensor));
        at::Tensor host = view_.of(tensor);
        if (is_written) written_.emplace_back(tensor, host);
        return host;
      }));
    }
    TORCH_CHECK(reads_.empty() || !on_host || takes_host_indices(op_.schema().name()),
                "Expected all tensors to be on the same device, but ", op_.schema().name(),
                " got some on test_device and some on cpu");
  }

  // An out= argument that the kernel resized.
  void keep_resized_outputs() {
    for (const auto& [device, host] : written_) {
      if (device.sizes() == host.sizes()) continue;
      const void* before = data_of(device);
      device.resize_(host.sizes());
      if (data_of(device) != before) HostView().of(device).copy_(host);
    }
  }

  void translate_results() {
    const auto& declared = op_.schema().returns();
    for (std::size_t i = 0; i < declared.size(); ++i) {
      c10::IValue& result = stack_[stack_.size() - declared.size() + i];
      const c10::AliasInfo* alias = declared[i].alias_info();
      if (alias != nullptr && !alias->isWrite()) launches_ = false;  // a view
      if (!result.isTensor() && !result.isTensorList() && !result.isNone()) returns_number_ = true;
      result = map_tensors(result, [&](const at::Tensor& tensor) {
        at::Tensor device = view_.back(tensor);
        if (on_device(device)) results_.push_back(device);
        return device;
      });
    }
  }

  void finish_launch() {
    std::vector<const void*> writes;
    for (const at::Tensor& result : results_) writes.push_back(data_of(result));
    const Launched launched =
        timeline().launch({op_.schema().name(), issued_, timeline().settings().operator_cost, reads_, writes});
    if (launched.reads_unfinished) {
      const OnHost on_host;
      for (const at::Tensor& result : results_) fill_with_garbage(HostView().of(result));
    }
    // A number or a shape that depends on the data makes the host wait, as on a real device.
    const bool waits = returns_number_ || op_.hasTag(at::Tag::dynamic_output_shape);
    if (waits && !reads_.empty()) timeline().wait_for_stream(current_stream());
  }

  const c10::OperatorHandle& op_;
  torch::jit::Stack& stack_;
  const Time issued_ = Clock::now();
  HostView view_;
  std::vector<const void*> reads_;
  std::vector<std::pair<at::Tensor, at::Tensor>> written_;  // on the device and as the kernel saw it
  std::vector<at::Tensor> results_;
  bool launches_ = true;
  bool returns_number_ = false;
};

void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  Call(op, *stack).run();
}

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> /*layout*/,
                 std::optional<c10::Device> /*device*/, std::optional<bool> /*pin_memory*/,
                 std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, allocator(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                   c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout> /*layout*/, std::optional<c10::Device> /*device*/,
                         std::optional<bool> /*pin_memory*/) {
  return at::detail::empty_strided_generic(
      size, stride, allocator(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), c10::dtype_or_default(dtype));
}

// To the device or within it: the host cannot look at the target, so it is written at once.
void copy_to_device(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  const Time issued = Clock::now();
  const void* target = data_of(to);
  std::vector<const void*> reads;
  if (on_device(from)) reads.push_back(data_of(from));
  HostView view;
  const at::Tensor host = view.of(to);
  {
    const OnHost on_host;
    host.copy_(on_device(from) ? view.of(from) : from);
  }
  const Launched launched = timeline().launch(
      {"copy", issued, timeline().settings().copy_cost, reads, std::span<const void* const>(&target, 1)});
  if (launched.reads_unfinished) {
    const OnHost on_host;
    fill_with_garbage(host);
  }
  if (reads.empty() && !non_blocking) timeline().wait_for_stream(current_stream());
}

// The value is that of this point of the stream; the host sees it when the copy is due and somebody has waited.
void copy_to_host(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  const Time issued = Clock::now();
  const void* source = data_of(from);
  const Launched launched = timeline().launch(
      {"copy", issued, timeline().settings().copy_cost, std::span<const void* const>(&source, 1), {}});
  {
    const OnHost on_host;
    const at::Tensor value = HostView().of(from).clone();
    if (launched.reads_unfinished) fill_with_garbage(value);
    fill_with_garbage(to);
    timeline().deliver_later(launched.end, to, value);
  }
  if (!non_blocking) timeline().wait_for_stream(current_stream());
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  timeline().check();
  if (on_device(to)) {
    copy_to_device(from, to, non_blocking);
  } else {
    copy_to_host(from, to, non_blocking);
  }
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  to.resize_(from.sizes());
  return copy_from(from, to, false);
}

at::Scalar local_scalar_dense(const at::Tensor& tensor) {
  timeline().wait_for_stream(current_stream());
  const OnHost on_host;
  return HostView().of(tensor).item();
}

at::Tensor& set_storage(at::Tensor& tensor, at::Storage storage) {
  const auto elements = static_cast<std::int64_t>(storage.nbytes() / tensor.itemsize());
  return at::native::set_storage_cpu_(tensor, std::move(storage), 0, elements);
}

at::Tensor& set_tensor(at::Tensor& tensor, const at::Tensor& source) {
  return at::native::set_storage_cpu_(tensor, source.storage(), source.storage_offset(), source.sizes(),
                                      source.strides());
}

// Asked for by Module::to(). LibTorch's own answer leaves PrivateUse1 out.
bool has_compatible_type(const at::Tensor& /*tensor*/, const at::Tensor& /*from*/) {
  return true;
}

void record_stream(at::Tensor& /*tensor*/, c10::Stream /*stream*/) {}

// relu on a stream of its own, which nobody waits for: its result is there once the whole device is done, not once the
// caller's stream is.
at::Tensor relu_elsewhere(const at::Tensor& tensor) {
  static const c10::StreamId elsewhere = timeline().new_stream();
  timeline().make_wait(elsewhere, timeline().now_on(current_stream()));
  const c10::StreamGuard guard(c10::Stream(c10::Stream::UNSAFE, the_device(), elsewhere));
  return at::relu(tensor);
}

}  // namespace

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", &empty);
  library.impl("empty_strided", &empty_strided);
  library.impl("_copy_from", &copy_from);
  library.impl("_copy_from_and_resize", &copy_from_and_resize);
  library.impl("_local_scalar_dense", &local_scalar_dense);
  library.impl("as_strided", &at::native::as_strided_tensorimpl);
  library.impl("resize_", &at::native::resize_);
  library.impl("set_.source_Storage", &set_storage);
  library.impl("set_.source_Storage_storage_offset", &at::native::set_storage_cpu_);
  library.impl("set_.source_Tensor", &set_tensor);
  library.impl("record_stream", &record_stream);
  library.impl("_has_compatible_shallow_copy_type", &has_compatible_type);
  // Composites that choose their kernel by the device's type find none for this one, or fall apart into many launches.
  for (const char* name :
       {"convolution", "_convolution", "convolution_backward", "lstm.input", "lstm.data", "gru.input", "gru.data",
        "lstm_cell", "gru_cell", "native_layer_norm", "native_group_norm", "scaled_dot_product_attention"}) {
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
  }
}

// These keys' own fallbacks would copy to make the lazy bit real, and so come back here for ever.
TORCH_LIBRARY_IMPL(aten, Conjugate, library) {
  library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, library) {
  library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY(graphnet_test_device, library) {
  library.def("relu_elsewhere(Tensor self) -> Tensor");
}
TORCH_LIBRARY_IMPL(graphnet_test_device, PrivateUse1, library) {
  library.impl("relu_elsewhere", &relu_elsewhere);
}

}  // namespace graphnet::test_device
