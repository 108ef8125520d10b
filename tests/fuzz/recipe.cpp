// Any text as a recipe: an Error, or a recipe whose canonical text reads back as the same recipe.
#include "graphnet/graph/recipe.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "graphnet/support/error.h"

#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  Recipe recipe;
  try {
    recipe = parse_recipe({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    return 0;
  }
  const std::string text = to_string(recipe);
  FUZZ_REQUIRE(parse_recipe(text) == recipe);
  FUZZ_REQUIRE(to_string(parse_recipe(text)) == text);
  return 0;
}
