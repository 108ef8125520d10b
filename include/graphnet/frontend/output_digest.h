// The digest of a run's outputs, with what it must be compared under: the same machine, versions, threads and seed.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "graphnet/runtime/device.h"
#include "graphnet/sample/metadata.h"

namespace graphnet {

OutputDigest make_output_digest(const std::vector<at::Tensor>& outputs, std::uint64_t seed,
                                const MachineDescription& machine);

// Whether two digests must agree: everything but the digest itself is the same.
bool comparable(const OutputDigest& recorded, const OutputDigest& now);

}  // namespace graphnet
