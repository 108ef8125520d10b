// What is timed: two sides that take turns on several sets of inputs, and a stopwatch that lets others in around it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "graphnet/runtime/timing.h"

namespace graphnet {

using InputSets = std::vector<std::vector<at::Tensor>>;

// Gives each set the contents of the next, in place.
inline void rotate_contents(InputSets& sets) {
  for (std::size_t input = 0; input < sets.front().size(); ++input) {
    const at::Tensor first = sets.front()[input].clone();
    for (std::size_t i = 0; i + 1 < sets.size(); ++i) sets[i][input].copy_(sets[i + 1][input]);
    sets.back()[input].copy_(first);
  }
}

// One side. Each call takes the next set of inputs, so that none can be answered from the one before. The outputs are
// freed as the next call begins, on both sides alike: the last ones are there to be checked.
class TimedSide {
 public:
  using Run = std::function<std::vector<at::Tensor>(std::span<const at::Tensor> inputs)>;

  // `sets` has to outlive it.
  TimedSide(Run run, const InputSets& sets) : run_(std::move(run)), sets_(sets) {}

  void call() {
    outputs_.clear();
    last_set_ = next_set_;
    next_set_ = (next_set_ + 1) % sets_.size();
    outputs_ = run_(sets_[last_set_]);
  }

  std::size_t last_set() const { return last_set_; }  // whose outputs are there
  const std::vector<at::Tensor>& outputs() const { return outputs_; }
  std::vector<at::Tensor> take_outputs() { return std::move(outputs_); }

 private:
  Run run_;
  const InputSets& sets_;
  std::size_t next_set_ = 0;
  std::size_t last_set_ = 0;
  std::vector<at::Tensor> outputs_;
};

// Does something before and after each timed block, outside the time that is read.
class AttendedStopwatch : public Stopwatch {
 public:
  AttendedStopwatch(Stopwatch& stopwatch, std::function<void()> before,
                    std::function<void(const Reading& reading)> after)
      : stopwatch_(stopwatch), before_(std::move(before)), after_(std::move(after)) {}

  double now() override { return stopwatch_.now(); }
  double resolution() override { return stopwatch_.resolution(); }

  Reading time(const std::function<void()>& call, std::int64_t calls) override {
    before_();
    const Reading reading = stopwatch_.time(call, calls);
    after_(reading);
    return reading;
  }

 private:
  Stopwatch& stopwatch_;
  std::function<void()> before_;
  std::function<void(const Reading& reading)> after_;
};

}  // namespace graphnet
