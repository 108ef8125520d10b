// Where this installation's other files are. Everything is found relative to the running executable, so that the
// installed tree can be moved.
#pragma once

#include <filesystem>
#include <string>

namespace graphnet {

struct Installation {
  std::filesystem::path worker;    // bin/graphnet-worker
  std::filesystem::path backends;  // share/graphnet/backends: the Python side of compilers
  std::string python;              // the Python whose torch the worker was built against (GRAPHNET_PYTHON overrides)
  std::string torch_version;       // of the LibTorch the worker was built against
};

// Throws Error(kEnvironment) naming the file that is missing.
Installation find_installation();

}  // namespace graphnet
