#include "graphnet/support/sha256.h"

#include <array>

#include <gtest/gtest.h>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

namespace graphnet {
namespace {

// Examples of FIPS 180-2, appendix B, and the empty message.
constexpr std::string_view kOfEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr std::string_view kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr std::string_view kOfMillionA = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Sha256, PublishedExamplesAgree) {
  EXPECT_EQ(sha256(""), kOfEmpty);
  EXPECT_EQ(sha256("abc"), kOfAbc);
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), kOfMillionA);
}

TEST(Sha256, PartsGiveTheDigestOfTheWhole) {
  Sha256 hash;
  hash.update("a");
  hash.update("");
  const std::array<std::byte, 2> rest = {std::byte{'b'}, std::byte{'c'}};
  hash.update(rest);
  EXPECT_EQ(hash.finish(), kOfAbc);
}

TEST(Sha256, AFileHasTheDigestOfItsContents) {
  const TemporaryFolder folder("graphnet-test-");
  const auto path = folder.path() / "file";
  write_file(path, std::string(1'000'000, 'a'));
  EXPECT_EQ(sha256_of_file(path), kOfMillionA);
  write_file(path, "");
  EXPECT_EQ(sha256_of_file(path), kOfEmpty);
}

TEST(Sha256, AFileThatCannotBeReadIsAnError) {
  const TemporaryFolder folder("graphnet-test-");
  EXPECT_THROW(sha256_of_file(folder.path() / "absent"), Error);
  EXPECT_THROW(sha256_of_file(folder.path()), Error);
}

}  // namespace
}  // namespace graphnet
