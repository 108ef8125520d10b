// The memory of the test device: the host's, counted, and limited to the device's capacity.
#pragma once

#include <c10/core/Allocator.h>

namespace graphnet::test_device {

c10::Allocator* allocator();

}  // namespace graphnet::test_device
