// scripts/check_gpu, run through on the test device.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphnet/support/files.h"

#include "../commands/program.h"

namespace graphnet::test {
namespace {

using nlohmann::json;

class CheckGpu : public testing::Test {
 protected:
  Finished check(std::vector<std::string> more, const std::string& settings = "") const {
    std::vector<std::string> command = {GRAPHNET_CHECK_GPU, "-o",        path(), "--test-device", "--build",
                                        GRAPHNET_BUILD_DIR, "--seconds", "200"};
    command.insert(command.end(), more.begin(), more.end());
    return run_program(command, {.directory = {},
                                 .environment = {{"GRAPHNET_TEST_DEVICE", settings}, {"OMP_NUM_THREADS", "1"}},
                                 .timeout = std::chrono::seconds(250)});
  }

  json report() const { return json::parse(read_file(path())); }

 private:
  std::string path() const { return (folder_.path() / "report.json").string(); }

  TemporaryFolder folder_{"graphnet-check-gpu-"};
};

TEST_F(CheckGpu, ReportsTestsTimesCorrectnessAndMemory) {
  const Finished finished = check({});
  EXPECT_EQ(finished.exit_code, 0) << finished.output << finished.errors;
  const json all = report();
  EXPECT_TRUE(all["passed"]);
  EXPECT_THAT(all["machine"]["torch"]["torch"].get<std::string>(), testing::StartsWith("2."));
  EXPECT_GT(all["tests"].size(), 5U);
  EXPECT_EQ(all["validate"].size(), 2U);
  EXPECT_EQ(all["bench"].size(), 4U);
  for (const json& unit : all["bench"]) {
    EXPECT_GT(unit["speedup"], 0.0);
    EXPECT_LE(unit["strictest_level"], 0);
    EXPECT_GT(unit["measurements"]["worker"]["device_peak_memory_bytes"]["candidate"], 0);
    EXPECT_GT(unit["measurements"]["worker"]["timing"]["candidate_wall_seconds"], 0.0);
  }
}

TEST_F(CheckGpu, GoesOnAfterFailuresAndReportsEach) {
  const std::string sample = std::string(GRAPHNET_TEST_DIR) + "/../samples/other/deepfm";
  const Finished finished = check({"--samples", sample}, "error=aten::mul:1");
  EXPECT_EQ(finished.exit_code, 1) << finished.output << finished.errors;
  const json all = report();
  EXPECT_FALSE(all["passed"]);
  std::set<std::string> steps;
  for (const json& failure : all["failures"]) steps.insert(failure["step"].get<std::string>());
  EXPECT_EQ(steps, (std::set<std::string>{"tests", "validate", "bench"}));
}

// Everything is left out, and said to be.
TEST_F(CheckGpu, WithoutTimeNothingPasses) {
  const Finished finished = check({"--seconds", "0"});
  EXPECT_EQ(finished.exit_code, 1) << finished.output << finished.errors;
  EXPECT_GE(report()["failures"].size(), 3U);
}

}  // namespace
}  // namespace graphnet::test
