// The worker as graphnet sees it: a program that is spoken with over pipes.
#include <chrono>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/bench/subprocess.h"
#include "graphnet/bench/worker_client.h"
#include "graphnet/support/files.h"

namespace graphnet {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::HasSubstr;

const std::string kModels = GRAPHNET_TEST_DIR "/models/";

class Worker : public ::testing::Test {
 protected:
  Reply call(const std::string& method, const json& params) {
    RequestEvents events;
    events.on_stage = [this](const std::string& stage) { stages_.push_back(stage); };
    return client_.call(method, params, seconds(240), events);
  }

  Reply extract(const std::string& model) {
    return call("extract", {{"model", model}, {"output", folder_.path().string()}});
  }

  TemporaryFolder folder_{"graphnet-worker-test"};
  WorkerClient client_{WorkerOptions{{GRAPHNET_WORKER}, {}, {}, seconds(240), -1}};
  std::vector<std::string> stages_;
};

TEST_F(Worker, DescribesTheMachine) {
  const Reply reply = call("describe", {{"device", "cpu"}});
  ASSERT_TRUE(reply.result);
  EXPECT_THAT(reply.result->at("framework").get<std::string>(), HasSubstr("torch "));
  EXPECT_GT(reply.result->at("available_memory").get<std::int64_t>(), 0);
}

TEST_F(Worker, LoadsLibrariesWhereItDescribesTheMachine) {
  const Reply reply = call("describe", {{"device", "cpu"}, {"op_libraries", {"nope.so"}}});
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, ErrorKind::kEnvironment);
  EXPECT_THAT(reply.failure->message, HasSubstr("no such file: nope.so"));
}

TEST_F(Worker, TellsThePeakMemoryOfEachRequestApart) {
  const Reply large = extract(kModels + "alexnet.pt");  // 244 MB of weights
  const Reply small = extract(kModels + "deepfm.pt");
  ASSERT_TRUE(large.result && small.result);
  const auto validated_peak = [&](const Reply& extracted) {
    const Reply reply = call("validate", {{"sample", extracted.result->at("directory")}});
    return reply.result->at("peak_memory_bytes").get<std::int64_t>();
  };
  constexpr std::int64_t kWeights = 200'000'000;
  const std::int64_t before = validated_peak(small);
  EXPECT_GT(validated_peak(large), before + kWeights);
  EXPECT_LT(validated_peak(small), before + kWeights / 2);
}

TEST_F(Worker, ExtractsAModelThatThenValidates) {
  const Reply extracted = extract(kModels + "squeezenet1_1.pt");
  ASSERT_TRUE(extracted.result) << extracted.failure->message;
  EXPECT_THAT(stages_, ::testing::ElementsAre("load", "record", "weights", "check", "write"));
  const Reply validated = call("validate", {{"sample", extracted.result->at("directory")}});
  ASSERT_TRUE(validated.result) << validated.failure->message;
  EXPECT_TRUE(validated.result->at("passed").get<bool>()) << validated.result->dump(1);
}

TEST_F(Worker, AnErrorCarriesKindAndStage) {
  const Reply reply = extract("/nonexistent.pt");
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, ErrorKind::kUsage);
  EXPECT_EQ(reply.failure->stage, "load");
  EXPECT_THAT(reply.failure->message, HasSubstr("/nonexistent.pt: no such file"));
}

TEST_F(Worker, AnUnknownMethodIsAWrongUsage) {
  const Reply reply = call("compute", json::object());
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, ErrorKind::kUsage);
}

TEST_F(Worker, AMissingParameterIsAWrongUsage) {
  const Reply reply = call("extract", json::object());
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, ErrorKind::kUsage);
  EXPECT_THAT(reply.failure->message, HasSubstr("model"));
}

TEST(WorkerProcess, AMalformedLineIsAnsweredAndTheEndOfInputEndsIt) {
  SubprocessOptions options;
  options.command = {GRAPHNET_WORKER};
  Subprocess process(options);
  const auto deadline = Subprocess::Clock::now() + seconds(240);
  std::string line;
  ASSERT_EQ(process.read_line(line, deadline), Subprocess::ReadState::kLine);
  EXPECT_THAT(line, HasSubstr("\"event\":\"hello\""));
  ASSERT_TRUE(process.write_line("this is no request", deadline));
  ASSERT_EQ(process.read_line(line, deadline), Subprocess::ReadState::kLine);
  EXPECT_EQ(json::parse(line).at("error").at("kind"), "usage");
  EXPECT_EQ(process.finish(deadline).code, 0);
}

}  // namespace
}  // namespace graphnet
