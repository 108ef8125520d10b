// What an exception that reaches the worker's edge becomes in the protocol.
#include "protocol.h"

#include <new>
#include <stdexcept>

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

#include "bench_error.h"

namespace graphnet {
namespace {

using nlohmann::json;

const c10::SourceLocation kPlace{"function", "file.cpp", 1};

json error_of_thrown(const auto& thrown) {
  try {
    throw thrown;
  } catch (const std::exception& exception) {
    return error_object(exception, "check");
  }
}

TEST(ErrorObject, KeepsKindMessageAndStage) {
  const json error = error_of_thrown(Error(ErrorKind::kUnsupported, "call 3 aten::mm: no"));
  EXPECT_EQ(error, (json{{"kind", "unsupported"}, {"stage", "check"}, {"message", "call 3 aten::mm: no"}}));
}

TEST(ErrorObject, TakesAnExceptionOfLibTorchForTheInputs) {
  EXPECT_EQ(error_of_thrown(c10::Error(kPlace, "sizes differ")).at("kind"), "input");
}

TEST(ErrorObject, TakesAnyOtherExceptionForAnInternalError) {
  EXPECT_EQ(error_of_thrown(std::out_of_range("map::at")).at("kind"), "internal");
}

TEST(ErrorObject, KeepsTheCauseOfLackingMemoryWhateverCarriesIt) {
  for (const json& error :
       {error_of_thrown(std::bad_alloc()), error_of_thrown(c10::OutOfMemoryError(kPlace, "no more")),
        error_of_thrown(std::runtime_error("[enforce fail] DefaultCPUAllocator: can't allocate memory")),
        error_of_thrown(Error(ErrorKind::kInput, "call 3 aten::mm: std::bad_alloc"))}) {
    EXPECT_EQ(error.value("cause", ""), "out of memory") << error;
  }
}

TEST(ErrorObject, CarriesTheCauseThatIsKnown) {
  const json error = error_of_thrown(BenchError(ErrorKind::kEnvironment, Cause::kNotInstalled, "libmine.so"));
  EXPECT_EQ(error.at("cause"), "not installed");
}

TEST(ErrorObject, TakesMissingParametersForWrongUsage) {
  try {
    json::object().at("sample");
    FAIL();
  } catch (const std::exception& exception) {
    EXPECT_EQ(error_object(exception, "").at("kind"), "usage");
  }
}

}  // namespace
}  // namespace graphnet
