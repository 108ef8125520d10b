#include "graphnet/bench/memory_rule.h"

#include "graphnet/report/number.h"

namespace graphnet {
namespace {

// The reference against itself: three input sets that are timed in turns and the one being checked, and, while a run
// goes on, the outputs of both sides' last runs and a copy of those that are checked.
constexpr MemoryUse kReferenceUse{.weights = 1, .inputs = 4, .results = 3};

// Copies of the weights that a compiler makes: TorchScript's freezing copies them while the originals are there, and
// so does optimizing what is frozen.
double weight_copies(std::string_view compiler) {
  return compiler == "torchscript" ? 2 : 0;
}

}  // namespace

UnitMemory unit_memory(const MemoryNeed& need, std::string_view compiler) {
  MemoryUse use = kReferenceUse;
  const std::int64_t reference = bytes_needed(need, use);
  use.weights += weight_copies(compiler);
  return {reference, bytes_needed(need, use) - reference};
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
