// The fault list: what a worker or a compiler can do to its unit, and that nothing else suffers. One of three samples
// has the fault. For each: the stage and the cause that are recorded, the other units, the exit code, and that neither
// a process nor a file is left. No LibTorch: worker and compiler are shell scripts. (Faults that need tensors, such as
// wrong outputs, are in tests/worker.)

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphnet/support/files.h"

#include "processes.h"
#include "program.h"
#include "scripted_installation.h"
#include "small_sample.h"

namespace graphnet::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kAvailable = "result '{\"available\":true,\"reason\":\"\"}'";
constexpr const char* kCompiled = R"(echo package > "$package"; result '{"seconds":{"compile":0.1}}')";

struct Fault {
  const char* name;
  const char* script;  // of the worker or the compiler, for the sample in question
  const char* status;
  const char* stage;
  const char* cause;
  const char* message;  // a part of it
  const char* timeout = "1";
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

class Faults : public testing::TestWithParam<Fault> {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b", "c"}) {
      Sample sample = small_sample(2 + static_cast<std::size_t>(name[0] - 'a'));  // no package fits another
      sample.metadata.name = name;
      write_sample(sample, folder_.path() / "samples" / name);
    }
    std::filesystem::create_directories(temporary());
  }

  std::string temporary() const { return folder_.path() / "temporary"; }
  std::string run_folder() const { return folder_.path() / "run"; }

  // Does the fault for sample b, and what is right for the others.
  static std::string for_sample_b(const std::string& otherwise) {
    return "good() { " + std::string(kMeasured) + "; }; case $request in */b'\"'*) " + std::string(GetParam().script) +
           ";; *) " + otherwise + ";; esac";
  }

  Finished bench(const ScriptedInstallation& installation, const std::string& compiler) const {
    return installation.run({"bench", folder_.path() / "samples", "--compiler", compiler, "-o", run_folder(),
                             "--timeout", GetParam().timeout, "--memory-limit", "200MiB"},
                            {{}, {{"TMPDIR", temporary()}}});
  }

  // Whether shared memory that this test's processes made is left. Tests may run at the same time: hence what it holds.
  bool has_segment() const {
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
      std::string text;
      std::getline(std::ifstream(entry.path()), text);
      if (text.starts_with(temporary())) return true;
    }
    return false;
  }

  void expect_as_documented(const Finished& finished) const {
    std::istringstream lines(read_file(run_folder() + "/results.jsonl"));
    std::map<std::string, json> units;
    for (std::string line; std::getline(lines, line);) units[json::parse(line).at("sample")] = json::parse(line);
    ASSERT_EQ(units.size(), 3U);
    EXPECT_EQ(units["a"]["status"], "correct");
    EXPECT_EQ(units["c"]["status"], "correct");
    const json& faulty = units["b"];
    EXPECT_EQ(faulty["status"], GetParam().status);
    EXPECT_EQ(faulty["stage"], GetParam().stage);
    EXPECT_EQ(faulty["cause"], GetParam().cause);
    EXPECT_THAT(faulty["message"].get<std::string>(), HasSubstr(GetParam().message));
    EXPECT_THAT(faulty["reproduce"].get<std::string>(), HasSubstr("samples/b --compiler "));
    EXPECT_EQ(finished.exit_code, 1) << finished.errors;
    EXPECT_LT(finished.seconds.count(), 20);
    EXPECT_LE(std::filesystem::file_size(run_folder() + "/" + faulty["log"].get<std::string>()), 70'000'000U);
    EXPECT_TRUE(none_left_with(temporary()));
    EXPECT_TRUE(std::filesystem::is_empty(temporary()));
    EXPECT_FALSE(has_segment());
  }

  TemporaryFolder folder_{"graphnet-faults-"};
};

using WorkerFaults = Faults;
using CompilerFaults = Faults;

TEST_P(WorkerFaults, CostOneUnit) {
  const ScriptedInstallation installation(for_sample_b(kMeasured));
  expect_as_documented(bench(installation, "torchscript"));
}

TEST_P(CompilerFaults, CostOneUnit) {
  const ScriptedInstallation installation(kMeasured);
  installation.set_python(
      kAvailable, "package=${request#*'\"package\":\"'}; package=${package%%'\"'*}; " + for_sample_b(kCompiled));
  expect_as_documented(bench(installation, "inductor"));
}

// What follows is done to the candidate only; the reference runs well.
#define OF_CANDIDATE "case $request in *torchscript*) ;; *) good; continue;; esac; "

// Twenty children, each in a session of its own, that ignore every polite request.
#define TWENTY_CHILDREN                                                                                           \
  "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do setsid sh -c 'trap \"\" TERM HUP; sleep 600' " \
  ">/dev/null & done; "

INSTANTIATE_TEST_SUITE_P(
    Worker, WorkerFaults,
    testing::Values(
        Fault{"Abort", "stage time; kill -ABRT $$", "failed", "time", "signal", "SIGABRT"},
        Fault{"SegmentationFault", "stage time; kill -SEGV $$", "failed", "time", "signal", "SIGSEGV"},
        Fault{"ReferenceSegmentationFault", "stage reference; kill -SEGV $$", "excluded", "reference", "signal",
              "SEGV"},
        Fault{"ExitWithoutAWord", "stage check; exit 0", "failed", "check", "exit code", "exit code 0"},
        Fault{"HangAtLoad", "stage load; exec sleep 600", "excluded", "load", "time-out", "no answer within 1 s"},
        Fault{"HangAtReference", "stage reference; exec sleep 600", "excluded", "reference", "time-out", "1 s"},
        Fault{"HangAtCompile", "stage compile; exec sleep 600", "failed", "compile", "time-out", "1 s"},
        Fault{"HangAtCheck", "stage check; exec sleep 600", "failed", "check", "time-out", "1 s"},
        Fault{"HangAtTime", OF_CANDIDATE "stage time; exec sleep 600", "failed", "time", "time-out", "1 s"},
        Fault{"HangOfTheReferenceAtTime", "stage time; exec sleep 600", "excluded", "reference", "time-out", "1 s"},
        Fault{"HangAtRecheck", "stage re-check; exec sleep 600", "failed", "re-check", "time-out", "1 s"},
        Fault{"HangIgnoringSigterm", OF_CANDIDATE "stage time; trap '' TERM; sleep 600", "failed", "time", "time-out",
              "1 s"},
        Fault{"TwentyChildrenAndACrash", TWENTY_CHILDREN "stage time; kill -SEGV $$", "failed", "time", "signal",
              "SEGV"},
        Fault{"TwentyChildrenAndAHang", OF_CANDIDATE TWENTY_CHILDREN "stage time; sleep 600", "failed", "time",
              "time-out", "1 s"},
        Fault{"LeavesSharedMemory", "echo $TMPDIR > /dev/shm/torch_$$_graphnet; stage time; kill -SEGV $$", "failed",
              "time", "signal", "SEGV"},
        Fault{"EatsMemory", OF_CANDIDATE "stage time; head -c 900000000 /dev/zero | tail -n 1", "failed", "time",
              "out of memory", "the limit is 200 MiB (--memory-limit)", "60"},
        Fault{"PrintsAGigabyte", "stage time; yes | head -c 1000000000 >&2; echo last words >&2; kill -SEGV $$",
              "failed", "time", "signal", "last words", "60"},
        Fault{"AGigabyteInTheProtocol", "stage time; yes | tr -d '\\n' | head -c 1000000000", "failed", "time",
              "bad protocol", "a line without end"},
        Fault{"Garbage", "stage time; echo '\\033]0;owned'; sleep 600", "failed", "time", "bad protocol",
              "unexpected line"},
        Fault{"HalfALine", "stage time; printf '{\"id\":2,\"res'; exit 0", "failed", "time", "exit code",
              "exit code 0"},
        Fault{"ResultWithoutNumbers", "result '{}'", "failed", "run", "bad protocol", "not usable"},
        Fault{"LeavesFiles", "stage time; mkdir $TMPDIR/left; : > $TMPDIR/left/file; kill -SEGV $$", "failed", "time",
              "signal", "SEGV"}),
    [](const auto& instance) { return instance.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Compiler, CompilerFaults,
    testing::Values(
        Fault{"Abort", "kill -ABRT $$", "failed", "compile", "signal", "SIGABRT"},
        Fault{"ExitWithoutAWord", "exit 0", "failed", "compile", "exit code", "exit code 0"},
        Fault{"Hang", "exec sleep 600", "failed", "compile", "time-out", "no answer within 1 s"},
        Fault{"HangIgnoringSigterm", "trap '' TERM; sleep 600", "failed", "compile", "time-out", "1 s"},
        Fault{"TwentyChildrenAndAHang", TWENTY_CHILDREN "sleep 600", "failed", "compile", "time-out", "1 s"},
        Fault{"EatsMemory", "head -c 900000000 /dev/zero | tail -n 1", "failed", "compile", "out of memory", "200 MiB",
              "60"},
        Fault{"Garbage", "echo nonsense; sleep 600", "failed", "compile", "bad protocol", "nonsense"},
        Fault{"HalfALine", "printf '{\"id\":2,\"res'; exit 0", "failed", "compile", "exit code", "exit code 0"},
        Fault{"CompilerError", R"(error '{"kind":"unsupported","cause":"exception","message":"LoweringException"}')",
              "failed", "compile", "exception", "LoweringException"},
        Fault{"LeavesFiles", ": > $TMPDIR/left; kill -SEGV $$", "failed", "compile", "signal", "SEGV"}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace graphnet::test
