// Operator schemas, parsed from the text that LibTorch prints: argument names, types and aliasing without LibTorch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphnet {

struct SchemaArgument {
  std::string name;
  std::string type;          // as printed, without alias annotation: "Tensor", "Tensor?", "int[2]", "Tensor[]"
  std::string default_text;  // as printed; empty where there is none
  bool has_default = false;
  bool keyword_only = false;
  bool is_written = false;  // an in-place or out argument: "Tensor(a!)"
  std::string alias;        // the alias set, "a" in "Tensor(a!)" and "Tensor(a)"; empty where there is none
};

struct Schema {
  std::string name;      // "aten::add"
  std::string overload;  // "Tensor" or ""
  std::vector<SchemaArgument> arguments;
  std::vector<SchemaArgument> returns;
};

// Throws Error(kInput) naming the column and what was expected. Bounded: text of at most 64 KiB.
Schema parse_schema(std::string_view text);

}  // namespace graphnet
