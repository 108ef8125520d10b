// The few functions of NVIDIA's driver that are asked, for one device that is throttled more and more.
#include <cstring>

extern "C" {

int cuInit(unsigned /*flags*/) {
  return 0;
}

int cuDeviceGet(int* device, int index) {
  constexpr int kInvalidDevice = 101;
  *device = index;
  return index == 0 ? 0 : kInvalidDevice;
}

int cuDeviceGetName(char* name, int length, int /*device*/) {
  std::strncpy(name, "Imagined GPU", static_cast<unsigned>(length));
  return 0;
}

int cuDeviceGetPCIBusId(char* bus, int length, int /*device*/) {
  std::strncpy(bus, "0000:65:00.0", static_cast<unsigned>(length));
  return 0;
}

int nvmlInit_v2() {
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  constexpr int kNotFound = 6;
  static int handle = 0;
  *device = &handle;
  return std::strcmp(bus, "0000:65:00.0") == 0 ? 0 : kNotFound;
}

struct ViolationTime {
  unsigned long long reference_microseconds;
  unsigned long long violation_nanoseconds;
};

// At each question 2 s more for want of power (policy 0), and 0.5 s more for heat (policy 1).
int nvmlDeviceGetViolationStatus(void* /*device*/, int policy, ViolationTime* time) {
  constexpr unsigned long long kSteps[] = {2'000'000'000, 500'000'000};
  static unsigned long long totals[2] = {};
  time->violation_nanoseconds = totals[policy] += kSteps[policy];
  return 0;
}

}  // extern "C"
