#include "graphnet/runtime/exception_text.h"

#include <new>
#include <stdexcept>

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

namespace graphnet {
namespace {

TEST(ExceptionText, IsWithoutTheBacktrace) {
  EXPECT_EQ(without_backtrace("too small\nException raised from f at a.cpp:1\nframe #0: g"), "too small");
}

TEST(ExceptionText, KeepsHeadAndTailOfALongOne) {
  const std::string text = without_backtrace(std::string(500, 'a') + std::string(500, 'b'), 90);
  EXPECT_EQ(text, std::string(30, 'a') + "\n...\n" + std::string(60, 'b'));
}

TEST(ErrorOf, AnErrorIsItself) {
  const Error error = error_of(Error(ErrorKind::kUsage, "wrong"));
  EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  EXPECT_STREQ(error.what(), "wrong");
}

TEST(ErrorOf, LackOfMemoryIsTheEnvironments) {
  EXPECT_EQ(error_of(std::bad_alloc()).kind(), ErrorKind::kEnvironment);
  const Error error = error_of(std::runtime_error(
      "[enforce fail at alloc_cpu.cpp:124] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate "
      "40 bytes. Error code 12 (Cannot allocate memory)"));
  EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
  EXPECT_STREQ(error.what(), "out of memory when 40 bytes were asked for");
}

TEST(ErrorOf, LackOfAnAcceleratorsMemoryTellsHowMuchWasAskedFor) {
  const Error error = error_of(std::runtime_error(
      "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 139.80 GiB of which 1.25 GiB is "
      "free."));
  EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
  EXPECT_STREQ(error.what(), "out of memory when 2.50 GiB were asked for");
}

TEST(ErrorOf, AnOperatorWithoutAKernelIsUnsupported) {
  try {
    TORCH_CHECK_NOT_IMPLEMENTED(false, "no kernel");
  } catch (const std::exception& exception) {
    EXPECT_EQ(error_of(exception).kind(), ErrorKind::kUnsupported);
  }
}

TEST(ErrorOf, AnythingElseIsInThatWhichRan) {
  const Error error = error_of(std::runtime_error("shapes differ"));
  EXPECT_EQ(error.kind(), ErrorKind::kInput);
  EXPECT_STREQ(error.what(), "shapes differ");
}

}  // namespace
}  // namespace graphnet
