// What a model is called with: `--input [name=]SHAPE[:DTYPE][@RULE]`, `--inputs FILE.json`, and the "inputs" of an
// archive's graphnet.json, in one grammar.
//
// A spec's text is a tensor ("1x3x224x224", "input_ids=1x128:int64@0..30522", "mask=1x128:bool@ones", "scalar:float32")
// or a plain argument ("sr=16000:int", "0.5:float", "flag=true:bool", "abc:str", "none"). In JSON a string is a spec,
// numbers, booleans and null are themselves, an array is a List, {"tuple":[..]}, {"dict":{key:node}} and
// {"string":".."} are what they say.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graphnet/graph/argument.h"
#include "graphnet/graph/recipe.h"
#include "graphnet/graph/tensor_type.h"

namespace graphnet {

struct TensorSpec {
  TensorType type;
  Recipe recipe;
  bool rule_given = false;  // false where the rule is the dtype's default
};

// One argument of forward: a tensor, plain data, or a container of nodes.
struct InputNode {
  struct List {
    std::vector<InputNode> items;
  };
  struct Tuple {
    std::vector<InputNode> items;
  };
  struct Dict {
    std::vector<std::pair<std::string, InputNode>> items;
  };
  std::variant<TensorSpec, Argument, List, Tuple, Dict> node;  // an Argument here is none, bool, int, float or string
};

struct NamedInput {
  std::string name;  // empty where the spec gave none: matched by position
  InputNode value;
};

// Throws Error(kUsage) quoting the spec and saying which part is wrong and what would be right.
NamedInput parse_input_spec(std::string_view text);

// The JSON form: an object of argument name -> node. Throws Error(kInput) naming file and key.
std::vector<NamedInput> parse_inputs_json(std::string_view text, std::string_view file);

// The canonical JSON form, on one line, as kept in sample.json ("arguments").
std::string write_inputs_json(const std::vector<NamedInput>& inputs);

// The tensors among the inputs in order, with names such as "x", "batch.mask", "pair.0".
std::vector<std::pair<std::string, const TensorSpec*>> tensors_of(const std::vector<NamedInput>& inputs);

}  // namespace graphnet
