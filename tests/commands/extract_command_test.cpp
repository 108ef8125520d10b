// What graphnet extract asks of its workers and says of their answers. No LibTorch: the workers are shell scripts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"
#include "scripted_installation.h"

namespace graphnet::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kExtracted =
    "result '{\"directory\":\"out/model\",\"calls\":2,\"operators\":2,\"parameters\":6}'";

class BadName : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Names, BadName,
                         testing::Values("../up", "a/b", "..", "a\nb", "\x1b[2J", std::string(201, 'a')),
                         [](const auto& name) { return "case" + std::to_string(name.index); });

TEST_P(BadName, IsWrongUsage) {
  const ScriptedInstallation installation(kExtracted);
  const Finished finished = installation.run({"extract", "model.pt", "--name", GetParam()});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.errors, HasSubstr("--name"));
}

TEST(ExtractCommand, TellsAWorkerWhichFoldersAreTaken) {
  const ScriptedInstallation installation(
      "case $request in *'\"taken\":[[\"out/model\",\"x/model.pt\"]]'*)"
      " kill -SEGV $$;; esac; " +
      std::string(kExtracted));
  const Finished finished = installation.run({"extract", "x/model.pt", "y/model.pt"});
  EXPECT_THAT(finished.output, HasSubstr("out/model: 2 calls"));
  EXPECT_THAT(finished.errors, HasSubstr("y/model.pt: "));
}

TEST(ExtractCommand, PrintsWhatIsFinishedAsJsonAfterCtrlC) {
  const ScriptedInstallation installation("sleep 2; " + std::string(kExtracted));
  const Finished finished = installation.run_interrupted_after("1", {"extract", "a.pt", "b.pt", "--json"});
  EXPECT_EQ(finished.exit_code, 4) << finished.errors;
  const json report = json::parse(finished.output);
  ASSERT_EQ(report.size(), 1U);
  EXPECT_EQ(report[0]["model"], "a.pt");
}

TEST(ExtractCommand, PrintsAnErrorAsJsonWhereCtrlCLeftNothingToReport) {
  const ScriptedInstallation installation("sleep 30; " + std::string(kExtracted));
  const Finished finished = run_program(
      {"timeout", "--foreground", "--preserve-status", "--signal=INT", "2",  // the second Ctrl-C
       "timeout", "--foreground", "--preserve-status", "--signal=INT", "1", installation.program(),  // the first
       "extract", "a.pt", "--json"});
  EXPECT_EQ(finished.exit_code, 4) << finished.errors;
  EXPECT_EQ(json::parse(finished.output).at("error").at("kind"), "interrupted");
}

TEST(ExtractCommand, AModelThatDoesNotEndIsTheModelsFault) {
  const ScriptedInstallation installation("stage record; exec sleep 30");
  const Finished finished = installation.run({"extract", "a.pt", "--timeout", "0.5"});
  EXPECT_EQ(finished.exit_code, 1) << finished.errors;
  EXPECT_THAT(finished.errors, HasSubstr("no answer within 0.5 s"));
}

TEST(ExtractCommand, TellsInJsonWhatAModelFailedOf) {
  const ScriptedInstallation installation(
      "stage check; case $request in */bad.pt'\"'*)"
      " error '{\"kind\":\"unsupported\",\"stage\":\"check\",\"message\":\"all outputs are constant\"}';;"
      " *) " +
      std::string(kExtracted) + ";; esac");
  const Finished finished = installation.run({"extract", "x/bad.pt", "x/model.pt", "--json"});
  EXPECT_EQ(finished.exit_code, 1);
  const json report = json::parse(finished.output);
  EXPECT_EQ(report.at(0), json::parse(R"({"model":"x/bad.pt","error":{"kind":"unsupported",
      "message":"all outputs are constant","stage":"check","exit_code":1}})"));
  EXPECT_EQ(report.at(1).at("calls"), 2);
}

TEST(ExtractCommand, AsksForDegenerateSamplesOnlyOnDemand) {
  const ScriptedInstallation installation("case $request in *'\"allow_degenerate\":true'*) " + std::string(kExtracted) +
                                          ";; *) kill -SEGV $$;; esac");
  EXPECT_EQ(installation.run({"extract", "model.pt", "--allow-degenerate"}).exit_code, 0);
  EXPECT_NE(installation.run({"extract", "model.pt"}).exit_code, 0);
}

}  // namespace
}  // namespace graphnet::test
