#include "graphnet/sample/consistency.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/sample/safetensors.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

#include "graph/example_graph.h"

namespace graphnet {
namespace {

using testing::HasSubstr;

constexpr std::string_view kArguments = R"({"image":"1x3x8x8","ids":"1x4:int64@0..10","flag":true})";

Sample example_sample() {
  Sample sample;
  sample.graph = fixtures::example();
  sample.metadata.name = "example";
  sample.metadata.category = "other";
  sample.metadata.arguments = kArguments;
  sample.metadata.digest = OutputDigest{};
  describe(sample.metadata, sample.graph);
  return sample;
}

template <class Verify>
std::string complaint(const Sample& sample, Verify verify) {
  try {
    verify(sample);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "accepted";
}

std::string description_complaint(const Sample& sample) {
  return complaint(sample, verify_description);
}

TEST(Description, OfASampleAsExtractionWritesItIsAccepted) {
  EXPECT_EQ(description_complaint(example_sample()), "accepted");
}

TEST(Description, ArgumentsMustParse) {
  Sample sample = example_sample();
  sample.metadata.arguments = R"({"image":"1xthree"})";
  EXPECT_THAT(description_complaint(sample), HasSubstr("sample.json: arguments:1: image: "));
}

TEST(Description, ArgumentsMustBeTheGraphsInputs) {
  const auto with = [](std::string_view from, std::string_view to) {
    Sample sample = example_sample();
    sample.metadata.arguments = fixtures::changed(kArguments, from, to);
    return description_complaint(sample);
  };
  EXPECT_THAT(with("\"ids\"", "\"tokens\""), HasSubstr("tensor 1 is tokens, the graph's input is ids"));
  EXPECT_THAT(with("1x4:", "1x5:"), HasSubstr("ids is int64[1,5] range(0,10), the graph's input is int64[1,4]"));
  EXPECT_THAT(with(":int64", ":int32"), HasSubstr("ids is int32[1,4]"));
  EXPECT_THAT(with("0..10", "0..11"), HasSubstr("range(0,11)"));
  EXPECT_THAT(with("true", "\"3\""), HasSubstr("3 tensors where the graph has 2 inputs"));
  EXPECT_THAT(with(R"(,"ids":"1x4:int64@0..10")", ""), HasSubstr("1 tensors where the graph has 2 inputs"));
}

TEST(Description, ADigestIsThereExactlyWhereThereCanBeOne) {
  Sample sample = example_sample();
  sample.metadata.digest.reset();
  EXPECT_THAT(description_complaint(sample), HasSubstr("digest: missing"));
  sample.metadata.broadcast_weights = true;
  EXPECT_EQ(description_complaint(sample), "accepted");
  sample.metadata.digest = OutputDigest{};
  EXPECT_THAT(description_complaint(sample), HasSubstr("there can be none where broadcast_weights is true"));
  sample.metadata.random = true;
  EXPECT_THAT(description_complaint(sample), HasSubstr("there can be none where random is true"));
}

TEST(Description, LibrariesGiveOperatorsThatTheGraphCalls) {
  Sample sample = example_sample();
  sample.metadata.libraries = {{"torchvision", "", {"torchvision::nms"}}};
  EXPECT_THAT(description_complaint(sample), HasSubstr("operator torchvision::nms, which the graph does not call"));
}

// A sample whose tensor %2, float32[4,3,3,3], is stored.
class StoredWeights : public testing::Test {
 protected:
  StoredWeights() : sample_(example_sample()) {
    sample_.directory = folder_.path();
    sample_.graph.weights[0].recipe = StoredRecipe{std::string(64, '0')};
  }

  void write(const std::vector<std::pair<std::string, TensorType>>& tensors) const {
    std::vector<SafetensorsWriter::Item> items;
    for (const auto& [name, type] : tensors) items.push_back({name, type});
    SafetensorsWriter writer(folder_.path() / kWeightsFile, items);
    for (const auto& item : items) {
      writer.append(std::vector<std::byte>(static_cast<std::size_t>(storage_bytes(item.type))));
    }
    writer.finish();
  }

  std::string complaint_of_file() const { return complaint(sample_, verify_weights_file); }

  const TensorType type_ = make_tensor_type(Dtype::kFloat32, {4, 3, 3, 3}, {});
  TemporaryFolder folder_{"graphnet-consistency-"};
  Sample sample_;
};

TEST_F(StoredWeights, AreFoundUnderTheirNames) {
  write({{"%2", type_}});
  EXPECT_EQ(complaint_of_file(), "accepted");
}

TEST_F(StoredWeights, AFileThatNoRecipeNeedsIsRefused) {
  write({{"%2", type_}});
  sample_.graph.weights[0].recipe = NormalRecipe{};
  EXPECT_THAT(complaint_of_file(), HasSubstr("weights.safetensors: no weight of the graph is stored"));
}

TEST_F(StoredWeights, ATensorThatNoWeightNamesIsRefused) {
  write({{"%2", type_}, {"%4", type_}});
  EXPECT_THAT(complaint_of_file(), HasSubstr("the tensor %4 is none of the graph's stored weights"));
}

TEST_F(StoredWeights, AMissingFileAMissingTensorAndAnotherTypeAreNamed) {
  EXPECT_THAT(complaint_of_file(), HasSubstr("weights.safetensors: missing"));
  write({});
  EXPECT_THAT(complaint_of_file(), HasSubstr("no tensor %2"));
  write({{"%2", make_tensor_type(Dtype::kFloat32, {4, 3, 3, 4}, {})}});
  EXPECT_THAT(complaint_of_file(), HasSubstr("%2 is float32[4,3,3,4] where the graph has float32[4,3,3,3]"));
}

}  // namespace
}  // namespace graphnet
