#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include <ATen/DeviceAccelerator.h>
#include <c10/core/Event.h>
#include <c10/util/Exception.h>

#include "graphnet/runtime/device.h"
#include "graphnet/runtime/timing.h"
#include "graphnet/score/statistics.h"

namespace graphnet {
namespace {

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The shortest time between two different readings of the monotonic clock.
double wall_clock_resolution() {
  constexpr int kSteps = 100;
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kSteps; ++i) {
    const auto start = std::chrono::steady_clock::now();
    auto next = start;
    while (next == start) next = std::chrono::steady_clock::now();
    shortest = std::min(shortest, std::chrono::duration<double>(next - start).count());
  }
  return shortest;
}

class WallStopwatch : public Stopwatch {
 public:
  double now() override { return monotonic_seconds(); }
  double resolution() override { return resolution_; }

  Reading time(const std::function<void()>& call, std::int64_t calls) override {
    interference_.start();
    const double start = monotonic_seconds();
    for (std::int64_t i = 0; i < calls; ++i) call();
    const double seconds = monotonic_seconds() - start;
    return {.seconds = seconds, .wall_seconds = seconds, .host_seconds = 0, .interference = interference_.stop()};
  }

 private:
  InterferenceMeter interference_;
  double resolution_ = wall_clock_resolution();
};

class DeviceStopwatch : public Stopwatch {
 public:
  explicit DeviceStopwatch(c10::Device device)
      : device_(device),
        start_(device.type(), c10::EventFlag::BACKEND_DEFAULT),
        end_(device.type(), c10::EventFlag::BACKEND_DEFAULT),
        has_timing_events_(try_events()),
        resolution_(measure_resolution()),
        idle_wait_(measure_idle_wait()) {}

  double now() override { return monotonic_seconds(); }
  double resolution() override { return resolution_; }

  Reading time(const std::function<void()>& call, std::int64_t calls) override {
    const c10::Stream stream = at::accelerator::getCurrentStream(device_.index());
    synchronize(device_);  // nothing from before the block may count
    interference_.start();
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
    reading.interference = interference_.stop();
    reading.seconds = has_timing_events_ ? elapsed(end - own_end) : reading.wall_seconds;
    return reading;
  }

 private:
  // Seconds between the events, and what the device went on working after the last of them: work on streams that the
  // current one does not wait for. Waiting for a device with nothing left to do takes time too, which is none of it.
  double elapsed(double after_last_event) const {
    constexpr double kNoIdleWait = 3;          // times as long as idle waits are
    constexpr double kNoticeableShare = 0.05;  // of a block; less may be the host's that is woken up
    const double seconds = start_.elapsedTime(end_) * 1e-3;
    const bool is_work = after_last_event > std::max(kNoIdleWait * idle_wait_, kNoticeableShare * seconds);
    return is_work ? seconds + after_last_event - idle_wait_ : seconds;
  }

  // Nearly the longest of many waits for an idle device.
  double measure_idle_wait() {
    constexpr int kWaits = 50;
    std::vector<double> seconds;
    for (int i = 0; i < kWaits; ++i) {
      const double start = monotonic_seconds();
      synchronize(device_);
      seconds.push_back(monotonic_seconds() - start);
    }
    return quantile(seconds, 0.95);
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

  // The shortest time between two events with nothing between them that is not none; the wall clock's where the events
  // tell nothing apart.
  double measure_resolution() {
    constexpr int kPairs = 20;
    const double wall_clock = wall_clock_resolution();
    if (!has_timing_events_) return wall_clock;
    const c10::Stream stream = at::accelerator::getCurrentStream(device_.index());
    double shortest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kPairs; ++i) {
      start_.record(stream);
      end_.record(stream);
      end_.synchronize();
      const double seconds = start_.elapsedTime(end_) * 1e-3;
      if (seconds > 0) shortest = std::min(shortest, seconds);
    }
    return std::isfinite(shortest) ? std::max(shortest, wall_clock) : wall_clock;
  }

  c10::Device device_;
  c10::Event start_;
  c10::Event end_;
  bool has_timing_events_;
  double resolution_;
  double idle_wait_;  // seconds
  InterferenceMeter interference_;
};

}  // namespace

std::unique_ptr<Stopwatch> make_stopwatch(c10::Device device) {
  if (device.is_cpu()) return std::make_unique<WallStopwatch>();
  return std::make_unique<DeviceStopwatch>(device);
}

}  // namespace graphnet
