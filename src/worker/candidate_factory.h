// What a worker makes candidates with: a table from compilers' names to functions. Tests add compilers of their own.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "graphnet/runtime/candidate.h"

namespace graphnet {

// What a request tells a compiler beside the sample itself.
struct CompileRequest {
  const nlohmann::json& options;  // an object
  std::filesystem::path package;  // that an ahead-of-time compiler has made; else empty
  std::span<const at::Tensor> inputs;
};

using CandidateFactory =
    std::function<std::unique_ptr<Candidate>(const CandidateSource& source, const CompileRequest& request)>;
using CandidateFactories = std::map<std::string, CandidateFactory>;

// eager, inductor and torchscript. They throw Error(kUsage) for options that they do not have.
CandidateFactories builtin_candidates();

}  // namespace graphnet
