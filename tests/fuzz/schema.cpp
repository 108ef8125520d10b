// Any text as an operator schema: an Error, or a schema whose parts are what their names say.
#include "graphnet/graph/schema.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "graphnet/support/error.h"

#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  Schema schema;
  try {
    schema = parse_schema({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    return 0;
  }
  FUZZ_REQUIRE(schema.name.find("::") != std::string::npos);
  for (const auto* list : {&schema.arguments, &schema.returns}) {
    for (const SchemaArgument& argument : *list) {
      FUZZ_REQUIRE(!argument.type.empty());
      FUZZ_REQUIRE(argument.has_default != argument.default_text.empty());
      FUZZ_REQUIRE(!argument.is_written || !argument.alias.empty());
    }
  }
  return 0;
}
