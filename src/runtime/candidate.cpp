#include "graphnet/runtime/candidate.h"

#include "graphnet/runtime/replayer.h"

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

}  // namespace

std::unique_ptr<Candidate> make_eager_candidate(const CandidateSource& source) {
  return std::make_unique<EagerCandidate>(source);
}

}  // namespace graphnet
