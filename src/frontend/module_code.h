// The code of a TorchScript module: its nodes, and those among them where a tensor's value decides what runs.
#pragma once

#include <functional>
#include <string>

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

namespace graphnet {

// Calls `visit` for every node of the module's methods, of its parts' methods, of their blocks and of the functions
// that they call.
void for_each_node(const torch::jit::Module& module, const std::function<void(torch::jit::Node*)>& visit);

// Whether the node turns a tensor's value into a number.
bool reads_value(const torch::jit::Node* node);

// "code/__torch__/model.py:12: if bool(torch.gt(x, 0)):", or nothing where the source is not known.
std::string line_at(const torch::jit::SourceRange& range);

// The same, or the operator's name.
std::string line_of(const torch::jit::Node* node);

}  // namespace graphnet
