#include "graphnet/bench/worker_client.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "graphnet/bench/subprocess.h"
#include "graphnet/report/number.h"
#include "graphnet/support/protocol.h"

#include "bounded_log.h"

namespace graphnet {
namespace {

using Clock = Subprocess::Clock;
using nlohmann::json;

constexpr std::chrono::seconds kTimeToEnd{2};

// Often enough that a limit is overrun by little, and seldom enough not to disturb what is timed.
constexpr std::chrono::milliseconds kBetweenChecks{200};

std::string seconds_text(std::chrono::duration<double> duration) {
  std::string text = std::to_string(duration.count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

Failure protocol_failure(std::string stage, const std::string& what) {
  return {ErrorKind::kEnvironment, Cause::kProtocol, std::move(stage), "the worker broke the protocol: " + what, false};
}

Failure ended_failure(std::string stage, const ExitStatus& status, bool memory_was_lacking) {
  Failure failure{ErrorKind::kInternal, Cause::kExitCode, std::move(stage), status.to_string(), false};
  if (status.signal != 0) failure.cause = Cause::kSignal;
  if (status.forced) {
    failure.cause = Cause::kProtocol;
    failure.message = "the worker closed its output without an answer";
  } else if (status.signal == SIGKILL && memory_was_lacking) {
    failure.cause = Cause::kOutOfMemory;
    failure.message = "signal SIGKILL (killed by the kernel for lack of memory)";
  } else if (status.signal == SIGKILL) {
    failure.message = "signal SIGKILL (killed from outside)";
  }
  return failure;
}

Cause cause_of(const json& error) {
  if (auto cause = parse_cause(error.value("cause", std::string()))) return *cause;
  return Cause::kException;
}

}  // namespace

struct WorkerClient::State {
  WorkerOptions options;
  std::unique_ptr<Subprocess> process;
  std::int64_t next_id = 1;
  Clock::time_point next_check = Clock::now() + kBetweenChecks;
  std::int64_t memory_kills_before = 0;  // when the worker was started, or the running request was sent

  bool memory_was_lacking() const { return options.memory_kills() > memory_kills_before; }

  Failure end_with(Failure failure) {
    process.reset();
    return failure;
  }

  Failure status_failure(const std::string& stage, const ExitStatus& status) const {
    return ended_failure(stage, status, memory_was_lacking());
  }

  // The failure that an answer of the kind "error" means. Throws json::exception for one that lacks something.
  Failure answered_failure(const json& error, const std::string& stage) const {
    Failure failure{parse_error_kind(error.at("kind").get<std::string>()),
                    cause_of(error),
                    error.value("stage", stage),
                    error.at("message").get<std::string>(),
                    /*interrupted=*/false,
                    /*answered=*/true};
    // A compiler's process tells how a child of its own ended, but not why.
    if (failure.cause == Cause::kSignal && failure.message.find("SIGKILL") != std::string::npos &&
        memory_was_lacking()) {
      failure.cause = Cause::kOutOfMemory;
      failure.message += " by the kernel, for lack of memory";
    }
    return failure;
  }

  // The failure that a state of read_line other than kLine means. Ends the process.
  Failure failure_of(Subprocess::ReadState state, const std::string& stage, std::chrono::duration<double> timeout) {
    switch (state) {
      case Subprocess::ReadState::kClosed:
        // The status first: the kernel counts a kill before the process is gone.
        return end_with(status_failure(stage, process->finish(Clock::now() + kTimeToEnd)));
      case Subprocess::ReadState::kTimedOut:
        process->kill();
        return end_with(
            {ErrorKind::kEnvironment, Cause::kTimeOut, stage, "no answer within " + seconds_text(timeout), false});
      case Subprocess::ReadState::kInterrupted:
        process->kill();
        return end_with({ErrorKind::kInterrupted, Cause::kSignal, stage, "stopped by the user", true});
      case Subprocess::ReadState::kTooLong:
      case Subprocess::ReadState::kLine:
        break;
    }
    process->kill();
    return end_with(protocol_failure(stage, "a line without end"));
  }

  // Looks at the limits. Ends the process where it holds too much memory.
  std::optional<Failure> check_limits(const std::string& stage, const std::filesystem::path& log) {
    bound_log(options.error_log);
    bound_log(log);
    if (options.memory_limit == 0) return std::nullopt;
    const std::int64_t held = process->memory(options.memory_limit);
    if (held <= options.memory_limit) return std::nullopt;
    process->kill();
    return end_with({ErrorKind::kInternal, Cause::kOutOfMemory, stage,
                     "ended at " + bytes_text(held) + " of memory: the limit is " + bytes_text(options.memory_limit) +
                         " (--memory-limit)",
                     false});
  }

  // The next line, or why there is none; all the while the limits hold.
  std::pair<Subprocess::ReadState, std::optional<Failure>> read_line(std::string& line, Clock::time_point deadline,
                                                                     const std::string& stage,
                                                                     const std::filesystem::path& log) {
    while (true) {
      const auto state = process->read_line(line, std::min(deadline, next_check), options.interrupt_descriptor);
      const Clock::time_point now = Clock::now();
      if (now >= next_check) {
        if (auto broken = check_limits(stage, log)) return {state, std::move(broken)};
        next_check = now + kBetweenChecks;
      }
      if (state != Subprocess::ReadState::kTimedOut || now >= deadline) return {state, std::nullopt};
    }
  }

  std::optional<Failure> start() {
    memory_kills_before = options.memory_kills();
    if (process) return std::nullopt;
    try {
      process =
          std::make_unique<Subprocess>(SubprocessOptions{options.command, options.environment, options.error_log});
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kInterrupted) throw;
      return Failure{error.kind(), Cause::kException, "start", error.what(), false};
    }
    std::string line;
    auto [state, broken] = read_line(line, Clock::now() + options.start_timeout, "start", {});
    if (broken) return std::move(broken);
    if (state != Subprocess::ReadState::kLine) return failure_of(state, "start", options.start_timeout);
    json hello = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!hello.is_object() || hello.value("event", json()) != json("hello")) {
      process->kill();
      return end_with(protocol_failure("start", "the first line is no greeting: " + line.substr(0, 200)));
    }
    if (json spoken = hello.value("protocol", json()); spoken != json(kProtocolVersion)) {
      process->kill();
      return end_with(protocol_failure("start", "it speaks version " + spoken.dump() + ", this program version " +
                                                    std::to_string(kProtocolVersion)));
    }
    return std::nullopt;
  }
};

WorkerClient::WorkerClient(WorkerOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}
WorkerClient::~WorkerClient() = default;
WorkerClient::WorkerClient(WorkerClient&&) noexcept = default;
WorkerClient& WorkerClient::operator=(WorkerClient&&) noexcept = default;

Reply WorkerClient::call(const std::string& method, const json& params, std::chrono::duration<double> stage_timeout,
                         const RequestEvents& events) {
  if (auto failure = state_->start()) return {std::nullopt, std::move(failure)};
  std::int64_t id = state_->next_id++;
  // A longer wait than this is as good as none, and its nanoseconds would overflow.
  constexpr std::chrono::hours kLongest{24 * 365};
  auto timeout =
      std::chrono::duration_cast<Clock::duration>(std::min<std::chrono::duration<double>>(stage_timeout, kLongest));
  std::string stage;

  // A request that cannot be written shows as a closed stdout below, with the reason.
  state_->process->write_line(
      json{{"id", id}, {"method", method}, {"params", params}}.dump(-1, ' ', false, json::error_handler_t::replace),
      Clock::now() + timeout);

  Clock::time_point deadline = Clock::now() + timeout;
  std::string line;
  while (true) {
    auto [read, broken] = state_->read_line(line, deadline, stage, events.log);
    if (broken) return {std::nullopt, std::move(broken)};
    if (read != Subprocess::ReadState::kLine) return {std::nullopt, state_->failure_of(read, stage, stage_timeout)};

    json message = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!message.is_object() || message.value("id", json()) != json(id)) {
      return {std::nullopt, state_->end_with(protocol_failure(stage, "unexpected line: " + line.substr(0, 200)))};
    }
    try {
      if (message.contains("result")) return {message.at("result"), std::nullopt};
      if (message.contains("error")) {
        return {std::nullopt, state_->answered_failure(message.at("error"), stage)};
      }
      std::string event = message.at("event").get<std::string>();
      if (event == "stage") {
        stage = message.at("stage").get<std::string>();
        deadline = Clock::now() + timeout;
        if (events.on_stage) events.on_stage(stage);
      } else if (event == "warning") {
        if (events.on_warning) events.on_warning(message.at("message").get<std::string>());
        // One that only talks does not end by itself.
        if (Clock::now() >= deadline) {
          return {std::nullopt, state_->failure_of(Subprocess::ReadState::kTimedOut, stage, stage_timeout)};
        }
      } else {
        return {std::nullopt, state_->end_with(protocol_failure(stage, "unknown event " + event))};
      }
    } catch (const json::exception& error) {
      return {std::nullopt, state_->end_with(protocol_failure(stage, error.what()))};
    }
  }
}

void WorkerClient::stop() {
  if (!state_->process) return;
  state_->process->finish(Clock::now() + kTimeToEnd);
  state_->process.reset();
}

}  // namespace graphnet
