// The programs on the test device, run as a user runs them on a GPU.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphnet/support/files.h"

#include "../commands/program.h"
#include "small_samples.h"

namespace graphnet::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class CommandOnDevice : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  // Runs with the options that bring the device, which is told what the settings say.
  static Finished run(std::vector<std::string> arguments, const std::string& settings = "") {
    arguments.insert(arguments.end(), {"--device", "test_device", "--op-library", GRAPHNET_TEST_DEVICE_LIBRARY});
    return graphnet(arguments, {.directory = {},
                                .environment = {{"GRAPHNET_TEST_DEVICE", settings}, {"OMP_NUM_THREADS", "1"}},
                                .timeout = std::chrono::seconds(200)});
  }

  Finished bench(const std::string& sample, const std::string& compilers, const std::string& settings = "",
                 const std::string& timeout = "200") const {
    return run({"bench", path(sample), "--compiler", compilers, "--timing-seconds", "0.2", "--timeout", timeout, "-o",
                path("run")},
               settings);
  }

  // The units of the run, as they stand in its journal.
  std::vector<json> units() const {
    std::istringstream lines(read_file(path("run/results.jsonl")));
    std::vector<json> units;
    for (std::string line; std::getline(lines, line);) units.push_back(json::parse(line));
    return units;
  }

  json only_unit() const {
    const std::vector<json> all = units();
    EXPECT_EQ(all.size(), 1U);
    return all.at(0);
  }

 private:
  TemporaryFolder folder_{"graphnet-command-on-device-"};
};

TEST_F(CommandOnDevice, BenchGivesEachUnitItsResultWithTimesAndMemory) {
  write_relu_sample(path("small"));
  const Finished finished = bench("small", "eager,torchscript", "operator=1ms");
  EXPECT_EQ(finished.exit_code, 0) << finished.output << finished.errors;
  const std::vector<json> all = units();
  ASSERT_EQ(all.size(), 2U);
  for (const json& unit : all) {
    EXPECT_EQ(unit["status"], "correct");
    const json& worker = unit["measurements"]["worker"];
    EXPECT_GT(worker["device_peak_memory_bytes"]["reference"], 0);
    EXPECT_GT(worker["device_peak_memory_bytes"]["candidate"], 0);
    EXPECT_GE(worker["timing"]["reference_seconds"], 0.002);
    EXPECT_GE(worker["timing"]["reference_wall_seconds"], worker["timing"]["reference_seconds"]);
  }
}

// t5-small was traced on the CPU, which its code names.
TEST_F(CommandOnDevice, AModelExtractedOnTheDeviceIsTheSampleExtractedOnTheCpu) {
  for (const std::string name : {"deepfm", "t5-small"}) {
    const std::string model = std::string(GRAPHNET_TEST_DIR) + "/models/" + name + ".pt";
    const Finished on_device = run({"extract", model, "-o", path("device")});
    ASSERT_EQ(on_device.exit_code, 0) << on_device.errors;
    const Finished on_cpu = graphnet({"extract", model, "-o", path("cpu"), "--device", "cpu"});
    ASSERT_EQ(on_cpu.exit_code, 0) << on_cpu.errors;
    EXPECT_EQ(read_file(path("device/" + name + "/graph.json")), read_file(path("cpu/" + name + "/graph.json")));
  }
}

TEST_F(CommandOnDevice, ASampleExtractedOnTheCpuValidatesOnTheDevice) {
  for (const std::string name : {"deepfm", "fno2d", "t5-small"}) {
    const std::string model = std::string(GRAPHNET_TEST_DIR) + "/models/" + name + ".pt";
    ASSERT_EQ(graphnet({"extract", model, "-o", path("samples"), "--device", "cpu"}).exit_code, 0);
    const Finished finished = run({"validate", path("samples/" + name)});
    EXPECT_EQ(finished.exit_code, 0) << finished.output << finished.errors;
  }
}

TEST_F(CommandOnDevice, AFaultOfTheReferenceExcludesTheSample) {
  write_relu_sample(path("small"));
  bench("small", "eager", "operator=1ms,error=aten::relu:3");
  const json unit = only_unit();
  EXPECT_EQ(unit["status"], "excluded");
  EXPECT_EQ(unit["stage"], "reference");
}

TEST_F(CommandOnDevice, AFaultOfTheCandidateIsBookedToTheCompiler) {
  write_relu_sample(path("small"));
  const Finished finished = bench("small", "eager", "operator=1ms,error=aten::relu:4");
  EXPECT_EQ(finished.exit_code, 1);
  const json unit = only_unit();
  EXPECT_EQ(unit["status"], "failed");
  EXPECT_EQ(unit["stage"], "check");
  EXPECT_THAT(unit["message"].get<std::string>(), HasSubstr("illegal memory access"));
}

TEST_F(CommandOnDevice, ACompilerThatRunsOutOfMemoryHasThatForItsCause) {
  write_linear_sample(path("small"));
  bench("small", "torchscript", "capacity=1536K,reported=1G");
  const json unit = only_unit();
  EXPECT_EQ(unit["status"], "failed");
  EXPECT_EQ(unit["stage"], "compile");
  EXPECT_EQ(unit["cause"], "out of memory");
}

TEST_F(CommandOnDevice, ASampleThatCannotFitIsNotStarted) {
  write_linear_sample(path("small"));
  bench("small", "eager", "capacity=1M");
  const json unit = only_unit();
  EXPECT_EQ(unit["status"], "excluded");
  EXPECT_EQ(unit["cause"], "insufficient memory");
}

TEST_F(CommandOnDevice, AHangIsEndedByTheTimeOut) {
  write_relu_sample(path("small"));
  bench("small", "eager", "hang=aten::relu:4", "8");
  const json unit = only_unit();
  EXPECT_EQ(unit["status"], "failed");
  EXPECT_EQ(unit["stage"], "check");
  EXPECT_EQ(unit["cause"], "time-out");
}

TEST_F(CommandOnDevice, ADeviceBeyondTheLastIsRefused) {
  write_relu_sample(path("small"));
  const Finished finished = graphnet({"bench", path("small"), "--compiler", "eager", "--device", "test_device:1",
                                      "--op-library", GRAPHNET_TEST_DEVICE_LIBRARY, "-o", path("run")});
  EXPECT_NE(finished.exit_code, 0);
  EXPECT_THAT(finished.errors, HasSubstr("test_device:1"));
}

}  // namespace
}  // namespace graphnet::test
