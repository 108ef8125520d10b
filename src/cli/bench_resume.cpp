#include "bench_resume.h"

#include "graphnet/bench/journal.h"
#include "graphnet/support/error.h"

namespace graphnet::cli {

using nlohmann::json;

void take_options_of_run(const json& run, const std::function<bool(const std::string& flag)>& is_given,
                         BenchOptions& options, std::vector<std::string>& compilers) {
  const auto take = [&](const std::string& flag, const char* key, auto& option) {
    if (!is_given(flag)) run.at(key).get_to(option);
  };
  try {
    take("--device", "device", options.device);
    take("--op-library", "op_libraries", options.operator_libraries);
    take("--threads", "threads", options.threads);
    take("--seed", "seed", options.seed);
    take("--timeout", "stage_timeout_seconds", options.stage_timeout);
    take("--timing-seconds", "timing_seconds", options.timing_seconds);
    take("--target", "target", options.target);
    take("--memory-limit", "memory_limit", options.memory_limit);
    take("--cache", "cache", options.cache);
    take("--float64", "float64", options.float64);
    take("--memory", "memory", options.memory);
    if (!is_given("--compiler")) {
      for (const json& compiler : run.at("compilers")) compilers.push_back(compiler.at("label").get<std::string>());
    }
    if (!is_given("PATH")) {
      options.samples.clear();
      for (const json& sample : run.at("samples")) options.samples.emplace_back(sample.get<std::string>());
      run.at("sample_names").get_to(options.names);
      run.at("shard").get_to(options.shard);
      if (options.names.size() != options.samples.size()) {
        throw Error(ErrorKind::kInput, "as many sample_names as samples are needed");
      }
    }
  } catch (const json::exception& error) {
    throw Error(ErrorKind::kInput, std::string(error.what()) + ": this run cannot be resumed");
  }
}

}  // namespace graphnet::cli
