#include "nvidia_driver.h"

#include <cstdint>
#include <dlfcn.h>

namespace graphnet {
namespace {

// Signatures and numbers are those of cuda.h and nvml.h, which keep them; both return 0 for success.
constexpr int kPowerPolicy = 0;    // NVML_PERF_POLICY_POWER
constexpr int kThermalPolicy = 1;  // NVML_PERF_POLICY_THERMAL

struct ViolationTime {
  unsigned long long reference_microseconds;
  unsigned long long violation_nanoseconds;
};

template <class Function>
Function* find(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

// A device by CUDA's numbering, which CUDA_VISIBLE_DEVICES changes.
class CudaDriver {
 public:
  explicit CudaDriver(c10::DeviceIndex index) {
    const auto initialise = find<int(unsigned)>(library_, "cuInit");
    const auto get_device = find<int(int*, int)>(library_, "cuDeviceGet");
    is_there_ =
        initialise != nullptr && get_device != nullptr && initialise(0) == 0 && get_device(&device_, index) == 0;
  }

  std::string name() const { return text("cuDeviceGetName"); }
  std::string pci_bus() const { return text("cuDeviceGetPCIBusId"); }

 private:
  std::string text(const char* function) const {
    char buffer[256] = "";
    const auto get = find<int(char*, int, int)>(library_, function);
    return is_there_ && get != nullptr && get(buffer, sizeof buffer, device_) == 0 ? buffer : "";
  }

  void* library_ = dlopen("libcuda.so.1", RTLD_NOW);
  int device_ = 0;
  bool is_there_ = false;
};

// How long the device has been slowed down by a policy, since the driver was loaded.
std::optional<double> violation_seconds(void* library, void* device, int policy) {
  const auto get = find<int(void*, int, ViolationTime*)>(library, "nvmlDeviceGetViolationStatus");
  ViolationTime time{};
  if (get == nullptr || get(device, policy, &time) != 0) return std::nullopt;
  return static_cast<double>(time.violation_nanoseconds) * 1e-9;
}

}  // namespace

std::string nvidia_device_name(c10::DeviceIndex index) {
  return CudaDriver(index).name();
}

std::optional<Throttling> nvidia_throttling(c10::DeviceIndex index) {
  const std::string bus = CudaDriver(index).pci_bus();
  if (bus.empty()) return std::nullopt;
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  const auto initialise = find<int()>(library, "nvmlInit_v2");
  const auto find_device = find<int(const char*, void**)>(library, "nvmlDeviceGetHandleByPciBusId_v2");
  void* device = nullptr;
  if (initialise == nullptr || find_device == nullptr || initialise() != 0 || find_device(bus.c_str(), &device) != 0) {
    return std::nullopt;
  }
  const std::optional<double> power = violation_seconds(library, device, kPowerPolicy);
  const std::optional<double> thermal = violation_seconds(library, device, kThermalPolicy);
  if (!power || !thermal) return std::nullopt;
  return Throttling{*power, *thermal};
}

}  // namespace graphnet
