#include "graphnet/bench/memory_rule.h"

#include <algorithm>

#include "graphnet/report/number.h"

namespace graphnet {
namespace {

// Input sets that a unit holds at the same time: three that are timed in turns, and the one being checked.
constexpr double kInputSets = 4;

// Both sides' results are alive when they are compared.
constexpr double kResultSets = 2;

// Copies of the weights that a compiler makes: TorchScript's freezing copies them while the originals are there, and
// so does optimizing what is frozen.
double weight_copies(std::string_view compiler) {
  return compiler == "torchscript" ? 2 : 0;
}

// Half of 9e18 each, so that the sum of two fits.
std::int64_t bytes(double amount) {
  return static_cast<std::int64_t>(std::min(amount, 4.5e18));
}

}  // namespace

UnitMemory unit_memory(const MemoryNeed& need, std::string_view compiler) {
  const auto weights = static_cast<double>(need.weights);
  const double reference = weights + static_cast<double>(need.constants) +
                           static_cast<double>(need.inputs) * kInputSets +
                           static_cast<double>(need.peak_results) * kResultSets;
  return {bytes(reference), bytes(weights * weight_copies(compiler))};
}

std::string memory_shortage(const UnitMemory& memory, std::string_view compiler, std::int64_t available) {
  if (memory.total() <= available) return "";
  std::string text = "needs " + bytes_text(memory.total()) + " of memory";
  if (memory.reference <= available) {
    text += ", " + bytes_text(memory.compiler) + " of it for the copies of the weights that " + std::string(compiler) +
            " makes (the reference alone would fit)";
  }
  return text + "; " + bytes_text(available) + " are there";
}

}  // namespace graphnet
