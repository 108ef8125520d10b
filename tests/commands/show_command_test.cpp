// graphnet show on a small sample, whole and damaged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphnet/support/files.h"

#include "program.h"
#include "small_sample.h"

namespace graphnet::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class ShowCommand : public testing::Test {
 protected:
  void SetUp() override { write_sample(small_sample(), sample()); }

  std::string sample() const { return folder_.path() / "small"; }

  // Changes a text that occurs once in a file of the sample.
  void replace(const std::string& file, const std::string& before, const std::string& after) {
    const std::filesystem::path path = std::filesystem::path(sample()) / file;
    std::string text = read_file(path);
    const std::size_t place = text.find(before);
    ASSERT_NE(place, std::string::npos) << before << " is not in " << file;
    write_file(path, text.replace(place, before.size(), after));
  }

  TemporaryFolder folder_{"graphnet-test-"};
};

TEST_F(ShowCommand, PrintsHeadAndCalls) {
  const Finished finished = graphnet({"show", sample()});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(finished.output, StartsWith("name     small\n"));
  EXPECT_THAT(finished.output, HasSubstr("\n%2 = aten::mul.Tensor(%0 x, %1 scale"));
}

TEST_F(ShowCommand, JsonHasTheNumbersAndNothingElse) {
  const Finished finished = graphnet({"show", sample(), "--json"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  const json numbers = json::parse(finished.output);
  EXPECT_EQ(numbers["name"], "small");
  EXPECT_EQ(numbers["parameters"], 6);
  EXPECT_EQ(numbers["operators"], (json{{"aten::mul.Tensor", 1}, {"aten::relu", 1}}));
  EXPECT_EQ(numbers["outputs"][0]["type"], "float32[2,3]");
}

TEST_F(ShowCommand, DotIsAGraphvizGraph) {
  const Finished finished = graphnet({"show", sample(), "--dot"});
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(finished.output, StartsWith("digraph"));
  EXPECT_THAT(finished.output, HasSubstr("aten::relu"));
}

TEST_F(ShowCommand, TakesJsonOrDotButNotBoth) {
  EXPECT_EQ(graphnet({"show", sample(), "--dot", "--json"}).exit_code, 2);
}

TEST_F(ShowCommand, AnswersWithin50MillisecondsOnAThousandCalls) {
  if (kSanitized) GTEST_SKIP() << "sanitizers are slow";
  write_sample(small_sample(1000), folder_.path() / "large");
  EXPECT_LT(least_processor_seconds({"show", folder_.path() / "large"}), 0.050);
}

TEST_F(ShowCommand, IsQuietWhenItsReaderStops) {
  write_sample(small_sample(5000), folder_.path() / "large");
  const std::string pipeline = graphnet_path() + " show " + (folder_.path() / "large").string() + " | head -1";
  const Finished finished = run_program({"sh", "-c", pipeline});
  EXPECT_EQ(finished.output, "name     small\n");
  EXPECT_EQ(finished.errors, "");
}

TEST_F(ShowCommand, RefusesAFolderThatIsNotThere) {
  const Finished finished = graphnet({"show", sample() + "-absent"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.errors, HasSubstr("small-absent"));
}

TEST_F(ShowCommand, SaysWhatAPathIsThatIsNoSample) {
  const std::filesystem::path model = folder_.path() / "model.pt";
  write_file(model, "PK\x03\x04");
  EXPECT_THAT(graphnet({"show", model}).errors, HasSubstr("graphnet extract " + model.string()));
  EXPECT_THAT(graphnet({"show", folder_.path()}).errors,
              HasSubstr("is no sample but a folder of 1, such as " + sample()));
  EXPECT_EQ(graphnet({"show", model}).exit_code, 2);
}

TEST_F(ShowCommand, EscapesWhatATerminalWouldObey) {
  replace("sample.json", "\"small\"", "\"sm\\u001b[2Jall\"");
  replace("graph.json", "\"scale", "\"sc\\u001b[2Jale");
  const Finished finished = graphnet({"show", sample()});
  EXPECT_THAT(finished.output, testing::Not(HasSubstr("\x1b"))) << finished.errors;
}

TEST_F(ShowCommand, NamesFileAndLineOfADamagedGraph) {
  replace("graph.json", "[\"aten::mul.Tensor\"", "[\"aten::mul.Tenso\"");
  const Finished finished = graphnet({"show", sample()});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors, testing::ContainsRegex("graph\\.json:[0-9]+: .*aten::mul\\.Tenso"));
  EXPECT_EQ(finished.output, "");
  const json document = json::parse(graphnet({"show", sample(), "--json"}).output);
  EXPECT_EQ(document["error"]["kind"], "input");
  EXPECT_EQ(document["error"]["exit_code"], 1);
}

TEST_F(ShowCommand, NamesTheLineThatIsNotAsRecorded) {
  replace("graph.json", "\"%3 float32[2,3]\"", "\"%3 float32[3,2]\"");
  const Finished finished = graphnet({"show", sample()});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors, HasSubstr("aten::relu"));
}

TEST_F(ShowCommand, NamesTheFileThatWasCutShort) {
  const std::filesystem::path path = std::filesystem::path(sample()) / "graph.json";
  write_file(path, read_file(path).substr(0, 100));
  const Finished finished = graphnet({"show", sample()});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors, HasSubstr("graph.json:"));
}

TEST_F(ShowCommand, RefusesASampleOfANewerFormat) {
  replace("graph.json", "{\"graphnet\":1", "{\"graphnet\":2");
  const Finished finished = graphnet({"show", sample()});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors, HasSubstr("version"));
}

}  // namespace
}  // namespace graphnet::test
