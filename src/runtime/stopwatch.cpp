#include <chrono>
#include <dirent.h>
#include <fstream>
#include <string>

#include <ATen/DeviceAccelerator.h>
#include <c10/core/Event.h>
#include <c10/util/Exception.h>

#include "graphnet/runtime/timing.h"

namespace graphnet {
namespace {

// Seconds that this process's threads were runnable but had no processor, summed over threads. 0 where the kernel does
// not tell.
double run_delay() {
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return 0;
  double nanoseconds = 0;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    std::ifstream stream(std::string("/proc/self/task/") + entry->d_name + "/schedstat");
    double running = 0;
    double waiting = 0;
    if (stream >> running >> waiting) nanoseconds += waiting;
  }
  closedir(folder);
  return nanoseconds * 1e-9;
}

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class WallStopwatch : public Stopwatch {
 public:
  double now() override { return monotonic_seconds(); }

  Reading time(const std::function<void()>& call, std::int64_t calls) override {
    const double delay = run_delay();
    const double start = monotonic_seconds();
    run(call, calls);
    const double seconds = monotonic_seconds() - start;
    return {device_seconds().value_or(seconds), seconds, run_delay() - delay};
  }

 protected:
  // Runs the block until its work is done.
  virtual void run(const std::function<void()>& call, std::int64_t calls) {
    for (std::int64_t i = 0; i < calls; ++i) call();
  }

  // What the device itself measured for the last block.
  virtual std::optional<double> device_seconds() { return std::nullopt; }
};

class EventStopwatch : public WallStopwatch {
 public:
  explicit EventStopwatch(c10::Device device)
      : device_(device),
        start_(device.type(), c10::EventFlag::BACKEND_DEFAULT),
        end_(device.type(), c10::EventFlag::BACKEND_DEFAULT) {}

 private:
  void run(const std::function<void()>& call, std::int64_t calls) override {
    const c10::Stream stream = at::accelerator::getCurrentStream(device_.index());
    start_.record(stream);
    WallStopwatch::run(call, calls);
    end_.record(stream);
    at::accelerator::synchronizeDevice(device_.index());
  }

  std::optional<double> device_seconds() override {
    if (!has_timing_events_) return std::nullopt;
    try {
      return start_.elapsedTime(end_) * 1e-3;
    } catch (const c10::Error&) {
      has_timing_events_ = false;
      return std::nullopt;
    }
  }

  c10::Device device_;
  c10::Event start_;
  c10::Event end_;
  bool has_timing_events_ = true;
};

}  // namespace

std::unique_ptr<Stopwatch> make_stopwatch(c10::Device device) {
  if (device.is_cpu()) return std::make_unique<WallStopwatch>();
  return std::make_unique<EventStopwatch>(device);
}

}  // namespace graphnet
