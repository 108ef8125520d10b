// Any text as JSON inputs: an Error, or inputs whose canonical form reads back as itself.
#include <cstddef>
#include <cstdint>
#include <string>

#include "graphnet/sample/input_spec.h"
#include "graphnet/support/error.h"

#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  std::vector<NamedInput> inputs;
  try {
    inputs = parse_inputs_json({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const Error&) {
    return 0;
  }
  const std::string text = write_inputs_json(inputs);
  FUZZ_REQUIRE(write_inputs_json(parse_inputs_json(text, "fuzz")) == text);
  return 0;
}
