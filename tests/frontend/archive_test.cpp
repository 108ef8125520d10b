#include "graphnet/frontend/archive.h"

#include <fstream>

#include <caffe2/serialize/inline_container.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

#include "models.h"

namespace graphnet {
namespace {

using ::graphnet::testing::ModelFolder;
using ::testing::HasSubstr;

// The message with which the file of these bytes is refused.
std::string refusal(const std::string& bytes, const std::string& name = "model.pt") {
  const TemporaryFolder folder("graphnet-archive-test");
  std::ofstream(folder.path() / name, std::ios::binary) << bytes;
  try {
    inspect_archive(folder.path() / name);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "accepted";
}

TEST(Archive, TorchScriptIsAcceptedWithItsDescription) {
  const ModelFolder folder;
  folder.save("def forward(self, x):\n    return x", {}, R"({"name":"identity"})");
  EXPECT_EQ(inspect_archive(folder.model()).description, R"({"name":"identity"})");
}

TEST(Archive, AMissingFileIsNamed) {
  EXPECT_THROW(
      {
        try {
          inspect_archive("/nonexistent/model.pt");
        } catch (const Error& error) {
          EXPECT_THAT(error.what(), HasSubstr("/nonexistent/model.pt: no such file"));
          throw;
        }
      },
      Error);
}

TEST(Archive, OtherFilesAreToldApart) {
  EXPECT_THAT(refusal(""), HasSubstr("empty (0 bytes)"));
  EXPECT_THAT(refusal("<!DOCTYPE html><html>404</html>"), HasSubstr("a web page"));
  EXPECT_THAT(refusal("version https://git-lfs.github.com/spec/v1\noid sha256:1\n"), HasSubstr("a Git LFS pointer"));
  EXPECT_THAT(refusal("\x80\x02}q\x01."), HasSubstr("a Python pickle"));
  EXPECT_THAT(refusal("import torch\n", "model.py"), HasSubstr("Python source"));
  EXPECT_THAT(refusal("\x7f"
                      "ELF\x02"),
              HasSubstr("--op-library"));
}

TEST(Archive, ACheckpointOfTorchSaveIsNoTorchScript) {
  const std::vector<char> pickled = torch::jit::pickle_save(torch::ones({2}));
  EXPECT_THAT(refusal(std::string(pickled.begin(), pickled.end())), HasSubstr("a checkpoint of torch.save"));
}

TEST(Archive, APackageOfTorchPackageIsNoTorchScript) {
  const TemporaryFolder folder("graphnet-archive-test");
  const std::filesystem::path file = folder.path() / "model.pt";
  caffe2::serialize::PyTorchStreamWriter writer(file.string());
  writer.writeRecord(".data/extern_modules", "sys\n", 4);
  writer.writeRecord("model/model.py", "pass", 4);
  writer.writeEndOfFile();
  EXPECT_THAT(refusal(read_file(file)), HasSubstr("a package of torch.package"));
}

TEST(Archive, CodeThatUnpacksToGigabytesIsRefusedUnread) {
  const TemporaryFolder folder("graphnet-archive-test");
  const std::filesystem::path file = folder.path() / "model.pt";
  const std::string comment(std::size_t{260} << 20, '#');
  caffe2::serialize::PyTorchStreamWriter writer(file.string());
  for (const char* name : {"data.pkl", "constants.pkl"}) writer.writeRecord(name, "N.", 2);
  writer.writeRecord("code/model.py", comment.data(), comment.size(), true);
  writer.writeEndOfFile();
  EXPECT_THAT(refusal(read_file(file)), HasSubstr("more than 256 MiB of code in it (code/model.py)"));
}

TEST(Archive, ATruncatedArchiveIsRefusedWhereverItEnds) {
  const ModelFolder folder;
  folder.save(testing::kTwoLayers, testing::register_two_layers);
  const std::string bytes = read_file(folder.model());
  for (std::size_t size = 8; size < bytes.size(); size += bytes.size() / 40) {
    EXPECT_THAT(refusal(bytes.substr(0, size)), HasSubstr("zip archive")) << size;
  }
}

TEST(Archive, AFolderIsRefused) {
  const TemporaryFolder folder("graphnet-archive-test");
  EXPECT_THROW(inspect_archive(folder.path()), Error);
}

}  // namespace
}  // namespace graphnet
