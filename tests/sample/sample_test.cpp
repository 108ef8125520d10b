#include "graphnet/sample/sample.h"

#include <fstream>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

#include "graph/example_graph.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;
using fixtures::changed;
using testing::HasSubstr;
using testing::StartsWith;

class Samples : public testing::Test {
 protected:
  static Sample make() {
    Sample sample;
    sample.graph = fixtures::example();
    sample.metadata.name = "example";
    sample.metadata.category = "other";
    describe(sample.metadata, sample.graph);
    return sample;
  }

  fs::path place(std::string_view name = "example") const { return folder_.path() / name; }

  // Writes a sample, changes one of its files, and returns what reading it complains of.
  std::string complaint_after(std::string_view file, std::string_view from, std::string_view to) const {
    write_sample(make(), place());
    const std::string text = changed(read_file(place() / file), from, to);
    write_file(place() / file, text);
    return complaint();
  }

  std::string complaint() const {
    try {
      read_sample(place());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      return error.what();
    }
    return "accepted";
  }

  std::size_t entries_beside() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

 private:
  TemporaryFolder folder_{"graphnet-sample-"};
};

TEST_F(Samples, AreReadAsTheyWereWritten) {
  const Sample sample = make();
  write_sample(sample, place());
  const Sample read = read_sample(place());
  EXPECT_EQ(read.graph, sample.graph);
  EXPECT_EQ(write_metadata(read.metadata), write_metadata(sample.metadata));
  EXPECT_EQ(read.directory, place());
}

TEST_F(Samples, AreMadeWithTheirParentFolders) {
  write_sample(make(), place("a/b/c/"));
  EXPECT_NO_THROW(read_sample(place("a/b/c")));
}

TEST_F(Samples, AreReadableForOthers) {
  const mode_t mask = ::umask(022);
  write_sample(make(), place());
  ::umask(mask);
  EXPECT_EQ(fs::status(place()).permissions(), static_cast<fs::perms>(0755));
}

TEST_F(Samples, LeaveNothingBehindWhenWritten) {
  write_sample(make(), place());
  write_sample(make(), place());
  EXPECT_EQ(entries_beside(), 1U);
}

TEST_F(Samples, ReplaceAnExistingSample) {
  Sample sample = make();
  write_sample(sample, place());
  sample.metadata.task = "other task";
  write_sample(sample, place());
  EXPECT_EQ(read_sample(place()).metadata.task, "other task");
}

TEST_F(Samples, TakeInTheirWeightsFile) {
  write_file(place("weights"), "bytes");
  write_sample(make(), place(), place("weights"));
  EXPECT_EQ(read_file(place() / kWeightsFile), "bytes");
  EXPECT_FALSE(fs::exists(place("weights")));
}

TEST_F(Samples, LoseAnOldWeightsFileWhenReplaced) {
  write_file(place("weights"), "bytes");
  write_sample(make(), place(), place("weights"));
  write_sample(make(), place());
  EXPECT_FALSE(fs::exists(place() / kWeightsFile));
}

TEST_F(Samples, MayFillAnEmptyFolder) {
  fs::create_directory(place());
  write_sample(make(), place());
  EXPECT_NO_THROW(read_sample(place()));
}

TEST_F(Samples, AreWrittenWhereALinkLeads) {
  write_sample(make(), place());
  fs::create_directory_symlink(place(), place("link"));
  write_sample(make(), place("link"));
  EXPECT_TRUE(fs::is_symlink(place("link")));
  EXPECT_NO_THROW(read_sample(place()));
}

TEST_F(Samples, NeverReplaceAFolderOfOtherThings) {
  fs::create_directory(place());
  write_file(place() / "thesis.tex", "text");
  EXPECT_THROW(write_sample(make(), place()), Error);
  EXPECT_EQ(read_file(place() / "thesis.tex"), "text");
  EXPECT_EQ(entries_beside(), 1U);
}

TEST_F(Samples, NeverReplaceASampleThatHoldsOtherThings) {
  write_sample(make(), place());
  write_file(place() / "notes.txt", "text");
  EXPECT_THROW(write_sample(make(), place()), Error);
  EXPECT_EQ(read_file(place() / "notes.txt"), "text");
}

TEST_F(Samples, NeverReplaceASampleOfAnotherName) {
  write_sample(make(), place());
  Sample other = make();
  other.metadata.name = "another";
  EXPECT_THROW(write_sample(other, place()), Error);
  EXPECT_EQ(read_sample(place()).metadata.name, "example");
}

TEST_F(Samples, ThatCouldNotBeReadAreNotWritten) {
  Sample sample = make();
  for (int depth = 0; depth < 20; ++depth) sample.graph.output = {Output::List{{sample.graph.output}}};
  try {
    write_sample(sample, place("new/example"));
    FAIL() << "written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("output: nested more than 16 deep"));
  }
  EXPECT_EQ(entries_beside(), 0U);
}

TEST_F(Samples, NeverReplaceWeightsOfSomethingElse) {
  fs::create_directory(place());
  write_file(place() / kWeightsFile, "weights of a model");
  EXPECT_THROW(write_sample(make(), place()), Error);
  EXPECT_EQ(read_file(place() / kWeightsFile), "weights of a model");
}

TEST_F(Samples, NeverReplaceAFile) {
  write_file(place(), "text");
  EXPECT_THROW(write_sample(make(), place()), Error);
  EXPECT_EQ(read_file(place()), "text");
}

TEST_F(Samples, ThatCannotBeWrittenLeaveTheOldOne) {
  write_sample(make(), place());
  EXPECT_THROW(write_sample(make(), place(), place("no-such-weights")), Error);
  EXPECT_NO_THROW(read_sample(place()));
  EXPECT_EQ(entries_beside(), 1U);
}

TEST_F(Samples, WithAChangedArgumentNameTheCall) {
  const std::string message = complaint_after(kGraphFile, "{\"string\":\"tanh\"}", "{\"string\":\"none\"}");
  EXPECT_THAT(message, StartsWith((place() / kGraphFile).string() + ": not the graph that was recorded: "));
  EXPECT_THAT(message, HasSubstr("aten::gelu"));
}

TEST_F(Samples, WithAChangedRecipeNameTheWeight) {
  const std::string message = complaint_after(kGraphFile, "normal(0.0,0.2)", "normal(0.0,0.3)");
  EXPECT_THAT(message, HasSubstr("conv.weight"));
}

TEST_F(Samples, WithAChangedIdentityNameTheMetadata) {
  const std::string identity = make().metadata.identity;
  const std::string message = complaint_after(kMetadataFile, identity, std::string(64, '0'));
  EXPECT_THAT(message, StartsWith((place() / kMetadataFile).string() + ": identity: not that of "));
}

TEST_F(Samples, WithWrongFactsNameTheMetadata) {
  EXPECT_THAT(complaint_after(kMetadataFile, "\"parameter_count\": 148", "\"parameter_count\": 149"),
              HasSubstr("sample.json: parameter_count: not that of"));
  EXPECT_THAT(complaint_after(kMetadataFile, "aten::gelu", "aten::relu"), HasSubstr("sample.json: operators: "));
}

TEST_F(Samples, WithAChangedGraphCanBeReadUnverified) {
  complaint_after(kGraphFile, "normal(0.0,0.2)", "normal(0.0,0.3)");
  EXPECT_NO_THROW(read_sample_unverified(place()));
}

TEST_F(Samples, WithoutAFileNameIt) {
  write_sample(make(), place());
  fs::remove(place() / kGraphFile);
  EXPECT_THAT(complaint(), HasSubstr((place() / kGraphFile).string()));
}

TEST_F(Samples, WithAMalformedFileNameFileAndLine) {
  EXPECT_THAT(complaint_after(kMetadataFile, "\"finite\": true", "\"finite\": maybe"), HasSubstr("sample.json:"));
  fs::remove_all(place());
  EXPECT_THAT(complaint_after(kGraphFile, "null", "nul"), HasSubstr("graph.json:"));
}

}  // namespace
}  // namespace graphnet
