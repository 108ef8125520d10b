#include "graphnet/frontend/input_file.h"

#include <cstddef>
#include <span>
#include <sstream>
#include <string>

#include <ATen/ATen.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include "graphnet/runtime/convert.h"
#include "graphnet/runtime/exception_text.h"
#include "graphnet/sample/infer_recipe.h"
#include "graphnet/sample/safetensors.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileLimit = std::size_t{4} << 30;
constexpr int kDeepestNesting = 16;

// Bytes of text up to which contents are kept.
constexpr std::size_t kTextOfReals = std::size_t{1} << 10;
constexpr std::size_t kTextOfIntegers = std::size_t{16} << 10;
constexpr std::size_t kTextOfKeptIntegers = std::size_t{1} << 20;

Recipe recipe_of(std::span<const std::byte> bytes, Dtype dtype, KeptContents kept) {
  const std::size_t integers = kept == KeptContents::kIntegers ? kTextOfKeptIntegers : kTextOfIntegers;
  const bool real = is_floating(dtype) || is_complex(dtype);
  if (const auto exact = infer_exact(bytes, dtype, real ? kTextOfReals : integers)) return *exact;
  return recipe_from_statistics(measure(bytes, dtype), dtype);
}

TensorSpec spec_of(const at::Tensor& tensor, KeptContents kept) {
  const at::Tensor dense = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous();
  const TensorType type = type_of(dense);
  const std::span bytes(static_cast<const std::byte*>(dense.const_data_ptr()), dense.nbytes());
  return {type, recipe_of(bytes, type.dtype, kept), true};
}

// A value of a torch.save file as an input.
InputNode node_of(const c10::IValue& value, KeptContents kept, int depth) {
  if (depth > kDeepestNesting) throw Error(ErrorKind::kInput, "nested too deeply");
  if (value.isTensor()) return {spec_of(value.toTensor(), kept)};
  if (value.isNone()) return {Argument{None{}}};
  if (value.isBool()) return {Argument{value.toBool()}};
  if (value.isInt()) return {Argument{value.toInt()}};
  if (value.isDouble()) return {Argument{value.toDouble()}};
  if (value.isString()) return {Argument{value.toStringRef()}};
  if (value.isTuple()) {
    InputNode::Tuple tuple;
    for (const c10::IValue& element : value.toTupleRef().elements())
      tuple.items.push_back(node_of(element, kept, depth + 1));
    return {tuple};
  }
  if (value.isList()) {
    InputNode::List list;
    for (const c10::IValue& element : value.toList().vec()) list.items.push_back(node_of(element, kept, depth + 1));
    return {list};
  }
  if (value.isGenericDict()) {
    InputNode::Dict dict;
    for (const auto& entry : value.toGenericDict()) {
      std::ostringstream key;
      key << entry.key();
      dict.items.emplace_back(entry.key().isString() ? entry.key().toStringRef() : key.str(),
                              node_of(entry.value(), kept, depth + 1));
    }
    return {dict};
  }
  throw Error(ErrorKind::kInput, "a " + value.tagKind() + " cannot be an input");
}

// A dict gives arguments by name, a tuple or list by position, anything else the only one.
std::vector<NamedInput> inputs_of(const c10::IValue& value, KeptContents kept) {
  std::vector<NamedInput> inputs;
  InputNode node = node_of(value, kept, 0);
  if (auto* dict = std::get_if<InputNode::Dict>(&node.node)) {
    for (auto& [name, item] : dict->items) inputs.push_back({name, std::move(item)});
  } else if (auto* tuple = std::get_if<InputNode::Tuple>(&node.node)) {
    for (InputNode& item : tuple->items) inputs.push_back({"", std::move(item)});
  } else if (auto* list = std::get_if<InputNode::List>(&node.node)) {
    for (InputNode& item : list->items) inputs.push_back({"", std::move(item)});
  } else {
    inputs.push_back({"", std::move(node)});
  }
  return inputs;
}

std::vector<NamedInput> read_torch_save(const fs::path& path, KeptContents kept) {
  const std::string text = read_file(path, kFileLimit);
  if (!text.starts_with("PK\x03\x04")) {
    throw Error(ErrorKind::kInput, path.string() +
                                       ": neither JSON, safetensors nor a file of torch.save (those are zip "
                                       "files; write it with torch.save of torch >= 1.6)");
  }
  try {
    return inputs_of(torch::jit::pickle_load(std::vector<char>(text.begin(), text.end())), kept);
  } catch (const Error& error) {
    throw error.with_context(path.string());
  } catch (const std::exception& exception) {
    throw Error(ErrorKind::kInput,
                path.string() + ": cannot be read as a file of torch.save: " + excerpt(exception_text(exception), 300) +
                    " (save a dict, tuple or list of plain tensors)");
  }
}

std::vector<NamedInput> read_safetensors(const fs::path& path, KeptContents kept) {
  std::vector<NamedInput> inputs;
  const SafetensorsFile file(path);
  for (const auto& [name, entry] : file.entries()) {
    const TensorSpec spec{entry.type, recipe_of(entry.bytes, entry.type.dtype, kept), true};
    inputs.push_back({name, {spec}});
  }
  return inputs;
}

}  // namespace

std::vector<NamedInput> read_input_file(const fs::path& path, KeptContents kept) {
  std::error_code code;
  if (!fs::exists(path, code)) throw Error(ErrorKind::kUsage, "--inputs: " + path.string() + ": no such file");
  const std::string extension = path.extension().string();
  if (extension == ".safetensors") return read_safetensors(path, kept);
  if (extension == ".json") return parse_inputs_json(read_file(path), path.string());
  return read_torch_save(path, kept);
}

}  // namespace graphnet
