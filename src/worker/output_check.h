// Looks at a candidate's outputs the moment its call returns and again later, and says what is wrong with them: a wrong
// value is one thing, a result that was not computed from these inputs, or not by then, another.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "graphnet/graph/graph.h"
#include "graphnet/runtime/compare.h"

namespace graphnet {

// The outputs of one call, copied to the host at once.
struct CapturedOutputs {
  std::vector<at::Tensor> live;      // as the candidate returned them
  std::vector<at::Tensor> copies{};  // their contents when the call had returned; undefined where the candidate's are
  double call_seconds = 0;
  double first_read_seconds = 0;   // what copying took,
  double second_read_seconds = 0;  // and what it took again

  // Leaves the copies alone: what the candidate returned is not looked at again.
  void forget_live() { live.assign(live.size(), {}); }
};

// Copies outputs that a call has just returned; the device has to be done.
CapturedOutputs capture(std::vector<at::Tensor> outputs, double call_seconds);

// Judges the calls of one candidate, in the order they were made.
class OutputCheck {
 public:
  // `reference_seconds` is about what one call should take: so long work may go on unseen.
  OutputCheck(const Graph& graph, c10::Device device, double reference_seconds);

  // Compares with the reference's outputs on the same inputs. Outputs that changed after the call returned, that are
  // one of the inputs, or that the call before gave, pass at no level and are named as such.
  Comparison judge(std::span<const at::Tensor> expected, CapturedOutputs captured, std::span<const at::Tensor> inputs);

  // Copies of the outputs that were judged last.
  const std::vector<at::Tensor>& latest_outputs() const { return latest_; }

  // Of all calls judged so far: that their outputs were computed by whoever read them first. Empty if not.
  std::string lazy_reading() const;

 private:
  std::string problem_of(std::size_t output, const CapturedOutputs& captured, std::span<const at::Tensor> inputs) const;

  const Graph& graph_;
  c10::Device device_;
  double reference_seconds_;
  std::vector<at::Tensor> latest_;  // while a call is judged, those of the call before
  std::size_t calls_ = 0;
  std::size_t slow_first_reads_ = 0;
};

}  // namespace graphnet
