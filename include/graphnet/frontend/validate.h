// Whether a sample keeps its promises on this machine: it reads, runs, is the graph that was recorded, gives the same
// bits again, and its outputs mean something.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <c10/core/Device.h>

#include "graphnet/frontend/extract.h"
#include "graphnet/support/error.h"

namespace graphnet {

struct ValidateOptions {
  std::filesystem::path sample;
  std::vector<std::string> operator_libraries;  // shared objects or Python packages, beside those the sample names
  c10::Device device = c10::kCPU;
  std::uint64_t seed = 0;
  std::int64_t memory_limit = 0;  // bytes that a validation may take; 0: what the device has available
  int threads = 0;                // intra-operator threads; 0: as many as LibTorch chose
};

struct Check {
  std::string name;  // "round trip"
  bool passed = true;
  std::string message;              // what was wrong and where; for a check that was left out, why
  std::optional<ErrorKind> kind{};  // of the error that ended it, where one did
};

struct ValidateResult {
  bool passed = true;
  std::vector<Check> checks;       // in order; stops after a check without which the next make no sense
  bool broadcast_weights = false;  // the weights did not fit: one tile of each was repeated
  bool digest_compared = false;    // machine, version, threads and seed are those of the recorded digest
  std::vector<std::pair<std::string, double>> stage_seconds;
};

// Never throws for a bad sample: that is a failed check.
ValidateResult validate(const ValidateOptions& options, const ProgressEvents& events = {});

}  // namespace graphnet
