// The version of the protocol that graphnet, its worker and the compilers' processes speak: JSON lines over pipes.
#pragma once

namespace graphnet {

inline constexpr int kProtocolVersion = 1;

}  // namespace graphnet
