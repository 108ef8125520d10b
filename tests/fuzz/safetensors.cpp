// Any bytes as a .safetensors file: an Error, or tensors that lie within the file.
#include "graphnet/sample/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "graphnet/support/error.h"

#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  const int descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
  FUZZ_REQUIRE(::write(descriptor, data, size) == static_cast<ssize_t>(size));
  try {
    const SafetensorsFile file("/proc/self/fd/" + std::to_string(descriptor));
    std::size_t total = 0;
    unsigned sum = 0;
    for (const auto& [name, entry] : file.entries()) {
      FUZZ_REQUIRE(static_cast<std::int64_t>(entry.bytes.size()) == storage_bytes(entry.type));
      for (const std::byte byte : entry.bytes) sum += std::to_integer<unsigned>(byte);
      total += entry.bytes.size();
    }
    FUZZ_REQUIRE(total < size && sum <= 255 * total);
  } catch (const Error&) {
    // Whatever is no safetensors file ends here.
  }
  ::close(descriptor);
  return 0;
}
