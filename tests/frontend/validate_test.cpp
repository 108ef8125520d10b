// What validate finds wrong with a sample that was changed after it was extracted: each test breaks one promise.
#include "graphnet/frontend/validate.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/graph/text.h"
#include "graphnet/sample/sample.h"
#include "graphnet/support/files.h"

#include "models.h"

namespace graphnet {
namespace {

using ::graphnet::testing::kTwoLayers;
using ::graphnet::testing::ModelFolder;
using ::graphnet::testing::register_two_layers;
using ::testing::HasSubstr;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the text has no " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class Validate : public ::testing::Test {
 protected:
  Validate() {
    folder_.save(kTwoLayers, register_two_layers);
    sample_ = folder_.extract({"2x8"}).sample;
  }

  // The sample with its files written again from what the test made of it, so that they agree with each other.
  std::string complaint_of_changed() {
    describe(sample_.metadata, sample_.graph);
    write_sample(sample_, sample_.directory);
    return complaint();
  }

  std::string complaint_after(std::string_view file, std::string_view from, std::string_view to) {
    write_file(sample_.directory / file, replaced(read_file(sample_.directory / file), from, to));
    return complaint();
  }

  std::string complaint() {
    ValidateOptions options;
    options.sample = sample_.directory;
    result_ = validate(options);
    for (const Check& check : result_.checks) {
      if (!check.passed) return check.name + ": " + check.message;
    }
    return "passed";
  }

  ModelFolder folder_;
  Sample sample_;
  ValidateResult result_;
};

TEST_F(Validate, AcceptsWhatWasExtracted) {
  EXPECT_EQ(complaint(), "passed");
  EXPECT_TRUE(result_.digest_compared);
}

TEST_F(Validate, NamesTheFirstLineThatIsNotCanonical) {
  EXPECT_THAT(complaint_after(kGraphFile, "\"calls\":[", "\"calls\": ["), HasSubstr("round trip: "));
  EXPECT_THAT(complaint(), HasSubstr("graph.json:15: not in canonical form"));
}

TEST_F(Validate, RefusesAGraphThatUsesFilesBeforeItRuns) {
  EXPECT_THAT(complaint_after(kGraphFile, "\"aten::relu(", "\"aten::from_file("),
              HasSubstr("aten::from_file: it uses files: no graph may hold it"));
}

TEST_F(Validate, FindsAnOutputThatBecameAnInput) {
  sample_.graph.output = {Argument{ValueReference{0}}};
  EXPECT_THAT(complaint_of_changed(),
              HasSubstr("description: outputs that are inputs, weights or constants unchanged"));
}

TEST_F(Validate, FindsAnOutputThatBecameAWeight) {
  Output::Tuple both;
  both.items = {sample_.graph.output, {Argument{ValueReference{1}}}};
  sample_.graph.output = {both};
  EXPECT_THAT(complaint_of_changed(), HasSubstr("1 in the graph, none in sample.json"));
}

TEST_F(Validate, FindsAWrongMarkOfRandomness) {
  sample_.metadata.random = true;
  sample_.metadata.digest.reset();
  EXPECT_THAT(complaint_of_changed(), HasSubstr("sample.json: random is true, the run says otherwise"));
}

TEST_F(Validate, FindsAWrongMarkOfDependentShapes) {
  sample_.metadata.data_dependent_shapes = true;
  EXPECT_THAT(complaint_of_changed(), HasSubstr("data_dependent_shapes is true"));
}

TEST_F(Validate, FindsAWrongMarkOfFiniteness) {
  sample_.metadata.finite = false;
  EXPECT_THAT(complaint_of_changed(), HasSubstr("finite is false"));
}

TEST_F(Validate, FindsAWrongMarkOfBroadcastWeights) {
  EXPECT_THAT(complaint_after(kMetadataFile, "\"broadcast_weights\": false", "\"broadcast_weights\": true"),
              HasSubstr("there can be none where broadcast_weights is true"));
}

TEST_F(Validate, FindsArgumentsThatAreNotTheGraphsInputs) {
  EXPECT_THAT(complaint_after(kMetadataFile, "2x8", "3x8"), HasSubstr("description: "));
  EXPECT_THAT(complaint(), HasSubstr("arguments: x is float32[3,8]"));
}

TEST_F(Validate, FindsAnotherSchemaAndNamesItsOperator) {
  const std::string message = complaint_after(kGraphFile, "aten::relu(Tensor self)", "aten::relu(Tensor(a) self)");
  EXPECT_THAT(message, HasSubstr("operators: "));
  EXPECT_THAT(message, HasSubstr("operator aten::relu was recorded as aten::relu(Tensor(a) self)"));
}

TEST_F(Validate, FindsAnotherSchemaAlsoInASampleOfAnotherVersion) {
  sample_.metadata.framework = "torch 2.99.0";
  EXPECT_EQ(complaint_of_changed(), "passed");
  EXPECT_THAT(complaint_after(kGraphFile, "aten::relu(Tensor self)", "aten::relu(Tensor(a) self)"),
              HasSubstr("operator aten::relu"));
}

TEST_F(Validate, FindsAStrayWeightsFile) {
  write_file(sample_.directory / kWeightsFile, "anything");
  EXPECT_THAT(complaint(), HasSubstr("weights.safetensors: no weight of the graph is stored"));
}

TEST_F(Validate, NamesWhatDoesNotFitInMemory) {
  ValidateOptions options;
  options.sample = sample_.directory;
  options.memory_limit = 100;
  const ValidateResult result = validate(options);
  ASSERT_FALSE(result.passed);
  EXPECT_EQ(result.checks.back().kind, ErrorKind::kEnvironment);
  EXPECT_THAT(result.checks.back().message, HasSubstr("but 100 are available; its largest tensor is weight w1"));
}

TEST_F(Validate, RunsWithTheGivenNumberOfThreads) {
  const int before = at::get_num_threads();
  ValidateOptions options;
  options.sample = sample_.directory;
  options.threads = 1;
  EXPECT_TRUE(validate(options).passed);
  EXPECT_EQ(at::get_num_threads(), 1);
  at::set_num_threads(before);
}

}  // namespace
}  // namespace graphnet
