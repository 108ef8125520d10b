#include "graphnet/runtime/compare.h"

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <sstream>
#include <type_traits>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include "graphnet/graph/tensor_type.h"
#include "graphnet/runtime/convert.h"
#include "graphnet/runtime/parallel.h"
#include "graphnet/score/outcome.h"
#include "graphnet/score/tolerance.h"

namespace graphnet {
namespace {

constexpr std::size_t kLevels = kLoosestLevel - kStrictestLevel + 1;
constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kBlock = 1024;            // elements handled at once, so that intermediates stay in the cache
constexpr std::int64_t kSmallestPart = 1 << 16;  // elements that are worth a thread

using Tolerances = std::array<Tolerance, kLevels>;

// How a pair of elements fails that no tolerance can excuse.
enum class Mismatch { kNotANumber, kMissingNotANumber, kInfinity, kValue };

// What a range of elements adds to the comparison. Levels count from 0, the strictest; kLevels means that none passes.
struct Findings {
  std::size_t level = 0;
  double maximum_absolute_error = 0;
  double maximum_relative_error = 0;
  std::int64_t first_hopeless = kNone;  // index of the first element that passes at no level
  Mismatch mismatch = Mismatch::kValue;

  void note_hopeless(std::int64_t index, Mismatch kind) {
    level = kLevels;
    if (index >= first_hopeless) return;
    first_hopeless = index;
    mismatch = kind;
  }

  void merge(const Findings& other) {
    level = std::max(level, other.level);
    maximum_absolute_error = std::max(maximum_absolute_error, other.maximum_absolute_error);
    maximum_relative_error = std::max(maximum_relative_error, other.maximum_relative_error);
    if (other.first_hopeless != kNone) note_hopeless(other.first_hopeless, other.mismatch);
  }
};

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<c10::complex<T>> : std::true_type {};

template <class T>
auto widen(T value) {
  if constexpr (IsComplex<T>::value) {
    return std::complex<double>(static_cast<double>(value.real()), static_cast<double>(value.imag()));
  } else {
    return static_cast<double>(value);
  }
}

bool is_nan(double x) {
  return std::isnan(x);
}
bool is_nan(std::complex<double> x) {
  return std::isnan(x.real()) || std::isnan(x.imag());
}
bool is_finite(double x) {
  return std::isfinite(x);
}
bool is_finite(std::complex<double> x) {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

// Errors and magnitudes of one block. Pairs with infinities or NaN are settled here and count as equal afterwards.
template <class T>
class Block {
 public:
  void load(const T* reference, const T* candidate, std::int64_t first, std::int64_t count, Findings& findings) {
    first_ = first;
    count_ = count;
    bool all_finite = true;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto r = widen(reference[first + i]);
      const auto c = widen(candidate[first + i]);
      error_[i] = std::abs(c - r);
      magnitude_[i] = std::abs(r);
      // Infinite or NaN wherever one of the two is.
      all_finite &= magnitude_[i] + std::abs(c) <= std::numeric_limits<double>::max();
    }
    if (!all_finite) settle_special(reference, candidate, findings);
    double absolute = 0;
    double relative = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      absolute = std::max(absolute, error_[i]);
      relative = std::max(relative, magnitude_[i] > 0 ? error_[i] / magnitude_[i] : 0.0);
    }
    findings.maximum_absolute_error = std::max(findings.maximum_absolute_error, absolute);
    findings.maximum_relative_error = std::max(findings.maximum_relative_error, relative);
  }

  bool passes(const Tolerance& tolerance) const {
    bool all = true;
    for (std::int64_t i = 0; i < count_; ++i) {
      all &= error_[i] <= tolerance.absolute + tolerance.relative * magnitude_[i];
    }
    return all;
  }

  std::int64_t first_outside(const Tolerance& tolerance) const {
    std::int64_t i = 0;
    while (error_[i] <= tolerance.absolute + tolerance.relative * magnitude_[i]) ++i;
    return first_ + i;
  }

 private:
  void settle_special(const T* reference, const T* candidate, Findings& findings) {
    for (std::int64_t i = 0; i < count_; ++i) {
      const auto r = widen(reference[first_ + i]);
      const auto c = widen(candidate[first_ + i]);
      if (is_finite(r) && is_finite(c)) continue;
      if (is_nan(r) != is_nan(c)) {
        findings.note_hopeless(first_ + i, is_nan(r) ? Mismatch::kMissingNotANumber : Mismatch::kNotANumber);
      } else if (!is_nan(r) && r != c) {
        findings.note_hopeless(first_ + i, Mismatch::kInfinity);
      }
      error_[i] = 0;
      magnitude_[i] = 0;
    }
  }

  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  double error_[kBlock];
  double magnitude_[kBlock];
};

// Floating and complex elements: the level only ever rises, so that most blocks are checked against one tolerance.
template <class T>
Findings compare_range(const T* reference, const T* candidate, Part part, const Tolerances& tolerances) {
  Findings findings;
  Block<T> block;
  for (std::int64_t first = part.begin; first < part.end; first += kBlock) {
    block.load(reference, candidate, first, std::min(kBlock, part.end - first), findings);
    while (findings.level < kLevels && !block.passes(tolerances[findings.level])) {
      if (++findings.level == kLevels) findings.note_hopeless(block.first_outside(tolerances.back()), Mismatch::kValue);
    }
  }
  return findings;
}

// Integers and bools: every element has to be equal, whatever the level.
template <class T>
Findings compare_exact_range(const T* reference, const T* candidate, Part part) {
  Findings findings;
  for (std::int64_t i = part.begin; i < part.end; ++i) {
    if (reference[i] == candidate[i]) continue;
    const double r = static_cast<double>(reference[i]);
    const double error = std::max(1.0, std::abs(static_cast<double>(candidate[i]) - r));
    findings.maximum_absolute_error = std::max(findings.maximum_absolute_error, error);
    if (r != 0) findings.maximum_relative_error = std::max(findings.maximum_relative_error, error / std::abs(r));
    findings.note_hopeless(i, Mismatch::kValue);
  }
  return findings;
}

Tolerances tolerances_of(Dtype dtype) {
  Tolerances tolerances;
  for (std::size_t i = 0; i < kLevels; ++i) tolerances[i] = tolerance(dtype, kStrictestLevel + static_cast<int>(i));
  return tolerances;
}

// Calls visit(T{}) with the element type of the dtype.
template <class Visitor>
auto visit_element_type(Dtype dtype, Visitor&& visit) {
  switch (dtype) {
    case Dtype::kFloat16:
      return visit(c10::Half());
    case Dtype::kBfloat16:
      return visit(c10::BFloat16());
    case Dtype::kFloat32:
      return visit(float());
    case Dtype::kFloat64:
      return visit(double());
    case Dtype::kComplex32:
      return visit(c10::complex<c10::Half>());
    case Dtype::kComplex64:
      return visit(c10::complex<float>());
    case Dtype::kComplex128:
      return visit(c10::complex<double>());
    case Dtype::kFloat8E4m3fn:
      return visit(c10::Float8_e4m3fn());
    case Dtype::kFloat8E5m2:
      return visit(c10::Float8_e5m2());
    case Dtype::kBool:
    case Dtype::kUint8:
    case Dtype::kQuint8:
      return visit(std::uint8_t());
    case Dtype::kInt8:
    case Dtype::kQint8:
      return visit(std::int8_t());
    case Dtype::kInt16:
      return visit(std::int16_t());
    case Dtype::kUint16:
      return visit(std::uint16_t());
    case Dtype::kInt32:
    case Dtype::kQint32:
      return visit(std::int32_t());
    case Dtype::kUint32:
      return visit(std::uint32_t());
    case Dtype::kInt64:
      return visit(std::int64_t());
    case Dtype::kUint64:
      return visit(std::uint64_t());
  }
  return visit(std::uint8_t());
}

Findings compare_elements(const at::Tensor& reference, const at::Tensor& candidate, Dtype dtype) {
  const std::vector<Part> parts = split(reference.numel(), at::get_num_threads(), kSmallestPart);
  const Tolerances tolerances = tolerances_of(dtype);
  return visit_element_type(dtype, [&]<class T>(T) {
    const T* r = static_cast<const T*>(reference.const_data_ptr());
    const T* c = static_cast<const T*>(candidate.const_data_ptr());
    Findings all;
    for (const Findings& findings : for_each_part(parts, [&](Part part) {
           if constexpr (std::is_integral_v<T>) {
             return compare_exact_range(r, c, part);
           } else {
             return compare_range(r, c, part, tolerances);
           }
         })) {
      all.merge(findings);
    }
    return all;
  });
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  const std::vector<Part> parts = split(static_cast<std::int64_t>(a.nbytes()), at::get_num_threads(), kSmallestPart);
  const char* x = static_cast<const char*>(a.const_data_ptr());
  const char* y = static_cast<const char*>(b.const_data_ptr());
  const std::vector<char> same = for_each_part(parts, [&](Part part) {
    return static_cast<char>(
        std::memcmp(x + part.begin, y + part.begin, static_cast<std::size_t>(part.end - part.begin)) == 0);
  });
  return std::all_of(same.begin(), same.end(), [](char part) { return part != 0; });
}

// Elements in row-major order on the CPU. Of quantized tensors, the integers.
at::Tensor plain(const at::Tensor& tensor) {
  at::Tensor result = tensor.detach();
  if (result.is_quantized()) result = result.int_repr();
  return result.cpu().resolve_conj().resolve_neg().contiguous();
}

std::string shape_text(at::IntArrayRef sizes) {
  std::ostringstream text;
  text << '[';
  for (std::size_t d = 0; d < sizes.size(); ++d) text << (d == 0 ? "" : ",") << sizes[d];
  text << ']';
  return text.str();
}

std::string place_text(std::int64_t index, at::IntArrayRef sizes) {
  std::vector<std::int64_t> place(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0; index /= sizes[d]) place[d] = index % sizes[d];
  return shape_text(place);
}

std::string element_text(const at::Tensor& tensor, std::int64_t index) {
  const at::Scalar value = tensor.flatten()[index].item();
  if (value.isComplex()) {
    const c10::complex<double> number = value.toComplexDouble();
    return c10::str(number.real(), "+", number.imag(), "j");
  }
  return value.isIntegral(true) ? c10::str(value.toLong()) : c10::str(value.toDouble());
}

std::string hopeless_text(const at::Tensor& reference, const at::Tensor& candidate, const Findings& findings) {
  const std::string place = " at " + place_text(findings.first_hopeless, reference.sizes());
  switch (findings.mismatch) {
    case Mismatch::kNotANumber:
      return "NaN where the reference has none," + place;
    case Mismatch::kMissingNotANumber:
      return "a number where the reference has NaN," + place;
    case Mismatch::kInfinity:
    case Mismatch::kValue:
      break;
  }
  return element_text(candidate, findings.first_hopeless) + " instead of " +
         element_text(reference, findings.first_hopeless) + place;
}

// How the mapping from integers to values differs: the integers alone say nothing. Nothing where it is the same.
std::string quantizer_problem(const at::Tensor& reference, const at::Tensor& candidate) {
  if (!reference.is_quantized()) return "";
  if (reference.qscheme() != candidate.qscheme()) return "another quantization scheme";
  if (reference.qscheme() == at::kPerTensorAffine || reference.qscheme() == at::kPerTensorSymmetric) {
    if (reference.q_scale() != candidate.q_scale()) {
      return c10::str("scale ", candidate.q_scale(), " instead of ", reference.q_scale());
    }
    if (reference.q_zero_point() == candidate.q_zero_point()) return "";
    return c10::str("zero point ", candidate.q_zero_point(), " instead of ", reference.q_zero_point());
  }
  const bool same = reference.q_per_channel_axis() == candidate.q_per_channel_axis() &&
                    at::equal(reference.q_per_channel_scales(), candidate.q_per_channel_scales()) &&
                    at::equal(reference.q_per_channel_zero_points(), candidate.q_per_channel_zero_points());
  return same ? "" : "other scales or zero points of the channels";
}

// "output 1: ..." of the first that has one.
std::string first_problem(const std::vector<OutputComparison>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].problem.empty()) return "output " + std::to_string(i) + ": " + outputs[i].problem;
  }
  return "";
}

}  // namespace

OutputComparison compare_output(const at::Tensor& reference, const at::Tensor& candidate) {
  OutputComparison result;
  if (!candidate.defined()) {
    result.problem = "there is no tensor";
    return result;
  }
  result.same_dtype = reference.scalar_type() == candidate.scalar_type();
  result.same_shape = reference.sizes() == candidate.sizes();
  const Dtype dtype = to_dtype(reference.scalar_type());
  if (!result.same_dtype) {
    result.problem = "dtype " + std::string(dtype_name(to_dtype(candidate.scalar_type()))) + " instead of " +
                     std::string(dtype_name(dtype));
    return result;
  }
  if (!result.same_shape) {
    result.problem = "shape " + shape_text(candidate.sizes()) + " instead of " + shape_text(reference.sizes());
    return result;
  }
  result.problem = quantizer_problem(reference, candidate);
  if (!result.problem.empty()) return result;
  const at::Tensor r = plain(reference);
  const at::Tensor c = plain(candidate);
  Findings findings;
  if (!same_bits(r, c)) findings = compare_elements(r, c, dtype);
  result.equal = findings.first_hopeless == kNone && findings.maximum_absolute_error == 0;
  result.maximum_absolute_error = findings.maximum_absolute_error;
  result.maximum_relative_error = findings.maximum_relative_error;
  if (findings.level < kLevels) {
    result.strictest_level = kStrictestLevel + static_cast<int>(findings.level);
  } else {
    result.problem = hopeless_text(r, c, findings);
  }
  return result;
}

void condemn(Comparison& comparison, std::size_t output, const std::string& problem) {
  comparison.equal = false;
  comparison.strictest_level.reset();
  comparison.outputs[output].equal = false;
  comparison.outputs[output].strictest_level.reset();
  comparison.outputs[output].problem = problem;
  comparison.problem = first_problem(comparison.outputs);
}

bool same_contents(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && quantizer_problem(a, b).empty() &&
         same_bits(plain(a), plain(b));
}

Comparison compare(const std::vector<at::Tensor>& reference, const std::vector<at::Tensor>& candidate) {
  Comparison result;
  if (reference.size() != candidate.size()) {
    result.problem = std::to_string(candidate.size()) + " outputs instead of " + std::to_string(reference.size());
    return result;
  }
  result.equal = true;
  std::vector<std::optional<int>> levels;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    OutputComparison output = compare_output(reference[i], candidate[i]);
    result.equal = result.equal && output.equal;
    levels.push_back(output.strictest_level);
    result.outputs.push_back(std::move(output));
  }
  result.problem = first_problem(result.outputs);
  result.strictest_level = strictest_common_level(levels);
  return result;
}

}  // namespace graphnet
