// What graphnet validate asks of its workers and says of their answers. No LibTorch: the workers are shell scripts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphnet/support/files.h"

#include "program.h"
#include "scripted_installation.h"
#include "small_sample.h"

namespace graphnet::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kPassed = "result '{\"passed\":true,\"checks\":[]}'";

// Passes samples whose request has this text, and no others.
std::string passing_where(const std::string& text) {
  return "case $request in *'" + text + "'*) " + kPassed + ";; *) result '{\"passed\":false,\"checks\":[]}';; esac";
}

class ValidateCommand : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b"}) write_sample(small_sample(), samples_.path() / name);
  }

  std::string samples() const { return samples_.path(); }

 private:
  TemporaryFolder samples_{"graphnet-samples-"};
};

TEST_F(ValidateCommand, SharesMemoryAndThreadsAmongItsWorkers) {
  // The installation's worker tells of 1,000,000,000 bytes and one thread.
  const ScriptedInstallation limited(passing_where("\"memory_limit\":500000000"));
  EXPECT_EQ(limited.run({"validate", samples(), "-j", "2"}).exit_code, 0);
  const ScriptedInstallation threaded(passing_where("\"threads\":1"));
  EXPECT_EQ(threaded.run({"validate", samples(), "-j", "2"}).exit_code, 0);
}

TEST_F(ValidateCommand, LeavesTheMemoryToASingleWorker) {
  const ScriptedInstallation installation(passing_where("\"memory_limit\":0"));
  EXPECT_EQ(installation.run({"validate", samples()}).exit_code, 0);
}

TEST_F(ValidateCommand, SaysForHowManySamplesTheDigestWasCompared) {
  const ScriptedInstallation installation(
      "case $request in */a'\"'*) result '{\"passed\":true,\"digest_compared\":true,\"checks\":[]}';; *) " +
      std::string(kPassed) + ";; esac");
  const Finished finished = installation.run({"validate", samples()});
  EXPECT_THAT(finished.output, HasSubstr("2 samples, 0 failed; digest compared for 1 of 2\n"));
  EXPECT_EQ(json::parse(installation.run({"validate", samples(), "--json"}).output)["digests_compared"], 1);
}

TEST_F(ValidateCommand, PrintsWhatIsFinishedAsJsonAfterCtrlC) {
  const ScriptedInstallation installation("sleep 2; " + std::string(kPassed));
  const Finished finished = installation.run_interrupted_after("1", {"validate", samples(), "--json"});
  EXPECT_EQ(finished.exit_code, 4) << finished.errors;
  const json report = json::parse(finished.output);
  EXPECT_TRUE(report["interrupted"]);
  EXPECT_EQ(report["samples"], 2);
  EXPECT_EQ(report["finished"], 1);
  ASSERT_EQ(report["results"].size(), 1U);
  EXPECT_EQ(report["results"][0]["sample"], "a");
}

TEST_F(ValidateCommand, ASampleThatDoesNotEndIsTheSamplesFault) {
  const ScriptedInstallation installation("stage run; exec sleep 30");
  const Finished finished = installation.run({"validate", samples() + "/a", "--timeout", "0.5"});
  EXPECT_EQ(finished.exit_code, 1) << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("run: no answer within 0.5 s"));
}

// The sample's files would take the free numbers otherwise, and be what is printed to.
TEST_F(ValidateCommand, StandardDescriptorsThatACallerClosedAreOpenToNothing) {
  const ScriptedInstallation installation(kPassed);
  const Finished finished =
      run_program({"sh", "-c", "\"$0\" validate \"$1\" <&- >&- 2>&-", installation.program(), samples()});
  EXPECT_EQ(finished.exit_code, 0);
}

TEST_F(ValidateCommand, BlamesTheEnvironmentWhereNoSampleCouldBeTried) {
  const ScriptedInstallation installation(
      R"(result '{"passed":false,"checks":[{"name":"operators","passed":false,"message":"none","kind":"environment"}]}')");
  EXPECT_EQ(installation.run({"validate", samples()}).exit_code, 3);
}

}  // namespace
}  // namespace graphnet::test
