#include "input_help.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <ATen/core/jit_type.h>

#include "graphnet/frontend/arguments.h"

namespace graphnet {
namespace {

bool holds(const std::vector<KnownTensor>& tensors, const std::string& name) {
  return std::any_of(tensors.begin(), tensors.end(), [&](const KnownTensor& known) { return known.name == name; });
}

// Whether this is the weight of a linear layer, told from an embedding's by the bias beside it.
bool has_bias(const std::vector<KnownTensor>& tensors, const std::string& name) {
  constexpr std::string_view kWeight = "weight";
  return name.ends_with(kWeight) && holds(tensors, name.substr(0, name.size() - kWeight.size()) + "bias");
}

// A shape that forward's first tensor is likely to take, judged by the model's first weight.
std::string likely_spec(const std::vector<KnownTensor>& tensors) {
  for (const KnownTensor& known : tensors) {
    const auto sizes = known.tensor.sizes();
    const auto size = [&](std::size_t i) { return std::to_string(sizes[i]); };
    if (sizes.size() == 2 && known.name.ends_with("weight_ih_l0")) return "1x16x" + size(1);
    if (sizes.size() == 2 && has_bias(tensors, known.name)) return "1x" + size(1);
    if (sizes.size() == 4) return "1x" + size(1) + "x224x224";
    if (sizes.size() == 5) return "1x" + size(1) + "x8x112x112";
    if (sizes.size() == 3) return "1x" + size(1) + "x16000";
    if (sizes.size() == 2 && sizes[0] > 2 * sizes[1]) return "1x16:int64@0.." + size(0);
    if (sizes.size() == 2) return "1x" + size(1);
  }
  return "1x16";
}

bool looks_like_indices(const std::string& name) {
  return name.find("ids") != std::string::npos || name.find("token") != std::string::npos ||
         name.find("index") != std::string::npos;
}

std::string example_value(const c10::TypePtr& type, const std::string& name, const std::string& first_spec,
                          bool first) {
  switch (type->kind()) {
    case c10::TypeKind::IntType:
      return "1:int";
    case c10::TypeKind::FloatType:
      return "1.0:float";
    case c10::TypeKind::BoolType:
      return "true:bool";
    case c10::TypeKind::StringType:
      return "text:str";
    case c10::TypeKind::TensorType:
      if (name.find("mask") != std::string::npos) return "1x16:int64@ones";
      if (looks_like_indices(name) && first_spec.find("int64") == std::string::npos) return "1x16:int64@0..100";
      return first || looks_like_indices(name) ? first_spec : "1x16";
    default:
      return {};
  }
}

}  // namespace

std::string input_help(const c10::FunctionSchema& schema, const std::vector<KnownTensor>& tensors) {
  const std::string first_spec = likely_spec(tensors);
  std::string example;
  bool simple = true;
  bool first = true;
  for (const c10::Argument& argument : arguments_of(schema)) {
    if (argument.default_value()) continue;
    if (argument.type()->kind() == c10::TypeKind::OptionalType) continue;
    const std::string value = example_value(argument.type(), argument.name(), first_spec, first);
    simple = simple && !value.empty();
    example += " --input " + argument.name() + "=" + value;
    first = false;
  }
  std::string help = "Signature: " + signature_text(schema) + "\n";
  if (simple) return help + "Example:  " + example + "   (SHAPE[:DTYPE][@RULE]; adjust the sizes)";
  help += "Example:   --inputs FILE.json, with {";
  first = true;
  for (const c10::Argument& argument : arguments_of(schema)) {
    if (argument.default_value()) continue;
    const auto kind = argument.type()->kind();
    const std::string value = kind == c10::TypeKind::ListType    ? "[\"" + first_spec + "\"]"
                              : kind == c10::TypeKind::TupleType ? "{\"tuple\":[\"" + first_spec + "\", ...]}"
                              : kind == c10::TypeKind::DictType  ? "{\"dict\":{\"key\":\"" + first_spec + "\"}}"
                                                                 : "\"" + first_spec + "\"";
    help += std::string(first ? "" : ", ") + "\"" + argument.name() + "\":" + value;
    first = false;
  }
  return help + "}";
}

}  // namespace graphnet
