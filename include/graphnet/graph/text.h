// The canonical text form of a graph (graph.json): JSON with one input, weight, constant, operator and call a line, so
// that diff and grep work. Two writers give the same bytes.
//
//   {"graphnet":1,
//   "inputs":[
//   {"value":"%0","name":"x","type":"float32[1,3,224,224]","recipe":"normal(0.0,1.0)"}
//   ],
//   "weights":[
//   {"value":"%1","name":"conv1.weight","type":"float32[64,3,7,7]","recipe":"normal(0.0,0.05)"},
//   {"value":"%2","name":"bn1.running_mean","type":"float32[64]","recipe":"constant(0.0)","buffer":true}
//   ],
//   "constants":[
//   {"value":"%3","type":"int64[]","recipe":"constant(1)"}
//   ],
//   "operators":[
//   "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, ...) -> Tensor"
//   ],
//   "calls":[
//   ["aten::conv2d",["%0","%1",null,[2,2],[3,3],[1,1],1],["%4 float32[1,64,112,112]"]],
//   ["aten::split.Tensor",["%4",32,1],[["%5 float32[1,32,112,112]{802816,12544,112,1}","%6 float32[1,32,112,112]"]]]
//   ],
//   "output":{"tuple":["%5","%6"]}}
//
// Arguments: null none; true/false bool; 3 int; 3.0, 1e-05 float (always with point or exponent, shortest round trip;
// -0.0 kept); {"float":"inf"|"-inf"|"nan"}; {"complex":[1.0,2.0]}; "%4" value; {"string":"gelu"};
// {"dtype":"float32"}; {"layout":"strided"}; {"memory_format":"channels_last"}; {"device":"sample"|"cpu"}; [..] list.
// Results: "%4 TYPE", a list of those for Tensor[], null for what is no tensor.
// Output: an argument (no list kind), [..] list, {"tuple":[..]}, {"dict":[[key,output],..]}.
// Empty sections are written as [] on their own line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graphnet/graph/graph.h"

namespace graphnet {

// The format version this program writes; it reads this one and older ones.
inline constexpr std::int64_t kGraphFormatVersion = 1;

// Limits that a reader enforces before it allocates.
struct TextLimits {
  std::size_t bytes = std::size_t{1} << 30;  // of the whole file
  std::size_t calls = 4'000'000;
  std::size_t values = 16'000'000;
  std::size_t arguments_a_call = 65'536;  // and as many results; list elements included
  std::size_t nesting = 16;               // of lists and outputs
};

std::string write_graph(const Graph& graph);

// Reads and checks (check(Graph)) a graph. `file` is the name used in messages. Throws Error(kInput) as
// "file:line: what was expected, what was found": malformed JSON, unknown, repeated or unordered keys, wrong kinds,
// dangling values, over-long lists, a format version newer than this program's. White space may be laid out in any way,
// but keys come in the order shown above. A graph that was written by write_graph is read and written again with the
// same bytes. Memory is bounded by the size of the text, whatever sizes it claims.
Graph read_graph(std::string_view text, std::string_view file, const TextLimits& limits = {});

// One call, argument or output as a line of the text form. For messages and tests.
std::string to_text(const Graph& graph, const Call& call);
std::string to_text(const Argument& argument);
std::string to_text(const Output& output);

}  // namespace graphnet
