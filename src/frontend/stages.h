// Names and times the stages of a long operation, and passes them on as they begin.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "graphnet/frontend/extract.h"

namespace graphnet {

class Stages {
 public:
  explicit Stages(const ProgressEvents& events) : events_(events) {}

  void begin(const std::string& stage) {
    end();
    seconds_.emplace_back(stage, 0.0);
    begun_ = Clock::now();
    if (events_.on_stage) events_.on_stage(stage);
  }

  // Ends the running stage and returns the seconds of all.
  const std::vector<std::pair<std::string, double>>& end() {
    if (seconds_.size() > ended_) {
      seconds_.back().second = std::chrono::duration<double>(Clock::now() - begun_).count();
      ended_ = seconds_.size();
    }
    return seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const ProgressEvents& events_;
  std::vector<std::pair<std::string, double>> seconds_;
  std::size_t ended_ = 0;
  Clock::time_point begun_;
};

}  // namespace graphnet
