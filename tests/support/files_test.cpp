#include "graphnet/support/files.h"

#include <csignal>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  fs::path path(std::string_view name) const { return folder_.path() / name; }

  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_.path()), {}); }

 private:
  TemporaryFolder folder_{"graphnet-test-"};
};

// Kind and message of what reading or writing throws.
template <class Action>
std::pair<ErrorKind, std::string> error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  return {ErrorKind::kInternal, "no error"};
}

TEST_F(Files, WhatIsWrittenIsReadBack) {
  const std::string contents("bytes \0 of any kind \xFF\n", 22);
  write_file(path("a"), contents);
  EXPECT_EQ(read_file(path("a")), contents);
  write_file(path("a"), "");
  EXPECT_EQ(read_file(path("a")), "");
}

TEST_F(Files, WritingLeavesNoOtherFileBehind) {
  write_file(path("a"), "one");
  write_file(path("a"), "two");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, WrittenFilesHaveTheUsualPermissions) {
  const mode_t mask = ::umask(022);
  write_file(path("a"), "x");
  ::umask(mask);
  EXPECT_EQ(fs::status(path("a")).permissions(), static_cast<fs::perms>(0644));
}

TEST_F(Files, AFailedWriteKeepsTheOldFile) {
  fs::create_directory(path("folder"));
  write_file(path("folder") / "a", "old");
  const auto [kind, message] = error_of([&] { write_file(path("folder"), "new"); });
  EXPECT_EQ(kind, ErrorKind::kEnvironment);
  EXPECT_THAT(message, HasSubstr(path("folder").string()));
  EXPECT_EQ(read_file(path("folder") / "a"), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, AMissingFolderIsNamedInTheError) {
  const auto [kind, message] = error_of([&] { write_file(path("absent") / "a", "x"); });
  EXPECT_EQ(kind, ErrorKind::kEnvironment);
  EXPECT_THAT(message, HasSubstr("absent/a: cannot be written: No such file or directory"));
}

TEST_F(Files, AFullDiskIsAnInterruptionAndKeepsTheOldFile) {
  write_file(path("a"), "old");
  // No room to write is what a limit on file sizes looks like, but for the error's number.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none{0, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  const auto [kind, message] = error_of([&] { write_file(path("a"), "new"); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(kind, ErrorKind::kInterrupted);
  EXPECT_THAT(message, HasSubstr("cannot be written"));
  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, ALeftoverOfAnEarlierWriteIsNotTouched) {
  const fs::path leftover = path("a.new-" + std::to_string(::getpid()) + "-0");
  write_file(leftover, "leftover");
  write_file(path("a"), "x");
  EXPECT_EQ(read_file(path("a")), "x");
  EXPECT_EQ(read_file(leftover), "leftover");
}

TEST_F(Files, ThreadsMayWriteTheSameFile) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) write_file(path("a"), std::string(10'000, static_cast<char>('0' + i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string contents = read_file(path("a"));
  EXPECT_EQ(contents, std::string(10'000, contents.at(0)));
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, TheLimitIsTheLargestSizeRead) {
  write_file(path("a"), "12345");
  EXPECT_EQ(read_file(path("a"), 5), "12345");
  const auto [kind, message] = error_of([&] { read_file(path("a"), 4); });
  EXPECT_EQ(kind, ErrorKind::kInput);
  EXPECT_THAT(message, HasSubstr("larger than the limit of 4 bytes"));
}

TEST_F(Files, TheLimitHoldsForFilesThatClaimNoSize) {
  if (!fs::exists("/proc/self/status")) GTEST_SKIP() << "needs /proc";
  EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Name:"));
  EXPECT_THAT(error_of([] { read_file("/proc/self/status", 10); }).second, HasSubstr("larger than the limit"));
}

TEST_F(Files, OnlyRegularFilesAreRead) {
  EXPECT_THAT(error_of([&] { read_file(path("absent")); }).second, HasSubstr("absent: No such file or directory"));
  EXPECT_THAT(error_of([&] { read_file(path("")); }).second, HasSubstr("is a folder, not a file"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { read_file(path("pipe")); }).second, HasSubstr("is no regular file"));
}

TEST(TemporaryFolder, IsRemovedWithItsContents) {
  fs::path path;
  {
    TemporaryFolder folder("graphnet-test-");
    path = folder.path();
    fs::create_directories(path / "a" / "b");
    write_file(path / "a" / "b" / "c", "x");
    const TemporaryFolder moved = std::move(folder);
    EXPECT_EQ(moved.path(), path);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, IsMadeBelowTheGivenParent) {
  const TemporaryFolder parent("graphnet-test-");
  const TemporaryFolder child("inner-", parent.path());
  EXPECT_EQ(child.path().parent_path(), parent.path());
  EXPECT_TRUE(child.path().filename().string().starts_with("inner-"));
  EXPECT_THROW(TemporaryFolder("x-", parent.path() / "absent"), Error);
}

}  // namespace
}  // namespace graphnet
