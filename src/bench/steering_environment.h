// The environment variables that can change what a compiler makes of a graph, or how fast it runs.
#pragma once

#include <map>
#include <string>

namespace graphnet {

// Those of this process that steer torch and its compilers, C++ compilers, CUDA, threads and memory: recorded with each
// run, compared where one is resumed, and part of what a cached package is found by. Which of them a compiler reads
// only it knows; the names say enough.
std::map<std::string, std::string> steering_environment();

}  // namespace graphnet
