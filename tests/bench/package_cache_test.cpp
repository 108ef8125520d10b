#include "graphnet/bench/package_cache.h"

#include <gtest/gtest.h>

#include "graphnet/support/files.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class PackageCacheTest : public testing::Test {
 protected:
  void SetUp() override { write_file(package_, "compiled"); }

  TemporaryFolder folder_{"graphnet-test-"};
  fs::path package_ = folder_.path() / "package.pt2";
  fs::path fetched_ = folder_.path() / "fetched.pt2";
  fs::path cache_ = folder_.path() / "cache";
};

TEST_F(PackageCacheTest, GivesBackThePackageAndWhatItsCompileReported) {
  const PackageCache cache(cache_);
  cache.store("key", package_, {{"seconds", {{"compile", 3.5}}}});
  const auto report = cache.fetch("key", fetched_);
  ASSERT_TRUE(report);
  EXPECT_EQ((*report)["seconds"]["compile"], 3.5);
  EXPECT_EQ(read_file(fetched_), "compiled");
}

TEST_F(PackageCacheTest, HasNothingOfAnotherKey) {
  const PackageCache cache(cache_);
  cache.store("key", package_, json::object());
  EXPECT_FALSE(cache.fetch("other", fetched_));
}

TEST_F(PackageCacheTest, KeysDifferInEveryFact) {
  EXPECT_NE(PackageCache::key({{"threads", 1}}), PackageCache::key({{"threads", 2}}));
}

TEST_F(PackageCacheTest, TakesADamagedEntryForNone) {
  const PackageCache cache(cache_);
  cache.store("key", package_, json::object());
  fs::remove(package_);
  write_file(cache_ / "key" / "package.pt2", "comp");
  EXPECT_FALSE(cache.fetch("key", fetched_));
}

TEST_F(PackageCacheTest, RemovesWhatWasUsedLongestAgoBeyondItsBound) {
  const PackageCache cache(cache_, 20);  // two packages of eight bytes
  const auto age = [&](const char* key, int hours) {
    fs::last_write_time(cache_ / key / "compile.json", fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  cache.store("a", package_, json::object());
  cache.store("b", package_, json::object());
  age("a", 9);
  age("b", 8);
  EXPECT_TRUE(cache.fetch("a", fetched_));  // now b is the one used longest ago
  cache.store("c", package_, json::object());
  EXPECT_TRUE(cache.fetch("a", fetched_));
  EXPECT_FALSE(cache.fetch("b", fetched_));
  EXPECT_TRUE(cache.fetch("c", fetched_));
}

TEST_F(PackageCacheTest, WithoutAFolderKeepsNothingAndDoesNotFail) {
  const PackageCache cache({});
  cache.store("key", package_, json::object());
  EXPECT_FALSE(cache.fetch("key", fetched_));
}

}  // namespace
}  // namespace graphnet
