// An installation of graphnet whose worker is a shell script: workers that crash, hang or lie, at a wish.
#pragma once

#include <string>
#include <vector>

#include "graphnet/support/files.h"

#include "program.h"

namespace graphnet::test {

class ScriptedInstallation {
 public:
  // `script` answers every request but "describe". It sees $request, $id and $graphnet (the process
  // number of the program), and may call stage NAME, result JSON and error JSON.
  explicit ScriptedInstallation(const std::string& script);

  // Makes Python a shell script as well: a compiler's process, which answers "describe" and every other request with
  // these scripts.
  void set_python(const std::string& describe, const std::string& script) const;

  Finished run(const std::vector<std::string>& arguments, const RunOptions& options = {}) const;
  Finished run_interrupted_after(const std::string& seconds, const std::vector<std::string>& arguments) const;

  const std::filesystem::path& path() const { return folder_.path(); }

  std::string program() const { return folder_.path() / "bin" / "graphnet"; }

 private:
  void write_config(const std::string& python) const;

  TemporaryFolder folder_{"graphnet-installation-"};
};

}  // namespace graphnet::test
