// What the commands make of workers that crash, hang, lie or are missing. No LibTorch: the workers are shell scripts.

#include <algorithm>
#include <sstream>

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
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class WorkerTrouble : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b"}) {
      Sample sample = small_sample();
      sample.metadata.name = name;
      write_sample(sample, samples_.path() / name);
    }
  }

  std::string samples() const { return samples_.path(); }
  std::string run_folder() const { return samples_.path().string() + "-run"; }
  void TearDown() override { std::filesystem::remove_all(run_folder()); }

  std::vector<std::string> bench(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"bench", samples(), "--compiler", "eager", "-o", run_folder()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  std::vector<json> results() const {
    std::istringstream lines(read_file(run_folder() + "/results.jsonl"));
    std::vector<json> units;
    for (std::string line; std::getline(lines, line);) units.push_back(json::parse(line));
    return units;
  }

  TemporaryFolder samples_{"graphnet-samples-"};
};

TEST_F(WorkerTrouble, BenchRecordsEachUnitOnce) {
  const ScriptedInstallation installation(kMeasured);
  const Finished finished = installation.run(bench());
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  ASSERT_EQ(results().size(), 2U);
  EXPECT_EQ(results()[0]["sample"], "a");
  EXPECT_EQ(results()[1]["sample"], "b");
  EXPECT_EQ(results()[1]["speedup"], 2.0);
  EXPECT_EQ(results()[1]["measurements"]["worker"]["timing"]["trials"].size(), 1U);
}

TEST_F(WorkerTrouble, BenchReportsACrashWithStageSignalAndLastWords) {
  const ScriptedInstallation installation("stage time; echo 'about to fall' >&2; kill -SEGV $$");
  const Finished finished = installation.run(bench());
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.output, HasSubstr("SIGSEGV"));
  EXPECT_THAT(finished.output, HasSubstr("about to fall"));
  EXPECT_EQ(results()[0]["status"], "failed");
  EXPECT_EQ(results()[0]["stage"], "time");
  EXPECT_EQ(results()[0]["cause"], "signal");
}

TEST_F(WorkerTrouble, BenchGoesOnAfterACrashAndSaysHowToRunTheUnitAgain) {
  const ScriptedInstallation installation("case $request in */a'\"'*) stage time; kill -ABRT $$;; esac; " +
                                          std::string(kMeasured));
  const Finished finished = installation.run(bench());
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(results()[1]["status"], "correct");
  EXPECT_THAT(finished.output, HasSubstr("graphnet bench " + samples() + "/a --compiler eager"));
}

TEST_F(WorkerTrouble, BenchExcludesASampleWhoseReferenceCrashes) {
  const ScriptedInstallation installation("stage reference; kill -SEGV $$");
  const Finished finished = installation.run(bench());
  EXPECT_EQ(results()[0]["status"], "excluded");
  EXPECT_THAT(finished.output, HasSubstr("2 excluded (reference, signal): a, b"));
}

TEST_F(WorkerTrouble, BenchEndsAUnitThatHangs) {
  const ScriptedInstallation installation("stage time; exec sleep 600");
  const Finished finished = installation.run(bench({"--timeout", "1"}));
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(results()[0]["cause"], "time-out");
  EXPECT_LT(finished.seconds.count(), 30);
}

TEST_F(WorkerTrouble, BenchRecordsNonsenseAsABadProtocol) {
  const ScriptedInstallation installation("stage time; echo 'Segmentation fault, or so'; exec sleep 600");
  installation.run(bench());
  EXPECT_EQ(results()[0]["cause"], "bad protocol");
}

TEST_F(WorkerTrouble, BenchSurvivesAResultWithoutItsNumbers) {
  const ScriptedInstallation installation("result '{}'");
  const Finished finished = installation.run(bench());
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(results()[0]["cause"], "bad protocol");
}

TEST_F(WorkerTrouble, BenchSurvivesAResultWithoutATime) {
  std::string measured = kMeasured;
  measured.replace(measured.find(R"("low":1.9)"), 9, R"("low":null)");
  const ScriptedInstallation installation(measured);
  const Finished finished = installation.run(bench());
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(results()[0]["cause"], "bad protocol");
  EXPECT_EQ(results().size(), 2U);
}

// What the candidate wrote over or left running may show in the reference first.
TEST_F(WorkerTrouble, BenchBooksAReferenceThatFailsOnlyBesideTheCandidateToTheCandidate) {
  const ScriptedInstallation installation(R"(case $request in
    *'"compiler":"eager"'*) )" + std::string(kMeasured) +
                                          R"( ;;
    *) stage check; stage reference; kill -SEGV $$ ;;
    esac)");
  std::vector<std::string> arguments = bench();
  std::ranges::replace(arguments, "eager", "torchscript");
  EXPECT_EQ(installation.run(arguments).exit_code, 1);
  EXPECT_EQ(results()[0]["status"], "failed");
  EXPECT_EQ(results()[0]["stage"], "check");
  EXPECT_EQ(results()[0]["cause"], "signal");
}

TEST_F(WorkerTrouble, BenchExcludesASampleWhoseReferenceFailsAloneToo) {
  const ScriptedInstallation installation("stage check; stage reference; kill -SEGV $$");
  installation.run(bench());
  EXPECT_EQ(results()[0]["status"], "excluded");
  EXPECT_EQ(results()[0]["stage"], "reference");
}

TEST_F(WorkerTrouble, BenchDoesWithoutAFloat64RunThatFalls) {
  const ScriptedInstallation installation("case $request in *'\"float64\":\"off\"'*) " + std::string(kMeasured) +
                                          " ;; *) stage re-check; stage float64; kill -ABRT $$ ;; esac");
  const Finished finished = installation.run(bench());
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(results()[0]["status"], "correct");
  EXPECT_EQ(results()[0]["measurements"]["worker"]["float64"], json({{"failed", "signal SIGABRT (Aborted)"}}));
  EXPECT_THAT(finished.output, HasSubstr("converged, float64 run failed"));
}

TEST_F(WorkerTrouble, BenchEndsAWorkerThatOnlyTalks) {
  const ScriptedInstallation installation(
      R"(stage time; while true; do echo "{\"id\":$id,\"event\":\"warning\",\"message\":\"still here\"}"; done)");
  const Finished finished = installation.run(bench({"--timeout", "1"}));
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(results()[0]["cause"], "time-out");
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(WorkerTrouble, BenchShowsEachStageOnceHoweverOftenTheReferenceTakesItsTurn) {
  std::filesystem::remove_all(samples_.path() / "b");
  const ScriptedInstallation installation(
      "stage load; stage reference; stage time; stage reference; stage time; stage time; stage reference; stage "
      "time; " +
      std::string(kMeasured));
  const Finished finished = installation.run(bench({"-v"}));
  EXPECT_EQ(occurrences(finished.errors, "a with eager: reference"), 1U) << finished.errors;
  EXPECT_EQ(occurrences(finished.errors, "a with eager: time"), 1U) << finished.errors;
}

TEST_F(WorkerTrouble, BenchFinishesTheRunningUnitAfterCtrlC) {
  const ScriptedInstallation installation("sleep 2; " + std::string(kMeasured));
  const Finished finished = installation.run_interrupted_after("1", bench());
  EXPECT_EQ(finished.exit_code, 4) << finished.errors;
  EXPECT_EQ(results().size(), 1U);
}

// A program that takes the place of another while the run is at sample a: `path`.right is what it was.
void write_broken(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path broken = path.string() + ".broken";
  write_file(broken, "#!/bin/sh\n" + text);
  std::filesystem::permissions(broken, std::filesystem::perms::owner_all);
}

constexpr const char* kBreakAtSampleA = "case $request in */a'\"'*) cp $0 $0.right; mv $0.broken $0;; esac; ";

struct BrokenStart {
  const char* name;
  const char* worker;
  const char* reason;
};

void PrintTo(const BrokenStart& start, std::ostream* out) {
  *out << start.name;
}

class WorkersThatDoNotStart : public WorkerTrouble, public testing::WithParamInterface<BrokenStart> {};

INSTANTIATE_TEST_SUITE_P(
    Worker, WorkersThatDoNotStart,
    testing::Values(BrokenStart{"LacksALibrary", "echo 'libtorch.so: cannot open it' >&2; exit 127", "libtorch.so"},
                    BrokenStart{"SpeaksAnotherVersion", "echo '{\"event\":\"hello\",\"protocol\":9}'; read request",
                                "it speaks version 9"},
                    BrokenStart{"Rambles", "echo Hello; read request", "no greeting"},
                    BrokenStart{"FallsBeforeItsFirstStage",
                                "echo '{\"event\":\"hello\",\"protocol\":1}'; read request; kill -SEGV $$", "SIGSEGV"}),
    [](const auto& instance) { return instance.param.name; });

TEST_P(WorkersThatDoNotStart, EndTheRunWhichThenCanGoOn) {
  const ScriptedInstallation installation(kBreakAtSampleA + std::string(kMeasured));
  const std::filesystem::path worker = installation.path() / "bin" / "graphnet-worker";
  write_broken(worker, GetParam().worker);
  const Finished finished = installation.run(bench());
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_THAT(finished.errors, HasSubstr("graphnet-worker does not start: "));
  EXPECT_THAT(finished.errors, HasSubstr(GetParam().reason));
  EXPECT_THAT(finished.errors, HasSubstr(run_folder() + "/logs/b-eager-"));
  EXPECT_EQ(results().size(), 1U) << "b is not held against anybody";
  std::filesystem::rename(worker.string() + ".right", worker);
  EXPECT_EQ(installation.run({"bench", "--resume", run_folder()}).exit_code, 0);
  EXPECT_EQ(results().size(), 2U);
}

TEST_F(WorkerTrouble, BenchTriesTwiceToStartAWorker) {
  const ScriptedInstallation installation(kBreakAtSampleA + std::string(kMeasured));
  write_broken(installation.path() / "bin" / "graphnet-worker", "mv $0.right $0; exit 1");
  const Finished finished = installation.run(bench());
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(results().size(), 2U);
}

TEST_F(WorkerTrouble, BenchEndsWhereACompilersProcessDoesNotStartAgain) {
  const ScriptedInstallation installation(kMeasured);
  installation.set_python("result '{\"available\":true,\"reason\":\"\"}'",
                          std::string(kBreakAtSampleA) + "kill -ABRT $$");
  write_broken(installation.path() / "bin" / "python", "echo 'No module named torch' >&2; exit 1");
  const Finished finished = installation.run({"bench", samples(), "--compiler", "inductor", "-o", run_folder()});
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_THAT(finished.errors, HasSubstr("the process of inductor does not start: exit code 1"));
  EXPECT_THAT(read_file(run_folder() + "/logs/inductor.log"), HasSubstr("No module named torch"));
  ASSERT_EQ(results().size(), 1U);
  EXPECT_EQ(results()[0]["cause"], "signal");
}

TEST_F(WorkerTrouble, BenchPrintsJsonAndNothingElse) {
  const ScriptedInstallation installation(kMeasured);
  const Finished finished = installation.run(bench({"--json"}));
  const json report = json::parse(finished.output);
  EXPECT_EQ(report["scores"][0]["compiler"], "eager");
  EXPECT_EQ(report["scores"][0]["samples"], 2);
}

TEST_F(WorkerTrouble, BenchNeedsAFreshFolder) {
  const ScriptedInstallation installation(kMeasured);
  installation.run(bench());
  const Finished again = installation.run(bench());
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.errors, HasSubstr("already holds a run"));
  EXPECT_EQ(results().size(), 2U);
}

TEST_F(WorkerTrouble, BenchNeverScoresACompilerThatIsNotInstalled) {
  const ScriptedInstallation installation(kMeasured);
  const Finished finished = installation.run({"bench", samples(), "--compiler", "inductor", "-o", run_folder()});
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_EQ(results()[0]["status"], "unavailable");
  EXPECT_THAT(finished.output, HasSubstr("/no/such/python"));
}

TEST_F(WorkerTrouble, BenchRefusesACompilerItDoesNotKnow) {
  const ScriptedInstallation installation(kMeasured);
  const Finished finished = installation.run({"bench", samples(), "--compiler", "gcc", "-o", run_folder()});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.errors, HasSubstr("gcc"));
  EXPECT_FALSE(std::filesystem::exists(run_folder()));
}

TEST_F(WorkerTrouble, BenchSkipsASampleThatNeedsMoreMemoryThanThereIs) {
  Sample large = small_sample();
  large.metadata.name = "a";
  for (Call& call : large.graph.calls) {
    for (Result& result : call.results) std::get<TensorResult>(result).type.shape = {1'000'000, 1'000};
  }
  describe(large.metadata, large.graph);
  write_sample(large, samples_.path() / "a");
  const ScriptedInstallation installation(kMeasured);
  const Finished finished = installation.run(bench());
  EXPECT_EQ(results()[0]["cause"], "insufficient memory");
  EXPECT_THAT(finished.output, HasSubstr("of memory"));
}

TEST_F(WorkerTrouble, ValidateGoesOnAfterACrash) {
  const ScriptedInstallation installation(
      "case $request in */a'\"'*) stage run; kill -SEGV $$;; esac; result '{\"passed\":true,\"checks\":[]}'");
  const Finished finished = installation.run({"validate", samples()});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.output, ContainsRegex("FAIL +a: run: .*SIGSEGV"));
  EXPECT_THAT(finished.output, ContainsRegex("ok +b\n"));
}

TEST_F(WorkerTrouble, ValidateSurvivesAResultWithoutItsChecks) {
  const ScriptedInstallation installation("result '{}'");
  const Finished finished = installation.run({"validate", samples(), "-j", "2"});
  EXPECT_EQ(finished.exit_code, 1) << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("FAIL  a: the worker's result is not usable"));
  EXPECT_THAT(finished.output, HasSubstr("2 samples, 2 failed"));
}

TEST_F(WorkerTrouble, ValidateNamesTheCheckThatFailed) {
  const ScriptedInstallation installation(
      R"(result '{"passed":false,"checks":[{"name":"identity","passed":false,"message":"call 3 differs"}]}')");
  const Finished finished = installation.run({"validate", samples(), "-j", "2"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.output, HasSubstr("identity: call 3 differs"));
  EXPECT_THAT(finished.output, HasSubstr("2 samples, 2 failed"));
}

TEST_F(WorkerTrouble, ValidateJsonHasOneResultASample) {
  const ScriptedInstallation installation("result '{\"passed\":true,\"checks\":[]}'");
  const json report = json::parse(installation.run({"validate", samples(), "--json"}).output);
  EXPECT_EQ(report["samples"], 2);
  EXPECT_EQ(report["failed"], 0);
  EXPECT_EQ(report["results"][1]["sample"], "b");
}

TEST_F(WorkerTrouble, ExtractReportsACrashWithStageAndSignal) {
  const ScriptedInstallation installation("stage record; kill -SEGV $$");
  const Finished finished = installation.run({"extract", "model.pt"});
  EXPECT_NE(finished.exit_code, 0);
  EXPECT_THAT(finished.errors, ContainsRegex("model.pt: .*SIGSEGV.*record"));
}

TEST_F(WorkerTrouble, ExtractGoesOnWithTheNextModel) {
  const ScriptedInstallation installation(
      "case $request in */bad.pt'\"'*) kill -SEGV $$;; esac;"
      "result '{\"directory\":\"good\",\"calls\":2,\"operators\":2,\"parameters\":6}'");
  const Finished finished = installation.run({"extract", "x/bad.pt", "x/good.pt"});
  EXPECT_NE(finished.exit_code, 0);
  EXPECT_THAT(finished.output, HasSubstr("good: 2 calls"));
}

TEST_F(WorkerTrouble, AMissingWorkerIsAnEnvironmentError) {
  const ScriptedInstallation installation(kMeasured);
  std::filesystem::remove(installation.path() / "bin" / "graphnet-worker");
  const Finished finished = installation.run({"validate", samples()});
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_THAT(finished.errors, HasSubstr("graphnet-worker is missing"));
}

}  // namespace
}  // namespace graphnet::test
