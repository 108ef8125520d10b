// The operators of TorchScript source that reach out of the program, found before any of it runs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace graphnet {

struct SystemCall {
  std::string name;      // "aten::save"
  std::string_view use;  // as system_use() tells
  std::size_t line = 0;  // from 1 on
};

// The first `torch.NAME` or `ops.NAMESPACE.NAME` that system_use() knows, whatever white space is in it. Strings and
// comments are read like code: hiding a call in what only looks like one must not help. `torch` and `ops` that are
// handed on by another name are told as calls too, as no program writes them so.
std::optional<SystemCall> find_system_call(std::string_view code);

}  // namespace graphnet
