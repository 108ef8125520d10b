// A unit's compile ahead of time: in the compiler's own process, or by an earlier run.

#include <chrono>
#include <string>
#include <utility>

#include "graphnet/bench/package_cache.h"
#include "graphnet/bench/unit.h"
#include "graphnet/sample/sample.h"
#include "graphnet/support/files.h"
#include "graphnet/support/sha256.h"
#include "graphnet/support/version.h"

#include "second_start.h"
#include "steering_environment.h"

namespace graphnet {
namespace {

using nlohmann::json;

constexpr const char* kPackageFile = "model.pt2";

// Where a compiler keeps its intermediate files. Each unit has its own, which ends with it: a cache that other units
// filled, or the user's, would hide compile time.
constexpr const char* kCompilerCache = "compiler-cache";

}  // namespace

// Everything that decides what the compiler makes of the sample. Constants are compiled in, and the identity leaves
// them out: hence the whole text of the graph.
std::string Unit::package_key() const {
  return PackageCache::key({{"identity", record_.identity},
                            {"graph", sha256(read_file(job_.path / kGraphFile))},
                            {"compiler", job_.compiler->name},
                            {"version", job_.compiler_version},
                            {"graphnet", std::string(version()) + " " + std::string(revision())},
                            {"options", job_.compiler->options},
                            {"environment", steering_environment()},
                            {"device", context_.machine.at("device")},
                            {"capability", context_.machine.value("capability", json())},
                            {"processor", context_.machine.at("processor")},
                            {"framework", context_.machine.at("framework")},
                            {"threads", context_.threads},
                            {"op_libraries", context_.options.operator_libraries}});
}

void Unit::book_compile(const json& report) {
  record_.measurements["compile"] = report;
  // What the compiler itself took; the import of its libraries, paid once a run, is not the unit's.
  const json seconds = report.value("seconds", json::object());
  for (const auto& [part, value] : seconds.items()) {
    if (part != "import" && value.is_number()) record_.compile_seconds += value.get<double>();
  }
}

bool Unit::fetch_package() {
  if (context_.options.fresh) return false;
  const std::filesystem::path package = folder_->path() / kPackageFile;
  const auto report = PackageCache(context_.options.packages).fetch(package_key_, package);
  if (!report) return false;
  book_compile(*report);
  record_.compile_cached = true;
  package_ = package;
  return true;
}

bool Unit::needs_compile() {
  if (job_.compiler->kind != CompilerKind::kAheadOfTime) return false;
  job_.on_stage("compile");
  folder_.emplace("package-", context_.temporary);
  package_key_ = package_key();
  return !fetch_package();
}

// What all units with these options have in common the compiler makes once, before the first that it compiles. Where it
// does not succeed, the compile tells.
void Unit::prepare_compiler(WorkerClient& server) {
  const json params = {
      {"device", context_.device()}, {"threads", context_.threads}, {"options", job_.compiler->options}};
  RequestEvents events;
  events.on_stage = job_.on_stage;
  server.call("prepare", params, std::chrono::duration<double>(context_.options.stage_timeout), events);
}

void Unit::compile(WorkerClient& server) {
  job_.on_stage("compile");
  const std::filesystem::path package = folder_->path() / kPackageFile;
  const json params = {{"sample", job_.path.string()},
                       {"package", package.string()},
                       {"device", context_.device()},
                       {"threads", context_.threads},
                       {"options", job_.compiler->options},
                       {"op_libraries", context_.options.operator_libraries},
                       {"log", log_path().string()},
                       {"temporary", folder_->path().string()},
                       {"cache", (folder_->path() / kCompilerCache).string()}};
  RequestEvents events;
  events.log = log_path();
  const std::chrono::duration<double> timeout(context_.options.stage_timeout);
  Reply reply = with_second_start([&] { return server.call("compile", params, timeout, events); }, did_not_greet);
  if (did_not_greet(reply)) {
    throw_not_started("the process of " + job_.compiler->name, reply.failure->message,
                      context_.options.folder / kLogFolder / (job_.compiler->name + ".log"));
  }
  if (reply.failure) {
    compile_failure_ = std::move(reply.failure);
    return;
  }
  book_compile(*reply.result);
  package_ = package;
  PackageCache(context_.options.packages).store(package_key_, package, *reply.result);
}

}  // namespace graphnet
