// Runs the built programs as a user would, and keeps what they said.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace graphnet::test {

// Whether the programs are built with sanitizers, which make them several times slower.
inline constexpr bool kSanitized = GRAPHNET_SANITIZED;

struct RunOptions {
  std::filesystem::path directory;                 // to run in; empty: this process's
  std::map<std::string, std::string> environment;  // added to, or overriding, this process's
  std::chrono::seconds timeout{120};               // past it the program is killed and the test fails
};

struct Finished {
  int exit_code = -1;                                 // 128 + N where signal N ended it, as shells say it
  std::string output;                                 // stdout
  std::string errors;                                 // stderr
  std::chrono::duration<double> seconds{};            // wall time
  std::chrono::duration<double> processor_seconds{};  // of the program and its children
};

// Runs graphnet with these arguments, without GRAPHNET_* variables of this process and with stdin empty.
Finished graphnet(const std::vector<std::string>& arguments, const RunOptions& options = {});

// The least processor time of a few runs of graphnet: what it takes where nothing else runs.
double least_processor_seconds(const std::vector<std::string>& arguments);

// Runs any program, found in PATH.
Finished run_program(const std::vector<std::string>& command, const RunOptions& options = {});

// The built program's path, for pipelines in a shell.
std::string graphnet_path();

}  // namespace graphnet::test
