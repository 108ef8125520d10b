// An accelerator for tests, on a machine that has none: LibTorch's PrivateUse1 under the name "test_device".
//
// Its time is simulated. A launch runs the CPU's kernel at once on the calling thread, so that shapes and values are
// the CPU's to the bit; but the operator's cost is put on its stream's timeline, and the result counts as there only
// when that time has come. Whoever does not wait sees what a careless program sees on a real device: times that are too
// short, NaN in copies to the host, NaN in what another stream reads too early, errors that come up in a later call.
//
// Tests link the device and call install(); the real graphnet-worker gets it as an operator library
// (libgraphnet_test_device.so), told what to do by the variable GRAPHNET_TEST_DEVICE.
#pragma once

#include <cstdint>

#include <c10/core/Device.h>

#include "settings.h"

namespace graphnet::test_device {

inline constexpr const char* kName = "test_device";
inline constexpr c10::DeviceType kDeviceType = c10::DeviceType::PrivateUse1;
inline c10::Device the_device() {
  return {kDeviceType, 0};
}

// Makes the device known to LibTorch. From then on it is the accelerator of this process, and nothing takes that back.
void install();

// Forgets errors and work that is not done yet, and does as told from now on. No other thread may use the device.
void configure(const Settings& settings);

// Operators and copies since configure(). Views launch nothing.
std::int64_t launches();

}  // namespace graphnet::test_device
