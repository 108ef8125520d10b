#include "graphnet/runtime/exact_recipe.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include <ATen/ATen.h>

#include "graphnet/runtime/convert.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

// Progressions shorter than this are clearer as values.
constexpr std::size_t kShortestArange = 4;

bool same(std::int64_t a, std::int64_t b) {
  return a == b;
}
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

template <class T>
bool all_same(std::span<const T> elements) {
  return std::all_of(elements.begin(), elements.end(), [&](T element) { return same(element, elements[0]); });
}

bool is_progression(std::span<const std::int64_t> elements) {
  std::int64_t step = 0;
  if (__builtin_sub_overflow(elements[1], elements[0], &step)) return false;
  for (std::size_t i = 1; i < elements.size(); ++i) {
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(elements[i], elements[i - 1], &difference) || difference != step) return false;
  }
  return true;
}

// float16 and bfloat16 are left out: what rounding a double to them gives depends on whether it passes through float.
bool is_progression(std::span<const double> elements, Dtype dtype) {
  if (dtype != Dtype::kFloat32 && dtype != Dtype::kFloat64) return false;
  const double start = elements[0];
  const double step = elements[1] - elements[0];
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double offset = static_cast<double>(i) * step;
    double expected = start + offset;
    if (dtype == Dtype::kFloat32) expected = static_cast<float>(expected);
    if (!same(expected, elements[i])) return false;
  }
  return true;
}

template <class T>
std::optional<Recipe> values_of(std::span<const T> elements, std::size_t maximum_runs) {
  ValuesRecipe recipe;
  for (std::size_t i = 0; i < elements.size();) {
    std::size_t end = i + 1;
    while (end < elements.size() && same(elements[end], elements[i])) ++end;
    if (recipe.runs.size() == maximum_runs) return std::nullopt;
    recipe.runs.push_back({static_cast<std::int64_t>(end - i), elements[i]});
    i = end;
  }
  return recipe;
}

template <class T>
std::span<const T> elements_of(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<T>(), static_cast<std::size_t>(tensor.numel())};
}

}  // namespace

std::optional<Recipe> exact_recipe(const at::Tensor& tensor, std::size_t maximum_runs) {
  const Dtype dtype = to_dtype(tensor.scalar_type());
  if (tensor.is_quantized()) {
    throw Error(ErrorKind::kUnsupported,
                "a quantized tensor (" + std::string(dtype_name(dtype)) + ") cannot be kept as weight or constant");
  }
  const at::Tensor dense = tensor.detach().cpu().contiguous().resolve_conj().resolve_neg();
  const bool integral = is_integer(dtype) || dtype == Dtype::kBool;
  if (dense.numel() == 0) return integral ? ConstantRecipe{std::int64_t{0}} : ConstantRecipe{0.0};

  if (is_complex(dtype)) {
    const at::Tensor wide = at::view_as_real(dense.to(at::kComplexDouble));
    return values_of(elements_of<double>(wide), maximum_runs);
  }
  if (integral) {
    const at::Tensor wide = dense.to(at::kLong);
    const auto elements = elements_of<std::int64_t>(wide);
    if (dtype == Dtype::kUint64 && std::any_of(elements.begin(), elements.end(), [](auto e) { return e < 0; })) {
      throw Error(ErrorKind::kUnsupported, "uint64 elements beyond int64 cannot be kept exactly");
    }
    if (all_same(elements)) return ConstantRecipe{elements[0]};
    if (dtype != Dtype::kBool && elements.size() >= kShortestArange && is_progression(elements)) {
      return ArangeRecipe{elements[0], elements[1] - elements[0]};
    }
    return values_of(elements, maximum_runs);
  }
  const at::Tensor wide = dense.to(at::kDouble);
  const auto elements = elements_of<double>(wide);
  if (all_same(elements)) return ConstantRecipe{elements[0]};
  if (elements.size() >= kShortestArange && is_progression(elements, dtype)) {
    return ArangeRecipe{elements[0], elements[1] - elements[0]};
  }
  return values_of(elements, maximum_runs);
}

}  // namespace graphnet
