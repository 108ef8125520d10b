// Operator schemas, parsed from the text that LibTorch prints: argument names, types and aliasing without LibTorch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphnet {

struct SchemaArgument {
  std::string name;          // empty for a return without a name
  std::string type;          // as printed, without alias annotations: "Tensor", "Tensor?", "int[2]", "Tensor[]"
  std::string default_text;  // as printed: "None", "1", "[0, 1]", "\"mean\""; empty where there is none
  bool has_default = false;
  bool keyword_only = false;
  bool is_written = false;  // an in-place or out argument: "Tensor(a!)"
  std::string alias;        // the alias set, "a" in "Tensor(a!)", "Tensor(a)" and "Tensor(a -> *)"; empty without one
  bool operator==(const SchemaArgument&) const = default;
};

struct Schema {
  std::string name;      // "aten::add"
  std::string overload;  // "Tensor" or ""
  std::vector<SchemaArgument> arguments;
  std::vector<SchemaArgument> returns;
  bool is_variadic = false;           // "...": further arguments of any type and number
  bool has_variadic_returns = false;  // "-> ..."
  bool operator==(const Schema&) const = default;
};

// Throws Error(kInput) naming the column and what was expected. Bounded: text of at most 64 KiB, types nested at most
// 16 deep.
Schema parse_schema(std::string_view text);

}  // namespace graphnet
