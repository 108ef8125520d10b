#include "protocol.h"

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <unistd.h>

#include <c10/util/Exception.h>

#include "graphnet/runtime/exception_text.h"
#include "graphnet/score/outcome.h"
#include "graphnet/support/error.h"

#include "bench_error.h"

namespace graphnet {

using nlohmann::json;

namespace {

// What an exception that reached the worker's edge means. Only LibTorch's own, which a model or its input causes, and
// lack of memory are anybody's but graphnet's.
Error known_error(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) {
    return Error(error->kind(), without_backtrace(error->what()));
  }
  if (dynamic_cast<const json::exception*>(&exception) != nullptr) {
    return Error(ErrorKind::kUsage, std::string("params: ") + exception.what());
  }
  if (lacks_memory(exception) || dynamic_cast<const c10::Error*>(&exception) != nullptr) return error_of(exception);
  return Error(ErrorKind::kInternal, exception_text(exception));
}

}  // namespace

ProtocolStream::ProtocolStream() : descriptor_(dup(STDOUT_FILENO)) {
  if (descriptor_ < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    throw Error(ErrorKind::kEnvironment, "stdout cannot be moved aside");
  }
}

ProtocolStream::~ProtocolStream() {
  close(descriptor_);
}

void ProtocolStream::write(const json& message) {
  // Texts come from files and libraries, which may hold any bytes.
  const std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t count = ::write(descriptor_, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) std::_Exit(0);
    written += static_cast<std::size_t>(count);
  }
}

std::optional<Request> read_request() {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  json message = json::parse(line, nullptr, false);
  if (!message.is_object() || !message.contains("method") || !message["method"].is_string()) {
    throw Error(ErrorKind::kUsage, "not a request: expected a JSON object with id, method and params on one line");
  }
  Request request;
  request.id = message.value("id", json());
  request.method = message["method"].get<std::string>();
  if (message.contains("params")) request.params = message["params"];
  if (!request.params.is_object()) throw Error(ErrorKind::kUsage, "params must be an object");
  return request;
}

json error_object(const std::exception& exception, const std::string& stage) {
  const Error error = known_error(exception);
  json object = {{"kind", error_kind_name(error.kind())}, {"stage", stage}, {"message", error.what()}};
  if (const auto* bench = dynamic_cast<const BenchError*>(&exception)) {
    object["cause"] = cause_name(bench->cause());
  } else if (lacks_memory(exception)) {
    object["cause"] = cause_name(Cause::kOutOfMemory);
  }
  return object;
}

}  // namespace graphnet
