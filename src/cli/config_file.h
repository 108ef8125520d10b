// The TOML file of --config, as CLI11 reads it, but bounded, second to GRAPHNET_* variables, and with errors that name
// the file and what is wrong with it.
#pragma once

#include <istream>
#include <vector>

#include <CLI/CLI.hpp>

namespace graphnet::cli {

class ConfigFile : public CLI::ConfigTOML {
 public:
  // The program must outlive the reader. It knows the options that a file can set.
  explicit ConfigFile(const CLI::App& program) : program_(program) {}

  // Throws CLI::FileError for what is no text, or names a command or an option that is not there: CLI11 lets --help and
  // --version go before errors of this kind.
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  const CLI::App& program_;
};

}  // namespace graphnet::cli
