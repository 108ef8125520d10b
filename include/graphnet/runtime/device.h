// The device a sample runs on, through LibTorch's device-generic interface: no vendor header is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <c10/core/Device.h>

namespace graphnet {

// Loads libtorch_cuda.so where this LibTorch has one, so that CUDA registers itself. Harmless without a driver. Call
// once at the start of the process.
void load_accelerator_libraries();

// "auto" (an accelerator if one is usable, else cpu), "cpu", "cuda", "cuda:1", or another device type of this LibTorch.
// Throws Error(kUsage) for text that is no device, Error(kEnvironment) naming what is missing: no such device, no
// driver, index out of range.
c10::Device parse_device(const std::string& text);

// Makes the device the current one of its type, for streams and allocations that name none.
void make_current(c10::Device device);

// Waits until all work queued on the device is done; returns at once for the CPU.
void synchronize(c10::Device device);

struct MachineDescription {
  std::string processor;     // "AMD EPYC 9654", from /proc/cpuinfo
  std::string capability;    // LibTorch's CPU level: "AVX512"
  std::string device;        // "cpu", or the accelerator's name where LibTorch tells, else its type and index
  std::string framework;     // "torch 2.13.0+cpu"
  std::int64_t threads = 0;  // intra-operator threads
};
MachineDescription describe_machine(c10::Device device);

// Bytes of memory that a sample may use on the device: free memory of the accelerator, or MemAvailable and the control
// group's limit on the CPU.
std::int64_t available_memory(c10::Device device);

// The most bytes that LibTorch's allocator had handed out on an accelerator at one time since the last reset; nothing
// for the CPU and for allocators that do not tell.
void reset_peak_memory(c10::Device device);
std::optional<std::int64_t> peak_memory(c10::Device device);

// Seconds that the device has run slower than it could since its driver was loaded: for want of power, and for heat.
// Nothing for devices that do not tell.
struct Throttling {
  double power_seconds = 0;
  double thermal_seconds = 0;
};
std::optional<Throttling> throttling(c10::Device device);

// The most memory of the host that this process has had at one time since the last reset, in bytes. A reset returns
// false where the system refuses it: the figure is then that since the process began.
bool reset_peak_host_memory();
std::int64_t peak_host_memory();

}  // namespace graphnet
