// graphnet compare on run folders written by hand.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphnet/support/files.h"

#include "program.h"
#include "run_folder.h"

namespace graphnet::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const json kMachine = {{"processor", "AMD EPYC"}, {"threads", 2}, {"device", "cpu"}};

// A correct sample with ten trials around its speedup.
json timed(const std::string& sample, double speedup) {
  json line = correct(sample, speedup, -6);
  line["identity"] = "graph of " + sample;
  std::vector<double> trials;
  for (int i = 0; i < 10; ++i) trials.push_back(speedup * (1 + 0.0004 * (i * 7 % 10 - 4.5)));
  line["measurements"] = timing(trials);
  return line;
}

std::vector<json> ten_samples(double factor) {
  std::vector<json> lines;
  for (int i = 0; i < 10; ++i) {
    lines.push_back(timed("s" + std::to_string(i), (1.0 + 0.1 * i) * factor * (1 + 0.0002 * (i % 3))));
  }
  return lines;
}

// The same samples with another compiler.
void add_torchscript(std::vector<json>& lines, double factor) {
  for (json& line : ten_samples(factor)) {
    line["compiler"] = "torchscript";
    lines.push_back(std::move(line));
  }
}

class CompareCommand : public testing::Test {
 protected:
  void SetUp() override { write("a", ten_samples(1.0)); }

  std::string path(const std::string& name) const { return folder_.path() / name; }
  void write(const std::string& name, const std::vector<json>& lines, const json& machine = kMachine) {
    write_run(path(name), lines, machine);
  }

  Finished compare(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"compare", path("a"), path("b")});
    return graphnet(more);
  }
  json comparison(std::vector<std::string> more = {}) {
    more.emplace_back("--json");
    const Finished finished = compare(more);
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return json::parse(finished.output)["comparisons"][0];
  }

  TemporaryFolder folder_{"graphnet-test-"};
};

TEST_F(CompareCommand, FindsASlowdownAndFailsOnItWhereAskedTo) {
  write("b", ten_samples(0.95));
  EXPECT_EQ(comparison()["verdict"], "WORSE");
  EXPECT_NEAR(comparison()["ratio"], 0.95, 0.001);
  EXPECT_EQ(compare().exit_code, 0);
  EXPECT_EQ(compare({"--fail-on", "worse"}).exit_code, 1);
  EXPECT_THAT(compare().output, HasSubstr("WORSE: speedup B / A 0.95"));
}

TEST_F(CompareCommand, SaysWhichSideMoved) {
  std::vector<json> lines = ten_samples(1.0);
  for (json& line : lines) {  // as slow a candidate as before, beside a reference that became slower
    json& measured = line["measurements"]["worker"]["timing"];
    measured["reference_seconds"] = 1.1 * measured["reference_seconds"].get<double>();
    line["speedup"] = 1.1 * line["speedup"].get<double>();
  }
  write("b", lines);
  EXPECT_NEAR(comparison()["reference_ratio"], 1.1, 1e-9);
  EXPECT_NEAR(comparison()["candidate_ratio"], 1.0, 1e-9);
  EXPECT_THAT(compare().output, HasSubstr("the reference itself changed by +10.0 % (seconds, B / A)"));
  EXPECT_THAT(compare().output, HasSubstr("candidate +0.00 %, reference +10.0 %: the reference moved"));
  write("b", ten_samples(0.95));
  EXPECT_THAT(compare().output, testing::Not(HasSubstr("the reference itself")));
  EXPECT_THAT(compare().output, HasSubstr("reference +0.00 %: the candidate moved"));
}

TEST_F(CompareCommand, CallsEqualRunsTheSame) {
  write("b", ten_samples(1.001));
  EXPECT_EQ(comparison()["verdict"], "SAME");
  EXPECT_EQ(compare({"--fail-on", "worse"}).exit_code, 0);
}

TEST_F(CompareCommand, TakesAnotherMargin) {
  write("b", ten_samples(0.95));
  EXPECT_EQ(comparison({"--margin", "0.1"})["verdict"], "SAME");
}

TEST_F(CompareCommand, PutsASampleThatBrokeFirst) {
  std::vector<json> lines = ten_samples(1.0);
  lines[3] = ended("s3", "failed", "run", "signal");
  lines[3]["identity"] = "graph of s3";
  write("b", lines);
  EXPECT_EQ(comparison()["flips"][0]["sample"], "s3");
  EXPECT_EQ(comparison()["verdict"], "WORSE");
  EXPECT_EQ(compare({"--fail-on", "worse"}).exit_code, 1);
  EXPECT_THAT(compare().output, HasSubstr("broke    s3      correct to 1e-6  failed at run, signal\n"));
}

TEST_F(CompareCommand, FailsOnARunThatMeasuredNothing) {
  std::vector<json> lines;
  for (int i = 0; i < 10; ++i) {
    lines.push_back(ended("s" + std::to_string(i), "unavailable", "compile", "not installed"));
    lines.back()["identity"] = "graph of s" + std::to_string(i);
  }
  write("b", lines);
  EXPECT_EQ(comparison()["lost"], 10);
  EXPECT_EQ(compare({"--fail-on", "worse"}).exit_code, 1);
  EXPECT_THAT(compare().output, HasSubstr("0 broke, 0 fixed, 10 lost (correct in A, without a result in B)"));
}

TEST_F(CompareCommand, FailsOnARunThatWasNotFinished) {
  std::vector<json> lines = ten_samples(1.0);
  lines.resize(8);
  write("b", lines);
  EXPECT_EQ(comparison()["lost"], 2);
  EXPECT_EQ(compare({"--fail-on", "worse"}).exit_code, 1);
}

TEST_F(CompareCommand, FailsOnARunWithoutACompilerOfA) {
  std::vector<json> lines = ten_samples(1.0);
  add_torchscript(lines, 1.0);
  write("a", lines);
  write("b", ten_samples(1.0));
  EXPECT_EQ(compare({"--fail-on", "worse"}).exit_code, 1);
  EXPECT_EQ(compare({"--fail-on", "worse", "--compiler-a", "inductor"}).exit_code, 0);
}

TEST_F(CompareCommand, NamesTheSampleThatChanged) {
  std::vector<json> lines = ten_samples(1.0);
  lines[5] = timed("s5", 1.2);
  write("b", lines);
  const json change = comparison()["changes"][0];
  EXPECT_EQ(change["sample"], "s5");
  EXPECT_EQ(change["significant"], true);
  EXPECT_EQ(comparison()["changes"][1]["significant"], false);
}

TEST_F(CompareCommand, SaysWhatIsNotPaired) {
  std::vector<json> lines = ten_samples(1.0);
  lines[0]["identity"] = "another graph";
  lines[1]["sample"] = "new name";
  lines.erase(lines.begin() + 9);
  write("b", lines);
  EXPECT_THAT(compare().output, HasSubstr("8 samples paired, 2 only in A, 1 only in B (of these, 1 name in both"));
}

TEST_F(CompareCommand, SaysWhatItCouldHaveShownWhereItIsUnclear) {
  std::vector<json> lines;
  for (int i = 0; i < 10; ++i) lines.push_back(timed("s" + std::to_string(i), (1 + 0.1 * i) * (i % 2 ? 1.2 : 0.85)));
  write("b", lines);
  EXPECT_EQ(comparison()["verdict"], "UNCLEAR");
  EXPECT_GT(comparison()["detectable"], 1.05);
  EXPECT_THAT(compare().output, HasSubstr("the smallest change that this data could have shown is +"));
}

TEST_F(CompareCommand, RefusesRunsOfDifferentMachinesUnlessAskedTo) {
  json other = kMachine;
  other["processor"] = "Intel Xeon";
  write("b", ten_samples(1.0), other);
  EXPECT_EQ(compare().exit_code, 2);
  EXPECT_THAT(compare().errors, HasSubstr("AMD EPYC, 2 threads, cpu | Intel Xeon, 2 threads, cpu"));
  const Finished finished = compare({"--across-machines"});
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.output, HasSubstr("different machines: AMD EPYC"));
}

TEST_F(CompareCommand, ComparesTwoCompilersOfOneRun) {
  std::vector<json> lines = ten_samples(1.0);
  add_torchscript(lines, 1.1);
  write("b", lines);
  const json result = comparison({"--compiler-b", "torchscript"});
  EXPECT_EQ(result["compiler_a"], "inductor");
  EXPECT_EQ(result["verdict"], "BETTER");
  const Finished wrong = compare({"--compiler-b", "tvm"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("has no results of compiler tvm, but of inductor, torchscript"));
}

TEST_F(CompareCommand, RefusesAMarginThatIsNoShare) {
  write("b", ten_samples(1.0));
  EXPECT_EQ(compare({"--margin", "0"}).exit_code, 2);
  EXPECT_EQ(compare({"--margin", "2"}).exit_code, 2);
  EXPECT_EQ(compare({"--process-deviation", "-1"}).exit_code, 2);
  EXPECT_EQ(compare({"--fail-on", "better"}).exit_code, 2);
}

}  // namespace
}  // namespace graphnet::test
