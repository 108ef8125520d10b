#include "graphnet/sample/metadata.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/graph/identity.h"
#include "graphnet/support/error.h"

#include "graph/example_graph.h"
#include "metadata_fixture.h"

namespace graphnet {
namespace {

using fixtures::changed;
using fixtures::full_metadata;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string complaint(std::string_view text) {
  try {
    read_metadata(text, "sample.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "accepted";
}

TEST(Metadata, IsWrittenCanonically) {
  Metadata metadata = full_metadata();
  metadata.operators = {"aten::add.Tensor", "aten::relu"};
  EXPECT_EQ(write_metadata(metadata), R"({
  "graphnet": 1,
  "name": "resnet18",
  "category": "computer vision",
  "task": "image \"classification\"",
  "source": {
    "package": "torchvision",
    "version": "0.29.1",
    "model": "torchvision.models.resnet18",
    "license": "BSD-3-Clause"
  },
  "framework": "torch 2.13.0",
  "tool": "graphnet 0.1.0",
  "arguments": {"x":"1x3x224x224","scale":0.5},
  "parameter_count": 11689512,
  "weight_bytes": 46758048,
  "dtypes": [
    "float32",
    "int64"
  ],
  "operators": [
    "aten::add.Tensor",
    "aten::relu"
  ],
  "libraries": [
    {
      "name": "torchvision",
      "sha256": "abc",
      "operators": [
        "torchvision::nms"
      ]
    }
  ],
  "random": true,
  "data_dependent_shapes": true,
  "finite": false,
  "broadcast_weights": true,
  "identity": "0123",
  "fingerprints": "4567",
  "digest": {
    "sha256": "89ab",
    "seed": 18446744073709551615,
    "framework": "torch 2.13.0",
    "machine": "AMD EPYC, AVX512",
    "threads": 2
  }
}
)");
}

TEST(Metadata, IsReadAsItWasWritten) {
  const std::string text = write_metadata(full_metadata());
  EXPECT_EQ(write_metadata(read_metadata(text, "sample.json")), text);
}

TEST(Metadata, KeepsEveryField) {
  const Metadata expected = full_metadata();
  const Metadata read = read_metadata(write_metadata(expected), "sample.json");
  EXPECT_EQ(read.source.license, "BSD-3-Clause");
  EXPECT_EQ(read.arguments, expected.arguments);
  EXPECT_EQ(read.libraries.at(0).operators, expected.libraries.at(0).operators);
  EXPECT_TRUE(read.random && read.data_dependent_shapes && !read.finite && read.broadcast_weights);
  EXPECT_EQ(read.digest->seed, expected.digest->seed);
  EXPECT_EQ(read.digest->threads, 2);
}

TEST(Metadata, MayHaveNoDigest) {
  Metadata metadata = full_metadata();
  metadata.digest.reset();
  metadata.libraries.clear();
  const std::string text = write_metadata(metadata);
  EXPECT_THAT(text, HasSubstr("\"libraries\": [],\n"));
  EXPECT_FALSE(read_metadata(text, "sample.json").digest.has_value());
}

TEST(Metadata, NamesOutputsThatAreUnchangedWhereThereAreAny) {
  Metadata metadata = full_metadata();
  EXPECT_THAT(write_metadata(metadata), testing::Not(HasSubstr("unchanged_outputs")));
  metadata.unchanged_outputs = {0, 2};
  const std::string text = write_metadata(metadata);
  EXPECT_THAT(read_metadata(text, "sample.json").unchanged_outputs, ElementsAre(0, 2));
  EXPECT_EQ(write_metadata(read_metadata(text, "sample.json")), text);
  EXPECT_THAT(complaint(changed(text, "    2", "    -2")), HasSubstr("unchanged_outputs: expected places of outputs"));
}

TEST(Metadata, NamesHaveABoundedLength) {
  EXPECT_EQ(name_problem(std::string(200, 'a')), "");
  EXPECT_EQ(name_problem(std::string(201, 'a')), "has more than 200 bytes");
  EXPECT_EQ(name_problem(".."), "is a path");
  EXPECT_EQ(name_problem("a..b (2)"), "");
}

TEST(Metadata, WritesArgumentsInTheirCanonicalForm) {
  Metadata metadata = full_metadata();
  metadata.arguments = "{ \"x\" : [ 1 , 2.50 ] }";
  EXPECT_THAT(write_metadata(metadata), HasSubstr("\"arguments\": {\"x\":[1,2.5]},\n"));
  metadata.arguments.clear();
  EXPECT_THAT(write_metadata(metadata), HasSubstr("\"arguments\": {},\n"));
}

TEST(Metadata, RefusesToWriteArgumentsThatAreNoObject) {
  Metadata metadata = full_metadata();
  metadata.arguments = "x=1x3";
  EXPECT_THROW(write_metadata(metadata), Error);
}

TEST(Metadata, NewerVersionsAreNamedAsSuch) {
  std::string text = changed(write_metadata(full_metadata()), "\"graphnet\": 1", "\"graphnet\": 2");
  text = changed(text, "\"task\"", "\"renamed\"");
  EXPECT_EQ(complaint(text),
            "sample.json:2: format version 2 is newer than this graphnet, which reads up to 1: update graphnet");
}

struct Change {
  const char* from;
  const char* to;
  const char* complaint;
};

class ChangedMetadata : public testing::TestWithParam<Change> {};

TEST_P(ChangedMetadata, IsRefusedWithItsPlace) {
  const std::string text = changed(write_metadata(full_metadata()), GetParam().from, GetParam().to);
  EXPECT_THAT(complaint(text), StartsWith(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Changes, ChangedMetadata,
    testing::Values(
        Change{"\"task\"", "\"tasks\"", "sample.json:1: the key \"task\" is missing"},
        Change{"\"tool\"", "\"extra\": 1,\n  \"tool\"", "sample.json:13: unknown key \"extra\""},
        Change{"\"license\"", "\"extra\": 1, \"license\"", "sample.json:10: source: unknown key \"extra\""},
        Change{"\"graphnet\": 1", "\"graphnet\": \"1\"", "sample.json:2: graphnet: expected the format's version"},
        Change{"\"graphnet\": 1", "\"graphnet\": 0", "sample.json:2: graphnet: expected the format's version"},
        Change{"computer vision", "computing", "sample.json:4: category: expected one of \"computer vision\""},
        Change{"11689512", "-1", "sample.json:15: parameter_count: expected an integer of at least 0, found -1"},
        Change{"11689512", "1.5", "sample.json:15: parameter_count: expected an integer of at least 0, found 1.5"},
        Change{"\"random\": true", "\"random\": 1", "sample.json:33: random: expected true or false, found 1"},
        Change{"\"float32\",", "32,", "sample.json:18: dtypes: expected strings, found 32"},
        Change{"\"name\": \"torchvision\"", "\"name\": null",
               "sample.json:26: libraries[0].name: expected a string, found null"},
        Change{"{\"x\":\"1x3x224x224\",\"scale\":0.5}", "[]",
               "sample.json:14: arguments: expected an object, found an array"},
        Change{"\"threads\": 2", "\"threads\": -2", "sample.json:44: digest.threads: expected"},
        Change{"\"name\": \"resnet18\",", "\"name\": \"resnet18\",\n\"name\": \"b\",",
               "sample.json:4: the key \"name\" is repeated"},
        Change{"\"resnet18\"", "\"\"", "sample.json:3: name: expected a sample's name (this one is empty)"},
        Change{"\"resnet18\"", "\"a\\u001b[2J\"",
               "sample.json:3: name: expected a sample's name (this one has control characters)"},
        Change{"\"resnet18\"", "\"../../etc/x\"", "sample.json:3: name: expected a sample's name (this one is a path)"},
        Change{"0.29.1", "\\u0007", "sample.json:8: source.version: expected text without control characters"},
        Change{"image", "\\n", "sample.json:5: task: expected text without control characters"},
        Change{"}\n}\n", "}\n", "sample.json:45: malformed JSON"}, Change{"{\n", "[", "sample.json:1: malformed JSON"}),
    [](const auto& test) { return "case" + std::to_string(test.index); });

TEST(Metadata, SurvivesEveryTruncation) {
  const std::string text = write_metadata(full_metadata());
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    ASSERT_NE(complaint(std::string_view(text).substr(0, size)), "accepted") << size;
  }
}

TEST(Metadata, SurvivesChangedBytes) {
  const std::string text = write_metadata(full_metadata());
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string other = text;
    other[random() % other.size()] = static_cast<char>(random());
    complaint(other);  // accepted or an Error: anything else ends the test
  }
}

TEST(Describe, CountsWhatTheGraphHas) {
  Metadata metadata;
  describe(metadata, fixtures::example());
  EXPECT_EQ(metadata.parameter_count, 4 * 3 * 3 * 3 + 10 * 4);  // neither the tied view nor the buffer
  EXPECT_EQ(metadata.weight_bytes, 4 * (108 + 40) + 8 * 4);
  EXPECT_THAT(metadata.dtypes, ElementsAre("float32", "int64"));
  EXPECT_THAT(metadata.operators, testing::Contains("aten::add.Tensor"));
  EXPECT_EQ(metadata.operators.size(), 7U);
}

TEST(Describe, RecordsTheIdentity) {
  Metadata metadata;
  describe(metadata, fixtures::example());
  EXPECT_EQ(metadata.identity, identity(fixtures::example()));
  EXPECT_EQ(metadata.fingerprints, fingerprints(fixtures::example()));
}

}  // namespace
}  // namespace graphnet
