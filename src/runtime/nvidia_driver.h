// What NVIDIA's driver tells of a CUDA device that LibTorch's device-generic interface does not. The driver's libraries
// are looked up at run time, so that nothing of it is needed to build or where there is no such device.
#pragma once

#include <optional>
#include <string>

#include <c10/core/Device.h>

#include "graphnet/runtime/device.h"

namespace graphnet {

// "NVIDIA H200"; empty where the driver does not tell.
std::string nvidia_device_name(c10::DeviceIndex index);

// As throttling(), for CUDA's device of this index among those that are visible.
std::optional<Throttling> nvidia_throttling(c10::DeviceIndex index);

}  // namespace graphnet
