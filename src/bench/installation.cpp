#include "graphnet/bench/installation.h"

#include <cstdlib>
#include <system_error>

#include <nlohmann/json.hpp>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

namespace graphnet {

Installation find_installation() {
  std::error_code failure;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) throw Error(ErrorKind::kEnvironment, "cannot tell where this program lies: " + failure.message());
  std::filesystem::path root = program.parent_path().parent_path();

  Installation found;
  found.worker = program.parent_path() / "graphnet-worker";
  found.backends = root / "share" / "graphnet" / "backends";
  if (!std::filesystem::exists(found.worker)) {
    throw Error(ErrorKind::kEnvironment,
                found.worker.string() + " is missing: build the whole project, or install it again");
  }
  std::filesystem::path config_file = root / "share" / "graphnet" / "config.json";
  try {
    nlohmann::json config = nlohmann::json::parse(read_file(config_file));
    found.python = config.at("python").get<std::string>();
    found.torch_version = config.at("torch_version").get<std::string>();
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::kEnvironment, config_file.string() + " is damaged (" + error.what() + "): install again");
  } catch (const Error& error) {
    throw Error(ErrorKind::kEnvironment, std::string(error.what()) + ": install again");
  }
  if (const char* python = std::getenv("GRAPHNET_PYTHON"); python != nullptr && *python != '\0') found.python = python;
  return found;
}

}  // namespace graphnet
