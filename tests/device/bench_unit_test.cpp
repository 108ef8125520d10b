// The worker's method "bench" on the test device: times, memory, faults and hangs where they are known exactly.
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/bench/worker_client.h"
#include "graphnet/support/files.h"

#include "small_samples.h"

namespace graphnet::test {
namespace {

using nlohmann::json;
using std::chrono::seconds;

class BenchOnDevice : public testing::Test {
 protected:
  std::string sample() const { return (folder_.path() / "small").string(); }

  // As few timed calls as there can be: each side runs three times to warm up, and three times for the trials.
  Reply bench(const std::string& settings, const std::string& compiler = "eager",
              seconds stage_timeout = seconds(240)) {
    WorkerOptions options;
    options.command = {GRAPHNET_WORKER};
    options.environment = {{"GRAPHNET_TEST_DEVICE", settings}};
    const json params = {{"sample", sample()},
                         {"compiler", compiler},
                         {"device", "test_device"},
                         {"op_libraries", {GRAPHNET_TEST_DEVICE_LIBRARY}},
                         {"threads", 1},
                         {"timing", {{"maximum_seconds", 0}, {"warm_up_seconds", 0}, {"minimum_trials", 3}}}};
    return WorkerClient(std::move(options)).call("bench", params, stage_timeout);
  }

  TemporaryFolder folder_{"graphnet-bench-on-device-"};
};

TEST_F(BenchOnDevice, ResultsAreCorrect) {
  write_relu_sample(sample());
  for (const char* compiler : {"eager", "torchscript"}) {
    const Reply reply = bench("operator=1ms", compiler);
    ASSERT_TRUE(reply.result) << reply.failure->message;
    EXPECT_EQ(reply.result->at("correctness").at("equal"), true);
  }
}

TEST_F(BenchOnDevice, TrialsAreTheDevicesTimesAndWallTheHosts) {
  write_relu_sample(sample());
  const Reply reply = bench("operator=20ms,idle_gaps=off,wake_up=60ms");
  ASSERT_TRUE(reply.result) << reply.failure->message;
  const json& timing = reply.result->at("timing");
  for (const json& trial : timing.at("trials")) {
    EXPECT_NEAR(trial.at(0).get<double>(), 0.040, 1e-9);
    EXPECT_NEAR(trial.at(1).get<double>(), 0.040, 1e-9);
  }
  for (const json& wall : timing.at("wall")) {
    EXPECT_GE(wall.at(0).get<double>(), 0.100);
    EXPECT_GE(wall.at(1).get<double>(), 0.100);
  }
  EXPECT_GE(timing.at("reference_wall_seconds").get<double>(), 0.100);
  EXPECT_GE(timing.at("candidate_wall_seconds").get<double>(), 0.100);
}

TEST_F(BenchOnDevice, LaunchBoundCallsAreMarked) {
  write_relu_sample(sample());
  const Reply host_bound = bench("operator=10us,launch=5ms");
  ASSERT_TRUE(host_bound.result) << host_bound.failure->message;
  EXPECT_EQ(host_bound.result->at("timing").at("launch_bound"), json({{"reference", true}, {"candidate", true}}));
  const Reply device_bound = bench("operator=50ms");
  ASSERT_TRUE(device_bound.result) << device_bound.failure->message;
  EXPECT_EQ(device_bound.result->at("timing").at("launch_bound"), json({{"reference", false}, {"candidate", false}}));
}

// x, w, x * w and its relu are alive together in both runs, and in the candidate's the reference's output beside them.
TEST_F(BenchOnDevice, ThePeakMemoryOfBothSidesIsInTheRecord) {
  write_relu_sample(sample());
  const Reply reply = bench("");
  ASSERT_TRUE(reply.result) << reply.failure->message;
  const json& peak = reply.result->at("device_peak_memory_bytes");
  EXPECT_EQ(peak.at("reference"), 4 * (256 << 10));
  EXPECT_EQ(peak.at("candidate"), 5 * (256 << 10));
}

// Outputs that are compared, and times that are taken, before the whole device is done are wrong.
TEST_F(BenchOnDevice, WorkOnAnotherStreamIsWaitedFor) {
  write_elsewhere_sample(sample());
  const Reply reply = bench("operator=100ms");
  ASSERT_TRUE(reply.result) << reply.failure->message;
  EXPECT_EQ(reply.result->at("reference").at("outputs").at(0).at("finite"), true);
  EXPECT_EQ(reply.result->at("correctness").at("equal"), true);
  for (const json& trial : reply.result->at("timing").at("trials")) {
    EXPECT_GT(trial.at(0).get<double>(), 0.150);
    EXPECT_GT(trial.at(1).get<double>(), 0.150);
  }
}

// Which run of the graph goes wrong, and the stage that has to be told. The reference runs first and twice; eager
// compiles nothing; then reference and candidate take turns on two sets of inputs, the reference runs on the three that
// are timed, and each side warms up with three calls.
struct Fault {
  const char* name;
  const char* compiler;
  int run;
  const char* stage;
};

void PrintTo(const Fault& fault, std::ostream* stream) {
  *stream << fault.name;
}

class FaultOnDevice : public BenchOnDevice, public testing::WithParamInterface<Fault> {
 protected:
  void SetUp() override { write_relu_sample(sample()); }
  std::string at_the_run(const std::string& kind) const {
    return "operator=1ms," + kind + "=aten::relu:" + std::to_string(GetParam().run);
  }
};

INSTANTIATE_TEST_SUITE_P(Runs, FaultOnDevice,
                         testing::Values(Fault{"OfTheReference", "eager", 1, "reference"},
                                         Fault{"OfTheReferencesSecondRun", "eager", 2, "reference"},
                                         Fault{"OfTheReferenceInTheCheck", "eager", 3, "reference"},
                                         Fault{"OfTheCandidateInTheCheck", "eager", 4, "check"},
                                         Fault{"OfTheReferenceBeforeTiming", "eager", 7, "reference"},
                                         Fault{"OfTheReferenceWhileTimed", "eager", 10, "reference"},
                                         Fault{"OfTheCandidateWhileTimed", "eager", 13, "time"},
                                         Fault{"OfACompiledGraphsFirstRun", "torchscript", 3, "compile"}),
                         [](const auto& fault) { return std::string(fault.param.name); });

TEST_P(FaultOnDevice, AnAsynchronousErrorIsToldWithItsStage) {
  const Reply reply = bench(at_the_run("error"), GetParam().compiler);
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->stage, GetParam().stage);
  EXPECT_EQ(reply.failure->cause, Cause::kException);
  EXPECT_THAT(reply.failure->message, testing::HasSubstr("an illegal memory access was encountered"));
}

TEST_P(FaultOnDevice, LackOfMemoryIsToldWithItsStage) {
  const Reply reply = bench(at_the_run("no_memory"), GetParam().compiler);
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->stage, GetParam().stage);
  EXPECT_EQ(reply.failure->cause, Cause::kOutOfMemory);
}

TEST_F(BenchOnDevice, AReferenceThatDoesNotFitIsOutOfMemory) {
  write_relu_sample(sample());
  const Reply reply = bench("capacity=700K");
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->stage, "reference");
  EXPECT_EQ(reply.failure->cause, Cause::kOutOfMemory);
  EXPECT_THAT(reply.failure->message, testing::HasSubstr("out of memory when 262144 bytes were asked for"));
}

// Freezing copies the weights.
TEST_F(BenchOnDevice, ACompilerThatTakesTooMuchMemoryIsOutOfMemory) {
  write_linear_sample(sample());
  ASSERT_TRUE(bench("capacity=1536K").result);
  const Reply reply = bench("capacity=1536K", "torchscript");
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->stage, "compile");
  EXPECT_EQ(reply.failure->cause, Cause::kOutOfMemory);
}

TEST_F(BenchOnDevice, AHangEndsWithTheStagesTime) {
  write_relu_sample(sample());
  for (const auto& [run, stage] : {std::pair(2, "reference"), std::pair(4, "check")}) {
    const Reply reply = bench("hang=aten::relu:" + std::to_string(run), "eager", seconds(8));
    ASSERT_TRUE(reply.failure);
    EXPECT_EQ(reply.failure->stage, stage);
    EXPECT_EQ(reply.failure->cause, Cause::kTimeOut);
  }
}

}  // namespace
}  // namespace graphnet::test
