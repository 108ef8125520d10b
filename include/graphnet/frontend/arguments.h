// Forward's arguments: the user's inputs matched with the function's schema, and values made from them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include "graphnet/sample/input_spec.h"

namespace graphnet {

// The arguments of a method but its first, the module itself.
std::span<const c10::Argument> arguments_of(const c10::FunctionSchema& schema);

// One value for every argument of forward but the module.
class Arguments {
 public:
  // Inputs without a name are matched by position, after them those with one; arguments that are left take their
  // default, or none where their type is Optional. Throws Error(kUsage) naming the argument, what was given and what it
  // takes, with `help` (the signature and an example) at the end.
  Arguments(const c10::FunctionSchema& schema, const std::vector<NamedInput>& inputs, const std::string& help);

  // The tensors among the arguments, in order, with names such as "x", "batch.mask", "pair.0".
  const std::vector<std::pair<std::string, TensorSpec>>& tensors() const { return tensors_; }

  // The arguments as they were given, in forward's order and all with their names.
  const std::vector<NamedInput>& given() const { return given_; }

  // The arguments of one call, with containers of the types that the schema asks for. Takes one tensor for each of
  // tensors().
  std::vector<c10::IValue> values(const std::vector<at::Tensor>& tensors) const;

 private:
  struct Slot {
    c10::TypePtr type;
    std::optional<std::size_t> given;  // into given_; without it the argument takes its default
    c10::IValue default_value;
  };
  std::vector<NamedInput> given_;
  std::vector<Slot> slots_;
  std::vector<std::pair<std::string, TensorSpec>> tensors_;
};

// A signature as a person reads it: "forward(Tensor input_ids, Tensor? mask=None) -> Tensor", the module left out.
std::string signature_text(const c10::FunctionSchema& schema);

}  // namespace graphnet
