// A timing in the unit's record.
#pragma once

#include <cstdint>

#include <c10/core/Device.h>
#include <nlohmann/json.hpp>

#include "graphnet/runtime/timing.h"

#include "bench_request.h"

namespace graphnet {

// The object "timing" of bench_unit.h, for so many sets of inputs that took turns.
nlohmann::json timing_json(const TimingResult& timing, c10::Device device, CacheState cache, std::uint64_t input_sets);

}  // namespace graphnet
