// The worker's method "bench", on samples of a few operators.
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/bench/worker_client.h"
#include "graphnet/graph/text.h"
#include "graphnet/sample/generator.h"
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
    write(graph_text(schema, call), random);
  }

  void write(const std::string& text, bool random = false, const std::vector<OperatorLibrary>& libraries = {}) {
    Sample sample;
    sample.graph = read_graph(text, "test");
    sample.metadata.libraries = libraries;
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
  EXPECT_THAT(stages_, ElementsAre("load", "reference", "compile",       //
                                   "check", "reference", "check",        //
                                   "check", "reference", "check",        //
                                   "time", "reference", "time",          //
                                   "reference", "time",                  // its first and last calls are checked
                                   "re-check", "reference", "re-check",  //
                                   "float64",                            //
                                   "reference"));                        // on its first inputs again
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
  EXPECT_EQ(timing.at("interference").size(), timing.at("trials").size());
  EXPECT_EQ(timing.at("interference").at(0).at(1).size(), 4U);
  EXPECT_GT(timing.at("clock_resolution").get<double>(), 0);
  EXPECT_LE(timing.at("low").get<double>(), timing.at("speedup").get<double>());
  EXPECT_GE(timing.at("high").get<double>(), timing.at("speedup").get<double>());
}

TEST_F(BenchUnit, ColdCallsAreTimedOneByOne) {
  make_linear();
  const Reply reply = bench("eager", {{"cache", "cold"}});
  ASSERT_TRUE(reply.result) << reply.failure->message;
  const json& timing = reply.result->at("timing");
  EXPECT_EQ(timing.at("cache"), "cold");
  EXPECT_EQ(timing.at("reference_batch"), 1);
  EXPECT_EQ(timing.at("candidate_batch"), 1);
}

TEST_F(BenchUnit, OneSideAloneTellsHowMuchItsMemoryGrows) {
  write(R"json({"graphnet":1,
    "inputs":[{"value":"%0","name":"x","type":"float32[4000,4000]","recipe":"normal(0.0,1.0)"}],
    "weights":[],"constants":[],"operators":["aten::relu(Tensor self) -> Tensor"],
    "calls":[["aten::relu",["%0"],["%1 float32[4000,4000]"]]],"output":"%1"})json");
  constexpr std::int64_t kTensor = 63'000'000;  // and a little more
  for (const char* side : {"reference", "candidate"}) {
    const Reply reply = bench("eager", {{"sides", side}});
    ASSERT_TRUE(reply.result) << reply.failure->message;
    const auto bytes = reply.result->at("memory_growth_bytes").get<std::int64_t>();
    EXPECT_GE(bytes, 2 * kTensor);
    EXPECT_LT(bytes, 3 * kTensor);
  }
}

TEST_F(BenchUnit, ASlowedSelfTestIsEqual) {
  make_linear();
  const Reply reply = bench("eager", {{"options", {{"slowdown", 0.02}}}});
  ASSERT_TRUE(reply.result) << reply.failure->message;
  EXPECT_TRUE(reply.result->at("correctness").at("equal").get<bool>());
}

TEST_F(BenchUnit, TheFloat64RunIsLeftOutWhereItIsNotWanted) {
  make_linear();
  const Reply reply = bench("eager", {{"float64", "off"}});
  ASSERT_TRUE(reply.result) << reply.failure->message;
  EXPECT_EQ(reply.result->at("float64"), json({{"skipped", "not asked for"}}));
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
  EXPECT_EQ(bench("eager", {{"options", {{"slowdown", -1}}}}).failure.value().kind, ErrorKind::kUsage);
  EXPECT_EQ(bench("eager", {{"cache", "tepid"}}).failure.value().kind, ErrorKind::kUsage);
}

TEST_F(BenchUnit, AMissingOperatorLibraryIsNamedWithTheFlagThatGivesIt) {
  write(graph_text(kLinear, R"(["aten::linear",["%0","%1",null],["%2 float32[4,8]"]])"), /*random=*/false,
        {{.name = "libmine.so", .sha256 = std::string(64, '0'), .operators = {"mine::twice"}}});
  const Reply reply = bench("eager");
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->stage, "load");
  EXPECT_EQ(reply.failure->cause, Cause::kNotInstalled);
  EXPECT_THAT(reply.failure->message, HasSubstr("give it with --op-library"));
  EXPECT_THAT(reply.failure->message, HasSubstr("libmine.so"));
}

// A table of 8 rows of which one, drawn from 0..8, is read: where 8 is drawn, the reference fails.
constexpr const char* kLookup = R"json({"graphnet":1,
  "inputs":[{"value":"%0","name":"row","type":"int64[1]","recipe":"range(0,9)"}],
  "weights":[{"value":"%1","name":"table","type":"float32[8,8]","recipe":"normal(0.0,1.0)"}],
  "constants":[],
  "operators":["aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor"],
  "calls":[["aten::embedding",["%1","%0",-1,false,false],["%2 float32[1,8]"]]],"output":"%2"})json";

std::int64_t row_drawn(std::uint64_t seed) {
  std::int64_t row = 0;
  fill(std::as_writable_bytes(std::span(&row, 1)), Dtype::kInt64, RangeRecipe{0, 9}, {.seed = seed, .index = 0}, 0);
  return row;
}

// A seed with which the reference fails on the inputs of that offset alone.
std::uint64_t seed_failing_at(std::uint64_t offset) {
  for (std::uint64_t seed = 0;; ++seed) {
    std::vector<std::uint64_t> failing;
    for (const std::uint64_t used : {0U, 1U, 2U, 100U, 101U, 102U, 200U}) {
      if (row_drawn(seed + used) == 8) failing.push_back(used);
    }
    if (failing == std::vector{offset}) return seed;
  }
}

struct LateFailure {
  const char* stage;     // that the reference fails in
  std::uint64_t offset;  // of the stage's inputs from the unit's seed
};

class LateReference : public BenchUnit, public ::testing::WithParamInterface<LateFailure> {};

INSTANTIATE_TEST_SUITE_P(Stages, LateReference,
                         ::testing::Values(LateFailure{"check", 2}, LateFailure{"time", 101},
                                           LateFailure{"re-check", 200}),
                         [](const auto& late) {
                           return std::string(late.param.offset == 200 ? "recheck" : late.param.stage);
                         });

TEST_P(LateReference, ThatFailsOnLaterInputsIsNotTheCandidatesFailure) {
  write(kLookup);
  const Reply reply = bench("torchscript", {{"seed", seed_failing_at(GetParam().offset)}});
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->stage, "reference") << reply.failure->message;
  EXPECT_THAT(reply.failure->message, HasSubstr("call 0 aten::embedding"));
  ASSERT_GE(stages_.size(), 2U);
  EXPECT_EQ(stages_[stages_.size() - 2], GetParam().stage);
}

}  // namespace
}  // namespace graphnet
