// Any text as a tensor type: an Error, or a type that has exactly this text and computable sizes.
#include "graphnet/graph/tensor_type.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "graphnet/support/error.h"

#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TensorType type;
  try {
    type = parse_tensor_type(text);
  } catch (const Error&) {
    return 0;
  }
  FUZZ_REQUIRE(to_string(type) == text);
  FUZZ_REQUIRE(element_count(type) >= 0);
  FUZZ_REQUIRE(storage_bytes(type) >= 0);
  FUZZ_REQUIRE(contiguous_strides(type.shape).size() == type.shape.size());
  return 0;
}
