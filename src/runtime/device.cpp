#include "graphnet/runtime/device.h"

#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <malloc.h>

#include <ATen/DeviceAccelerator.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/util/Exception.h>

#include "graphnet/support/error.h"

#include "host_memory.h"
#include "nvidia_driver.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

// The folder of the LibTorch this process runs with.
fs::path torch_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&at::get_num_threads), &info) == 0 || info.dli_fname == nullptr) return {};
  return fs::path(info.dli_fname).parent_path();
}

// Why a library that this LibTorch has could not be loaded; empty where all went well.
std::string load_libraries() {
  for (const char* name : {"libtorch_cuda.so", "libtorch_hip.so", "libtorch_xpu.so"}) {
    const fs::path library = torch_folder() / name;
    std::error_code error;
    if (!fs::exists(library, error)) continue;
    // Never closed: its registrations stay. Global, because libraries of compiled graphs look its symbols up.
    if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) return dlerror();
  }
  return "";
}

const std::string& load_failure() {
  static const std::string failure = load_libraries();
  return failure;
}

[[noreturn]] void fail(const std::string& text, const std::string& reason) {
  throw Error(ErrorKind::kEnvironment, "device " + text + " cannot be used: " + reason);
}

std::string processor_name() {
  std::ifstream stream("/proc/cpuinfo");
  std::string line;
  while (std::getline(stream, line)) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

void load_accelerator_libraries() {
  load_failure();
}

c10::Device parse_device(const std::string& text) {
  const auto accelerator = at::accelerator::getAccelerator(/*checked=*/false);
  const c10::DeviceIndex count = accelerator ? at::accelerator::deviceCount() : c10::DeviceIndex{0};
  if (text == "auto") return count > 0 ? c10::Device(*accelerator, 0) : c10::Device(c10::kCPU);

  std::optional<c10::Device> device;
  try {
    device.emplace(text);
  } catch (const c10::Error&) {
    throw Error(ErrorKind::kUsage, "\"" + text + "\" is no device: write auto, cpu, cuda or cuda:1");
  }
  if (device->is_cpu()) return c10::Device(c10::kCPU);
  if (!accelerator || *accelerator != device->type()) {
    fail(text, load_failure().empty() ? "torch " GRAPHNET_TORCH_VERSION " is not built for it"
                                      : "its library could not be loaded: " + load_failure());
  }
  if (count == 0) fail(text, "no such device is visible, or its driver is missing");
  const c10::DeviceIndex index = device->has_index() ? device->index() : c10::DeviceIndex{0};
  if (index >= count) fail(text, "there are " + std::to_string(count) + " of them, numbered from 0");
  return c10::Device(device->type(), index);
}

void make_current(c10::Device device) {
  if (!device.is_cpu()) at::accelerator::setDeviceIndex(device.index());
}

void synchronize(c10::Device device) {
  if (!device.is_cpu()) at::accelerator::synchronizeDevice(device.index());
}

MachineDescription describe_machine(c10::Device device) {
  MachineDescription machine;
  machine.processor = processor_name();
  machine.capability = at::get_cpu_capability();
  machine.device = device.is_cuda() ? nvidia_device_name(device.index()) : "";
  if (machine.device.empty()) machine.device = device.str();
  machine.framework = "torch " GRAPHNET_TORCH_VERSION;
  machine.threads = at::get_num_threads();
  return machine;
}

std::int64_t available_memory(c10::Device device) {
#ifdef GRAPHNET_HAVE_ACCELERATOR_MEMORY_INFO
  if (!device.is_cpu()) {
    at::empty({1}, at::device(device));  // starts the device, whose own memory is not available either
    try {
      return static_cast<std::int64_t>(at::accelerator::getMemoryInfo(device.index()).first);
    } catch (const c10::Error&) {
      // Its allocator does not tell.
    }
  }
#endif
  if (!device.is_cpu()) return std::numeric_limits<std::int64_t>::max();
  return available_host_memory();
}

void reset_peak_memory([[maybe_unused]] c10::Device device) {
#ifdef GRAPHNET_HAVE_ACCELERATOR_MEMORY_INFO
  if (device.is_cpu()) return;
  try {
    at::accelerator::resetPeakStats(device.index());
  } catch (const c10::Error&) {
    // Its allocator does not count.
  }
#endif
}

std::optional<std::int64_t> peak_memory([[maybe_unused]] c10::Device device) {
#ifdef GRAPHNET_HAVE_ACCELERATOR_MEMORY_INFO
  if (device.is_cpu()) return std::nullopt;
  try {
    constexpr std::size_t kAllPools = 0;
    return at::accelerator::getDeviceStats(device.index()).allocated_bytes[kAllPools].peak;
  } catch (const c10::Error&) {
    return std::nullopt;
  }
#else
  return std::nullopt;
#endif
}

std::optional<Throttling> throttling(c10::Device device) {
  return device.is_cuda() ? nvidia_throttling(device.index()) : std::nullopt;
}

bool reset_peak_host_memory() {
  // What earlier work has freed and the allocator kept is no part of what follows.
  malloc_trim(0);
  constexpr const char* kResetPeak = "5";
  std::ofstream file("/proc/self/clear_refs");
  file << kResetPeak << std::flush;
  return file.good();
}

std::int64_t peak_host_memory() {
  // Not getrusage(): its figure goes on counting what this process was before it became this program.
  std::ifstream stream("/proc/self/status");
  std::string line;
  while (std::getline(stream, line)) {
    constexpr std::string_view kKey = "VmHWM:";
    constexpr std::int64_t kKibibyte = 1024;
    if (line.starts_with(kKey)) return std::stoll(line.substr(kKey.size())) * kKibibyte;
  }
  return 0;
}

}  // namespace graphnet
