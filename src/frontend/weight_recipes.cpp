#include "graphnet/frontend/weight_recipes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <ATen/ATen.h>

#include "graphnet/sample/infer_recipe.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

constexpr std::int64_t kSmallParameter = 16;  // elements: scalars of a model, such as a temperature
constexpr std::int64_t kSmallBuffer = 1024;   // elements

// Bytes of text that exact contents may take.
constexpr std::size_t kTextOfMask = std::size_t{16} << 10;       // a float buffer that is mostly constant
constexpr std::size_t kTextOfIntegers = std::size_t{256} << 10;  // a table of indices or a mask
constexpr std::size_t kTextOfInfinities = std::size_t{4} << 20;  // a mask that would be another one when drawn

// Figures that say how a tensor is distributed need no more digits than are known.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) ? std::round(value * scale) / scale : value;
}

bool is_running_mean(const Weight& weight, const WeightUse& use) {
  return use.role == Role::kRunningMean || weight.name.ends_with("running_mean");
}

bool is_running_variance(const Weight& weight, const WeightUse& use) {
  return use.role == Role::kRunningVariance || weight.name.ends_with("running_var");
}

// The elements in row-major order, without a copy where they lie so on the CPU.
at::Tensor dense_on_cpu(const at::Tensor& values) {
  if (values.is_quantized()) {
    throw Error(ErrorKind::kUnsupported, "a quantized tensor cannot be kept as a weight");
  }
  return values.detach().cpu().resolve_conj().resolve_neg().contiguous();
}

std::span<const std::byte> bytes_of(const at::Tensor& dense) {
  return {static_cast<const std::byte*>(dense.const_data_ptr()), dense.nbytes()};
}

}  // namespace

Recipe recipe_from_values(const Weight& weight, const at::Tensor& values, const WeightUse& use) {
  const Dtype dtype = weight.type.dtype;
  const at::Tensor dense = dense_on_cpu(values);
  const std::span<const std::byte> bytes = bytes_of(dense);
  if (is_integer(dtype) || dtype == Dtype::kBool) {
    if (const std::optional<Recipe> exact = infer_exact(bytes, dtype, kTextOfIntegers)) return *exact;
    return recipe_from_statistics(measure(bytes, dtype), dtype);
  }
  const bool running = is_running_mean(weight, use) || is_running_variance(weight, use);
  const std::int64_t small = weight.is_buffer ? kSmallBuffer : kSmallParameter;
  if (!running && values.numel() <= small) {
    if (const std::optional<Recipe> exact = infer_exact(bytes, dtype)) return *exact;
  }
  const TensorStatistics statistics = measure(bytes, dtype);
  if (weight.is_buffer && !running) {
    const std::size_t limit = statistics.finite ? kTextOfMask : kTextOfInfinities;
    if (const std::optional<Recipe> exact = infer_exact(bytes, dtype, limit)) return *exact;
  }
  return recipe_from_statistics(statistics, dtype);
}

Recipe recipe_from_role(const Weight& weight, const WeightUse& use) {
  const Dtype dtype = weight.type.dtype;
  if (is_integer(dtype)) return RangeRecipe{0, 2};
  if (dtype == Dtype::kBool) return BernoulliRecipe{0.5};
  const double fan_in = static_cast<double>(std::max<std::int64_t>(use.fan_in, 1));
  switch (use.role) {
    case Role::kProjection:
      // Each output is a sum of fan_in products; a rectifier behind it halves the power.
      return NormalRecipe{0.0, rounded((use.rectified ? std::sqrt(2.0) : 1.0) / std::sqrt(fan_in))};
    case Role::kRecurrent:
      return NormalRecipe{0.0, rounded(1.0 / std::sqrt(fan_in))};
    case Role::kEmbedding:
      return NormalRecipe{0.0, use.also_projection ? rounded(1.0 / std::sqrt(fan_in)) : 1.0};
    case Role::kScale:
      return NormalRecipe{1.0, 0.1};
    case Role::kShift:
    case Role::kRunningMean:
      return NormalRecipe{0.0, 0.1};
    case Role::kRunningVariance:
      return UniformRecipe{0.5, 1.5};
    case Role::kBias:
    case Role::kTable:
      return NormalRecipe{0.0, 0.02};
    case Role::kUnknown:
      break;
  }
  // No call that is understood reads it: names and dimensions are all there is.
  if (is_running_mean(weight, use)) return NormalRecipe{0.0, 0.1};
  if (is_running_variance(weight, use)) return UniformRecipe{0.5, 1.5};
  if (weight.name.ends_with("bias")) return NormalRecipe{0.0, 0.02};
  if (weight.type.shape.size() <= 1) return NormalRecipe{weight.name.ends_with("weight") ? 1.0 : 0.0, 0.1};
  double terms = 1;
  for (std::size_t i = 1; i < weight.type.shape.size(); ++i)
    terms *= static_cast<double>(std::max<std::int64_t>(weight.type.shape[i], 1));
  return NormalRecipe{0.0, rounded(1.0 / std::sqrt(terms))};
}

std::optional<Recipe> scaled(const Recipe& recipe, double factor) {
  if (const auto* normal = std::get_if<NormalRecipe>(&recipe)) {
    NormalRecipe result{rounded(normal->mean * factor), rounded(normal->deviation * factor)};
    if (std::isfinite(normal->low)) result.low = normal->low * factor;
    if (std::isfinite(normal->high)) result.high = normal->high * factor;
    return result;
  }
  if (const auto* uniform = std::get_if<UniformRecipe>(&recipe)) {
    return UniformRecipe{rounded(uniform->low * factor), rounded(uniform->high * factor)};
  }
  if (const auto* constant = std::get_if<ConstantRecipe>(&recipe)) {
    if (const auto* value = std::get_if<double>(&constant->value)) return ConstantRecipe{rounded(*value * factor)};
  }
  return std::nullopt;
}

}  // namespace graphnet
