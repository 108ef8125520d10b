#include "scripted_installation.h"

namespace graphnet::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFirstLines = R"(#!/bin/sh
stage() { echo "{\"id\":$id,\"event\":\"stage\",\"stage\":\"$1\"}"; }
result() { echo "{\"id\":$id,\"result\":$1}"; }
error() { echo "{\"id\":$id,\"error\":$1}"; }
read -r _ _ _ graphnet _ < /proc/$PPID/stat
echo '{"event":"hello","protocol":1,"program":"graphnet-worker","version":"0.1.0","framework":"torch 2.13.0"}'
while read -r request; do
  id=${request#*'"id":'}
  id=${id%%[,\}]*}
  case $request in
  *'"method":"describe"'*)
)";
constexpr const char* kMachine =
    R"(result '{"processor":"test","capability":"AVX2","device":"cpu","framework":"torch 2.13.0","threads":1,)"
    R"("available_memory":1000000000}')";
constexpr const char* kPrepared = "*'\"method\":\"prepare\"'*) result '{\"seconds\":0}' ;;";

void write_program(const fs::path& path, const std::string& describe, const std::string& script) {
  write_file(path, kFirstLines + describe + "\n;;\n" + kPrepared + "\n*)\n" + script + "\n;;\nesac\ndone\n");
  fs::permissions(path, fs::perms::owner_all);
}

}  // namespace

ScriptedInstallation::ScriptedInstallation(const std::string& script) {
  fs::create_directories(path() / "bin");
  fs::create_directories(path() / "share" / "graphnet");
  fs::copy_file(graphnet_path(), program());
  write_program(path() / "bin" / "graphnet-worker", kMachine, script);
  write_config("/no/such/python");
}

void ScriptedInstallation::write_config(const std::string& python) const {
  write_file(path() / "share" / "graphnet" / "config.json",
             R"({"torch_dir": "", "torch_version": "2.13.0", "python": ")" + python + "\"}");
}

void ScriptedInstallation::set_python(const std::string& describe, const std::string& script) const {
  write_program(path() / "bin" / "python", describe, script);
  write_config(path() / "bin" / "python");
}

Finished ScriptedInstallation::run(const std::vector<std::string>& arguments, const RunOptions& options) const {
  std::vector<std::string> command = {program()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_program(command, options);
}

Finished ScriptedInstallation::run_interrupted_after(const std::string& seconds,
                                                     const std::vector<std::string>& arguments) const {
  std::vector<std::string> command = {"timeout",      "--foreground", "--preserve-status",
                                      "--signal=INT", seconds,        program()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_program(command);
}

}  // namespace graphnet::test
