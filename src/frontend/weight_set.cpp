#include "graphnet/frontend/weight_set.h"

#include <algorithm>
#include <string>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "graphnet/frontend/roles.h"
#include "graphnet/frontend/weight_recipes.h"
#include "graphnet/runtime/aliases.h"
#include "graphnet/runtime/convert.h"
#include "graphnet/runtime/parallel.h"
#include "graphnet/runtime/tensors.h"
#include "graphnet/support/error.h"

namespace graphnet {
namespace {

// Larger buffers are not copied in case forward writes to them; their recipe is then that of what it wrote.
constexpr std::int64_t kLargestCopiedBuffer = std::int64_t{256} << 20;

// One element stands for all: a parameter that came without values.
bool is_without_values(const at::Tensor& tensor) {
  if (tensor.numel() <= 1 || tensor.layout() != c10::kStrided) return false;
  const auto sizes = tensor.sizes();
  const auto strides = tensor.strides();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 1 && strides[i] != 0) return false;
  }
  return true;
}

// The recipe of what a tensor without values holds now.
ConstantRecipe constant_of(const at::Tensor& tensor) {
  const at::Tensor first = tensor.flatten()[0].cpu();
  if (c10::isIntegralType(first.scalar_type(), /*includeBool=*/true)) return {first.to(at::kLong).item<std::int64_t>()};
  return {at::real(first).to(at::kDouble).item<double>()};
}

}  // namespace

WeightSet::WeightSet(TorchScriptModel& model, c10::Device device, bool repeat, std::uint64_t seed)
    : model_(model), seed_(seed), entries_(model.tensors().size()) {
  any_without_values_ = std::any_of(model.tensors().begin(), model.tensors().end(),
                                    [](const KnownTensor& known) { return is_without_values(known.tensor); });
  tiled_ = any_without_values_ && repeat;
  if (tiled_ && !device.is_cpu()) {
    throw Error(ErrorKind::kEnvironment,
                "the weights do not fit in the memory of " + device.str() + ": extract with --device cpu");
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const KnownTensor& known = model.tensors()[i];
    if (is_without_values(known.tensor)) {
      entries_[i].without_values = true;
      const TensorType type = make_tensor_type(to_dtype(known.tensor.scalar_type()), known.tensor.sizes().vec(), {});
      const ConstantRecipe constant = constant_of(known.tensor);
      model.replace(i, tiled_ ? tiles_.make(type, constant, 0, 0) : make_tensor(type, constant, 0, 0, device));
    } else if (is_broadcast(known.tensor)) {
      model.replace(i, known.tensor.contiguous());
    } else if (known.is_buffer && dense_bytes(known.tensor) <= kLargestCopiedBuffer) {
      entries_[i].original = known.tensor.clone();
    }
  }
}

void WeightSet::choose_recipes(Recording& recording, bool keep_values) {
  const std::vector<WeightUse> uses = weight_uses(recording.graph);
  for_each_index(uses.size(), at::get_num_threads(), [&](std::size_t i) {
    try {
      choose_recipe(recording.graph.weights[i], recording.weight_sources[i], uses[i], keep_values);
    } catch (const Error& error) {
      throw error.with_context("weight " + recording.graph.weights[i].name);
    }
  });
}

void WeightSet::choose_recipe(Weight& weight, std::size_t source, const WeightUse& use, bool keep_values) {
  Entry& entry = entries_[source];
  if (std::holds_alternative<ViewRecipe>(weight.recipe)) return;
  if (entry.without_values) {
    weight.recipe = recipe_from_role(weight, use);
    return;
  }
  const at::Tensor& values = entry.original.defined() ? entry.original : model_.tensors()[source].tensor;
  weight.recipe = recipe_from_values(weight, values, use);
  entry.kept = is_exact(weight.recipe);
  if (keep_values && !entry.kept) {
    weight.recipe = StoredRecipe{};
    entry.kept = true;
  }
}

std::vector<at::Tensor> WeightSet::tensors(const Recording& recording) const {
  std::vector<at::Tensor> tensors;
  for (const std::size_t source : recording.weight_sources) tensors.push_back(model_.tensors()[source].tensor);
  return tensors;
}

void WeightSet::draw(const Recording& recording) {
  for (std::size_t i = 0; i < recording.graph.weights.size(); ++i) {
    if (!entries_[recording.weight_sources[i]].kept) draw(recording, i);
  }
  restore(recording);
}

void WeightSet::draw(const Recording& recording, std::size_t weight) {
  const Weight& drawn = recording.graph.weights[weight];
  if (std::holds_alternative<ViewRecipe>(drawn.recipe) || std::holds_alternative<StoredRecipe>(drawn.recipe)) return;
  const std::size_t source = recording.weight_sources[weight];
  const ValueId id = recording.graph.first_weight() + static_cast<ValueId>(weight);
  at::Tensor tensor = model_.tensors()[source].tensor;
  if (tiled_ && entries_[source].without_values) {
    tiles_.refill(tensor, drawn.type, drawn.recipe, seed_, id);
  } else {
    refill(tensor, drawn.recipe, seed_, id);
  }
}

void WeightSet::restore(const Recording& recording) {
  const Aliases aliases = find_aliases(recording.graph);
  for (std::size_t i = 0; i < recording.graph.weights.size(); ++i) {
    if (aliases.written[recording.graph.first_weight() + i]) restore_or_draw(recording, i);
  }
}

void WeightSet::restore_or_draw(const Recording& recording, std::size_t weight) {
  const std::size_t source = recording.weight_sources[weight];
  const Entry& entry = entries_[source];
  if (entry.kept && entry.original.defined()) {
    at::Tensor tensor = model_.tensors()[source].tensor;
    const c10::InferenceMode without_gradients;
    tensor.copy_(entry.original);
  } else {
    draw(recording, weight);
  }
}

std::vector<bool> WeightSet::may_change(const Recording& recording) const {
  std::vector<bool> may_change;
  for (std::size_t i = 0; i < recording.graph.weights.size(); ++i) {
    const Recipe& recipe = recording.graph.weights[i].recipe;
    may_change.push_back(!std::holds_alternative<ViewRecipe>(recipe) && !std::holds_alternative<StoredRecipe>(recipe));
  }
  return may_change;
}

}  // namespace graphnet
