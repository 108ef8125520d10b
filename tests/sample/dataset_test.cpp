#include "graphnet/sample/dataset.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/sample/sample.h"
#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Dataset : public testing::Test {
 protected:
  Dataset() {
    add("vision/resnet18");
    add("vision/alexnet");
    add("audio/wav2vec");
  }

  fs::path root() const { return folder_.path() / "samples"; }

  void add(std::string_view name) const {
    fs::create_directories(root() / name);
    write_file(root() / name / kGraphFile, "{}");
  }

  // The samples found, as paths below root().
  std::vector<std::string> find(const std::vector<fs::path>& paths) const {
    std::vector<std::string> names;
    for (const fs::path& sample : find_samples(paths))
      names.push_back(sample.lexically_normal().lexically_relative(root()).string());
    return names;
  }

  std::string complaint(const fs::path& path) const {
    try {
      find_samples({path});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "accepted";
  }

 private:
  TemporaryFolder folder_{"graphnet-dataset-"};
};

TEST_F(Dataset, IsFoundInFoldersSortedByName) {
  EXPECT_THAT(find({root()}), ElementsAre("audio/wav2vec", "vision/alexnet", "vision/resnet18"));
}

TEST_F(Dataset, KeepsTheOrderOfThePaths) {
  EXPECT_THAT(find({root() / "vision/resnet18", root() / "audio"}), ElementsAre("vision/resnet18", "audio/wav2vec"));
}

TEST_F(Dataset, HasEachSampleOnce) {
  EXPECT_THAT(find({root() / "vision", root() / "vision/alexnet/"}), ElementsAre("vision/alexnet", "vision/resnet18"));
}

TEST_F(Dataset, IsReadFromAListOfPaths) {
  const fs::path list = root() / "audio/list.txt";
  write_file(list, "# the small ones\n\n  ../vision/resnet18 \r\nwav2vec\n");
  EXPECT_THAT(find({list}), ElementsAre("vision/resnet18", "audio/wav2vec"));
}

TEST_F(Dataset, ALastLineNeedsNoEnd) {
  write_file(root() / "list.txt", "vision/resnet18");
  EXPECT_THAT(find({root() / "list.txt"}), ElementsAre("vision/resnet18"));
}

TEST_F(Dataset, HidesFoldersThatBeginWithADot) {
  add(".vision.1234/sample");
  EXPECT_EQ(find({root()}).size(), 3U);
}

TEST_F(Dataset, FollowsLinksOnce) {
  fs::create_directory_symlink(root() / "vision", root() / "linked");
  fs::create_directory_symlink(root(), root() / "vision/loop");
  EXPECT_THAT(find({root()}), ElementsAre("audio/wav2vec", "linked/alexnet", "linked/resnet18"));
}

TEST_F(Dataset, FindsSamplesThatLackTheirGraph) {
  fs::remove(root() / "vision/alexnet" / kGraphFile);
  write_file(root() / "vision/alexnet" / kMetadataFile, "{}");
  EXPECT_EQ(find({root()}).size(), 3U);
}

TEST_F(Dataset, ReportsPathsThatDoNotExist) {
  EXPECT_THAT(complaint(root() / "none"), HasSubstr("none: no such file or folder"));
}

TEST_F(Dataset, ReportsFoldersWithoutSamples) {
  fs::create_directory(root() / "empty");
  EXPECT_THAT(complaint(root() / "empty"), HasSubstr("holds no sample"));
}

TEST_F(Dataset, ReportsEmptyLists) {
  write_file(root() / "list.txt", "# nothing\n");
  EXPECT_THAT(complaint(root() / "list.txt"), HasSubstr("holds no sample"));
}

TEST_F(Dataset, ReportsListsOfFiles) {
  write_file(root() / "list.txt", "list.txt\n");
  EXPECT_THAT(complaint(root() / "list.txt"), HasSubstr("names folders"));
}

TEST_F(Dataset, ReportsListsOfMissingPaths) {
  write_file(root() / "list.txt", "vision/resnet19\n");
  EXPECT_THAT(complaint(root() / "list.txt"), HasSubstr("resnet19: no such file or folder"));
}

TEST_F(Dataset, NamesFileAndLineOfWhatAListNames) {
  write_file(root() / "list.txt", "audio\n\nvision/resnet19\n");
  EXPECT_THAT(complaint(root() / "list.txt"),
              HasSubstr("list.txt:3: " + (root() / "vision/resnet19").string() + ": no"));
}

TEST_F(Dataset, RefusesBinaryFilesAsListsAndShowsNoneOfTheirBytesRaw) {
  for (const std::string& bytes :
       {std::string("audio\n\0\x1b[2J", 11), std::string("\x1b[2J\n"), std::string("\xFF\n")}) {
    write_file(root() / "list.txt", bytes);
    const std::string message = complaint(root() / "list.txt");
    EXPECT_THAT(message, HasSubstr("is no path; a list is a text file")) << message;
    EXPECT_THAT(message, Not(HasSubstr("\x1b"))) << message;
  }
}

TEST_F(Dataset, ShowsOnlyTheBeginningOfALongLine) {
  write_file(root() / "list.txt", std::string(100'000, 'a'));
  EXPECT_LT(complaint(root() / "list.txt").size(), 1500U);
}

TEST_F(Dataset, SendsTorchScriptFilesToExtract) {
  write_file(root() / "model.pt", std::string("PK\x03\x04\0\0", 6) + std::string(20 << 20, '\0'));
  EXPECT_THAT(complaint(root() / "model.pt"), HasSubstr("this is a TorchScript file"));
  EXPECT_THAT(complaint(root() / "model.pt"), HasSubstr("graphnet extract " + (root() / "model.pt").string()));
}

TEST_F(Dataset, DoesNotWaitForPipes) {
  ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(find_samples({root() / "pipe"}), Error);
  EXPECT_THROW(require_sample_folder(root() / "pipe"), Error);
}

TEST_F(Dataset, ShowsThatAPathIsEmpty) {
  EXPECT_THAT(complaint(""), HasSubstr("the path \"\": no such file"));
}

TEST_F(Dataset, SendsPartsOfASampleToItsFolder) {
  EXPECT_THAT(complaint(root() / "vision/alexnet" / kGraphFile), HasSubstr("give its folder"));
}

TEST_F(Dataset, RefusesSamplesWhoseNameIsNotUtf8) {
  add("vision/caf\xE9");
  EXPECT_THAT(complaint(root()), HasSubstr("caf\\xe9: its name is not UTF-8"));
}

TEST_F(Dataset, ReportsNamesThatTheSystemRefuses) {
  EXPECT_THAT(complaint(root() / std::string(5000, 'a')), HasSubstr("too long"));
}

TEST_F(Dataset, ReportsFoldersThatCannotBeRead) {
  fs::create_directory(root() / "closed");
  fs::permissions(root() / "closed", fs::perms::none);
  if (::access((root() / "closed").c_str(), R_OK) == 0) GTEST_SKIP() << "nothing is closed to this user";
  EXPECT_THROW(find_samples({root()}), Error);
}

TEST_F(Dataset, OneSampleIsAFolderOfItsOwn) {
  const auto refusal = [](const fs::path& path) -> std::string {
    try {
      require_sample_folder(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  write_file(root() / "list.txt", "audio\n");
  EXPECT_EQ(refusal(root() / "vision/alexnet"), "");
  EXPECT_THAT(refusal(root()), HasSubstr("is no sample but a folder of 3, such as"));
  EXPECT_THAT(refusal(root() / "list.txt"), HasSubstr("is a file; a sample is a folder"));
  EXPECT_THAT(refusal(root() / "vision/alexnet" / kGraphFile), HasSubstr("give its folder"));
  EXPECT_THAT(refusal(root() / "none"), HasSubstr("no such file or folder"));
}

TEST(DisplayNames, AreWhatComesBelowTheCommonFolder) {
  EXPECT_THAT(display_names({"/a/samples/vision/resnet18", "/a/samples/audio/wav2vec"}),
              ElementsAre("vision/resnet18", "audio/wav2vec"));
}

TEST(DisplayNames, OfOneSampleAreItsFolder) {
  EXPECT_THAT(display_names({"/a/samples/vision/resnet18"}), ElementsAre("resnet18"));
  EXPECT_THAT(display_names({"/a/samples/vision/resnet18/"}), ElementsAre("resnet18"));
}

TEST(DisplayNames, OfSamplesInOneFolderAreTheirFolders) {
  EXPECT_THAT(display_names({"samples/a", "samples/./b"}), ElementsAre("a", "b"));
}

TEST(DisplayNames, CompareWholeComponents) {
  EXPECT_THAT(display_names({"/s/vision-a/x", "/s/vision-b/x"}), ElementsAre("vision-a/x", "vision-b/x"));
}

TEST(DisplayNames, OfNestedSamplesAreNeverEmpty) {
  EXPECT_THAT(display_names({"/s/a", "/s/a/b"}), ElementsAre("a", "a/b"));
}

TEST(DisplayNames, OfNothingAreNothing) {
  EXPECT_THAT(display_names({}), IsEmpty());
}

}  // namespace
}  // namespace graphnet
