// The Python processes of ahead-of-time compilers: one a compiler is started before anything of a run is written, so
// that wrong options and compilers that are not installed show first; more where several units are compiled at once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphnet/bench/compiler.h"
#include "graphnet/bench/unit.h"
#include "graphnet/bench/worker_client.h"
#include "graphnet/support/files.h"

namespace graphnet {

class CompileServers {
 public:
  explicit CompileServers(const UnitContext& context) : context_(context) {}
  // Keeps what the processes themselves wrote in the run's folder, where there is one. (What a compile writes is in its
  // unit's log.)
  ~CompileServers();
  CompileServers(const CompileServers&) = delete;
  CompileServers& operator=(const CompileServers&) = delete;

  // Starts an ahead-of-time compiler's process and asks whether it can be used here with its options. Throws
  // Error(kUsage) where it refuses an option, Error(kInterrupted) where the user stopped it.
  void prepare(const Compiler& compiler);

  // Why the compiler cannot be used on this machine; empty where it can.
  std::string unavailable(const Compiler& compiler) const;

  // The compiler's process with this number, from 0; none for a compiler in the worker. All but the first start with
  // their first request.
  WorkerClient* server(const Compiler& compiler, std::size_t number);

  // What the compiler says it is, its own compilers included; empty for a compiler in the worker.
  std::string version(const Compiler& compiler) const;

 private:
  std::filesystem::path log(const std::string& name) const { return logs_.path() / (name + ".log"); }
  std::string without_server(const std::string& name, const std::string& message) const;

  WorkerClient make(const std::string& compiler) const;

  const UnitContext& context_;
  TemporaryFolder logs_{"servers-", context_.temporary};
  std::map<std::string, std::vector<WorkerClient>> servers_;  // by the compiler's name
  std::map<std::string, std::string> versions_;               // likewise
  std::map<std::string, std::string> reasons_;                // by its label
};

}  // namespace graphnet
