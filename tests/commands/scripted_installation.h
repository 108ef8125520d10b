// An installation of graphnet whose worker is a shell script: workers that crash, hang or lie, at a wish.
#pragma once

#include <string>
#include <vector>

#include "graphnet/support/files.h"

#include "program.h"

namespace graphnet::test {

// For a script: the result of a unit that is twice as fast as the reference.
inline constexpr const char* kMeasured =
    R"(result '{"correctness":{"strictest_level":-6,"equal":false,"problem":"","input_sets":2,"outputs":[]},)"
    R"("timing":{"trials":[[0.002,0.001,true]],"verdict":"converged","speedup":2.0,"low":1.9,"high":2.1,)"
    R"("confidence":0.95,"reference_seconds":0.002,"candidate_seconds":0.001},)"
    R"("seconds":{"load":0.1,"time":0.2},"peak_memory_bytes":1000000}')";

class ScriptedInstallation {
 public:
  // `script` answers every request but "describe". It sees $request, $id and $graphnet (the process
  // number of the program), and may call stage NAME, result JSON and error JSON.
  explicit ScriptedInstallation(const std::string& script);

  // Makes Python a shell script as well: a compiler's process, which answers "describe" and every other request with
  // these scripts, but for "prepare", which has nothing to do.
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
