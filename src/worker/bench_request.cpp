#include "bench_request.h"

#include <array>
#include <string_view>
#include <utility>

#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

using nlohmann::json;

constexpr std::array kCacheStates = {std::pair("warm", CacheState::kWarm), std::pair("cold", CacheState::kCold)};
constexpr std::array kSides = {std::pair("both", Sides::kBoth), std::pair("reference", Sides::kReference),
                               std::pair("candidate", Sides::kCandidate)};
constexpr std::array kFloat64Runs = {std::pair("auto", Float64Run::kAuto), std::pair("on", Float64Run::kOn),
                                     std::pair("off", Float64Run::kOff)};

// The value that goes by this word; the first one where the parameter is not there.
template <class Value, std::size_t kCount>
Value choice(const json& params, const char* name, const std::array<std::pair<const char*, Value>, kCount>& values) {
  const std::string text = params.value(name, std::string(values.front().first));
  for (const auto& [word, value] : values) {
    if (text == word) return value;
  }
  const auto word_of = [](const auto& each) { return each.first; };
  throw Error(ErrorKind::kUsage,
              "bench: \"" + text + "\" is no " + name + "; there are " + joined(values, ", ", word_of));
}

TimingOptions parse_timing(const json& timing) {
  TimingOptions options;
  options.maximum_seconds = timing.value("maximum_seconds", options.maximum_seconds);
  options.target_half_width = timing.value("target", options.target_half_width);
  options.warm_up_seconds = timing.value("warm_up_seconds", options.warm_up_seconds);
  options.minimum_trials = timing.value("minimum_trials", options.minimum_trials);
  options.minimum_block_seconds = timing.value("minimum_block_seconds", options.minimum_block_seconds);
  return options;
}

}  // namespace

BenchRequest parse_bench_request(const json& params) {
  try {
    BenchRequest request;
    request.sample = params.at("sample").get<std::string>();
    request.compiler = params.at("compiler").get<std::string>();
    request.options = params.value("options", json::object());
    request.package = params.value("package", std::string());
    request.device = params.value("device", std::string("auto"));
    request.operator_libraries = params.value("op_libraries", std::vector<std::string>());
    request.seed = params.value("seed", std::uint64_t{0});
    request.threads = params.value("threads", 0);
    request.cache = choice(params, "cache", kCacheStates);
    request.sides = choice(params, "sides", kSides);
    request.float64 = choice(params, "float64", kFloat64Runs);
    request.timing = parse_timing(params.value("timing", json::object()));
    request.timing.seed = request.seed;
    // A flushed cache is flushed for one call.
    if (request.cache == CacheState::kCold) request.timing.largest_batch = 1;
    return request;
  } catch (const json::exception& error) {
    throw Error(ErrorKind::kUsage, std::string("bench: ") + error.what());
  }
}

}  // namespace graphnet
