#include <string>

#include <ATen/core/class_type.h>
#include <ATen/core/jit_type.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/util/StringUtil.h>

#include "graphnet/runtime/convert.h"

#include "recording.h"

namespace graphnet {
namespace {

Layout to_layout(at::Layout layout) {
  switch (layout) {
    case at::Layout::Strided:
      return Layout::kStrided;
    case at::Layout::Sparse:
      return Layout::kSparse;
    case at::Layout::SparseCsr:
      return Layout::kSparseCsr;
    case at::Layout::Mkldnn:
      return Layout::kMkldnn;
    case at::Layout::Jagged:
      return Layout::kJagged;
    default:
      throw Error(ErrorKind::kUnsupported, "layout " + c10::str(layout) + " cannot be written in a graph");
  }
}

MemoryFormat to_memory_format(at::MemoryFormat format) {
  switch (format) {
    case at::MemoryFormat::Contiguous:
      return MemoryFormat::kContiguous;
    case at::MemoryFormat::Preserve:
      return MemoryFormat::kPreserve;
    case at::MemoryFormat::ChannelsLast:
      return MemoryFormat::kChannelsLast;
    case at::MemoryFormat::ChannelsLast3d:
      return MemoryFormat::kChannelsLast3d;
    default:
      throw Error(ErrorKind::kUnsupported, "a memory format that graphnet does not know");
  }
}

// The type within "T?"; any other type as it is.
const c10::Type& without_optional(const c10::Type& type) {
  const auto* optional = type.castRaw<c10::OptionalType>();
  return optional == nullptr ? type : *optional->getElementType();
}

// LibTorch hands enumerations over as ints; only the schema tells them apart.
Argument integer(std::int64_t value, const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::ScalarTypeType:
      return {to_dtype(static_cast<at::ScalarType>(value))};
    case c10::TypeKind::LayoutType:
      return {to_layout(static_cast<at::Layout>(value))};
    case c10::TypeKind::MemoryFormatType:
      return {to_memory_format(static_cast<at::MemoryFormat>(value))};
    case c10::TypeKind::QSchemeType:
      throw Error(ErrorKind::kUnsupported, "a quantization scheme cannot be written in a graph");
    default:
      return {value};
  }
}

[[noreturn]] void refuse(const c10::IValue& value) {
  std::string what = "a value of type " + value.type()->repr_str() + " cannot be written in a graph";
  if (value.isGenerator()) what = "a random generator cannot be written in a graph";
  if (value.isObject()) {
    what = "an object of class " + value.toObjectRef().type()->name()->qualifiedName() +
           " (such as packed weights) cannot be written in a graph, only tensors and plain values";
  }
  throw Error(ErrorKind::kUnsupported, what);
}

}  // namespace

DeviceRole Encoder::role(c10::Device device) const {
  const bool same_index = !device.has_index() || !device_.has_index() || device.index() == device_.index();
  if (device.type() == device_.type() && same_index) return DeviceRole::kSample;
  if (device.is_cpu()) return DeviceRole::kCpu;
  throw Error(ErrorKind::kUnsupported,
              "device " + device.str() + " is neither the sample's device (" + device_.str() + ") nor the CPU");
}

Argument Encoder::leaf(const c10::IValue& value, const c10::Type& type) {
  if (value.isNone()) return {None{}};
  if (value.isTensor()) {
    if (!value.toTensor().defined()) return {None{}};
    return {ValueReference{values_.use(value.toTensor())}};
  }
  if (value.isBool()) return {value.toBool()};
  if (value.isInt()) return integer(value.toInt(), type);
  if (value.isDouble()) return {value.toDouble()};
  if (value.isComplexDouble()) {
    const c10::complex<double> number = value.toComplexDouble();
    return {std::complex<double>(number.real(), number.imag())};
  }
  if (value.isString()) return {value.toStringRef()};
  if (value.isDevice()) return {role(value.toDevice())};
  refuse(value);
}

Argument Encoder::argument(const c10::IValue& value, const c10::Type& type) {
  const c10::Type& plain_type = without_optional(type);
  if (!value.isList()) return leaf(value, plain_type);
  const auto* list_type = plain_type.castRaw<c10::ListType>();
  const c10::Type& element_type = list_type == nullptr ? *c10::AnyType::get() : *list_type->getElementType();
  ArgumentList list;
  for (const c10::IValue& element : value.toListRef()) list.push_back(argument(element, element_type));
  return {std::move(list)};
}

Output Encoder::output(const c10::IValue& value) {
  if (value.isTuple()) {
    Output::Tuple tuple;
    for (const c10::IValue& element : value.toTupleRef().elements()) tuple.items.push_back(output(element));
    return {std::move(tuple)};
  }
  if (value.isList()) {
    Output::List list;
    for (const c10::IValue& element : value.toListRef()) list.items.push_back(output(element));
    return {std::move(list)};
  }
  if (value.isGenericDict()) {
    Output::Dict dict;
    for (const auto& entry : value.toGenericDict()) {
      if (!entry.key().isString() && !entry.key().isInt()) {
        throw Error(ErrorKind::kUnsupported, "a dict with keys of type " + entry.key().type()->repr_str() +
                                                 " cannot be written in a graph, only with strings or integers");
      }
      dict.items.push_back({leaf(entry.key(), *c10::AnyType::get()), output(entry.value())});
    }
    return {std::move(dict)};
  }
  return {leaf(value, *c10::AnyType::get())};
}

}  // namespace graphnet
