#include "graphnet/support/error.h"

#include <gtest/gtest.h>

namespace graphnet {
namespace {

constexpr ErrorKind kKinds[] = {ErrorKind::kUsage,       ErrorKind::kInput,       ErrorKind::kUnsupported,
                                ErrorKind::kEnvironment, ErrorKind::kInterrupted, ErrorKind::kInternal};

TEST(Error, ContextStandsInFrontAndTheKindStays) {
  const Error error = Error(ErrorKind::kInput, "expected a list").with_context("graph.json:12");
  EXPECT_STREQ(error.what(), "graph.json:12: expected a list");
  EXPECT_EQ(error.kind(), ErrorKind::kInput);
}

TEST(Error, EachKindHasItsDocumentedExitCode) {
  EXPECT_EQ(exit_code(ErrorKind::kUsage), 2);
  EXPECT_EQ(exit_code(ErrorKind::kInput), 1);
  EXPECT_EQ(exit_code(ErrorKind::kUnsupported), 1);
  EXPECT_EQ(exit_code(ErrorKind::kEnvironment), 3);
  EXPECT_EQ(exit_code(ErrorKind::kInterrupted), 4);
  EXPECT_EQ(exit_code(ErrorKind::kInternal), 70);
}

TEST(Error, KindNamesReadBack) {
  for (const ErrorKind kind : kKinds) EXPECT_EQ(parse_error_kind(error_kind_name(kind)), kind);
}

TEST(Error, AnUnknownKindNameIsInternal) {
  EXPECT_EQ(parse_error_kind("nonsense"), ErrorKind::kInternal);
  EXPECT_EQ(parse_error_kind(""), ErrorKind::kInternal);
}

}  // namespace
}  // namespace graphnet
