// What makes the test device a loadable library: as it is loaded, the device is there.
#include <cstdlib>

#include "test_device.h"

namespace graphnet::test_device {
namespace {

[[maybe_unused]] const bool is_installed = [] {
  const char* text = std::getenv("GRAPHNET_TEST_DEVICE");
  configure(parse_settings(text != nullptr ? text : ""));
  install();
  return true;
}();

}  // namespace
}  // namespace graphnet::test_device
