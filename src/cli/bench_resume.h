// graphnet bench --resume RUN: the run's own options stand for those that the command line does not give.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphnet/bench/run.h"

namespace graphnet::cli {

// Takes from a run.json what was not given. `is_given` tells by the flag's name ("--seed", "PATH") whether the user
// gave it; `compilers` are as `--compiler` takes them. Throws Error(kInput) where the file lacks something.
void take_options_of_run(const nlohmann::json& run, const std::function<bool(const std::string& flag)>& is_given,
                         BenchOptions& options, std::vector<std::string>& compilers);

}  // namespace graphnet::cli
