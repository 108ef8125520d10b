#include "graphnet/runtime/candidate.h"

#include <fstream>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/StringUtil.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/graph/text.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

namespace graphnet {
namespace {

using testing::HasSubstr;

// A graph from its text, whose operators are given by name and overload only.
Graph make_graph(const std::string& values, const std::vector<c10::OperatorName>& operators, const std::string& rest) {
  std::string schemas;
  for (const c10::OperatorName& name : operators) {
    const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(name.name.c_str(), name.overload_name.c_str());
    schemas += schemas.empty() ? "\"" : ",\"";
    for (const char c : c10::str(op.schema())) {
      if (c == '"') schemas += '\\';
      schemas += c;
    }
    schemas += '"';
  }
  return read_graph(c10::str("{\"graphnet\":1,", values, ",\"operators\":[", schemas, "],", rest, "}"), "test");
}

// Every kind of argument; a weight and an input that are written to; a tied weight; lists; a result used twice.
Graph varied_graph() {
  return make_graph(
      R"json("inputs":[{"value":"%0","name":"x","type":"float32[2,4]","recipe":"normal(0.0,1.0)"}],
         "weights":[{"value":"%1","name":"w","type":"float32[4,4]{1,4}","recipe":"normal(0.0,1.0)"},
                    {"value":"%2","name":"scale","type":"float32[4]","recipe":"normal(0.0,1.0)"},
                    {"value":"%3","name":"tied","type":"float32[4]","recipe":"view(%1,4)"}],
         "constants":[{"value":"%4","type":"int64[2]","recipe":"values(1,0)"}])json",
      {{"aten::add", "Tensor"},
       {"aten::add_", "Tensor"},
       {"aten::cat", ""},
       {"aten::gelu", ""},
       {"aten::index", "Tensor"},
       {"aten::linear", ""},
       {"aten::max", "dim"},
       {"aten::mul_", "Tensor"},
       {"aten::split", "Tensor"},
       {"aten::to", "dtype"},
       {"aten::zeros", ""}},
      R"json("calls":[
         ["aten::mul_.Tensor",["%2","%2"],["%2 float32[4]"]],
         ["aten::add_.Tensor",["%0","%2",1],["%0 float32[2,4]"]],
         ["aten::linear",["%0","%1","%3"],["%5 float32[2,4]"]],
         ["aten::gelu",["%5",{"string":"tanh"}],["%6 float32[2,4]"]],
         ["aten::split.Tensor",["%6",1,0],[["%7 float32[1,4]","%8 float32[1,4]"]]],
         ["aten::cat",[["%8","%7"],0],["%9 float32[2,4]"]],
         ["aten::index.Tensor",["%9",[null,"%4"]],["%10 float32[2,2]"]],
         ["aten::max.dim",["%10",-1,false],["%11 float32[2]","%12 int64[2]"]],
         ["aten::to.dtype",["%11",{"dtype":"float64"},false,false,null],["%13 float64[2]"]],
         ["aten::zeros",[[2],{"dtype":"float32"},{"layout":"strided"},{"device":"sample"},false],["%14 float32[2]"]],
         ["aten::add.Tensor",["%11","%14",2],["%15 float32[2]"]]],
         "output":{"tuple":["%15",["%12","%13"],"%0","%10","%15"]})json");
}

struct Tensors {
  at::Tensor storage = at::randn({4, 4});
  std::vector<at::Tensor> weights = {storage.t(), at::randn({4}), storage[1]};
  std::vector<at::Tensor> constants = {at::tensor({1, 0}, at::kLong)};
};

void expect_close(const std::vector<at::Tensor>& outputs, const std::vector<at::Tensor>& expected) {
  ASSERT_EQ(outputs.size(), expected.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(outputs[i].scalar_type(), expected[i].scalar_type()) << i;
    EXPECT_TRUE(at::allclose(outputs[i], expected[i], 1e-5, 1e-6)) << i;
  }
}

TEST(TorchScriptCandidate, GivesTheReferencesOutputsOnEveryRun) {
  const Graph graph = varied_graph();
  const Tensors tensors;
  const CandidateSource source{graph, tensors.weights, tensors.constants, c10::kCPU};
  const std::vector<at::Tensor> inputs = {at::randn({2, 4})};
  const auto reference = make_eager_candidate(source);
  const auto candidate = compile_torchscript(source, inputs);
  for (int run = 0; run < 3; ++run) {
    const std::vector<at::Tensor> fresh = {at::randn({2, 4})};
    expect_close(candidate->run(fresh), reference->run(fresh));
  }
}

TEST(TorchScriptCandidate, LeavesInputsAndWeightsAsTheyAre) {
  const Graph graph = varied_graph();
  const Tensors tensors;
  const std::vector<at::Tensor> inputs = {at::randn({2, 4})};
  const at::Tensor input = inputs[0].clone();
  const at::Tensor scale = tensors.weights[1].clone();
  const auto candidate = compile_torchscript({graph, tensors.weights, tensors.constants, c10::kCPU}, inputs);
  candidate->run(inputs);
  EXPECT_TRUE(at::equal(inputs[0], input));
  EXPECT_TRUE(at::equal(tensors.weights[1], scale));
}

TEST(TorchScriptCandidate, WorksWithoutOptimizingForInference) {
  const Graph graph = varied_graph();
  const Tensors tensors;
  const CandidateSource source{graph, tensors.weights, tensors.constants, c10::kCPU};
  const std::vector<at::Tensor> inputs = {at::randn({2, 4})};
  const auto candidate = compile_torchscript(source, inputs, {.optimize = false});
  expect_close(candidate->run(inputs), make_eager_candidate(source)->run(inputs));
}

TEST(TorchScriptCandidate, KeepsBoolsThatAreNumbers) {
  const Graph graph = make_graph(
      R"json("inputs":[{"value":"%0","name":"x","type":"bool[2]","recipe":"bernoulli(0.5)"}],"weights":[],"constants":[])json",
      {{"aten::add", "Scalar"}, {"aten::fill_", "Scalar"}, {"aten::full", ""}},
      R"json("calls":[["aten::full",[[2],true,null,null,{"device":"sample"},false],["%1 bool[2]"]],
                      ["aten::add.Scalar",["%0",false,1],["%2 bool[2]"]],
                      ["aten::add.Scalar",["%0",2,1],["%3 int64[2]"]],
                      ["aten::fill_.Scalar",["%3",true],["%3 int64[2]"]]],
             "output":{"tuple":["%1","%2","%3"]})json");
  const std::vector<at::Tensor> inputs = {at::tensor({1, 0}).to(at::kBool)};
  const CandidateSource source{graph, {}, {}, c10::kCPU};
  const std::vector<at::Tensor> expected = make_eager_candidate(source)->run(inputs);
  for (const bool optimize : {true, false}) {
    expect_close(compile_torchscript(source, inputs, {.optimize = optimize})->run(inputs), expected);
  }
}

TEST(TorchScriptCandidate, AFailingFirstRunNamesTheCause) {
  const Graph graph = make_graph(
      R"json("inputs":[{"value":"%0","name":"x","type":"float32[2]","recipe":"normal(0.0,1.0)"}],"weights":[],"constants":[])json",
      {{"aten::view", ""}}, R"json("calls":[["aten::view",["%0",[3]],["%1 float32[3]"]]],"output":"%1")json");
  const std::vector<at::Tensor> inputs = {at::randn({2})};
  try {
    compile_torchscript({graph, {}, {}, c10::kCPU}, inputs);
    FAIL() << "compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("invalid for input of size 2"));
  }
}

TEST(InductorCandidate, AFileThatIsNoPackageIsRefused) {
  const TemporaryFolder folder("graphnet-candidate-");
  const std::filesystem::path package = folder.path() / "model.pt2";
  std::ofstream(package) << "no package";
  const Graph graph = varied_graph();
  const Tensors tensors;
  try {
    load_inductor_package(package, {graph, tensors.weights, tensors.constants, c10::kCPU});
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("cannot be loaded"));
  }
}

}  // namespace
}  // namespace graphnet
