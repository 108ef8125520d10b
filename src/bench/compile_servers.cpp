#include "compile_servers.h"

#include <chrono>
#include <system_error>
#include <utility>

#include "graphnet/support/error.h"

#include "unit_text.h"

namespace graphnet {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Importing a compiler's libraries takes seconds, and on a cold disk much longer.
constexpr std::chrono::seconds kTimeToStart{300};

}  // namespace

CompileServers::~CompileServers() {
  for (auto& [name, servers] : servers_) {
    for (WorkerClient& server : servers) server.stop();
    std::error_code failure;
    const fs::path kept = context_.options.folder / kLogFolder;
    if (!fs::is_directory(kept, failure) || !fs::exists(log(name), failure) || fs::file_size(log(name), failure) == 0) {
      continue;
    }
    fs::copy_file(log(name), kept / (name + ".log"), fs::copy_options::overwrite_existing, failure);
  }
}

WorkerClient CompileServers::make(const std::string& compiler) const {
  WorkerOptions options;
  options.command = {context_.installation.python, (context_.installation.backends / (compiler + ".py")).string()};
  options.environment = unit_environment(context_);
  options.error_log = log(compiler);
  options.start_timeout = kTimeToStart;
  options.interrupt_descriptor = context_.interrupt_descriptor;
  options.memory_limit = context_.options.memory_limit;
  return WorkerClient(std::move(options));
}

void CompileServers::prepare(const Compiler& compiler) {
  auto [place, is_new] = servers_.try_emplace(compiler.name);
  for (int i = 0; is_new && i < context_.options.compile_jobs; ++i) place->second.push_back(make(compiler.name));
  const json params = {{"device", context_.device()}, {"options", compiler.options}};
  const Reply reply = place->second.front().call("describe", params, kTimeToStart);
  if (!reply.failure) {
    const std::string framework = reply.result->value("framework", std::string());
    versions_[compiler.name] = reply.result->value("version", framework);
    if (reply.result->value("available", false)) return;
    reasons_[compiler.label] = reply.result->value("reason", std::string("it does not say why"));
    return;
  }
  const Failure& failure = *reply.failure;
  if (failure.interrupted) throw Error(ErrorKind::kInterrupted, "stopped by the user");
  if (failure.kind == ErrorKind::kUsage) {
    throw Error(ErrorKind::kUsage, "--compiler " + compiler.label + ": " + failure.message);
  }
  reasons_[compiler.label] = without_server(compiler.name, failure.message);
}

// Python's own reason stands in the last line of what it wrote.
std::string CompileServers::without_server(const std::string& name, const std::string& message) const {
  const std::string tail = log_tail(log(name));
  if (tail.empty()) return message;
  const std::size_t last_line = tail.rfind('\n') + 1;  // 0 where there is one line
  return message + ": " + tail.substr(last_line);
}

std::string CompileServers::unavailable(const Compiler& compiler) const {
  const auto place = reasons_.find(compiler.label);
  return place == reasons_.end() ? "" : place->second;
}

WorkerClient* CompileServers::server(const Compiler& compiler, std::size_t number) {
  const auto place = servers_.find(compiler.name);
  return place == servers_.end() ? nullptr : &place->second.at(number);
}

std::string CompileServers::version(const Compiler& compiler) const {
  const auto place = versions_.find(compiler.name);
  return place == versions_.end() ? "" : place->second;
}

}  // namespace graphnet
