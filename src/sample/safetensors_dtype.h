// Names of dtypes in .safetensors files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "graphnet/graph/dtype.h"

namespace graphnet {

// Nothing for dtypes that the format cannot name.
std::optional<std::string_view> safetensors_name(Dtype dtype);
std::optional<Dtype> parse_safetensors_name(std::string_view name);

inline constexpr std::uint64_t kSafetensorsHeaderLimit = 100'000'000;

}  // namespace graphnet
