// The device that tests run on which any device must pass: the one that GRAPHNET_TESTED_DEVICE names ("cuda"), else the
// test device.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <c10/core/Device.h>

#include "graphnet/runtime/device.h"

#include "test_device.h"

namespace graphnet::test {

inline std::string device_name() {
  const char* name = std::getenv("GRAPHNET_TESTED_DEVICE");
  return name != nullptr && *name != '\0' ? name : test_device::kName;
}

// What brings the device into a worker.
inline std::vector<std::string> device_libraries() {
  if (device_name() != test_device::kName) return {};
  return {GRAPHNET_TEST_DEVICE_LIBRARY};
}

// For use in this process.
inline c10::Device open_device() {
  load_accelerator_libraries();
  if (device_name() == test_device::kName) test_device::install();
  return parse_device(device_name());
}

}  // namespace graphnet::test
