#include "graphnet/runtime/candidate.h"

#include <chrono>
#include <utility>

#include "graphnet/runtime/replayer.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

class EagerCandidate : public Candidate {
 public:
  explicit EagerCandidate(const CandidateSource& source) : replayer_(source.graph, source.device) {
    replayer_.set_weights(source.weights, source.constants);
  }

  std::vector<at::Tensor> run(std::span<const at::Tensor> inputs) override { return replayer_.run(inputs); }

 private:
  Replayer replayer_;
};

class SlowedCandidate : public Candidate {
 public:
  SlowedCandidate(std::unique_ptr<Candidate> candidate, double share)
      : candidate_(std::move(candidate)), share_(share) {}

  std::vector<at::Tensor> run(std::span<const at::Tensor> inputs) override {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    std::vector<at::Tensor> outputs = candidate_->run(inputs);
    const Clock::duration taken = Clock::now() - start;
    const auto end = start + std::chrono::duration_cast<Clock::duration>(taken * (1 + share_));
    while (Clock::now() < end) {
    }
    return outputs;
  }

 private:
  std::unique_ptr<Candidate> candidate_;
  double share_;
};

}  // namespace

std::unique_ptr<Candidate> make_eager_candidate(const CandidateSource& source) {
  return std::make_unique<EagerCandidate>(source);
}

std::unique_ptr<Candidate> make_slowed_candidate(std::unique_ptr<Candidate> candidate, double share,
                                                 c10::Device device) {
  if (!device.is_cpu()) {
    throw Error(ErrorKind::kUnsupported,
                "a known slowdown can only be given to calls on the CPU, not on " + device.str());
  }
  return std::make_unique<SlowedCandidate>(std::move(candidate), share);
}

}  // namespace graphnet
