#include "candidate_factory.h"

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& compiler, const std::string& name, const json& value,
                         const std::string& allowed) {
  throw Error(ErrorKind::kUsage,
              compiler + " has no option " + name + "=" + value.dump() + "; its options are " + allowed);
}

std::unique_ptr<Candidate> make_eager(const CandidateSource& source, const CompileRequest& request) {
  double slowdown = 0;
  for (const auto& [name, value] : request.options.items()) {
    if (name != "slowdown" || !value.is_number() || value.get<double>() < 0) {
      refuse("eager", name, value, "slowdown=SHARE, at least 0");
    }
    slowdown = value.get<double>();
  }
  auto eager = make_eager_candidate(source);
  return slowdown > 0 ? make_slowed_candidate(std::move(eager), slowdown, source.device) : std::move(eager);
}

std::unique_ptr<Candidate> make_torchscript(const CandidateSource& source, const CompileRequest& request) {
  TorchScriptOptions options;
  for (const auto& [name, value] : request.options.items()) {
    if (name != "optimize" || !value.is_boolean()) {
      refuse("torchscript", name, value, "optimize=true and optimize=false");
    }
    options.optimize = value.get<bool>();
  }
  return compile_torchscript(source, request.inputs, options);
}

// The options were for the compiler, which is done.
std::unique_ptr<Candidate> make_inductor(const CandidateSource& source, const CompileRequest& request) {
  return load_inductor_package(request.package, source);
}

}  // namespace

CandidateFactories builtin_candidates() {
  return {{"eager", make_eager}, {"inductor", make_inductor}, {"torchscript", make_torchscript}};
}

}  // namespace graphnet
