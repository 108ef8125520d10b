// Any text as an input spec: an Error, or an input that can be drawn and whose JSON form reads back as itself.
#include "graphnet/sample/input_spec.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "graphnet/sample/generator.h"
#include "graphnet/support/error.h"

#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  NamedInput input;
  try {
    input = parse_input_spec({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    return 0;
  }
  if (const auto* spec = std::get_if<TensorSpec>(&input.value.node)) check_recipe(spec->recipe, spec->type);
  const std::string text = write_inputs_json({input});
  FUZZ_REQUIRE(write_inputs_json(parse_inputs_json(text, "fuzz")) == text);
  return 0;
}
