// Reads and checks every sample below a folder, one after the other, and prints how long that took as JSON.

#include <chrono>
#include <cstdio>
#include <exception>

#include "graphnet/sample/dataset.h"
#include "graphnet/sample/sample.h"

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
    return 2;
  }
  try {
    const auto start = std::chrono::steady_clock::now();
    std::size_t samples = 0;
    std::size_t calls = 0;
    for (const std::filesystem::path& directory : graphnet::find_samples({arguments[1]})) {
      calls += graphnet::read_sample(directory).graph.calls.size();
      ++samples;
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("{\"samples\": %zu, \"calls\": %zu, \"seconds\": %.6f}\n", samples, calls, seconds.count());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", arguments[0], error.what());
    return 1;
  }
  return 0;
}
