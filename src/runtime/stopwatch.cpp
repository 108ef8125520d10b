#include <chrono>
#include <dirent.h>
#include <fstream>
#include <string>

#include <ATen/DeviceAccelerator.h>
#include <c10/core/Event.h>
#include <c10/util/Exception.h>

#include "graphnet/runtime/device.h"
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
    for (std::int64_t i = 0; i < calls; ++i) call();
    const double seconds = monotonic_seconds() - start;
    return {seconds, seconds, run_delay() - delay, 0};
  }
};

class DeviceStopwatch : public Stopwatch {
 public:
  explicit DeviceStopwatch(c10::Device device)
      : device_(device),
        start_(device.type(), c10::EventFlag::BACKEND_DEFAULT),
        end_(device.type(), c10::EventFlag::BACKEND_DEFAULT),
        has_timing_events_(try_events()) {}

  double now() override { return monotonic_seconds(); }

  Reading time(const std::function<void()>& call, std::int64_t calls) override {
    const c10::Stream stream = at::accelerator::getCurrentStream(device_.index());
    synchronize(device_);  // nothing from before the block may count
    const double delay = run_delay();
    const double start = monotonic_seconds();
    if (has_timing_events_) start_.record(stream);
    for (std::int64_t i = 0; i < calls; ++i) call();
    const double queued = monotonic_seconds();
    double own_end = queued;
    if (has_timing_events_) {
      end_.record(stream);
      end_.synchronize();
      own_end = monotonic_seconds();
    }
    synchronize(device_);
    const double end = monotonic_seconds();

    Reading reading;
    reading.wall_seconds = end - start;
    reading.host_seconds = queued - start;
    reading.waiting_seconds = run_delay() - delay;
    reading.seconds = has_timing_events_ ? elapsed(end - own_end) : reading.wall_seconds;
    return reading;
  }

 private:
  // Waiting for a device with nothing left to do takes less than this share of a block.
  static constexpr double kIdleShare = 0.05;

  // Seconds between the events, and what the device went on working after the last of them: work on streams that the
  // current one does not wait for.
  double elapsed(double after_last_event) const {
    const double seconds = start_.elapsedTime(end_) * 1e-3;
    return after_last_event > kIdleShare * seconds ? seconds + after_last_event : seconds;
  }

  // Whether the backend's events know the time. Asked once: the clock must not change between two readings.
  bool try_events() {
    synchronize(device_);
    try {
      const c10::Stream stream = at::accelerator::getCurrentStream(device_.index());
      start_.record(stream);
      end_.record(stream);
      end_.synchronize();
      start_.elapsedTime(end_);
      return true;
    } catch (const c10::AcceleratorError&) {
      throw;
    } catch (const c10::Error&) {
      return false;
    }
  }

  c10::Device device_;
  c10::Event start_;
  c10::Event end_;
  bool has_timing_events_;
};

}  // namespace

std::unique_ptr<Stopwatch> make_stopwatch(c10::Device device) {
  if (device.is_cpu()) return std::make_unique<WallStopwatch>();
  return std::make_unique<DeviceStopwatch>(device);
}

}  // namespace graphnet
