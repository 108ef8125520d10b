#include "graphnet/runtime/float64.h"

#include <limits>
#include <string>
#include <utility>

#include <ATen/ATen.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>

#include "graphnet/runtime/convert.h"
#include "graphnet/runtime/replayer.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

Dtype widened(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
    case Dtype::kBfloat16:
    case Dtype::kFloat32:
      return Dtype::kFloat64;
    case Dtype::kComplex32:
    case Dtype::kComplex64:
      return Dtype::kComplex128;
    default:
      return dtype;
  }
}

void widen(TensorType& type) {
  type.dtype = widened(type.dtype);
}

void widen(Argument& argument) {
  if (auto* dtype = std::get_if<Dtype>(&argument.kind)) {
    *dtype = widened(*dtype);
  } else if (auto* list = std::get_if<ArgumentList>(&argument.kind)) {
    for (Argument& element : *list) widen(element);
  }
}

void widen(Result& result) {
  if (auto* tensor = std::get_if<TensorResult>(&result)) {
    widen(tensor->type);
  } else if (auto* list = std::get_if<std::vector<TensorResult>>(&result)) {
    for (TensorResult& element : *list) widen(element.type);
  }
}

// While it lives, tensors made without a dtype are float64.
class DefaultDtypeGuard {
 public:
  DefaultDtypeGuard() : before_(c10::get_default_dtype()) { c10::set_default_dtype(caffe2::TypeMeta::Make<double>()); }
  ~DefaultDtypeGuard() { c10::set_default_dtype(before_); }
  DefaultDtypeGuard(const DefaultDtypeGuard&) = delete;
  DefaultDtypeGuard& operator=(const DefaultDtypeGuard&) = delete;

 private:
  caffe2::TypeMeta before_;
};

bool has_error(const at::Tensor& tensor) {
  return tensor.defined() && (tensor.is_floating_point() || tensor.is_complex());
}

// On the CPU, where float64 is always to be had.
at::Tensor widened_on_host(const at::Tensor& tensor) {
  return tensor.cpu().to(tensor.is_complex() ? at::kComplexDouble : at::kDouble);
}

}  // namespace

Graph in_float64(const Graph& graph) {
  for (const Operator& op : graph.operators) {
    if (op.full_name() == "aten::view.dtype" || op.full_name() == "aten::view_copy.dtype") {
      throw Error(ErrorKind::kUnsupported, op.full_name() + " reads the bits of tensors, which float64 changes");
    }
  }
  Graph result = graph;
  for (Input& input : result.inputs) widen(input.type);
  for (Weight& weight : result.weights) widen(weight.type);
  for (Constant& constant : result.constants) widen(constant.type);
  for (Call& call : result.calls) {
    for (Argument& argument : call.arguments) widen(argument);
    for (Result& value : call.results) widen(value);
  }
  return result;
}

std::vector<at::Tensor> in_float64(std::span<const at::Tensor> tensors) {
  std::vector<at::Tensor> result;
  for (const at::Tensor& tensor : tensors) {
    result.push_back(tensor.to(to_scalar_type(widened(to_dtype(tensor.scalar_type())))));
  }
  return result;
}

std::vector<at::Tensor> run_in_float64(const Graph& graph, std::span<const at::Tensor> inputs,
                                       std::span<const at::Tensor> weights, std::span<const at::Tensor> constants,
                                       c10::Device device) {
  const c10::InferenceMode without_gradients;
  const DefaultDtypeGuard float64_by_default;
  Replayer replayer(graph, device);
  replayer.set_weights(in_float64(weights), in_float64(constants));
  return replayer.run(in_float64(inputs));
}

std::optional<Float64Error> float64_error(const at::Tensor& exact, const at::Tensor& output) {
  if (!has_error(exact) || !has_error(output) || exact.sizes() != output.sizes()) return std::nullopt;
  const c10::InferenceMode without_gradients;
  const at::Tensor truth = widened_on_host(exact);
  const at::Tensor value = widened_on_host(output);
  const at::Tensor is_finite = truth.isfinite().logical_and(value.isfinite());
  const at::Tensor difference = at::where(is_finite, (value - truth).abs(), 0.0);
  const at::Tensor magnitude = at::where(is_finite, truth.abs(), 0.0);
  Float64Error error;
  if (difference.numel() > 0) error.maximum_absolute = difference.max().item<double>();
  const double norm = magnitude.norm().item<double>();
  const double distance = difference.norm().item<double>();
  if (distance > 0) error.relative = norm > 0 ? distance / norm : std::numeric_limits<double>::infinity();
  return error;
}

}  // namespace graphnet
