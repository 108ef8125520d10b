// One argument of an operator call. The kinds stay apart (an int is never a float, an enumeration never a number), so
// that the text form is unambiguous.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graphnet/graph/dtype.h"

namespace graphnet {

// Index of a tensor value of a graph: inputs first, then weights, constants and results, in order of definition.
using ValueId = std::uint32_t;

struct None {
  bool operator==(const None&) const = default;
};

struct ValueReference {
  ValueId id = 0;
  bool operator==(const ValueReference&) const = default;
};

enum class Layout : std::uint8_t { kStrided, kSparse, kSparseCsr, kMkldnn, kJagged };
enum class MemoryFormat : std::uint8_t { kContiguous, kPreserve, kChannelsLast, kChannelsLast3d };

// Devices are abstract, so that a sample moves between machines: the device the sample runs on, or the host.
enum class DeviceRole : std::uint8_t { kSample, kCpu };

struct Argument;
using ArgumentList = std::vector<Argument>;

struct Argument {
  using Kind = std::variant<None, ValueReference, bool, std::int64_t, double, std::complex<double>, std::string, Dtype,
                            Layout, MemoryFormat, DeviceRole, ArgumentList>;
  Kind kind;

  // Doubles compare as the text form tells them apart: -0.0 differs from 0.0, and any NaN equals any other.
  bool operator==(const Argument& other) const;

  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&kind);
  }
};

// Names in the text form: "strided", "channels_last", "sample".
std::string_view layout_name(Layout layout);
std::string_view memory_format_name(MemoryFormat format);
std::string_view device_role_name(DeviceRole role);
std::optional<Layout> parse_layout(std::string_view name);
std::optional<MemoryFormat> parse_memory_format(std::string_view name);
std::optional<DeviceRole> parse_device_role(std::string_view name);

// Calls visit(ValueId) for every value an argument refers to, in order, lists included.
template <class Visitor>
void for_each_value(const Argument& argument, Visitor&& visit) {
  if (const auto* reference = argument.get_if<ValueReference>()) {
    visit(reference->id);
  } else if (const auto* list = argument.get_if<ArgumentList>()) {
    for (const Argument& element : *list) for_each_value(element, visit);
  }
}

}  // namespace graphnet
