// What this program calls itself. Link with the target `version`; the values are filled in when it is built.
#pragma once

#include <string_view>

namespace graphnet {

// The release, such as "0.1.0".
std::string_view version();

// The git revision it was built from, such as "1a2b3c4" or, with uncommitted changes, "1a2b3c4-dirty". Empty outside a
// git checkout.
std::string_view revision();

}  // namespace graphnet
