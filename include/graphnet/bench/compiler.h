// Which compilers can be asked for, and what a user's `--compiler NAME[:OPTION=VALUE]...` means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace graphnet {

// How graphnet drives a compiler.
enum class CompilerKind {
  kInProcess,    // the worker does it all: eager, torchscript
  kAheadOfTime,  // a Python process compiles a package that the worker loads and times: inductor
};

struct Compiler {
  std::string name;  // "inductor"
  CompilerKind kind = CompilerKind::kInProcess;
  nlohmann::json options;  // an object; values are booleans, numbers or strings
  std::string label;       // as it was asked for, options included: "inductor:max_autotune=true"
};

// Throws Error(kUsage) naming the compilers that there are.
Compiler parse_compiler(std::string_view text);

// "inductor,torchscript" -> one each; empty parts are errors, and so are repeated ones.
std::vector<Compiler> parse_compilers(const std::vector<std::string>& texts);

}  // namespace graphnet
