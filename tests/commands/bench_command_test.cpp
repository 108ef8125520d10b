// What graphnet bench does with its options, with references and compilers that fail, and when it is stopped. No
// LibTorch: worker and compiler are shell scripts.

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

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
using testing::Not;

constexpr const char* kAvailable = "result '{\"available\":true,\"reason\":\"\"}'";

// A unit that was measured: by so many trials' confidence, and with what is said of the reference.
std::string measured(const std::string& verdict = "converged", const std::string& degenerate = "") {
  return R"(result '{"correctness":{"strictest_level":-6,"equal":false,"problem":"","input_sets":2,"outputs":[]},)"
         R"("reference":{"degenerate":")" +
         degenerate + R"("},"timing":{"trials":[[0.002,0.001,true]],"verdict":")" + verdict +
         R"(","speedup":2.0,"low":1.9,"high":2.1,"confidence":0.95,"reference_seconds":0.002,)"
         R"("candidate_seconds":0.001},"seconds":{"load":0.1,"time":0.2},"peak_memory_bytes":1000000}')";
}

std::string lacking_memory() {
  return R"(error '{"kind":"environment","cause":"out of memory","message":"out of memory"}')";
}

// Script for requests that name the compiler, and for all others.
std::string for_compiler(const std::string& compiler, const std::string& script, const std::string& otherwise) {
  return "case $request in *'\"compiler\":\"" + compiler + "\"'*) " + script + ";; *) " + otherwise + ";; esac";
}

class BenchCommand : public testing::Test {
 protected:
  void SetUp() override {
    Sample sample = small_sample();
    sample.metadata.name = "a";
    write_sample(sample, folder_.path() / "samples" / "a");
  }

  std::string samples() const { return folder_.path() / "samples"; }
  std::string run_folder() const { return folder_.path() / "run"; }

  std::vector<std::string> bench(const std::string& compiler, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"bench", samples(), "--compiler", compiler, "-o", run_folder()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  json result() const { return json::parse(read_file(run_folder() + "/results.jsonl")); }

  TemporaryFolder folder_{"graphnet-bench-command-"};
};

TEST_F(BenchCommand, ACrashInTheReferencesPartOfACheckExcludesTheSample) {
  const ScriptedInstallation installation("stage check; stage reference; kill -SEGV $$");
  installation.run(bench("torchscript"));
  EXPECT_EQ(result()["status"], "excluded");
  EXPECT_EQ(result()["stage"], "reference");
}

TEST_F(BenchCommand, ACrashInTheCandidatesPartOfACheckIsTheCompilersFailure) {
  const ScriptedInstallation installation("stage check; stage reference; stage check; kill -SEGV $$");
  installation.run(bench("torchscript"));
  EXPECT_EQ(result()["status"], "failed");
  EXPECT_EQ(result()["stage"], "check");
}

TEST_F(BenchCommand, LackOfMemoryInACheckIsTheCompilersWhereTheReferenceRunsAlone) {
  for (const char* stages : {"stage check", "stage check; stage reference"}) {
    const ScriptedInstallation installation(
        for_compiler("torchscript", std::string(stages) + "; " + lacking_memory(), measured()));
    installation.run(bench("torchscript"));
    EXPECT_EQ(result()["status"], "failed") << stages;
    EXPECT_EQ(result()["stage"], "check") << stages;
    EXPECT_EQ(result()["cause"], "out of memory") << stages;
    std::filesystem::remove_all(run_folder());
  }
}

TEST_F(BenchCommand, LackOfMemoryOfTheReferenceExcludesTheSample) {
  const ScriptedInstallation installation("stage check; " + lacking_memory());
  installation.run(bench("torchscript"));
  EXPECT_EQ(result()["status"], "excluded");
  EXPECT_EQ(result()["stage"], "reference");
  EXPECT_EQ(result()["cause"], "out of memory");
}

TEST_F(BenchCommand, PassesOperatorLibrariesOnAndSaysThemAgain) {
  const ScriptedInstallation installation("case $request in *'\"op_libraries\":[\"mine\",\"b.so\"]'*) " + measured() +
                                          ";; *) exit 3;; esac");
  installation.run(bench("eager", {"--op-library", "mine", "--op-library", "b.so"}));
  EXPECT_EQ(result()["status"], "correct") << result()["message"];
  EXPECT_THAT(result()["reproduce"].get<std::string>(), HasSubstr(" --op-library mine --op-library b.so"));
  EXPECT_EQ(json::parse(read_file(run_folder() + "/run.json"))["op_libraries"], json({"mine", "b.so"}));
}

TEST_F(BenchCommand, AMissingOperatorLibraryExcludesTheSample) {
  const std::string missing =
      R"(stage load; error '{"kind":"environment","stage":"load","cause":"not installed","message":"libmine.so"}')";
  for (const char* compiler : {"eager", "inductor"}) {
    const ScriptedInstallation installation(missing);
    installation.set_python(kAvailable, missing);
    installation.run(bench(compiler));
    EXPECT_EQ(result()["status"], "excluded") << compiler;
    EXPECT_EQ(result()["stage"], "load") << compiler;
    EXPECT_EQ(result()["cause"], "not installed") << compiler;
    EXPECT_EQ(result()["message"], "libmine.so") << compiler;
    std::filesystem::remove_all(run_folder());
  }
}

TEST_F(BenchCommand, SaysHowGoodTheMeasurementsWere) {
  const ScriptedInstallation installation(measured("noisy", "all outputs are constant"));
  const Finished finished = installation.run(bench("eager"));
  EXPECT_THAT(finished.output, HasSubstr("\neager: 1 noisy; 1 sample with a degenerate reference: a\n"));
  EXPECT_EQ(result()["verdict"], "noisy");
  EXPECT_EQ(result()["degenerate"], "all outputs are constant");
}

TEST_F(BenchCommand, RefusesAFolderWithOtherFiles) {
  std::filesystem::create_directories(run_folder());
  write_file(run_folder() + "/notes.txt", "mine");
  const ScriptedInstallation installation(measured());
  const Finished finished = installation.run(bench("eager"));
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_EQ(finished.output, "");
  EXPECT_FALSE(std::filesystem::exists(run_folder() + "/run.json"));
}

TEST_F(BenchCommand, LeavesNothingBehindWhereACompilerRefusesAnOption) {
  const ScriptedInstallation installation(measured());
  // A compiler makes its cache as it starts, where it is told of one.
  installation.set_python(
      "mkdir -p \"${TORCHINDUCTOR_CACHE_DIR:-/tmp}\"; "
      R"(error '{"kind":"usage","message":"there is no option bogus"}')",
      "exit 3");
  const Finished finished = installation.run(bench("inductor:bogus=1"));
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_EQ(finished.output, "");
  EXPECT_THAT(finished.errors, HasSubstr("--compiler inductor:bogus=1: there is no option bogus"));
  EXPECT_FALSE(std::filesystem::exists(run_folder()));
}

TEST_F(BenchCommand, TellsInWhatPythonFailed) {
  const ScriptedInstallation installation(measured());
  installation.set_python("echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1", "exit 3");
  const Finished finished = installation.run(bench("inductor"));
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_EQ(result()["status"], "unavailable");
  EXPECT_THAT(result()["message"].get<std::string>(), HasSubstr("exit code 1: ModuleNotFoundError"));
}

// Two requests to stop, from the worker itself, before it has an answer.
constexpr const char* kStoppedAtOnce = "kill -INT $graphnet; sleep 0.3; kill -INT $graphnet; exec sleep 600";

TEST_F(BenchCommand, StoppedBeforeAUnitIsFinishedItPrintsNoScores) {
  const ScriptedInstallation installation(kStoppedAtOnce);
  const Finished finished = installation.run(bench("eager"));
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_THAT(finished.output, Not(HasSubstr("graphnet score")));
  EXPECT_THAT(finished.errors, HasSubstr("no unit was finished"));
}

TEST_F(BenchCommand, StoppedItStillPrintsJsonOfWhatIsFinished) {
  const ScriptedInstallation installation(for_compiler("eager", measured(), kStoppedAtOnce));
  const Finished finished = installation.run(bench("eager,torchscript", {"--json"}));
  EXPECT_EQ(finished.exit_code, 4);
  const json report = json::parse(finished.output);
  EXPECT_EQ(report["interrupted"], true);
  EXPECT_EQ(report["scores"].size(), 1U);
  EXPECT_EQ(report["quality"][0]["verdicts"]["converged"], 1);
}

// Whether a process runs, zombies not counted.
bool runs(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.at(name_end + 2) != 'Z';
}

TEST_F(BenchCommand, KilledDuringACompileItLeavesNothingRunning) {
  const ScriptedInstallation installation(measured());
  const std::string pids = folder_.path() / "pids";
  installation.set_python(kAvailable, "(trap '' TERM; exec sleep 600) & echo $$ $! > " + pids + ".new; mv " + pids +
                                          ".new " + pids + "; wait");
  std::string command;
  for (const std::string& word : bench("inductor")) command += " " + word;
  run_program(
      {"sh", "-c",
       installation.program() + command + " & while [ ! -s " + pids + " ]; do sleep 0.05; done; kill -KILL $!"});
  std::istringstream processes(read_file(pids));
  for (pid_t process = 0; processes >> process;) {
    for (int i = 0; i < 1000 && runs(process); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(runs(process));
  }
}

}  // namespace
}  // namespace graphnet::test
