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
  for (const auto& [name, server] : std::exchange(servers_, {})) {
    server->stop();
    std::error_code failure;
    const fs::path kept = context_.options.folder / kLogFolder;
    if (!fs::is_directory(kept, failure) || !fs::exists(log(name), failure) || fs::file_size(log(name), failure) == 0) {
      continue;
    }
    fs::copy_file(log(name), kept / (name + ".log"), fs::copy_options::overwrite_existing, failure);
  }
}

void CompileServers::prepare(const Compiler& compiler) {
  auto [place, is_new] = servers_.try_emplace(compiler.name);
  if (is_new) {
    WorkerOptions options;
    options.command = {context_.installation.python,
                       (context_.installation.backends / (compiler.name + ".py")).string()};
    options.environment = unit_environment(context_);
    options.error_log = log(compiler.name);
    options.start_timeout = kTimeToStart;
    options.interrupt_descriptor = context_.interrupt_descriptor;
    place->second = std::make_unique<WorkerClient>(std::move(options));
  }
  const json params = {{"device", context_.options.device}, {"options", compiler.options}};
  const Reply reply = place->second->call("describe", params, kTimeToStart);
  if (!reply.failure) {
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

WorkerClient* CompileServers::server(const Compiler& compiler) {
  const auto place = servers_.find(compiler.name);
  return place == servers_.end() ? nullptr : place->second.get();
}

}  // namespace graphnet
