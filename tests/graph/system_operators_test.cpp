#include "graphnet/graph/system_operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_graph.h"

namespace graphnet {
namespace {

TEST(SystemOperators, AreKnownByNamespaceNameAndWord) {
  EXPECT_EQ(system_use("aten::from_file"), "uses files");
  EXPECT_EQ(system_use("aten::save"), "uses files");
  EXPECT_EQ(system_use("image::write_file"), "uses files");
  EXPECT_EQ(system_use("torchaudio::sox_effects_apply_effects_file"), "uses files");
  EXPECT_EQ(system_use("_c10d_functional::all_reduce"), "talks to other processes");
  EXPECT_EQ(system_use("profiler::_record_function_enter"), "calls the profiler");
}

TEST(SystemOperators, OperatorsThatComputeAreNone) {
  for (const char* name : {"aten::add", "prim::profile", "image::decode_image", "aten::record_stream", "file", ""}) {
    EXPECT_EQ(system_use(name), "") << name;
  }
}

TEST(SystemOperators, AreRefusedByTheReaderWithTheirLine) {
  const std::string text = fixtures::changed(
      fixtures::kExample, "\"aten::gelu(Tensor self, *, str approximate=\\\"none\\\") -> Tensor\"",
      "\"aten::from_file.out(str filename, bool? shared=None, int? size=0, *, Tensor(a!) out) -> Tensor(a!)\"");
  EXPECT_THAT(fixtures::error_of(text),
              testing::AllOf(testing::StartsWith("graph.json:20: "),
                             testing::HasSubstr("aten::from_file.out: it uses files: no graph may hold it")));
}

}  // namespace
}  // namespace graphnet
