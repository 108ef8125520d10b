#include "graphnet/graph/argument.h"

#include <array>
#include <bit>
#include <cmath>

namespace graphnet {
namespace {

constexpr std::array<std::string_view, 5> kLayoutNames = {"strided", "sparse", "sparse_csr", "mkldnn", "jagged"};
constexpr std::array<std::string_view, 4> kMemoryFormatNames = {"contiguous", "preserve", "channels_last",
                                                                "channels_last_3d"};
constexpr std::array<std::string_view, 2> kDeviceRoleNames = {"sample", "cpu"};

template <class Enumeration, std::size_t size>
std::optional<Enumeration> find_name(const std::array<std::string_view, size>& names, std::string_view name) {
  for (std::size_t i = 0; i < size; ++i) {
    if (names[i] == name) return static_cast<Enumeration>(i);
  }
  return std::nullopt;
}

bool same_double(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

bool Argument::operator==(const Argument& other) const {
  if (kind.index() != other.kind.index()) return false;
  if (const auto* number = get_if<double>()) return same_double(*number, std::get<double>(other.kind));
  if (const auto* number = get_if<std::complex<double>>()) {
    const auto& others = std::get<std::complex<double>>(other.kind);
    return same_double(number->real(), others.real()) && same_double(number->imag(), others.imag());
  }
  return kind == other.kind;
}

std::string_view layout_name(Layout layout) {
  return kLayoutNames[static_cast<std::size_t>(layout)];
}

std::string_view memory_format_name(MemoryFormat format) {
  return kMemoryFormatNames[static_cast<std::size_t>(format)];
}

std::string_view device_role_name(DeviceRole role) {
  return kDeviceRoleNames[static_cast<std::size_t>(role)];
}

std::optional<Layout> parse_layout(std::string_view name) {
  return find_name<Layout>(kLayoutNames, name);
}

std::optional<MemoryFormat> parse_memory_format(std::string_view name) {
  return find_name<MemoryFormat>(kMemoryFormatNames, name);
}

std::optional<DeviceRole> parse_device_role(std::string_view name) {
  return find_name<DeviceRole>(kDeviceRoleNames, name);
}

}  // namespace graphnet
