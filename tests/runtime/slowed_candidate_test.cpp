#include <chrono>
#include <memory>
#include <thread>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "graphnet/runtime/candidate.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using Clock = std::chrono::steady_clock;

// Takes some milliseconds and tells how many.
class Sleeper : public Candidate {
 public:
  explicit Sleeper(Clock::duration& taken) : taken_(taken) {}

  std::vector<at::Tensor> run(std::span<const at::Tensor> inputs) override {
    const Clock::time_point start = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    taken_ = Clock::now() - start;
    return {inputs.begin(), inputs.end()};
  }

 private:
  Clock::duration& taken_;
};

TEST(SlowedCandidate, TakesLongerByItsShareAndReturnsTheSame) {
  Clock::duration taken{};
  const auto slowed = make_slowed_candidate(std::make_unique<Sleeper>(taken), 0.5, c10::kCPU);
  const std::vector<at::Tensor> inputs = {at::ones({2})};
  const Clock::time_point start = Clock::now();
  EXPECT_TRUE(slowed->run(inputs).at(0).equal(inputs[0]));
  EXPECT_GE(Clock::now() - start, taken * 1.5);
}

TEST(SlowedCandidate, IsForTheCpu) {
  Clock::duration taken{};
  EXPECT_THROW(make_slowed_candidate(std::make_unique<Sleeper>(taken), 0.5, c10::Device(c10::kMeta)), Error);
}

}  // namespace
}  // namespace graphnet
