// A clock that only moves when a call says so: timings of it are the same on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graphnet/runtime/timing.h"

namespace graphnet::test {

class FakeStopwatch : public Stopwatch {
 public:
  double now() override { return now_; }
  double resolution() override { return resolution_; }

  Reading time(const std::function<void()>& call, std::int64_t calls) override {
    const double start = now_;
    interference_ = {};
    for (std::int64_t i = 0; i < calls; ++i) call();
    blocks.push_back(now_ - start);
    return {.seconds = now_ - start, .wall_seconds = now_ - start, .host_seconds = 0, .interference = interference_};
  }

  void advance(double seconds) { now_ += seconds; }
  // Time that passes without a processor, and time that the machine's host takes.
  void wait(double seconds) {
    now_ += seconds;
    interference_.waiting_seconds += seconds;
  }
  void steal(double seconds) {
    now_ += seconds;
    interference_.steal_seconds += seconds;
  }
  // What the kernel counts at this moment, whenever it was stolen.
  void count_stolen(double seconds) { interference_.steal_seconds += seconds; }
  void set_resolution(double seconds) { resolution_ = seconds; }

  std::vector<double> blocks;

 private:
  double now_ = 100;
  double resolution_ = 1e-7;
  Interference interference_;
};

}  // namespace graphnet::test
