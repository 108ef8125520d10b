// A small graph in canonical text that looks like a real one: a convolution, an in-place update, a split, tied weights,
// a buffer, a constant, keyword arguments and a nested output. Lines are numbered in the comments for tests that name
// them.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "graphnet/graph/text.h"
#include "graphnet/support/error.h"

namespace graphnet::fixtures {

inline constexpr std::string_view kExample = R"graph({"graphnet":1,
"inputs":[
{"value":"%0","name":"image","type":"float32[1,3,8,8]","recipe":"normal(0.0,1.0)"},
{"value":"%1","name":"ids","type":"int64[1,4]","recipe":"range(0,10)"}
],
"weights":[
{"value":"%2","name":"conv.weight","type":"float32[4,3,3,3]","recipe":"normal(0.0,0.2)"},
{"value":"%3","name":"conv.tied","type":"float32[2,3,3,3]","recipe":"view(%2,54)"},
{"value":"%4","name":"embedding.weight","type":"float32[10,4]","recipe":"normal(0.0,1.0)"},
{"value":"%5","name":"table","type":"int64[4]","recipe":"arange(0,1)","buffer":true}
],
"constants":[
{"value":"%6","type":"float32[]","recipe":"constant(0.5)"}
],
"operators":[
"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
"aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
"aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor",
"aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
"aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor",
"aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
"aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]"
],
"calls":[
["aten::conv2d",["%0","%2",null,[1,1],[1,1],[1,1],1],["%7 float32[1,4,8,8]"]],
["aten::mul_.Tensor",["%7","%6"],["%7 float32[1,4,8,8]"]],
["aten::split.Tensor",["%7",2,1],[["%8 float32[1,2,8,8]{256,64,8,1}","%9 float32[1,2,8,8]{256,64,8,1}"]]],
["aten::gelu",["%8",{"string":"tanh"}],["%10 float32[1,2,8,8]"]],
["aten::add.Tensor",["%10","%9",-0.5],["%11 float32[1,2,8,8]"]],
["aten::conv2d",["%0","%3",null,[2,2],[1,1],[1,1],1],["%12 float32[1,2,4,4]"]],
["aten::embedding",["%4","%1",-1,false,false],["%13 float32[1,4,4]"]],
["aten::arange.start",[0,4,{"dtype":"int64"},null,{"device":"sample"},false],["%14 int64[4]"]]
],
"output":{"dict":[[{"string":"maps"},{"tuple":["%11","%12"]}],[{"string":"tokens"},["%13","%14","%5"]]]}}
)graph";

inline Graph example() {
  return read_graph(kExample, "example");
}

// The text with its first `from` replaced by `to`. Fails the test where there is none.
inline std::string changed(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const std::size_t at = result.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << "the text has no " << from;
    return result;
  }
  return result.replace(at, from.size(), to);
}

// What reading the text complains of; "no error" where it does not.
inline std::string error_of(std::string_view text, const TextLimits& limits = {}) {
  try {
    read_graph(text, "graph.json", limits);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "no error";
}

}  // namespace graphnet::fixtures
