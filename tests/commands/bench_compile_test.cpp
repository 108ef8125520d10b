// How graphnet bench compiles: the cache of packages, several at once, and parts of the samples. No LibTorch: worker
// and compiler are shell scripts.

#include <set>
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
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class BenchCompile : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b", "c"}) {
      Sample sample = small_sample(2 + static_cast<std::size_t>(name[0] - 'a'));  // no package fits another
      sample.metadata.name = name;
      write_sample(sample, samples() / name);
    }
    // What is done is told in a file: "compile" and "time".
    worker_.set_python(R"(result '{"available":true,"reason":"","version":"1"}')",
                       "package=${request#*'\"package\":\"'}; package=${package%%'\"'*}; echo compile >> " + told() +
                           R"(; echo package > "$package"; result '{"seconds":{"compile":2.5}}')");
  }

  std::filesystem::path samples() const { return folder_.path() / "samples"; }
  std::string told() const { return folder_.path() / "told"; }

  std::vector<std::string> told_lines() const {
    std::istringstream text(read_file(told()));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  // Benches into a folder of this name, with the test's own cache.
  Finished bench(const std::string& run, const std::vector<std::string>& more = {},
                 std::map<std::string, std::string> environment = {}) const {
    write_file(told(), "");
    std::vector<std::string> arguments = {"bench", samples(), "--compiler", "inductor", "-o", folder_.path() / run};
    arguments.insert(arguments.end(), more.begin(), more.end());
    environment["XDG_CACHE_HOME"] = folder_.path() / "cache";
    return worker_.run(arguments, {{}, environment});
  }

  std::vector<json> results(const std::string& run) const {
    std::istringstream text(read_file(folder_.path() / run / "results.jsonl"));
    std::vector<json> units;
    for (std::string line; std::getline(text, line);) units.push_back(json::parse(line));
    return units;
  }

  TemporaryFolder folder_{"graphnet-bench-compile-"};
  ScriptedInstallation worker_{"echo time >> " + told() + "; " + kMeasured};
};

TEST_F(BenchCompile, ASecondRunCompilesNothingAndTellsTheTimeOfThen) {
  const Finished first = bench("first");
  EXPECT_THAT(told_lines(), ElementsAre("compile", "time", "compile", "time", "compile", "time"));
  EXPECT_EQ(results("first")[0]["compile_cached"], false);
  EXPECT_THAT(first.output, Not(HasSubstr("2.5*")));
  const Finished second = bench("second");
  EXPECT_THAT(told_lines(), ElementsAre("time", "time", "time"));
  EXPECT_EQ(results("second")[0]["compile_seconds"], 2.5);
  EXPECT_EQ(results("second")[0]["compile_cached"], true);
  EXPECT_THAT(second.output, HasSubstr("2.5*"));
}

TEST_F(BenchCompile, EachUnitHasACompilerCacheOfItsOwnWhichEndsWithIt) {
  worker_.set_python(R"(result '{"available":true,"reason":"","version":"1"}')",
                     "package=${request#*'\"package\":\"'}; package=${package%%'\"'*}; "
                     "cache=${request#*'\"cache\":\"'}; cache=${cache%%'\"'*}; mkdir $cache && echo $cache >> " +
                         told() + R"(; echo package > "$package"; result '{"seconds":{"compile":2.5}}')");
  bench("run");
  std::set<std::string> caches;
  for (const std::string& line : told_lines()) {
    if (line != "time") caches.insert(line);
  }
  EXPECT_EQ(caches.size(), 3U);
  for (const std::string& cache : caches) EXPECT_FALSE(std::filesystem::exists(cache)) << cache;
}

TEST_F(BenchCompile, FreshCompilesAgain) {
  bench("first");
  bench("second", {"--fresh"});
  EXPECT_THAT(told_lines(), ElementsAre("compile", "time", "compile", "time", "compile", "time"));
  EXPECT_EQ(results("second")[0]["compile_cached"], false);
}

TEST_F(BenchCompile, AnotherEnvironmentCompilesAgainAndIsRecorded) {
  bench("first");
  bench("second", {}, {{"TORCHINDUCTOR_MAX_AUTOTUNE", "1"}});
  EXPECT_THAT(told_lines(), ElementsAre("compile", "time", "compile", "time", "compile", "time"));
  const json run = json::parse(read_file(folder_.path() / "second" / "run.json"));
  EXPECT_EQ(run["environment"]["TORCHINDUCTOR_MAX_AUTOTUNE"], "1");
}

TEST_F(BenchCompile, OtherOptionsAndThreadsCompileAgain) {
  bench("first");
  bench("second", {"--threads", "2"});
  EXPECT_THAT(told_lines(), ElementsAre("compile", "time", "compile", "time", "compile", "time"));
  bench("third", {"--compiler", "inductor:x=1"});
  EXPECT_THAT(read_file(told()), HasSubstr("compile"));
}

TEST_F(BenchCompile, WithSeveralJobsNothingIsTimedWhileUnitsCompile) {
  const Finished finished = bench("run", {"--compile-jobs", "2"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(told_lines(), ElementsAre("compile", "compile", "compile", "time", "time", "time"));
  EXPECT_EQ(results("run")[2]["sample"], "c");
}

TEST_F(BenchCompile, ShardsTogetherHaveEveryUnitOnce) {
  std::multiset<std::string> found;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    const std::string run = "run-" + std::string(shard, 1);
    const Finished finished = bench(run, {"--shard", shard});
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    for (const json& unit : results(run)) found.insert(unit["sample"]);
  }
  EXPECT_THAT(found, ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace graphnet::test
