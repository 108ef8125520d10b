#include "graphnet/frontend/output_digest.h"

#include "graphnet/runtime/compare.h"

namespace graphnet {

OutputDigest make_output_digest(const std::vector<at::Tensor>& outputs, std::uint64_t seed,
                                const MachineDescription& machine) {
  OutputDigest result;
  result.sha256 = digest(outputs);
  result.seed = seed;
  result.framework_version = machine.framework;
  result.machine = machine.device == "cpu" ? machine.processor + ", " + machine.capability : machine.device;
  result.threads = machine.threads;
  return result;
}

bool comparable(const OutputDigest& recorded, const OutputDigest& now) {
  return recorded.seed == now.seed && recorded.framework_version == now.framework_version &&
         recorded.machine == now.machine && recorded.threads == now.threads;
}

}  // namespace graphnet
