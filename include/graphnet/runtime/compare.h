// Compares outputs of a candidate with the reference's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace graphnet {

// How far one output is from the reference.
struct OutputComparison {
  bool same_dtype = true;
  bool same_shape = true;
  bool equal = false;  // every bit that counts: values equal, NaN in the same places
  std::optional<int>
      strictest_level;  // the strictest t in -10..5 within tolerance (score/tolerance.h); none passes: empty
  double maximum_absolute_error = 0;  // over elements that are finite on both sides
  double maximum_relative_error = 0;  // over those of them whose reference is not 0
  std::string problem;  // "dtype float16 instead of float32", "NaN where the reference has none"; else empty
};

// Elements are compared as float64; infinities agree only with themselves. Complex elements go by the modulus.
OutputComparison compare_output(const at::Tensor& reference, const at::Tensor& candidate);

struct Comparison {
  std::vector<OutputComparison> outputs;
  bool equal = false;                  // same number, and each equal
  std::optional<int> strictest_level;  // the loosest of the outputs' levels; empty where any output passes at none
  std::string problem;                 // of the first output that has one, with its index
};

// An undefined tensor among the candidate's is a problem like any other.
Comparison compare(const std::vector<at::Tensor>& reference, const std::vector<at::Tensor>& candidate);

// Gives one output a problem that no tolerance excuses.
void condemn(Comparison& comparison, std::size_t output, const std::string& problem);

// Whether two tensors have the same dtype, shape and bits, wherever and in whatever order they lie.
bool same_contents(const at::Tensor& a, const at::Tensor& b);

// SHA-256 over dtypes, shapes and contents of the tensors (made contiguous, on the CPU).
std::string digest(const std::vector<at::Tensor>& tensors);

}  // namespace graphnet
