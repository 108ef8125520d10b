// How much memory a graph needs, from its types alone: nothing is allocated to know it.
#pragma once

#include <cstdint>
#include <string>

#include "graphnet/graph/graph.h"

namespace graphnet {

// Bytes, each tensor counted by its storage.
struct MemoryNeed {
  std::int64_t weights = 0;  // views of other weights not counted
  std::int64_t constants = 0;
  std::int64_t inputs = 0;
  std::int64_t peak_results = 0;  // the largest sum of call results that are alive at the same time

  std::int64_t total() const { return weights + constants + inputs + peak_results; }
};

// Results are alive from their call to the last use of their storage. A result that the schema declares an alias of an
// argument ("Tensor(a)") shares that argument's storage; so do in-place results. What operators allocate inside their
// kernels is not known here. Throws Error(kInput) where a size overflows.
MemoryNeed memory_need(const Graph& graph);

// How many of each a piece of work holds at one time: copies, sets of inputs, outputs kept beside a running graph.
// Constants are held once.
struct MemoryUse {
  double weights = 1;
  double inputs = 1;
  double results = 1;
};

// Validation keeps one set of inputs and outputs while the graph runs on another.
inline constexpr MemoryUse kValidationUse{1, 2, 2};

// Extraction decides before there is a graph: a run's results are taken to need one and a half times what the weights
// do. It keeps inputs of two seeds and hands copies to the model.
inline constexpr MemoryUse kExtractionUse{2.5, 3, 1};

// The bytes that the work needs; the largest int64 where they are more.
std::int64_t bytes_needed(const MemoryNeed& need, const MemoryUse& use);

enum class MemoryFit {
  kWhole,            // everything fits
  kRepeatedWeights,  // what is left fits where each weight repeats one piece of memory
  kNot,
};
MemoryFit memory_fit(const MemoryNeed& need, const MemoryUse& use, std::int64_t available);

// For errors: "needs 400,000,000 bytes of memory (weights 0, constants 0, inputs 400,000,000, results 0), but 1,000 are
// available".
std::string shortage_text(const MemoryNeed& need, const MemoryUse& use, std::int64_t available);

// The largest input, weight, constant or result: "input x float32[1000,1000]", "call 3 aten::mm: float32[1000,1000]".
std::string largest_tensor(const Graph& graph);

}  // namespace graphnet
