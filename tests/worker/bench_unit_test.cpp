// The worker's method "bench", on samples of a few operators.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/bench/worker_client.h"
#include "graphnet/graph/text.h"
#include "graphnet/sample/sample.h"
#include "graphnet/support/files.h"

namespace graphnet {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kLinear = "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor";
constexpr const char* kDropout = "aten::dropout(Tensor input, float p, bool train) -> Tensor";
constexpr const char* kView = "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)";

// A graph of one call of an operator on an input x float32[4,8] and a weight float32[8,8].
std::string graph_text(const std::string& schema, const std::string& call) {
  return R"json({"graphnet":1,
    "inputs":[{"value":"%0","name":"x","type":"float32[4,8]","recipe":"normal(0.0,1.0)"}],
    "weights":[{"value":"%1","name":"w","type":"float32[8,8]","recipe":"normal(0.0,0.5)"}],
    "constants":[],"operators":[")json" +
         schema + R"json("],"calls":[)json" + call + R"json(],"output":"%2"})json";
}

class BenchUnit : public ::testing::Test {
 protected:
  void make_sample(const std::string& schema, const std::string& call, bool random = false) {
    Sample sample;
    sample.graph = read_graph(graph_text(schema, call), "test");
    sample.metadata.name = "small";
    sample.metadata.category = "other";
    sample.metadata.random = random;
    describe(sample.metadata, sample.graph);
    write_sample(sample, folder_.path() / "small");
  }

  void make_linear() { make_sample(kLinear, R"(["aten::linear",["%0","%1",null],["%2 float32[4,8]"]])"); }

  Reply bench(const std::string& compiler, const json& more = json::object()) {
    json params = {{"sample", (folder_.path() / "small").string()},
                   {"compiler", compiler},
                   {"device", "cpu"},
                   {"threads", 1},
                   {"timing", {{"maximum_seconds", 0.1}, {"warm_up_seconds", 0.01}, {"minimum_trials", 6}}}};
    params.update(more);
    RequestEvents events;
    events.on_stage = [this](const std::string& stage) { stages_.push_back(stage); };
    return client_.call("bench", params, seconds(240), events);
  }

  TemporaryFolder folder_{"graphnet-bench-unit-"};
  WorkerClient client_{WorkerOptions{{GRAPHNET_WORKER}, {}, {}, seconds(240), -1}};
  std::vector<std::string> stages_;
};

TEST_F(BenchUnit, EagerAgainstItselfIsEqual) {
  make_linear();
  const Reply reply = bench("eager");
  ASSERT_TRUE(reply.result) << reply.failure->message;
  EXPECT_THAT(stages_, ElementsAre("load", "reference", "compile", "check", "time", "re-check"));
  const json& correctness = reply.result->at("correctness");
  EXPECT_TRUE(correctness.at("equal").get<bool>());
  EXPECT_EQ(correctness.at("strictest_level"), -10);
  EXPECT_EQ(correctness.at("problem"), "");
  EXPECT_EQ(reply.result->at("reference").at("outputs").at(0).at("type"), "float32[4,8]");
}

TEST_F(BenchUnit, TheResultHoldsEveryTrial) {
  make_linear();
  const Reply reply = bench("eager");
  ASSERT_TRUE(reply.result) << reply.failure->message;
  const json& timing = reply.result->at("timing");
  ASSERT_GE(timing.at("trials").size(), 3U);
  for (const json& trial : timing.at("trials")) {
    ASSERT_EQ(trial.size(), 3U);
    EXPECT_GT(trial.at(0).get<double>(), 0);
    EXPECT_GT(trial.at(1).get<double>(), 0);
    EXPECT_TRUE(trial.at(2).is_boolean());
  }
  EXPECT_LE(timing.at("low").get<double>(), timing.at("speedup").get<double>());
  EXPECT_GE(timing.at("high").get<double>(), timing.at("speedup").get<double>());
}

TEST_F(BenchUnit, TorchScriptIsCompiledAndCorrect) {
  make_linear();
  const Reply reply = bench("torchscript");
  ASSERT_TRUE(reply.result) << reply.failure->message;
  EXPECT_LE(reply.result->at("correctness").at("strictest_level").get<int>(), -4);
  EXPECT_GT(reply.result->at("compile_seconds").get<double>(), 0);
}

TEST_F(BenchUnit, AFailingReferenceIsToldFromAFailingCompiler) {
  make_sample(kView, R"(["aten::view",["%0",[3]],["%2 float32[3]"]])");
  const Reply reply = bench("torchscript");
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->stage, "reference");
  EXPECT_THAT(reply.failure->message, HasSubstr("call 0 aten::view"));
}

TEST_F(BenchUnit, AReferenceThatDependsOnRandomOperatorsIsUnstable) {
  make_sample(kDropout, R"(["aten::dropout",["%0",0.5,true],["%2 float32[4,8]"]])", /*random=*/true);
  const Reply reply = bench("eager");
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->stage, "reference");
  EXPECT_EQ(reply.failure->cause, Cause::kUnstableReference);
}

TEST_F(BenchUnit, APackageThatCannotBeLoadedFailsTheCompile) {
  make_linear();
  const std::filesystem::path package = folder_.path() / "model.pt2";
  std::ofstream(package) << "no package";
  const Reply reply = bench("inductor", {{"package", package.string()}});
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->stage, "compile");
}

TEST_F(BenchUnit, UnknownCompilersAndOptionsAreWrongUsage) {
  make_linear();
  EXPECT_EQ(bench("magic").failure.value().kind, ErrorKind::kUsage);
  const Reply reply = bench("torchscript", {{"options", {{"speed", 11}}}});
  EXPECT_EQ(reply.failure.value().kind, ErrorKind::kUsage);
  EXPECT_THAT(reply.failure->message, HasSubstr("torchscript has no option speed=11"));
}

}  // namespace
}  // namespace graphnet
