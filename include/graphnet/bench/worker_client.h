// The supervisor's side of the worker protocol: one JSON request a line, events while it runs, one answer. A worker
// that crashes, hangs or prints nonsense becomes a Failure with its stage and cause.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/bench/memory_kills.h"
#include "graphnet/score/outcome.h"
#include "graphnet/support/error.h"

namespace graphnet {

struct WorkerOptions {
  std::vector<std::string> command;
  std::map<std::string, std::string> environment{};
  std::filesystem::path error_log{};  // the worker's stderr; empty: this process's
  std::chrono::seconds start_timeout{120};
  int interrupt_descriptor = -1;  // readable once the user wants to stop now
  // How many processes the kernel has killed for their memory: what tells such an end from any other SIGKILL.
  std::function<std::int64_t()> memory_kills = [] { return graphnet::memory_kills(); };
  std::int64_t memory_limit = 0;  // bytes that the worker and all that came of it may hold; 0: no limit
};

// Why a request has no result.
struct Failure {
  ErrorKind kind = ErrorKind::kInternal;
  Cause cause = Cause::kException;
  std::string stage;  // the last stage the worker entered, or the one its error names; may be empty
  std::string
      message;  // one line or more: exception text, "signal SIGSEGV (segmentation fault)", "no answer within 60 s"
  bool interrupted = false;  // the user stopped it: not the worker's fault
  bool answered = false;     // the worker reported it itself, and lives on
};

struct Reply {
  std::optional<nlohmann::json> result;
  std::optional<Failure> failure;  // exactly one of the two is there
};

// What a request reports while it runs.
struct RequestEvents {
  std::function<void(const std::string& stage)> on_stage{};
  std::function<void(const std::string& message)> on_warning{};
  std::filesystem::path log{};  // a file besides the error log that the request's processes write; bounded as well
};

class WorkerClient {
 public:
  explicit WorkerClient(WorkerOptions options);
  ~WorkerClient();
  WorkerClient(WorkerClient&&) noexcept;
  WorkerClient& operator=(WorkerClient&&) noexcept;

  // Sends a request and waits for its answer; each stage may take `stage_timeout`. Starts the worker where none runs:
  // the first time, and after a failure that ended it. Throws Error(kInterrupted) where the disk is full.
  Reply call(const std::string& method, const nlohmann::json& params, std::chrono::duration<double> stage_timeout,
             const RequestEvents& events = {});

  // Lets the worker end by itself, or kills it after a short while.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graphnet
