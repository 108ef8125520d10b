// The main path on models that their libraries built: extract, validate, bench and score through the real worker.

#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphnet/support/files.h"

#include "program.h"

namespace graphnet::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// One thread: the tests share the machine, and threads that wait for each other crawl on a busy one.
const RunOptions kOneThread{.directory = {}, .environment = {{"OMP_NUM_THREADS", "1"}}};

std::string model(const std::string& name) {
  return std::string(GRAPHNET_TEST_DIR) + "/models/" + name + ".pt";
}

class RealModel : public testing::Test {
 protected:
  Finished run(std::vector<std::string> arguments) const { return graphnet(arguments, kOneThread); }

  std::string folder() const { return folder_.path(); }

  // Extracts a model from the tests' folder and returns the sample's.
  std::string extract(const std::string& name) const {
    const Finished finished = run({"extract", model(name), "-o", folder()});
    EXPECT_EQ(finished.exit_code, 0) << finished.errors;
    return folder() + "/" + name;
  }

 private:
  TemporaryFolder folder_{"graphnet-test-"};
};

TEST_F(RealModel, ASampleOfAConvolutionalNetworkValidates) {
  const std::string sample = extract("squeezenet1_1");
  const Finished finished = run({"validate", sample});
  EXPECT_EQ(finished.exit_code, 0) << finished.output << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("1 samples, 0 failed"));
}

// Compiled by torch.jit.script with their loops, lists, dicts and optional arguments, not traced.
class ScriptedModel : public RealModel, public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Published, ScriptedModel, testing::Values("raft_small", "tacotron2"),
                         [](const auto& name) { return std::string(name.param); });

TEST_P(ScriptedModel, ASampleOfItValidates) {
  const Finished finished = run({"validate", extract(GetParam())});
  EXPECT_EQ(finished.exit_code, 0) << finished.output << finished.errors;
  EXPECT_THAT(finished.output, HasSubstr("1 samples, 0 failed"));
}

TEST_F(RealModel, ExtractJsonHasTheNumbersOfTheSample) {
  const Finished finished = run({"extract", model("deepfm"), "-o", folder(), "--json"});
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  const json entry = json::parse(finished.output).at(0);
  const json numbers = json::parse(run({"show", folder() + "/deepfm", "--json"}).output);
  EXPECT_EQ(entry["directory"], folder() + "/deepfm");
  for (const char* key : {"name", "calls", "parameters", "identity"}) EXPECT_EQ(entry[key], numbers[key]) << key;
}

TEST_F(RealModel, ExtractingTwiceGivesTheSameBytes) {
  const std::string sample = extract("deepfm");
  const std::string graph = read_file(sample + "/graph.json");
  const std::string metadata = read_file(sample + "/sample.json");
  extract("deepfm");
  EXPECT_EQ(read_file(sample + "/graph.json"), graph);
  EXPECT_EQ(read_file(sample + "/sample.json"), metadata);
}

TEST_F(RealModel, ValidateJsonHasEveryCheck) {
  const Finished finished = run({"validate", extract("deepfm"), "--json"});
  const json report = json::parse(finished.output);
  EXPECT_EQ(report["failed"], 0);
  EXPECT_GT(report["results"][0]["details"]["checks"].size(), 3U);
}

struct Change {
  const char* what;
  const char* before;
  const char* after;
  const char* place;  // what the message names
};

class ChangedSample : public RealModel, public testing::WithParamInterface<Change> {};

INSTANTIATE_TEST_SUITE_P(Graph, ChangedSample,
                         testing::Values(Change{"operator", "[\"aten::add.Tensor\"", "[\"aten::sub.Tensor\"",
                                                "aten::sub.Tensor"},
                                         Change{"argument", ",0.2,false]", ",0.3,false]", "aten::dropout"},
                                         Change{"dtype", " float32[256]\"]]", " float64[256]\"]]", "aten::sigmoid"},
                                         Change{"shape", " float32[256]\"]]", " float32[255]\"]]", "aten::sigmoid"}),
                         [](const auto& change) { return std::string(change.param.what); });

TEST_P(ChangedSample, FailsAndNamesThePlace) {
  const Change& change = GetParam();
  const std::string sample = extract("deepfm");
  std::string text = read_file(sample + "/graph.json");
  const std::size_t place = text.rfind(change.before);
  ASSERT_NE(place, std::string::npos);
  write_file(sample + "/graph.json", text.replace(place, std::string_view(change.before).size(), change.after));

  const Finished finished = run({"validate", sample});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.output, HasSubstr("graph.json"));
  EXPECT_THAT(finished.output, HasSubstr(change.place));
}

TEST_F(RealModel, ExtractRefusesInputsThatDoNotFitAndShowsTheSignature) {
  const Finished finished = run({"extract", model("squeezenet1_1"), "-o", folder(), "--input", "nothing=3"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.errors, HasSubstr("nothing"));
  EXPECT_THAT(finished.errors, HasSubstr("forward("));
}

TEST_F(RealModel, ExtractSaysWhatAFileIsThatIsNoModel) {
  write_file(folder() + "/page.pt", "<!DOCTYPE html><html>404</html>");
  const Finished finished = run({"extract", folder() + "/page.pt", "-o", folder()});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors, HasSubstr("page.pt"));
}

// The units of a run, as they stand in its journal.
std::vector<json> units_of(const std::string& run) {
  std::istringstream lines(read_file(run + "/results.jsonl"));
  std::vector<json> units;
  for (std::string line; std::getline(lines, line);) units.push_back(json::parse(line));
  return units;
}

// S(t) and ES(t) of one compiler from the definition: geometric means over samples, with b = 0.1 and p = 0.
std::pair<double, double> scores_by_hand(const std::vector<json>& units, const std::string& compiler, int t) {
  double log_speedup = 0;
  double log_error_aware = 0;
  int samples = 0;
  for (const json& unit : units) {
    if (unit["compiler"] != compiler || unit["status"] == "excluded" || unit["status"] == "unavailable") continue;
    ++samples;
    if (unit["status"] == "correct" && unit["strictest_level"] <= std::min(t, 1)) {
      log_speedup += std::log(unit["speedup"].get<double>());
      log_error_aware += std::log(unit["speedup"].get<double>());
      continue;
    }
    const bool ran = unit["status"] != "failed";
    const bool compile = !ran && (unit["stage"] == "compile" || unit["stage"] == "load");
    const int error_class = ran ? 1 : compile ? 3 : 2;
    log_speedup += std::log(0.1);
    log_error_aware += t < error_class ? std::log(0.1) : 0.0;
  }
  return {std::exp(log_speedup / samples), std::exp(log_error_aware / samples)};
}

TEST_F(RealModel, BenchGivesEachUnitOneResultAndTheScoresOfItsJournal) {
  extract("deepfm");
  extract("fno2d");
  const std::string run_folder = folder() + "/run";
  const Finished finished = run({"bench", folder(), "--compiler", "eager,torchscript", "--threads", "1",
                                 "--timing-seconds", "1", "-o", run_folder});
  EXPECT_EQ(finished.exit_code, 0) << finished.output << finished.errors;
  const std::vector<json> units = units_of(run_folder);
  ASSERT_EQ(units.size(), 4U) << finished.output << finished.errors;
  for (const json& unit : units) EXPECT_EQ(unit["status"], "correct") << unit["sample"] << ": " << unit["message"];

  const json report = json::parse(run({"score", run_folder, "--include-contended", "--json"}).output);
  ASSERT_EQ(report["scores"].size(), 2U);
  for (const json& compiler : report["scores"]) {
    for (const json& level : compiler["levels"]) {
      const auto [speedup, error_aware] = scores_by_hand(units, compiler["compiler"], level["level"]);
      EXPECT_NEAR(level["speedup_score"], speedup, 1e-9);
      EXPECT_NEAR(level["error_aware_score"], error_aware, 1e-9);
    }
  }
}

TEST_F(RealModel, BenchCompilesASampleWithInductor) {
  const std::string sample = extract("deepfm");
  const Finished finished = graphnet(
      {"bench", sample, "--compiler", "inductor", "--threads", "1", "--timing-seconds", "1", "-o", folder() + "/run"},
      {.directory = {}, .environment = {}, .timeout = std::chrono::seconds(280)});
  EXPECT_EQ(finished.exit_code, 0) << finished.output << finished.errors;
  const json unit = units_of(folder() + "/run").at(0);
  EXPECT_EQ(unit["status"], "correct") << unit["message"];
  EXPECT_LE(unit["strictest_level"], 0);
  EXPECT_GT(unit["compile_seconds"], 0.0);
}

TEST_F(RealModel, BenchingEagerAgainstItselfIsExactAndAboutAsFast) {
  const std::string sample = extract("deepfm");
  const Finished finished =
      run({"bench", sample, "--compiler", "eager", "--threads", "1", "--timing-seconds", "3", "-o", folder() + "/run"});
  EXPECT_EQ(finished.exit_code, 0) << finished.output << finished.errors;
  const json unit = units_of(folder() + "/run").at(0);
  EXPECT_EQ(unit["status"], "correct");
  EXPECT_EQ(unit["strictest_level"], -10);
  EXPECT_NEAR(std::log(unit["speedup"].get<double>()), 0.0, 0.4);  // other tests share the machine
}

}  // namespace
}  // namespace graphnet::test
