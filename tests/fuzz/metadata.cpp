// Any text as sample.json: an Error, or metadata whose canonical text reads back as itself.
#include "graphnet/sample/metadata.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "graphnet/support/error.h"

#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  std::string text;
  try {
    text = write_metadata(read_metadata({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const Error&) {
    return 0;
  }
  FUZZ_REQUIRE(write_metadata(read_metadata(text, "fuzz")) == text);
  return 0;
}
