// graphnet-worker: the process in which tensors live. It serves one request after the other until its input ends.

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include <nlohmann/json.hpp>

#include "graphnet/frontend/extract.h"
#include "graphnet/frontend/validate.h"
#include "graphnet/runtime/device.h"
#include "graphnet/runtime/operator_library.h"
#include "graphnet/support/error.h"
#include "graphnet/support/protocol.h"
#include "graphnet/support/version.h"

#include "bench_unit.h"
#include "candidate_factory.h"
#include "protocol.h"

namespace graphnet {
namespace {

using nlohmann::json;

json seconds_object(const std::vector<std::pair<std::string, double>>& seconds) {
  json object = json::object();
  for (const auto& [stage, value] : seconds) object[stage] = value;
  return object;
}

// The operator libraries are loaded first: one of them may bring the device.
c10::Device device_of(const json& params) {
  for (const std::string& library : params.value("op_libraries", std::vector<std::string>())) {
    load_operator_library(library);
  }
  return parse_device(params.value("device", std::string("cpu")));
}

json describe_method(const json& params) {
  const c10::Device device = device_of(params);
  const MachineDescription machine = describe_machine(device);
  return {{"processor", machine.processor},
          {"capability", machine.capability},
          {"device", machine.device},
          {"address", device.str()},
          {"framework", machine.framework},
          {"threads", machine.threads},
          {"available_memory", available_memory(device)}};
}

json extract_method(const json& params, const ProgressEvents& events) {
  ExtractOptions options;
  options.model = params.at("model").get<std::string>();
  options.output = params.value("output", std::string("."));
  options.name = params.value("name", std::string());
  options.category = params.value("category", std::string());
  options.inputs = params.value("inputs", std::vector<std::string>());
  options.inputs_file = params.value("inputs_file", std::string());
  options.operator_libraries = params.value("op_libraries", std::vector<std::string>());
  options.device = device_of(params);
  options.with_weights = params.value("with_weights", false);
  options.allow_degenerate = params.value("allow_degenerate", false);
  options.seed = params.value("seed", std::uint64_t{0});
  for (const json& taken : params.value("taken", json::array())) {
    options.taken.push_back({taken.at(0).get<std::string>(), taken.at(1).get<std::string>()});
  }
  const ExtractResult result = extract(options, events);
  const Metadata& metadata = result.sample.metadata;
  return {{"directory", result.sample.directory.string()},
          {"name", metadata.name},
          {"calls", result.sample.graph.calls.size()},
          {"operators", result.sample.graph.operators.size()},
          {"parameters", metadata.parameter_count},
          {"weight_bytes", metadata.weight_bytes},
          {"identity", metadata.identity},
          {"warnings", result.warnings},
          {"seconds", seconds_object(result.stage_seconds)}};
}

json validate_method(const json& params, const ProgressEvents& events) {
  ValidateOptions options;
  options.sample = params.at("sample").get<std::string>();
  options.operator_libraries = params.value("op_libraries", std::vector<std::string>());
  options.device = device_of(params);
  options.seed = params.value("seed", std::uint64_t{0});
  options.memory_limit = params.value("memory_limit", std::int64_t{0});
  options.threads = params.value("threads", 0);
  const ValidateResult result = validate(options, events);
  json checks = json::array();
  for (const Check& check : result.checks) {
    checks.push_back({{"name", check.name}, {"passed", check.passed}, {"message", check.message}});
    if (check.kind) checks.back()["kind"] = error_kind_name(*check.kind);
  }
  return {{"passed", result.passed},
          {"checks", checks},
          {"broadcast_weights", result.broadcast_weights},
          {"digest_compared", result.digest_compared},
          {"seconds", seconds_object(result.stage_seconds)},
          {"peak_memory_bytes", peak_host_memory()}};
}

json serve(const Request& request, const ProgressEvents& events) {
  if (request.method == "describe") return describe_method(request.params);
  if (request.method == "extract") return extract_method(request.params, events);
  if (request.method == "validate") return validate_method(request.params, events);
  if (request.method == "bench") return bench_unit(request.params, events, builtin_candidates());
  throw Error(ErrorKind::kUsage, "unknown method '" + request.method + "'");
}

// Answers one request; returns false at the end of the input.
bool serve_next(ProtocolStream& stream) {
  std::string stage;
  json id;
  try {
    const std::optional<Request> request = read_request();
    if (!request) return false;
    id = request->id;
    ProgressEvents events;
    events.on_stage = [&](const std::string& name) {
      stage = name;
      stream.write({{"id", id}, {"event", "stage"}, {"stage", name}});
    };
    events.on_warning = [&](const std::string& message) {
      stream.write({{"id", id}, {"event", "warning"}, {"message", message}});
    };
    // A result tells the peak of its own work: where the counter cannot be reset, what goes beyond earlier work.
    const std::int64_t earlier_peak = reset_peak_host_memory() ? 0 : peak_host_memory();
    json result = serve(*request, events);
    if (result.contains("peak_memory_bytes")) result["peak_memory_bytes"] = peak_host_memory() - earlier_peak;
    stream.write({{"id", id}, {"result", std::move(result)}});
  } catch (const std::exception& exception) {
    stream.write({{"id", id}, {"error", error_object(exception, stage)}});
  } catch (...) {
    const Error unknown(ErrorKind::kInternal, "an exception of unknown type");
    stream.write({{"id", id}, {"error", error_object(unknown, stage)}});
  }
  return true;
}

}  // namespace
}  // namespace graphnet

int main(int argument_count, char** arguments) {
  using namespace graphnet;
  if (argument_count > 1) {
    const bool version_asked = std::string_view(arguments[1]) == "--version";
    std::fprintf(version_asked ? stdout : stderr, "graphnet-worker %s\n%s", std::string(version()).c_str(),
                 version_asked ? "" : "It takes no arguments: graphnet starts it and speaks with it over pipes.\n");
    return version_asked ? 0 : exit_code(ErrorKind::kUsage);
  }
  std::signal(SIGPIPE, SIG_IGN);
  try {
    ProtocolStream stream;
    load_accelerator_libraries();
    stream.write({{"event", "hello"},
                  {"protocol", kProtocolVersion},
                  {"program", "graphnet-worker"},
                  {"version", version()},
                  {"framework", describe_machine(c10::kCPU).framework}});
    while (serve_next(stream)) {
    }
    return 0;
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "graphnet-worker: error: %s\n", exception.what());
    return exit_code(ErrorKind::kInternal);
  }
}
