#include "graphnet/runtime/tensors.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/StringUtil.h>

#include "graphnet/runtime/compare.h"
#include "graphnet/runtime/convert.h"
#include "graphnet/runtime/parallel.h"
#include "graphnet/sample/generator.h"
#include "graphnet/support/error.h"
#include "graphnet/support/sha256.h"

namespace graphnet {
namespace {

// Fewer elements are not worth a thread of their own.
constexpr std::int64_t kGrain = std::int64_t{1} << 16;

// The bytes of a contiguous tensor on the CPU.
std::span<std::byte> bytes_of(at::Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.mutable_data_ptr()), tensor.nbytes()};
}

void fill_contiguous(at::Tensor& tensor, const Recipe& recipe, Stream stream) {
  const Dtype dtype = to_dtype(tensor.scalar_type());
  const std::span<std::byte> bytes = bytes_of(tensor);
  const std::size_t size = dtype_size(dtype);
  // A recipe that does not suit the dtype throws here, not on another thread.
  fill(bytes.first(0), dtype, recipe, stream, 0);
  for_each_part(split(tensor.numel(), at::get_num_threads(), kGrain), [&](const Part& part) {
    const auto first = static_cast<std::size_t>(part.begin) * size;
    const auto count = static_cast<std::size_t>(part.end - part.begin) * size;
    fill(bytes.subspan(first, count), dtype, recipe, stream, part.begin);
    return true;
  });
}

void copy_stored(at::Tensor& tensor, const TensorType& type, const StoredRecipe& recipe, ValueId id,
                 const SafetensorsFile* weights) {
  const std::string name = c10::str("%", id);
  if (weights == nullptr) {
    throw Error(ErrorKind::kInput,
                name + " is stored in " + std::string(kWeightsFile) + ", which the sample does not have");
  }
  const auto entry = weights->entries().find(name);
  if (entry == weights->entries().end()) {
    throw Error(ErrorKind::kInput, std::string(kWeightsFile) + ": no tensor " + name);
  }
  const SafetensorsFile::Entry& stored = entry->second;
  if (stored.type.dtype != type.dtype || stored.type.shape != type.shape) {
    throw Error(ErrorKind::kInput, std::string(kWeightsFile) + ": " + name + " is " + to_string(stored.type) +
                                       " where the graph has " + to_string(type));
  }
  Sha256 digest;
  digest.update(stored.bytes);
  if (digest.finish() != recipe.sha256) {
    throw Error(ErrorKind::kInput, std::string(kWeightsFile) + ": the contents of " + name + " have changed");
  }
  if (!stored.bytes.empty()) std::memcpy(tensor.mutable_data_ptr(), stored.bytes.data(), stored.bytes.size());
}

// The same elements in the type's strides, on the device.
at::Tensor arranged(const at::Tensor& contiguous, const TensorType& type, c10::Device device) {
  if (type.strides.empty()) return contiguous.to(device);
  return at::empty_strided(type.shape, type.strides, contiguous.options().device(device)).copy_(contiguous);
}

// One element expanded to the type's shape.
at::Tensor make_broadcast(const TensorType& type, const Recipe& recipe, std::uint64_t seed, ValueId id,
                          c10::Device device) {
  const TensorType one{type.dtype, std::vector<std::int64_t>(type.shape.size(), 1), {}};
  return make_tensor(one, recipe, seed, id, device).expand(type.shape);
}

at::Tensor make_view(const at::Tensor& base, const TensorType& type, std::int64_t offset) {
  const std::vector<std::int64_t> strides = type.strides.empty() ? contiguous_strides(type.shape) : type.strides;
  return base.as_strided(type.shape, strides, base.storage_offset() + offset);
}

// Whether a weight may repeat part of its contents: integers and tables mean something where they stand.
bool is_repeatable(const TensorType& type, const Recipe& recipe) {
  const bool is_real = is_floating(type.dtype) || is_complex(type.dtype);
  return is_real && (!is_exact(recipe) || std::holds_alternative<ConstantRecipe>(recipe) ||
                     std::holds_alternative<StoredRecipe>(recipe));
}

// What a repeated weight is drawn from: a small deviation stands for stored contents.
Recipe drawn_recipe(const Recipe& recipe) {
  return std::holds_alternative<StoredRecipe>(recipe) ? NormalRecipe{0.0, 0.02} : recipe;
}

// The file of stored weights, where the graph has any.
std::optional<SafetensorsFile> open_stored_weights(const Sample& sample) {
  const auto is_stored = [](const auto& tensor) { return std::holds_alternative<StoredRecipe>(tensor.recipe); };
  std::optional<SafetensorsFile> file;
  if (std::ranges::any_of(sample.graph.weights, is_stored) || std::ranges::any_of(sample.graph.constants, is_stored)) {
    file.emplace(sample.directory / kWeightsFile);
  }
  return file;
}

}  // namespace

at::Tensor make_tensor(const TensorType& type, const Recipe& recipe, std::uint64_t seed, ValueId id, c10::Device device,
                       const SafetensorsFile* weights) {
  at::Tensor tensor = at::empty(type.shape, at::dtype(to_scalar_type(type.dtype)));
  if (const auto* stored = std::get_if<StoredRecipe>(&recipe)) {
    copy_stored(tensor, type, *stored, id, weights);
  } else {
    fill_contiguous(tensor, recipe, {seed, id});
  }
  return arranged(tensor, type, device);
}

void refill(at::Tensor& tensor, const Recipe& recipe, std::uint64_t seed, ValueId id) {
  if (tensor.is_cpu() && tensor.is_contiguous()) {
    fill_contiguous(tensor, recipe, {seed, id});
    return;
  }
  const c10::InferenceMode without_gradients;
  at::Tensor contiguous = at::empty(tensor.sizes(), at::dtype(tensor.scalar_type()));
  fill_contiguous(contiguous, recipe, {seed, id});
  tensor.copy_(contiguous);
}

GraphTensors make_tensors(const Sample& sample, std::uint64_t seed, c10::Device device, WeightStorage storage) {
  const Graph& graph = sample.graph;
  const std::optional<SafetensorsFile> file = open_stored_weights(sample);
  const SafetensorsFile* stored = file ? &*file : nullptr;

  GraphTensors tensors;
  const bool tiled = storage == WeightStorage::kRepeated && device.is_cpu();
  if (tiled) tensors.tiles = std::make_shared<TiledMemory>();
  tensors.inputs = make_inputs(graph, seed, device);
  ValueId id = graph.first_weight();
  for (const Weight& weight : graph.weights) {
    const auto* view = std::get_if<ViewRecipe>(&weight.recipe);
    const std::size_t base = view == nullptr ? 0 : view->base - graph.first_weight();
    const Recipe& recipe = view == nullptr ? weight.recipe : graph.weights[base].recipe;
    const bool repeated = storage == WeightStorage::kRepeated && is_repeatable(weight.type, recipe);
    if (repeated && !tiled) {
      // A view of a broadcast weight is broadcast from an element of its own.
      tensors.weights.push_back(make_broadcast(weight.type, drawn_recipe(recipe), seed, id, device));
    } else if (view != nullptr) {
      tensors.weights.push_back(make_view(tensors.weights[base], weight.type, view->offset));
    } else if (repeated) {
      tensors.weights.push_back(tensors.tiles->make(weight.type, drawn_recipe(recipe), seed, id));
    } else {
      tensors.weights.push_back(make_tensor(weight.type, recipe, seed, id, device, stored));
    }
    ++id;
  }
  for (const Constant& constant : graph.constants) {
    tensors.constants.push_back(make_tensor(constant.type, constant.recipe, seed, id++, device, stored));
  }
  return tensors;
}

std::vector<at::Tensor> make_inputs(const Graph& graph, std::uint64_t seed, c10::Device device) {
  std::vector<at::Tensor> inputs;
  for (const Input& input : graph.inputs) {
    inputs.push_back(make_tensor(input.type, input.recipe, seed, static_cast<ValueId>(inputs.size()), device));
  }
  return inputs;
}

bool hold_drawn_weights(const GraphTensors& tensors, const Sample& sample, std::uint64_t seed) {
  const Graph& graph = sample.graph;
  const std::optional<SafetensorsFile> file = open_stored_weights(sample);
  const auto holds = [&](const at::Tensor& tensor, const auto& drawn, ValueId id) {
    if (std::holds_alternative<ViewRecipe>(drawn.recipe)) return true;  // its base is looked at
    return same_contents(tensor, make_tensor(drawn.type, drawn.recipe, seed, id, c10::kCPU, file ? &*file : nullptr));
  };
  ValueId id = graph.first_weight();
  for (std::size_t i = 0; i < graph.weights.size(); ++i) {
    if (!holds(tensors.weights[i], graph.weights[i], id++)) return false;
  }
  for (std::size_t i = 0; i < graph.constants.size(); ++i) {
    if (!holds(tensors.constants[i], graph.constants[i], id++)) return false;
  }
  return true;
}

bool hold_drawn_inputs(const std::vector<at::Tensor>& inputs, const Graph& graph, std::uint64_t seed) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input& drawn = graph.inputs[i];
    const at::Tensor again = make_tensor(drawn.type, drawn.recipe, seed, static_cast<ValueId>(i), c10::kCPU);
    if (!same_contents(inputs[i], again)) return false;
  }
  return true;
}

}  // namespace graphnet
