// graphnet validate: re-runs and re-extracts samples, and says which hold what they promise.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "graphnet/bench/installation.h"
#include "graphnet/bench/interrupt.h"
#include "graphnet/bench/worker_client.h"
#include "graphnet/sample/dataset.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "command.h"
#include "failure.h"
#include "progress.h"

namespace graphnet::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct ValidateOptions {
  CommonOptions common;
  std::vector<std::string> paths;
  std::string device = "cpu";
  std::vector<std::string> operator_libraries;
  int jobs = 1;
  double timeout = 1800;
  std::uint64_t seed = 0;
};

// What became of one sample.
struct Verdict {
  std::string name;
  bool passed = false;
  std::string message;               // why it failed; or what is worth knowing of one that passed
  std::optional<ErrorKind> failure;  // of the error that ended it, where one did
  json result;                       // the worker's, where it answered
  bool digest_compared = false;
};

Verdict verdict_of(const std::string& name, const Reply& reply) {
  Verdict verdict{name, false, "", std::nullopt, json::object(), false};
  if (reply.failure) {
    verdict.failure = kind_of(*reply.failure);
    verdict.message =
        reply.failure->stage.empty() ? reply.failure->message : reply.failure->stage + ": " + reply.failure->message;
    return verdict;
  }
  verdict.result = *reply.result;
  verdict.passed = verdict.result.at("passed").get<bool>();
  verdict.digest_compared = verdict.result.value("digest_compared", false);
  for (const json& check : verdict.result.at("checks")) {
    if (check.at("passed").get<bool>()) continue;
    if (check.contains("kind")) verdict.failure = parse_error_kind(check.at("kind").get<std::string>());
    verdict.message += (verdict.message.empty() ? "" : "; ") + check.at("name").get<std::string>() + ": " +
                       check.at("message").get<std::string>();
  }
  if (verdict.passed && verdict.result.value("broadcast_weights", false)) {
    verdict.message = "with broadcast weights: the real ones do not fit in memory";
  }
  return verdict;
}

// Validates samples in several workers at once, and prints a line for each as it is done.
class Validation {
 public:
  Validation(const ValidateOptions& options, std::vector<std::filesystem::path> samples)
      : options_(options),
        samples_(std::move(samples)),
        names_(display_names(samples_)),
        installation_(find_installation()),
        progress_(options.common),
        verdicts_(samples_.size()) {}

  int run() {
    workers_ = std::min<int>(options_.jobs, static_cast<int>(samples_.size()));
    std::vector<WorkerClient> clients;
    for (int i = 0; i < workers_; ++i) clients.push_back(make_worker());
    look_at_machine(clients.front());
    std::vector<std::thread> threads;
    for (WorkerClient& client : clients) threads.emplace_back([this, &client] { work(client); });
    for (std::thread& thread : threads) thread.join();
    progress_.clear();
    const int code = report();
    if (interrupted_)
      throw Error(ErrorKind::kInterrupted, "stopped by the user after " + std::to_string(done_) + " samples");
    return code;
  }

 private:
  WorkerClient make_worker() const {
    return WorkerClient(
        {{installation_.worker.string()}, {}, {}, std::chrono::seconds(120), interrupt_.stop_now_descriptor()});
  }

  // What holds for every sample is found out, or refused, once: the device, the libraries, what each worker may use.
  void look_at_machine(WorkerClient& worker) {
    const Reply reply =
        worker.call("describe", {{"device", options_.device}, {"op_libraries", options_.operator_libraries}},
                    std::chrono::duration<double>(options_.timeout));
    if (reply.failure) {
      if (reply.failure->interrupted) throw Error(ErrorKind::kInterrupted, "stopped by the user");
      throw Error(reply.failure->kind, reply.failure->message);
    }
    threads_ = std::max<std::int64_t>(1, reply.result->at("threads").get<std::int64_t>() / workers_);
    // One worker has what is there when a sample begins.
    if (workers_ > 1) memory_limit_ = reply.result->at("available_memory").get<std::int64_t>() / workers_;
  }

  void work(WorkerClient& worker) {
    for (std::size_t i = next_++; i < samples_.size(); i = next_++) {
      if (interrupt_.requests() > 0) {
        interrupted_ = true;
        break;
      }
      RequestEvents events;
      events.on_stage = [&](const std::string& stage) {
        std::lock_guard lock(mutex_);
        progress_.show("[" + std::to_string(done_ + 1) + "/" + std::to_string(samples_.size()) + "] " + names_[i],
                       stage);
      };
      json params = {
          {"sample", samples_[i].string()}, {"device", options_.device}, {"op_libraries", options_.operator_libraries},
          {"seed", options_.seed},          {"threads", threads_},       {"memory_limit", memory_limit_}};
      std::optional<Verdict> verdict = validate(worker, names_[i], params, events);
      if (!verdict) {
        interrupted_ = true;
        break;
      }
      finish(i, std::move(*verdict));
    }
    worker.stop();
  }

  // Nothing where the user stopped it. Whatever else goes wrong is the sample's verdict: no exception may leave the
  // thread.
  std::optional<Verdict> validate(WorkerClient& worker, const std::string& name, const json& params,
                                  const RequestEvents& events) const {
    try {
      const Reply reply = worker.call("validate", params, std::chrono::duration<double>(options_.timeout), events);
      if (reply.failure && reply.failure->interrupted) return std::nullopt;
      return verdict_of(name, reply);
    } catch (const json::exception& error) {
      const std::string message = std::string("the worker's result is not usable: ") + error.what();
      return verdict_of(name, {std::nullopt, Failure{ErrorKind::kInternal, Cause::kProtocol, "", message, false}});
    } catch (const std::exception& error) {
      return verdict_of(name,
                        {std::nullopt, Failure{ErrorKind::kInternal, Cause::kException, "", error.what(), false}});
    }
  }

  void finish(std::size_t index, Verdict verdict) {
    std::lock_guard lock(mutex_);
    ++done_;
    progress_.clear();
    if (!options_.common.json && (!options_.common.quiet || !verdict.passed)) {
      const std::string text = verdict.name + (verdict.message.empty() ? "" : ": ") + verdict.message;
      std::printf("%-4s  %s\n", verdict.passed ? "ok" : "FAIL", printable(text).c_str());
      std::fflush(stdout);
    }
    verdicts_[index] = std::move(verdict);
  }

  // Samples that came to a verdict: all of them, unless the user stopped the command.
  std::size_t count(auto&& predicate) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        verdicts_, [&](const std::optional<Verdict>& verdict) { return verdict && predicate(*verdict); }));
  }

  int report() const {
    const std::size_t failed = count([](const Verdict& verdict) { return !verdict.passed; });
    const std::size_t compared = count([](const Verdict& verdict) { return verdict.digest_compared; });
    if (options_.common.json) {
      print_report(failed, compared);
    } else if (!options_.common.quiet && !interrupted_) {
      std::printf("%zu samples, %zu failed; digest compared for %zu of %zu\n", samples_.size(), failed, compared,
                  samples_.size());
    }
    // Where no sample could be tried at all, it is not the samples that are at fault.
    const bool unusable =
        count([](const Verdict& verdict) { return verdict.failure == ErrorKind::kEnvironment; }) == verdicts_.size();
    if (unusable) return exit_code(ErrorKind::kEnvironment);
    return failed == 0 ? 0 : 1;
  }

  void print_report(std::size_t failed, std::size_t compared) const {
    ordered_json results = ordered_json::array();
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (!verdicts_[i]) continue;
      results.push_back({{"sample", names_[i]},
                         {"path", samples_[i].string()},
                         {"passed", verdicts_[i]->passed},
                         {"message", verdicts_[i]->message},
                         {"details", verdicts_[i]->result}});
    }
    print_json({{"samples", samples_.size()},
                {"finished", done_},
                {"failed", failed},
                {"digests_compared", compared},
                {"interrupted", interrupted_.load()},
                {"results", std::move(results)}});
  }

  const ValidateOptions& options_;
  std::vector<std::filesystem::path> samples_;
  std::vector<std::string> names_;
  Installation installation_;
  InterruptWatch interrupt_;
  Progress progress_;
  std::vector<std::optional<Verdict>> verdicts_;
  int workers_ = 1;
  std::int64_t threads_ = 1;       // of each worker
  std::int64_t memory_limit_ = 0;  // of each worker, in bytes; 0: what is there
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> interrupted_{false};
  std::size_t done_ = 0;
  std::mutex mutex_;  // guards progress_, verdicts_ and done_
};

}  // namespace

void add_validate(CLI::App& program, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command = add_command(program, "validate", "Re-run and re-extract samples; exit 1 if any fails",
                                  "  graphnet validate samples/\n"
                                  "  graphnet validate samples/vision/resnet18 --json\n"
                                  "  graphnet validate samples/ -j 2 --timeout 300",
                                  options->common);
  command->add_option("PATH", options->paths, "Samples, folders of samples, or text files with a path a line")
      ->required();
  command->add_option("--device", options->device, "Device to run on: cpu, cuda, cuda:1, auto")
      ->envname("GRAPHNET_DEVICE")
      ->capture_default_str();
  command
      ->add_option("--op-library", options->operator_libraries,
                   "Library of operators to load first: a .so file, or a Python package. Repeatable")
      ->allow_extra_args(false);
  command->add_option("-j,--jobs", options->jobs, "Samples to validate at the same time, each in its own worker")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--timeout", options->timeout, "Seconds that one stage of a sample may take")
      ->envname("GRAPHNET_TIMEOUT")
      ->check(positive_number())
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of inputs and weights")
      ->envname("GRAPHNET_SEED")
      ->check(whole_number())
      ->capture_default_str();
  run_when_chosen(command, action, options->common, [options] {
    std::vector<std::filesystem::path> paths(options->paths.begin(), options->paths.end());
    return Validation(*options, find_samples(paths)).run();
  });
}

}  // namespace graphnet::cli
